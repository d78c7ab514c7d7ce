"""Mutation testing in a copy of the study, so that the tree is never changed.

`python tools/mutants.py` fails if more mutants survive than mutants.md explains.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXPLAINED = 58
SECONDS = 3600


def main() -> int:
    """The command; returns its exit status."""
    program = str(Path(sys.executable).with_name("mutmut"))
    with tempfile.TemporaryDirectory(prefix="bandits-mutants-") as scratch:
        folder = Path(scratch)
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, folder)
        for name in ("bandits", "tests", "tools"):
            unwanted = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, ignore=unwanted)
        run = [program, "run", "--max-children", "2"]
        # Each mutant's process ends without tidying up: what it leaves goes with the copy.
        environment = os.environ | {"TMPDIR": scratch}
        subprocess.run(run, cwd=folder, env=environment, check=True, timeout=SECONDS)
        told = subprocess.run(
            [program, "results"], cwd=folder, check=True, capture_output=True, text=True
        ).stdout
    print(told)
    left = len(re.findall(r": (?:survived|no tests|suspicious)", told))
    print(f"mutants: {left} left; {EXPLAINED} are explained in tools/mutants.md")
    return int(left > EXPLAINED)


if __name__ == "__main__":
    sys.exit(main())
