"""The book of results: one file, written by one process, whole or not at all."""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import re
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from course.assignments import AssignmentError
from course.collect import Student

VERSION = 1
"""Raised when a book of an older version of this program can no longer be read."""


@dataclass
class Result:
    """What became of one student's notebook of one assignment.

    marks are those of the tests; a written answer has marks only where nothing was written (0).
    answers holds a hash of what each mark is for: the text of a written answer, for a test all the
    code that the student may change. digest is that of the file that was handed in.
    """

    student: str
    assignment: str
    digest: str
    state: str = "could not be graded"
    marks: dict[str, float] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass
class Mark:
    """What a person gave for the answer with this hash."""

    marks: float
    comment: str
    answer: str


@dataclass
class Book:
    """All results of a course, by "student/assignment"; marks of persons have "/task" as well."""

    path: Path
    seed: int
    secret: str
    students: dict[str, Student] = field(default_factory=dict)
    results: dict[str, Result] = field(default_factory=dict)
    persons: dict[str, Mark] = field(default_factory=dict)
    begun: dict[str, int] = field(default_factory=dict)
    pseudonyms: bool = False
    written: str = ""

    def save(self) -> bool:
        """Write the book; says whether somebody else has changed the file since the last time."""
        content = asdict(self) | {"version": VERSION}
        del content["path"], content["written"]
        text = json.dumps(content, indent=1)
        there = self.path.read_text(encoding="utf-8") if self.path.is_file() else ""
        partial = self.path.with_suffix(".partial")
        partial.unlink(missing_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(self.path)
        changed, self.written = there != self.written, text
        return changed

    def shown(self, student: str) -> str:
        """The name under which a student stands in the tables: a pseudonym, if these are wanted."""
        return self.pseudonym(student) if self.pseudonyms else student

    def pseudonym(self, student: str) -> str:
        """A name that only this course's secret connects with the student."""
        key = self.secret.encode()
        return "p-" + hmac.new(key, os.fsencode(student), hashlib.sha256).hexdigest()[:10]

    def graded_notebook(self, result: Result) -> Path:
        """Where the graded notebook of a result lies."""
        folder = self.path.parent / "graded" / students_id(result.student)
        return folder / f"{result.assignment}.ipynb"


def open_book(out: Path, seed: int | None = None) -> Book:
    """The book in a folder, or a new one with this seed of the hidden tests (None: a new number).

    Raises AssignmentError if there is one that cannot be read or has another seed.
    """
    path = out / "book.json"
    if not path.is_file():
        return Book(path, secrets.randbits(32) if seed is None else seed, secrets.token_hex(16))
    text = path.read_text(encoding="utf-8")
    try:
        content: dict[str, Any] = json.loads(text)
        if content.pop("version") != VERSION:
            raise AssignmentError(f"{path} was written by another version of this program")
        content["students"] = {n: Student(**s) for n, s in content["students"].items()}
        content["results"] = {n: Result(**r) for n, r in content["results"].items()}
        content["persons"] = {n: Mark(**m) for n, m in content["persons"].items()}
        book = Book(path=path, written=text, **content)
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise AssignmentError(f"{path} is no book of results ({error!r:.80})") from None
    if seed is not None and seed != book.seed:
        raise AssignmentError(
            f"the course in {out} has the seed {book.seed}, not {seed}; take another --out"
        )
    return book


def lock(out: Path) -> IO[str]:
    """Keep others from grading into a folder while the returned file is open.

    Raises AssignmentError if somebody else does.
    """
    file = (out / ".lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise AssignmentError(f"somebody is grading into {out} at this moment") from None
    return file


def students_id(student: str) -> str:
    """A name that can be used in paths.

    It depends on the student's name alone, so that nobody's files move to somebody else when
    another student comes or goes.
    """
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", student)[:60]
    if plain == student:
        return student
    return f"{plain}-{hashlib.sha256(os.fsencode(student)).hexdigest()[:12]}"


def answers(notebook: Any) -> dict[str, str]:
    """A hash of what each mark in a graded notebook is for, by grade_id."""
    kinds = [cell.metadata.get("nbgrader") or {} for cell in notebook.cells]
    parts = [
        json.dumps([cell.source, cell.get("attachments") or None], sort_keys=True)
        for cell in notebook.cells
    ]
    code = "\n".join(
        part
        for cell, kind, part in zip(notebook.cells, kinds, parts, strict=True)
        if cell.cell_type == "code" and not kind.get("locked")
    )
    return {
        kind["grade_id"]: hashlib.sha256((code if kind["locked"] else part).encode()).hexdigest()[
            :12
        ]
        for kind, part in zip(kinds, parts, strict=True)
        if kind.get("grade")
    }
