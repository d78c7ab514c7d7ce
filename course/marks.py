"""Marks of a graded folder as CSV, and the feedback pages."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook

from course.settings import AssignmentError, last_words, nbgrader_api

COLUMNS = ("student", "assignment", "task", "marks", "out_of", "status")


def marks(book: Any, state: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of marks.csv for one student and assignment, in the notebook's order."""
    key = state["student"], state["name"]
    done = state["state"] == "graded"
    for cell in book.find_notebook(state["name"], state["name"]).grade_cells:
        if not done:
            yield *key, cell.name, 0.0, cell.max_score, state["state"]
            continue
        grade = book.find_grade(cell.name, state["name"], state["name"], state["id"])
        if grade.manual_score is not None:
            status, score = "marked by a person", grade.score
            # Whoever saves the mark again has seen the new answer.
            if cell.name in state.get("changed", ()) and grade.needs_manual_grade:
                status = "marked by a person, but the answer has changed since"
        elif grade.needs_manual_grade:
            status, score = "awaiting a person", ""
        else:
            status, score = "graded", grade.score
        yield *key, cell.name, score, cell.max_score, status


def export(out: Path, feedback: bool) -> None:
    """Write out/marks.csv, out/totals.csv and, if wanted, the pages out/feedback/STUDENT/NAME.html.

    Raises AssignmentError if the folder was not filled by `grade`.
    """
    course = out.resolve() / "course"
    if not (course / "states.json").is_file():
        raise AssignmentError(f"{out} holds no graded submissions; run `grade` first")
    states = json.loads((course / "states.json").read_text(encoding="utf-8"))
    api = nbgrader_api(course)
    rows, totals = [], []
    with Gradebook(api.coursedir.db_url) as book:
        for state in states:
            mine = list(marks(book, state))
            waiting = [row for row in mine if row[3] == ""]
            known = [row for row in mine if row[3] != ""]
            sums = sum(r[3] for r in known), sum(r[4] for r in known), sum(r[4] for r in waiting)
            totals.append((state["student"], state["name"], *sums, state["state"]))
            rows += mine
    write_csv(out / "marks.csv", COLUMNS, rows)
    columns = ("student", "assignment", "marks", "out_of", "awaiting_a_person", "state")
    write_csv(out / "totals.csv", columns, totals)
    if feedback:
        for state in states:
            if state["state"] == "graded":
                write_feedback(api, course, out, state)
    print(f"marks: {out / 'marks.csv'} and {out / 'totals.csv'}; problems: {out / 'problems.txt'}")


def write_feedback(api: Any, course: Path, out: Path, state: dict[str, Any]) -> None:
    """One feedback page, under the student's own folder name."""
    name = state["name"]
    result = api.generate_feedback(name, state["id"])
    if not result["success"]:
        print(
            f"{state['student']}, {name}: no feedback page: {last_words(result)}", file=sys.stderr
        )
        return
    page = out / "feedback" / state["student"] / f"{name}.html"
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(course / "feedback" / state["id"] / name / f"{name}.html", page)
    except OSError as error:  # a name that is not UTF-8 is shown longer than it is
        print(f"{state['student']}, {name}: no feedback page: {error}", file=sys.stderr)


def write_csv(path: Path, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    """UTF-8 with the mark that spreadsheets look for."""
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
