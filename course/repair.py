"""From what a student handed in to a notebook that can be graded, saying what was put right."""

from __future__ import annotations

import ast
import copy
import json
import re
import warnings
from typing import Any

import nbformat

from course.assignments import AssignmentError, graded_form, released


def grade_ids(notebook: Any) -> set[str]:
    """The marks by which nbgrader knows cells."""
    found = (cell.metadata.get("nbgrader") for cell in notebook.cells)
    return {str(kind.get("grade_id")) for kind in found if isinstance(kind, dict)}


def parse(content: bytes) -> Any:
    """The notebook in a file's bytes, in any of the encodings that JSON may have.

    Raises whatever is raised for bytes that are no notebook.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old notebooks lack cell ids; `prepare` gives them
        text = json.dumps(json.loads(content))
        notebook = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
    if any(not isinstance(cell.source, str) for cell in notebook.cells):
        raise AssignmentError("it has a cell whose text is no text")
    return notebook


def prepare(content: bytes, name: str) -> tuple[Any, list[str]]:
    """The notebook of the assignment `name` that can be run and marked, and what was wrong.

    Raises whatever is raised for bytes that are no notebook, AssignmentError for another one.
    """
    notebook = parse(content)
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    writable = text.encode("utf-8", "replace").decode("utf-8")
    problems = []
    if writable != text:
        problems.append("half of a character (of an emoji?) cannot be stored; it became a '?'")
        notebook = nbformat.reads(writable, as_version=4)  # type: ignore[no-untyped-call]
    cells, found = _places(notebook, name)
    problems += found
    if not cells:
        raise AssignmentError("it holds none of the assignment's cells; was another file meant?")
    problems += _renew(notebook, cells, name)
    problems += _gather_written(notebook, cells, name)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"  # copied cells share an id, which nbformat refuses
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.nbformat_minor = max(notebook.nbformat_minor, 5)
    notebook.metadata = copy.deepcopy(released(name).metadata)
    return notebook, problems


def _places(notebook: Any, name: str) -> tuple[dict[str, Any], list[str]]:
    """The student's cell for each grade_id: by nbgrader's mark, else by the text."""
    wanted = {cell.metadata.nbgrader.grade_id: cell for cell in released(name).cells}
    cells: dict[str, Any] = {}
    problems: list[str] = []
    for cell in reversed(notebook.cells):
        kind = cell.metadata.pop("nbgrader", None)
        grade_id = kind.get("grade_id") if isinstance(kind, dict) else None
        if not isinstance(grade_id, str) or grade_id not in wanted:
            continue
        if grade_id not in cells:
            cells[grade_id] = cell
            continue
        told = (
            f"the cell {grade_id!r} is there more than once (was it copied?); the last copy counts"
        )
        if told not in problems:
            problems.append(told)
    taken = {id(cell) for cell in cells.values()}
    by_text = []
    for grade_id, original in wanted.items():
        if grade_id in cells:
            continue
        for cell in reversed(notebook.cells):
            if id(cell) not in taken and _same_place(cell, original, wanted.values()):
                cells[grade_id] = cell
                taken.add(id(cell))
                if original.metadata.nbgrader.solution:
                    by_text.append(grade_id)
                break
    if by_text:
        problems.append(
            "the notebook has lost nbgrader's marks (saved by another program?); "
            f"these answers were recognised by their text: {', '.join(by_text)}"
        )
    return cells, problems


def _same_place(cell: Any, original: Any, originals: Any) -> bool:
    """Whether a cell without a mark is what became of one of ours."""
    if original.metadata.nbgrader.solution and original.cell_type == "code":
        return cell.cell_type == "code" and bool(defined(cell.source) & defined(original.source))
    alike = [other for other in originals if other.source == original.source]
    return len(alike) == 1 and cell.source == original.source


def defined(code: str) -> set[str]:
    """The names that code defines at its top level, or asks for in a comment."""
    names = set(re.findall(r"^(?:async )?def (\w+)|^# Set (\w+) to", code, flags=re.MULTILINE))
    found = {one for pair in names for one in pair if one}
    try:
        for node in ast.parse(code).body:
            if isinstance(node, ast.Assign):
                found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return found


def _renew(notebook: Any, cells: dict[str, Any], name: str) -> list[str]:
    """Give every cell its marking data, tests their text, and put back what is missing."""
    problems, before = [], None
    shown = {cell.metadata.nbgrader.grade_id: cell.source for cell in released(name).cells}
    ours = {id(cell) for cell in cells.values()}
    loose = {cell.source for cell in notebook.cells if id(cell) not in ours}
    for original in graded_form(name).cells:
        kind = original.metadata.nbgrader
        grade_id, runs = kind.grade_id, kind.locked and original.cell_type == "code"
        if grade_id not in cells and (kind.grade or runs):
            after = [c is before for c in notebook.cells].index(True) + 1 if before else 0
            cells[grade_id] = copy.deepcopy(original)
            notebook.cells.insert(after, cells[grade_id])
            if shown[grade_id] not in loose:
                problems.append(f"the cell {grade_id!r} was missing and was put back")
        elif grade_id in cells:
            cell = cells[grade_id]
            cell.metadata["nbgrader"] = copy.deepcopy(kind)
            if runs:
                if cell.source not in (original.source, shown[grade_id]):
                    what = "test cell" if kind.grade else "cell"
                    problems.append(f"the {what} {grade_id!r} was changed; the original was used")
                cell.source = original.source
            if cell.cell_type != original.cell_type:
                problems.append(f"the cell {grade_id!r} had become a {cell.cell_type} cell")
                _retype(cell, original.cell_type)
        before = cells.get(grade_id, before)
    return problems


def _retype(cell: Any, kind: str) -> None:
    """Make a code cell of a text cell, or the other way round."""
    cell.cell_type = kind
    if kind == "code":
        cell.outputs, cell.execution_count = [], None
        cell.pop("attachments", None)
    else:
        cell.pop("outputs", None)
        cell.pop("execution_count", None)


def _gather_written(notebook: Any, cells: dict[str, Any], name: str) -> list[str]:
    """Where a written answer was left empty, take the text cells that the student added for it."""
    problems = []
    ours = {id(cell) for cell in cells.values()}
    texts = {cell.source.strip() for cell in released(name).cells}
    order = [cell.metadata.nbgrader.grade_id for cell in released(name).cells]
    for number, original in enumerate(released(name).cells):
        kind = original.metadata.nbgrader
        if not (kind.solution and kind.grade):
            continue
        answer = cells[kind.grade_id]
        if answer.source.strip() not in ("", original.source.strip()):
            continue
        # From the cell before the answer to the next of ours after it.
        begin = max([_at(notebook, cells.get(g)) for g in order[:number]], default=-1)
        later = [_at(notebook, cells.get(g)) for g in order[number + 1 :] if g in cells]
        end = min(later, default=len(notebook.cells))
        added = [
            cell
            for cell in notebook.cells[begin + 1 : end]
            if id(cell) not in ours
            and cell.cell_type in ("markdown", "raw")
            and cell.source.strip() not in ("", *texts)
        ]
        if added:
            answer.source = "\n\n".join(cell.source for cell in added)
            for cell in added:
                answer.setdefault("attachments", {}).update(cell.get("attachments", {}))
            notebook.cells = [c for c in notebook.cells if all(c is not a for a in added)]
            problems.append(
                f"the answer {kind.grade_id!r} stood in a cell of its own; it was taken"
            )
    return problems


def _at(notebook: Any, cell: Any) -> int:
    """The place of a cell in the notebook, -1 if it is not there."""
    places = [number for number, other in enumerate(notebook.cells) if other is cell]
    return places[0] if places else -1


def untouched(notebook: Any, name: str) -> set[str]:
    """The written answers that are as they were handed out, or empty."""
    blank = {cell.metadata.nbgrader.grade_id: cell.source.strip() for cell in released(name).cells}
    found = set()
    for cell in notebook.cells:
        kind = cell.metadata.get("nbgrader") or {}
        if not (kind.get("grade") and kind.get("solution")) or cell.get("attachments"):
            continue
        if cell.source.strip() in ("", blank[kind["grade_id"]]):
            found.add(kind["grade_id"])
    return found
