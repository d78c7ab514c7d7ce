"""The graded notebook as a page for the student, by nbgrader's own template."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import nbgrader
from nbconvert.exporters import HTMLExporter
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbconvert.preprocessors.sanitize import SanitizeHTML

from course.assignments import points, read
from course.book import Book, Result


@functools.cache
def exporter() -> HTMLExporter:
    """What makes the pages."""
    home = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader"
    made = HTMLExporter(  # type: ignore[no-untyped-call]
        template_name="feedback",
        extra_template_basedirs=[str(home / "templates")],
        extra_template_paths=[str(home / "static" / "node_modules" / "bootstrap" / "dist" / "css")],
    )
    # A student's page must not act on whoever opens it.
    for step in (SanitizeHTML, CSSHTMLHeaderPreprocessor):
        made.register_preprocessor(step, enabled=True)  # type: ignore[no-untyped-call]
    return made


def page(book: Book, result: Result, total: tuple[Any, ...]) -> str:
    """The page of one result, with the marks and comments of persons; `total` is its row."""
    notebook = read(book.graded_notebook(result))
    for cell in notebook.cells:
        kind = cell.metadata.get("nbgrader") or {}
        if not kind:
            continue
        mark = book.persons.get(f"{result.student}/{result.assignment}/{kind['grade_id']}")
        kind["comment"] = mark.comment if mark else ""
        if kind.get("grade"):
            kind["score"] = mark.marks if mark else result.marks.get(kind["grade_id"], 0.0)
    about = {
        "notebook": result.assignment,
        "score": total[7],
        "max_score": sum(points(result.assignment).values()),
        "late_penalty": total[2] - total[7],
    }
    html, _ = exporter().from_notebook_node(notebook, resources={"nbgrader": about})
    return str(html)
