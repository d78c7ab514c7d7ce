"""nbgrader at work in a course folder: settings, time limits, and its errors in plain words."""

from __future__ import annotations

import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import SaveCells
from traitlets.config.loader import Config, PyFileConfigLoader

ROOT = Path(__file__).resolve().parent.parent
COURSE = ROOT / "course"
SOURCES = COURSE / "source"


class AssignmentError(ValueError):
    """Something that the teacher has to put right, told in one sentence."""


@dataclass(frozen=True)
class Limits:
    """Seconds that one cell (None: as nbgrader_config.py says) and one notebook may run."""

    cell: int | None = None
    notebook: int = 600


class Clock:
    """Tells nbgrader how long the next cell may run, within what is left for the notebook."""

    def __init__(self, limits: Limits, configured: int) -> None:
        self.cell = limits.cell if limits.cell is not None else configured
        self.notebook = limits.notebook
        if self.cell < 1 or self.notebook < 1:
            raise AssignmentError(
                f"time limits must be >= 1 second, not {self.cell} (a cell), {self.notebook} (all)"
            )
        self.start()

    def start(self) -> None:
        """A new notebook begins."""
        self.end = time.monotonic() + self.notebook

    def __call__(self, cell: Any) -> int:
        """Seconds for this cell, at least 1."""
        return max(1, min(self.cell, int(self.end - time.monotonic())))


def read(path: Path) -> Any:
    """A notebook. Raises whatever nbformat raises for a file that is none."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def names() -> list[str]:
    """The assignments, by the folders of their sources."""
    return sorted(path.parent.name for path in SOURCES.glob("*/*.ipynb"))


def nbgrader_api(course: Path, clock: Clock | None = None, *, database: bool = True) -> Any:
    """nbgrader at work in the folder `course`, with the settings of nbgrader_config.py.

    Without a database it can make student versions, faster, but not grade.
    """
    # nbgrader starts `alembic`, which lies beside the interpreter; its folder need not be in PATH.
    os.environ["PATH"] = os.pathsep.join(
        [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    )
    settings = configuration()
    settings.CourseDirectory.root = str(course)
    settings.Exchange.root = str(course / "exchange")  # not used; the default may not be writable
    (course / "exchange").mkdir(parents=True, exist_ok=True)
    if not database:
        steps = GenerateAssignment.preprocessors.default_args[0]
        settings.GenerateAssignment.preprocessors = [s for s in steps if s is not SaveCells]
        settings.GenerateAssignment.no_database = True
    if clock is not None:
        settings.Execute.timeout_func = clock
    api = NbGraderAPI(CourseDirectory(config=settings), config=settings)
    api.log.handlers.clear()  # what went wrong is in the results, and is told in plain words
    api.log.propagate = False
    return api


def configuration() -> Config:
    """The settings of nbgrader_config.py."""
    settings: Config = PyFileConfigLoader("nbgrader_config.py", str(COURSE)).load_config()
    return settings


def succeed(result: dict[str, Any], what: str) -> None:
    """Raise AssignmentError with nbgrader's own words unless the result is a success."""
    if not result["success"]:
        raise AssignmentError(f"{what} failed: {last_words(result)}")


def last_words(result: dict[str, Any]) -> str:
    """The most telling line of a failed result of nbgrader."""
    if "KeyboardInterrupt" in result["error"]:
        raise KeyboardInterrupt
    lines = (result.get("log", "") + "\n" + result["error"]).splitlines()
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in lines]
    errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Entry)\b", line)]
    # nbgrader's own exception only says that there was another one.
    telling = [line for line in errors if "NbGraderException" not in line]
    return str((telling or errors or lines)[-1])
