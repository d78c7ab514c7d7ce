"""Make the student release, and refuse one that would leak, wipe or mark wrongly."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import nbformat

from course import handout
from course.assignments import AssignmentError, names, released, source

MARKERS = tuple(
    f"### {end} {what}" for what in ("SOLUTION", "HIDDEN TESTS") for end in ("BEGIN", "END")
)
# Anything that looks as if it was meant for a marker: nbgrader overlooks a misspelt one.
NEARLY_MARKER = re.compile(r"^\s*#+\s*(BEGIN|END)\b|\b(BEGIN|END)\s+(SOL|HID|MARK)", re.IGNORECASE)


def regions(source: str, what: str) -> list[str]:
    """The texts between ### BEGIN `what` and ### END `what` in a cell."""
    return re.findall(rf"### BEGIN {what}\n(.*?)### END {what}", source, flags=re.DOTALL)


def secrets_of(cell: Any) -> list[str]:
    """What a source cell holds that no student may see: its solution or its hidden tests."""
    kind = cell.metadata.nbgrader
    found = regions(cell.source, "SOLUTION") + regions(cell.source, "HIDDEN TESTS")
    if kind.solution and kind.grade:  # a written question: the whole cell is the model answer
        found.append(cell.source)
    return found


def check_source(name: str, notebook: Any) -> None:
    """Refuse a source notebook that would leak, wipe or mark wrongly.

    Raises AssignmentError naming the notebook and the cell.
    """
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        raise AssignmentError(f"{name}: the notebook needs the kernelspec python3")
    seen: set[str] = set()
    for number, cell in enumerate(notebook.cells, start=1):
        kind = cell.metadata.get("nbgrader")
        if kind is None:
            raise AssignmentError(f"{name}: cell {number} has no nbgrader metadata")
        where = f"{name}, cell {kind.grade_id!r}"
        if kind.grade_id in seen:
            raise AssignmentError(f"{where}: two cells have this grade_id")
        seen.add(kind.grade_id)
        for line in cell.source.splitlines():
            if NEARLY_MARKER.search(line) and line.strip() not in MARKERS:
                raise AssignmentError(f"{where}: {line.strip()!r} is not one of {MARKERS}")
        solutions, hidden = regions(cell.source, "SOLUTION"), regions(cell.source, "HIDDEN TESTS")
        if cell.cell_type == "code" and kind.solution != bool(solutions):
            raise AssignmentError(f"{where}: an answer cell, and no other, has a solution region")
        if hidden and not (kind.grade and kind.locked):
            raise AssignmentError(f"{where}: hidden tests belong in a locked test cell")


def check_release(name: str, source: Any, release: Any) -> None:
    """Refuse a student notebook that holds a solution, a hidden test, a marker or an output.

    Raises AssignmentError naming the notebook and what leaked.
    """
    text = "\n".join(cell.source for cell in release.cells)
    lines = {line.strip() for line in text.splitlines()}
    for cell in source.cells:
        for secret in secrets_of(cell):
            for line in map(str.strip, secret.splitlines()):
                # Imports and lines as short as "else:" tell nothing.
                if len(line) > 20 and line in lines and not line.startswith(("import ", "from ")):
                    raise AssignmentError(
                        f"{name}, cell {cell.metadata.nbgrader.grade_id!r}: {line!r} leaked"
                    )
    for cell in release.cells:
        grade_id = cell.metadata.nbgrader.grade_id
        if NEARLY_MARKER.search(cell.source):
            raise AssignmentError(f"{name}, cell {grade_id!r}: a marker is left in the release")
        if cell.get("outputs"):
            raise AssignmentError(f"{name}, cell {grade_id!r}: an output is left in the release")
        if cell.metadata.nbgrader.solution and "YOUR" not in cell.source:
            raise AssignmentError(f"{name}, cell {grade_id!r}: the answer was not removed")


def checked(name: str) -> Any:
    """The student's notebook of one assignment. Raises AssignmentError if a check fails."""
    check_source(name, source(name))
    check_release(name, source(name), released(name))
    return released(name)


def release(out: Path) -> Path:
    """Write what students get for all assignments, out/assignments.zip, and return its path.

    Raises AssignmentError if a check fails or the wheel cannot be built.
    """
    members: dict[str, str | bytes] = {
        f"{name}/{name}.ipynb": str(nbformat.writes(checked(name)))  # type: ignore[no-untyped-call]
        for name in names()
    }
    members |= handout.files()
    out.mkdir(parents=True, exist_ok=True)
    unfinished = out / "assignments.zip.partial"
    with zipfile.ZipFile(unfinished, "w") as archive:
        for member, content in members.items():
            # A fixed date: the same sources give the same list of members and times.
            about = zipfile.ZipInfo(f"assignments/{member}")
            archive.writestr(about, content, zipfile.ZIP_DEFLATED)
    return unfinished.replace(out / "assignments.zip")
