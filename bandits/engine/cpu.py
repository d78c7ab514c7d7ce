"""What of this machine's CPU decides the last bits of a result, for its provenance."""

import platform
import sys

import numpy as np
from threadpoolctl import threadpool_info


def features(*, torch: bool) -> dict[str, str]:
    """The instructions that the libraries use here, by library.

    Two machines that differ in them may round a sum differently, and then the decisions of a
    network part after some hundred steps.

    Args:
        torch: name torch's as well, if it is loaded. It is not loaded for this; and a run that
            does not need it must be described alike whether it is loaded or not.

    Returns:
        "machine", its architecture; "numpy", the levels that NumPy found, or else the one that it
        was built for; "blas", the kernels that NumPy's BLAS chose; "torch", the level that torch
        found. What a library does not tell is left out.
    """
    found = {"machine": platform.machine()}
    levels = np.show_config(mode="dicts").get("SIMD Extensions", {})
    if known := levels.get("found") or levels.get("baseline"):
        found["numpy"] = " ".join(known)
    for library in threadpool_info():
        if library["user_api"] == "blas":  # the first that was loaded is NumPy's
            found["blas"] = library.get("architecture", library["internal_api"])
            break
    if torch and (loaded := sys.modules.get("torch")) is not None:
        found["torch"] = loaded.backends.cpu.get_cpu_capability()
    return found
