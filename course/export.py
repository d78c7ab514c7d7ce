"""Marks as tables, feedback as pages, and both in the form that Moodle and Canvas take."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from course import persons, suspicion
from course.assignments import AssignmentError, names, points, read
from course.book import Book, Result
from course.collect import CANVAS, MOODLE
from course.feedback import page
from course.policy import Policy
from course.words import line

PERSON = "marked by a person"
MARKS = ("student", "assignment", "task", "marks", "out_of", "status")
TOTALS = (
    *("student", "assignment", "marks", "out_of", "awaiting_a_person"),
    *("days_late", "share_lost", "total", "state"),
)


def mark_rows(book: Book, student: str, name: str) -> Iterator[tuple[Any, ...]]:
    """The rows of marks.csv for one student and assignment, in the notebook's order."""
    result = book.results.get(f"{student}/{name}")
    for task, out_of in points(name).items():
        key = f"{student}/{name}/{task}"
        score: float | str = 0.0
        if result is None:
            status = "not handed in"
        elif key in book.persons:
            score, status = book.persons[key].marks, PERSON
            if persons.is_stale(book, key, result, task):
                status += ", but the answer has changed since"
        elif result.state != "graded":
            status = result.state
        elif task not in result.marks:
            score, status = "", "awaiting a person"
        else:
            score, status = result.marks[task], "graded"
        yield book.shown(student), name, task, score, out_of, status


class Export:
    """Writes everything that a folder of results shows."""

    def __init__(
        self, book: Book, policy: Policy, times: Mapping[tuple[str, str], datetime]
    ) -> None:
        self.book, self.policy, self.times = book, policy, times
        self.out = book.path.parent

    def write(self, *, feedback: bool) -> None:
        """Write all tables and, if wanted, the pages.

        Raises AssignmentError if nothing was graded or a person's table is wrong.
        """
        if not self.book.students:
            raise AssignmentError(f"{self.out} holds no graded submissions; run `grade` first")
        persons.take_in(self.book, self.out / "written.csv")
        self.book.save()
        write_csv(self.out / "written.csv", persons.COLUMNS, persons.rows(self.book))
        every = [(student, name) for student in sorted(self.book.students) for name in self.names()]
        rows = {key: list(mark_rows(self.book, *key)) for key in every}
        write_csv(self.out / "marks.csv", MARKS, [row for key in every for row in rows[key]])
        totals = {key: self.total(*key, rows[key]) for key in every}
        write_csv(self.out / "totals.csv", TOTALS, totals.values())
        self.write_upload(totals)
        self.write_problems()
        self.write_look_at()
        if self.book.pseudonyms:
            key = [(self.book.shown(student), student) for student in sorted(self.book.students)]
            write_csv(self.out / "names.csv", ("pseudonym", "student"), key)
        if feedback:
            persons.write_pages(self.book, self.out / "written")
            self.write_feedback(totals)

    def names(self) -> list[str]:
        """The assignments that the tables have: those that somebody has handed in."""
        handed_in = {result.assignment for result in self.book.results.values()}
        return [name for name in names() if name in handed_in]

    def total(self, student: str, name: str, rows: list[tuple[Any, ...]]) -> tuple[Any, ...]:
        """The row of totals.csv for one student and assignment."""
        waiting = sum(row[4] for row in rows if row[3] == "")
        marks = sum(row[3] for row in rows if row[3] != "")
        days = self.policy.days_late(name, self.times.get((student, name)))
        lost = self.policy.share_lost(days)
        result = self.book.results.get(f"{student}/{name}")
        state = result.state if result else "not handed in"
        out_of = sum(row[4] for row in rows) - waiting
        shown = self.book.shown(student)
        return shown, name, marks, out_of, waiting, days, lost, round(marks * (1 - lost), 4), state

    def write_upload(self, totals: dict[tuple[str, str], tuple[Any, ...]]) -> None:
        """One line for each student, with the learning system's own id, for an upload of marks."""
        rows = []
        for name, student in sorted(self.book.students.items()):
            mine = [totals[name, assignment] for assignment in self.names()]
            marks = [row[7] for row in mine]
            rows.append((student.id, name, *marks, sum(marks), sum(row[4] for row in mine)))
        columns = ("id", "student", *self.names(), "total", "awaiting_a_person")
        write_csv(self.out / "upload.csv", columns, rows)

    def write_problems(self) -> None:
        """What was unusual, in plain words."""
        lines = [
            f"{self.book.shown(result.student)}, {result.assignment}: {problem}"
            for result in self.results()
            for problem in result.problems
        ]
        for result in self.results():
            for task in points(result.assignment):
                key = f"{result.student}/{result.assignment}/{task}"
                if key in self.book.persons and persons.is_stale(self.book, key, result, task):
                    about = f"{self.book.shown(result.student)}, {result.assignment}"
                    told = "has changed since a person marked it; the mark was kept"
                    lines.append(f"{about}: the answer {task!r} {told}")
        text = "".join(f"{line(one)}\n" for one in lines) or "Nothing unusual.\n"
        (self.out / "problems.txt").write_text(text, encoding="utf-8")

    def results(self) -> list[Result]:
        """All results, in a fixed order."""
        return sorted(self.book.results.values(), key=lambda r: (r.student, r.assignment))

    def write_look_at(self) -> None:
        """What a person should look at. It changes no mark."""
        rows = [
            (self.book.shown(result.student), result.assignment, line(remark))
            for result in self.results()
            for remark in result.remarks
        ]
        for name in self.names():
            graded = [
                (self.book.shown(result.student), read(self.book.graded_notebook(result)))
                for result in self.results()
                if result.assignment == name and result.state == "graded"
            ]
            for one, other, what in suspicion.alike(graded, name):
                rows.append((one, name, f"{what} as {other}'s"))
        write_csv(self.out / "look_at.csv", ("student", "assignment", "what"), rows)

    def write_feedback(self, totals: dict[tuple[str, str], tuple[Any, ...]]) -> None:
        """feedback/STUDENT/NAME.html, and zips of them with the file names that a system knows."""
        packed: dict[str, list[tuple[str, Path]]] = {"moodle": [], "canvas": []}
        for result in self.results():
            if result.state != "graded":
                continue
            html = page(self.book, result, totals[result.student, result.assignment])
            folder = self.out / "feedback" / self.book.shown(result.student).replace("/", "_")[:200]
            path = folder / f"{result.assignment}.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(html, encoding="utf-8", errors="backslashreplace")
            prefix = self.book.students[result.student].prefix
            for system, habit in (("moodle", MOODLE), ("canvas", CANVAS)):
                if prefix and habit.fullmatch(f"{prefix}x"):
                    packed[system].append((f"{prefix}{result.assignment}.html", path))
                    break
        for system, members in packed.items():
            if members:
                with zipfile.ZipFile(self.out / f"feedback_{system}.zip", "w") as archive:
                    for member, path in members:
                        archive.write(path, member, zipfile.ZIP_DEFLATED)


def write_csv(path: Path, columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    """UTF-8 with the mark that spreadsheets look for; whole or not at all."""
    partial = path.with_suffix(".partial")
    with partial.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([_plain(value) for value in row] for row in rows)
    partial.replace(path)


def _plain(value: Any) -> Any:
    """A text that no spreadsheet takes for a formula."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t"):
        return f"'{value}"
    return value
