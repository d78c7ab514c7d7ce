"""Processes of their own, which import the package from this checkout."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def python(
    *words: str | Path, cwd: str | Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Python with these words and variables of the environment."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | variables
    command = [sys.executable, *map(str, words)]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=600
    )
