"""Grade a folder of submissions: read them all, run each in its cell, write every result at once.

Only this process writes the book of results. A bad submission is reported and stops nobody. See
README.md for what the students' code can and cannot reach.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path

from course import isolate
from course.assignments import AssignmentError, names
from course.book import Book, lock, open_book, students_id
from course.child import Limits
from course.collect import Collected, collect
from course.running import Work, run_all
from course.vault import Vault
from course.words import line

Key = tuple[str, str]


@dataclass(frozen=True)
class Wanted:
    """What is to be graded, and how: see the options of the command."""

    assignments: tuple[str, ...] = ()
    students: tuple[str, ...] = ()
    jobs: int = 1
    resume: bool = False
    limits: Limits = field(default_factory=Limits)
    seed: int | None = None
    not_due: frozenset[str] = frozenset()
    isolate: str = "auto"


def grade(submissions: Path, out: Path, wanted: Wanted) -> Book:
    """Grade what was handed in, into the book in `out`; what is there of others stays.

    Raises AssignmentError if there is nothing to grade or something was asked for that is not
    there, before anything is written.
    """
    if wanted.jobs < 1:
        raise AssignmentError(f"-j must be >= 1, not {wanted.jobs}")
    book, collected = open_book(out, wanted.seed), collect(submissions)
    chosen = choose(collected, wanted)
    own_user = own_users(wanted.isolate)
    out.mkdir(parents=True, exist_ok=True)
    out.chmod(0o700)  # no student's code looks into it, where it runs as another user
    with lock(out):
        isolate.adopt()
        book.students |= collected.students
        ignored = [f"{line(path)}: {line(why)}\n" for path, why in collected.ignored]
        (out / "ignored.txt").write_text("".join(ignored), encoding="utf-8")
        vault = Vault(out)
        for result in book.results.values():
            vault.remember(book.graded_notebook(result))
        every = [handed_in(collected, book, vault, key, wanted.resume) for key in chosen]
        work = [one for one in every if not (wanted.resume and is_done(book, one))]
        tell_the_start(book, collected, len(every), len(work), own_user, out)
        cells = [
            isolate.Cell(number, wanted.limits, book.seed, own_user=own_user)
            for number in range(wanted.jobs)
        ]
        try:
            run_all(book, work, cells, vault)
        finally:
            for path in vault.restore():
                print(f"{path} was changed while notebooks were run; it was put right")
            book.save()
    return book


def choose(collected: Collected, wanted: Wanted) -> list[Key]:
    """The notebooks to grade, in a fixed order. Raises AssignmentError for unknown names."""
    for name in wanted.assignments:
        if name not in names():
            raise AssignmentError(
                f"no assignment is called {name!r}; there are {', '.join(names())}"
            )
    for student in wanted.students:
        if student not in collected.students:
            some = ", ".join(sorted(collected.students)[:10])
            raise AssignmentError(f"nobody is called {student!r}; there are {some}")
    which = wanted.assignments or tuple(n for n in names() if n not in wanted.not_due)
    who = wanted.students or tuple(collected.students)
    return sorted(key for key in collected.notebooks if key[0] in who and key[1] in which)


def own_users(how: str) -> bool:
    """Whether each notebook runs as a user of its own. Raises AssignmentError if it cannot."""
    if how == "user" and not isolate.can_own_users():
        raise AssignmentError(
            "--isolate user needs root, and a Python environment that other users can read"
        )
    return how == "user" or (how == "auto" and isolate.can_own_users())


def handed_in(collected: Collected, book: Book, vault: Vault, key: Key, resume: bool) -> Work:
    """Copy a notebook that is graded, read-only, before anything runs.

    When a grading goes on, the copy made first counts: what ran may have changed the folder.
    """
    file, problems = collected.notebooks[key], list(collected.problems.get(key, []))
    copy = vault.top / "handed_in" / students_id(key[0]) / f"{key[1]}.ipynb"
    if not file.wrong:
        if resume and "/".join(key) in book.begun and copy.is_file():
            first = copy.read_bytes()
            if first != file.content:
                problems.append("the file has changed while grading was going on; the copy counts")
            file = replace(file, content=first)
        vault.put(copy, file.content)
    digest = hashlib.sha256(file.wrong.encode() or file.content).hexdigest()
    return Work(*key, file, digest, tuple(problems))


def is_done(book: Book, one: Work) -> bool:
    """Whether the book has the result of just these bytes."""
    result = book.results.get(one.key)
    if result is None or result.digest != one.digest:
        return False
    return result.state != "graded" or book.graded_notebook(result).is_file()


def tell_the_start(
    book: Book, collected: Collected, chosen: int, work: int, own_user: bool, out: Path
) -> None:
    """Say what is about to happen, and what is left out."""
    how = "each as a user of its own" if own_user else "all as this user, see --isolate"
    print(f"{work} notebooks to grade, {chosen - work} done before; seed {book.seed}; {how}")
    absent = sorted(set(book.students) - set(collected.students))
    if absent:
        print(f"not in this folder, their results are kept: {line(', '.join(absent))}")
    if collected.ignored:
        print(f"{len(collected.ignored)} files were ignored, see {out / 'ignored.txt'}")
