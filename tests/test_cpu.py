"""A result names the instructions that decide its last bits, and loads nothing to do so."""

import json

import numpy as np
import pytest
from commands import python

from bandits.engine import cpu

# Other kernels that OpenBLAS can be told to use, by the machine and what it chooses there.
KERNELS = {("x86_64", name): "Haswell" for name in ("SkylakeX", "Cooperlake", "SapphireRapids")}
KERNELS |= {("x86_64", name): "Nehalem" for name in ("Haswell", "Zen", "Sandybridge")}

SCRIPT = """
import json, sys
if "torch" in sys.argv:
    import torch
from bandits.engine import cpu
print(json.dumps([cpu.features(torch=True), "torch" in sys.modules]))
"""


def elsewhere(*words: str, **variables: str) -> tuple[dict[str, str], bool]:
    """The features in a process of its own, and whether torch was loaded there."""
    done = python("-c", SCRIPT, *words, **variables)
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
