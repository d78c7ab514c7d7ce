"""Where runs can be made and kept: folders, devices and cores, refused before any work."""

import os
import tempfile
from pathlib import Path

from bandits.checks import UsageError


def check_writable(folder: Path) -> None:
    """Refuse a folder that cannot be written, before any work.

    Raises:
        UsageError: naming the folder and the reason.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(
            f"the output folder {folder} cannot be written ({error.strerror}); "
            "name another with --out"
        ) from error


def check_device(device: str) -> None:
    """Refuse a device that is not there, naming those that are."""
    if device == "cpu":
        return
    import torch

    there = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
    if device not in there:
        raise UsageError(f"--device {device} is not there; there is {' and '.join(there)}")


def cores() -> int:
    """How many this process may use, where the system says so."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
