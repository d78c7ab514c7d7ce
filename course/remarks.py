"""Which answers have changed since a person marked them, so that no mark is kept in silence.

nbgrader keeps a person's mark when a notebook is graded again, and then asks for that person again
(needs_manual_grade) until the mark is saved once more. So when nobody is asked for, the answer in
the last graded notebook is the one that was marked.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry

from course.settings import read


def graded_notebook(course: Path, key: tuple[str, str]) -> Path:
    """Where nbgrader puts the graded notebook of (student's id, assignment)."""
    student_id, name = key
    return course / "autograded" / student_id / name / f"{name}.ipynb"


def answers(path: Path) -> dict[str, str]:
    """A hash of what each mark in a notebook is for, by grade_id.

    For a written answer that is its cell; for a test cell it is all the code a student may change.
    """
    cells = read(path).cells
    kinds = [cell.metadata.get("nbgrader") or {} for cell in cells]
    parts = [json.dumps([cell.source, cell.get("attachments")], sort_keys=True) for cell in cells]
    code = "\n".join(
        part
        for cell, kind, part in zip(cells, kinds, parts, strict=True)
        if cell.cell_type == "code" and not kind.get("locked")
    )
    return {
        kind["grade_id"]: hashlib.sha256((code if kind["locked"] else part).encode()).hexdigest()
        for kind, part in zip(kinds, parts, strict=True)
        if kind.get("grade")
    }


def marked(book: Any, key: tuple[str, str]) -> dict[str, bool]:
    """The cells that a person marked, and whether nbgrader asks for a person again."""
    student_id, name = key
    try:
        grades = book.find_submission_notebook(name, name, student_id).grades
    except MissingEntry:
        return {}
    return {g.name: g.needs_manual_grade for g in grades if g.manual_score is not None}


def memory(course: Path, key: tuple[str, str]) -> Path:
    """The file with the hashes of the answers that a person marked."""
    return course / "marked" / key[0] / f"{key[1]}.json"


def remember(db_url: str, course: Path, key: tuple[str, str]) -> dict[str, str]:
    """Before a notebook is graded again: the hashes of the answers that a person marked."""
    file, graded = memory(course, key), graded_notebook(course, key)
    old = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    with Gradebook(db_url) as book:
        cells = marked(book, key)
    seen = answers(graded) if cells and graded.is_file() else {}
    new = {cell: old[cell] for cell in cells if cell in old}
    new |= {c: seen[c] for c, asked in cells.items() if c in seen and not (asked and c in old)}
    if new != old:
        # Now, as the graded notebook is about to be replaced and the grading may be interrupted.
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(new), encoding="utf-8")
    return new


def changed(course: Path, key: tuple[str, str], before: dict[str, str]) -> list[str]:
    """After the grading: the cells whose answers are not those that were marked."""
    now = answers(graded_notebook(course, key)) if before else {}
    return [cell for cell, what in before.items() if now.get(cell) != what]
