"""A result names the instructions that decide its last bits, and loads nothing to do so."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bandits.engine import cpu

# Other kernels that OpenBLAS can be told to use, by the machine and what it chooses there.
KERNELS = {("x86_64", name): "Haswell" for name in ("SkylakeX", "Cooperlake", "SapphireRapids")}
KERNELS |= {("x86_64", name): "Nehalem" for name in ("Haswell", "Zen", "Sandybridge")}

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = """
import json, sys
if "torch" in sys.argv:
    import torch
from bandits.engine import cpu
print(json.dumps([cpu.features(torch=True), "torch" in sys.modules]))
"""


def elsewhere(*words: str, **variables: str) -> tuple[dict[str, str], bool]:
    """The features in a process of its own, and whether torch was loaded there."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    found, loaded = json.loads(done.stdout)
    return found, loaded


def test_torch_is_not_loaded_to_be_named() -> None:
    assert elsewhere() == (cpu.features(torch=False), False)


def test_every_library_names_what_it_is_told_to_use() -> None:
    """As on a machine without the newer instructions."""
    here = cpu.features(torch=False)
    newer = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])
    if (here["machine"], here.get("blas")) not in KERNELS or not newer:
        pytest.skip("the libraries here cannot be told, or the machine has nothing newer")
    other = KERNELS[here["machine"], here.get("blas")]
    found, loaded = elsewhere(
        "torch",
        OPENBLAS_CORETYPE=other,
        NPY_DISABLE_CPU_FEATURES=" ".join(newer),
        ATEN_CPU_CAPABILITY="default",
    )
    assert loaded
    assert (found["machine"], found["blas"], found["torch"]) == ("x86_64", other, "DEFAULT")
    assert not set(found["numpy"].split()) & set(newer)
    assert here["numpy"].split() == newer
