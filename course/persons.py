"""Marks that persons give: written answers to read, and a table to fill in.

written.csv has a line for every answer that a person reads. Whoever fills in `marks` (and
`comment`) marks the answer whose hash stands in `answer`. A line may be added for any test cell,
which then counts instead of the test.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import HTMLExporter

from course.assignments import AssignmentError, points, read, source, written
from course.book import Book, Mark, Result
from course.policy import read_table

COLUMNS = ("student", "assignment", "task", "marks", "out_of", "comment", "answer", "note")
CHANGED = "the answer has changed since; write READ here once you have read the new one"


def is_stale(book: Book, key: str, result: Result, task: str) -> bool:
    """Whether a person's mark is for an answer that is no longer there."""
    return book.persons[key].answer != result.answers.get(task)


def rows(book: Book) -> list[tuple[Any, ...]]:
    """The lines of written.csv."""
    found = []
    for result in book.results.values():
        for task, out_of in points(result.assignment).items():
            key = f"{result.student}/{result.assignment}/{task}"
            mark = book.persons.get(key)
            waits = result.state == "graded" and task not in result.marks
            if mark is None and not waits:
                continue
            stale = mark is not None and is_stale(book, key, result, task)
            found.append(
                (
                    book.shown(result.student),
                    result.assignment,
                    task,
                    "" if mark is None else mark.marks,
                    out_of,
                    "" if mark is None else mark.comment,
                    mark.answer if stale and mark else result.answers.get(task, ""),
                    CHANGED if stale else "",
                )
            )
    return found


def take_in(book: Book, path: Path) -> None:
    """Put into the book what persons have filled in. Raises AssignmentError naming a wrong line."""
    if not path.is_file():
        return
    names = {book.pseudonym(student): student for student in book.students}
    taken = dict[str, Mark | None]()
    for number, row in enumerate(read_table(path, ("student", "assignment", "task", "marks")), 2):
        where = f"{path}, line {number}"
        told = row["student"].removeprefix("'")  # which keeps spreadsheets from computing
        student = names.get(told, told)
        result = book.results.get(f"{student}/{row['assignment']}")
        if result is None:
            raise AssignmentError(
                f"{where}: nothing was graded for {told!r}, {row['assignment']!r}"
            )
        out_of = points(result.assignment).get(row["task"])
        if out_of is None:
            known = ", ".join(points(result.assignment))
            raise AssignmentError(f"{where}: there is no task {row['task']!r}; there are {known}")
        key = f"{student}/{row['assignment']}/{row['task']}"
        text = row["marks"].strip()
        if not text:
            taken[key] = None
            continue
        try:
            marks = float(text.replace(",", "."))
        except ValueError:
            marks = math.nan
        if not 0 <= marks <= out_of:
            raise AssignmentError(f"{where}: marks must be a number in 0..{out_of:g}, not {text!r}")
        now = result.answers.get(row["task"], "")
        read_again = row.get("note", "").strip().upper() == "READ"
        answer = now if read_again else row.get("answer", "").strip() or now
        taken[key] = Mark(marks, row.get("comment", "").strip(), answer)
    for key, mark in taken.items():
        if mark is None:
            book.persons.pop(key, None)
        else:
            book.persons[key] = mark


def write_pages(book: Book, folder: Path) -> None:
    """One page for each assignment with all answers that wait, after the model answer."""
    for name in sorted({result.assignment for result in book.results.values()}):
        cells = []
        for cell in source(name).cells:
            if cell.metadata.nbgrader.grade_id in written(name):
                cells.append(_text(f"# {name}\n\n{cell.source}"))
        for result in book.results.values():
            path = book.graded_notebook(result)
            if result.assignment != name or result.state != "graded" or not path.is_file():
                continue
            for cell in read(path).cells:
                task = (cell.metadata.get("nbgrader") or {}).get("grade_id")
                if task in written(name) and task not in result.marks:
                    cells.append(_text(f"---\n\n## {book.shown(result.student)}: {task}"))
                    cells.append(_text(cell.source, cell.get("attachments")))
        notebook = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
        exporter = HTMLExporter(sanitize_html=True)  # type: ignore[no-untyped-call]
        page, _ = exporter.from_notebook_node(notebook)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.html").write_text(page, encoding="utf-8", errors="backslashreplace")


def _text(text: str, attachments: Any = None) -> Any:
    cell = nbformat.v4.new_markdown_cell(text)  # type: ignore[no-untyped-call]
    if attachments:
        cell.attachments = attachments
    return cell
