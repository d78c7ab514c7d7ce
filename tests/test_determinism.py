"""What a run gives depends on its settings only: not on hashing, threads or where it starts."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import python

from bandits import mnist
from bandits.architecture import SIMPLE, Architecture, Training
from bandits.engine.compute import compute
from bandits.experiments import LINEAR, LINUCB, Method, NetworkSpec, RunSpec

CONVOLUTIONS = Architecture(channels=(4,), width=8, fold=2, stride=(1,), pool=(2,), padding=(0,))
TRAINING = Training(epochs=4)
METHODS = (
    LINEAR,
    LINUCB,
    Method("simple", "", "epsilon_greedy", 0.5, NetworkSpec(SIMPLE, TRAINING)),
    Method("deep", "", "epsilon_greedy", 0.5, NetworkSpec(CONVOLUTIONS, TRAINING)),
)
SPECS = [RunSpec(method, run=0, steps=80, noise=1.0) for method in METHODS]

# Started as a script; what it prints is compared.
SCRIPT = """
import hashlib, json
from test_determinism import digests
print(json.dumps(digests()))
"""


def digests() -> dict[str, str]:
    """Of every run: its fingerprint, and its actions and rewards to the last bit."""
    import hashlib

    data = mnist.load("sample")
    told = {}
    for spec in SPECS:
        run = compute(spec, data)
        content = run.actions.tobytes() + run.rewards.tobytes() + run.propensities.tobytes()
        told[spec.fingerprint(data.digest)] = hashlib.sha256(content).hexdigest()
    return told


@pytest.fixture(scope="module")
def here() -> dict[str, str]:
    return digests()


@pytest.mark.parametrize(
    "variables",
    [
        {"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1"},
        {"PYTHONHASHSEED": "2", "OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4"},
        pytest.param({"PYTHONHASHSEED": "3", "OMP_NUM_THREADS": "2"}, marks=pytest.mark.slow),
        pytest.param({"MKL_NUM_THREADS": "3", "LC_ALL": "C"}, marks=pytest.mark.slow),
        pytest.param(
            {
                "PYTHONOPTIMIZE": "2",
                "PYTHONUTF8": "0",
                "PYTHONCOERCECLOCALE": "0",
                "LC_ALL": "C",
                "TZ": "Pacific/Apia",
                "MPLBACKEND": "svg",
            },
            marks=pytest.mark.slow,
        ),
    ],
    ids=lambda variables: " ".join(f"{k}={v}" for k, v in variables.items()),
)
def test_hash_seeds_and_thread_counts_change_nothing(
    variables: dict[str, str], here: dict[str, str], tmp_path: Path
) -> None:
    tests = Path(__file__).parent
    path = f"{tests}{os.pathsep}{tests.parent}"
    done = python("-c", SCRIPT, cwd=tmp_path, **(variables | {"PYTHONPATH": path}))
    assert json.loads(done.stdout) == here


def test_runs_before_a_run_change_nothing(here: dict[str, str], sample: mnist.Mnist) -> None:
    """Global random states play no part, however they stand."""
    import torch

    torch.manual_seed(1)
    np.random.seed(1)  # noqa: NPY002
    assert digests() == here


def test_what_a_program_has_set_for_itself_changes_nothing(here: dict[str, str]) -> None:
    """NumPy's error state and printing, and torch's numbers; all are as before afterwards."""
    import torch

    before = torch.get_default_dtype(), torch.get_float32_matmul_precision()
    torch.set_default_dtype(torch.float64)
    torch.set_float32_matmul_precision("medium")
    try:
        with (
            np.errstate(all="raise"),
            np.printoptions(precision=1, threshold=2, legacy="1.13"),
        ):
            assert digests() == here
            assert set(np.geterr().values()) == {"raise"}
        assert torch.get_default_dtype() == torch.float64
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_default_dtype(before[0])
        torch.set_float32_matmul_precision(before[1])


def test_the_seed_changes_everything(sample: mnist.Mnist) -> None:
    one, other = (compute(replace(SPECS[2], seed=seed), sample) for seed in (1, 2))
    assert not np.array_equal(one.rewards, other.rewards)
    assert not np.array_equal(one.actions, other.actions)
