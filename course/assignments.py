"""The assignments: where they lie, and the forms in which they are released and graded."""

from __future__ import annotations

import copy
import functools
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ClearSolutions,
    LockCells,
)
from traitlets.config.loader import Config, PyFileConfigLoader

ROOT = Path(__file__).resolve().parent.parent
COURSE = ROOT / "course"
SOURCES = COURSE / "source"


class AssignmentError(ValueError):
    """Something that the teacher has to put right, told in one sentence."""


def read(path: Path) -> Any:
    """A notebook. Raises whatever nbformat raises for a file that is none."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def names() -> list[str]:
    """The assignments, by the folders of their sources."""
    return sorted(path.parent.name for path in SOURCES.glob("*/*.ipynb"))


@functools.cache
def source(name: str) -> Any:
    """The teacher's notebook: solved, with hidden tests, model answer and rubric."""
    return read(SOURCES / name / f"{name}.ipynb")


@functools.cache
def graded_form(name: str) -> Any:
    """The student's notebook, but with the hidden tests: what an answer is held against."""
    return _converted(source(name), LockCells, ClearSolutions, ClearOutput, CheckCellMetadata)


@functools.cache
def released(name: str) -> Any:
    """The student's notebook: no solutions and no hidden tests."""
    return _converted(graded_form(name), ClearHiddenTests, ClearMarkScheme, CheckCellMetadata)


def points(name: str) -> dict[str, float]:
    """The marks of every graded cell of an assignment, in the notebook's order."""
    kinds = [cell.metadata.nbgrader for cell in source(name).cells]
    return {kind.grade_id: float(kind.points) for kind in kinds if kind.grade}


def written(name: str) -> list[str]:
    """The graded cells that a person reads."""
    kinds = [cell.metadata.nbgrader for cell in source(name).cells]
    return [kind.grade_id for kind in kinds if kind.grade and kind.solution]


def configuration() -> Config:
    """The settings of nbgrader_config.py."""
    settings: Config = PyFileConfigLoader("nbgrader_config.py", str(COURSE)).load_config()
    return settings


def _converted(notebook: Any, *steps: Any) -> Any:
    """The notebook after these steps of nbgrader's release, without its folders and database."""
    changed, resources = copy.deepcopy(notebook), dict[str, Any](nbgrader={})
    for step in steps:
        changed, resources = step(config=configuration()).preprocess(changed, resources)
    return changed
