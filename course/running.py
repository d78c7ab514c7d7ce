"""Run notebooks, some at a time, and enter every result into the book as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import nbformat
from tqdm import tqdm

from course.assignments import AssignmentError, points, written
from course.book import Book, Result, answers
from course.collect import File
from course.isolate import Cell, Outcome
from course.repair import prepare, untouched
from course.suspicion import remarks
from course.vault import Vault
from course.words import brief, line

GIVEN_UP = 2
"""How often a notebook may be running when the whole grading ends before it is left out."""


@dataclass(frozen=True)
class Work:
    """One notebook to run: whose, of which assignment, the file, and what was odd about it."""

    student: str
    name: str
    file: File
    digest: str
    problems: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Under which the book has the result."""
        return f"{self.student}/{self.name}"


def run_all(book: Book, work: list[Work], cells: list[Cell], vault: Vault) -> None:
    """Run the notebooks, one in each cell at a time; the book is saved at every start and end."""
    free: SimpleQueue[Cell] = SimpleQueue()
    for cell in cells:
        free.put(cell)

    def run(notebook: Any) -> Outcome:
        cell = free.get()
        try:
            return cell.run(notebook)
        finally:
            free.put(cell)

    with (
        ThreadPoolExecutor(len(cells)) as pool,
        tqdm(total=len(work), unit="notebook", dynamic_ncols=True) as bar,
    ):
        for result, outcome, notebook in in_turn(book, work, pool, run, len(cells)):
            if outcome is not None:
                try:
                    enter(book, result, outcome, notebook, vault)
                except Exception as error:  # what came back was made by code that is not ours
                    result.state = Result.state
                    result.marks = dict.fromkeys(points(result.assignment), 0.0)
                    result.problems.append(f"grading failed: {brief(error)}")
            key = f"{result.student}/{result.assignment}"
            book.results[key] = result
            book.begun.pop(key, None)
            if book.save():
                result.remarks.append("the book of results was changed from outside while this ran")
                book.save()
            for problem in result.problems:
                bar.write(f"{line(result.student)}, {result.assignment}: {line(problem)}")
            bar.update()


Turn = tuple[Result, Outcome | None, Any]
"""A result, what its run gave (None: it was not run), and the notebook that was sent."""


def in_turn(
    book: Book,
    work: list[Work],
    pool: ThreadPoolExecutor,
    run: Callable[[Any], Outcome],
    jobs: int,
) -> Iterator[Turn]:
    """Start what there is to run, and yield each result as soon as it is there."""
    waiting: dict[Future[Outcome], tuple[Result, Any]] = {}
    try:
        for one in work:
            result, notebook = first_look(book, one)
            if notebook is None:
                yield result, None, None
                continue
            book.begun[one.key] = book.begun.get(one.key, 0) + 1
            book.save()
            waiting[pool.submit(run, notebook)] = result, notebook
            while len(waiting) >= jobs:
                yield from _finished(waiting)
        while waiting:
            yield from _finished(waiting)
    finally:
        for future in waiting:
            future.cancel()


def first_look(book: Book, one: Work) -> tuple[Result, Any]:
    """The result as far as it is known before anything runs, and the notebook, if it can be run."""
    result = Result(one.student, one.name, one.digest, marks=dict.fromkeys(points(one.name), 0.0))
    result.problems = list(one.problems)
    try:
        if one.file.wrong:
            raise AssignmentError(f"it {one.file.wrong}")
        notebook, found = prepare(one.file.content, one.name)
        result.problems += found
        result.remarks = remarks(notebook)
    except Exception as error:  # whatever it is, the others are still graded
        result.problems.append(f"the file cannot be read as a notebook ({brief(error)})")
        return result, None
    if book.begun.get(one.key, 0) >= GIVEN_UP:
        result.problems.append(
            f"the whole grading has ended {GIVEN_UP} times while this was run; it was left out"
        )
        return result, None
    return result, notebook


def _finished(waiting: dict[Future[Outcome], tuple[Result, Any]]) -> Iterator[Turn]:
    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
        result, notebook = waiting.pop(future)
        try:
            yield result, future.result(), notebook
        except Exception as error:
            yield result, Outcome(failure=brief(error)), notebook


def enter(book: Book, result: Result, outcome: Outcome, notebook: Any, vault: Vault) -> None:
    """Put into a result what a run gave, and keep the graded notebook."""
    if outcome.failure:
        result.problems.append(f"grading failed: {outcome.failure}")
        return
    ran, name = outcome.notebook, result.assignment
    # What was run is what we sent; only the outputs are taken from what came back.
    for mine, theirs in zip(notebook.cells, ran.cells, strict=True):
        if mine.cell_type == "code":
            mine.outputs, mine.execution_count = theirs.outputs, theirs.execution_count
    result.state = "graded"
    result.marks = marks(notebook, name)
    result.answers = answers(notebook)
    for index, why in sorted(outcome.stopped.items()):
        kind = notebook.cells[index].metadata.get("nbgrader") or {}
        cell = repr(kind["grade_id"]) if kind else f"no. {index + 1}"
        result.problems.append(f"the cell {cell} was stopped, without marks: it {why}")
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    vault.put(book.graded_notebook(result), text.encode("utf-8", "replace"))


def marks(notebook: Any, name: str) -> dict[str, float]:
    """The marks of a notebook that was run: all of a test's if it raised nothing, else none.

    Whatever was only printed, on stderr too, costs nothing. A written answer that waits for a
    person has no entry.
    """
    empty, found = untouched(notebook, name), {}
    for cell in notebook.cells:
        kind = cell.metadata.get("nbgrader") or {}
        if not kind.get("grade"):
            continue
        grade_id = kind["grade_id"]
        if grade_id in written(name):
            if grade_id in empty:
                found[grade_id] = 0.0
        else:
            failed = any(output.output_type == "error" for output in cell.outputs)
            found[grade_id] = (
                0.0 if failed or cell.execution_count is None else kind["points"] * 1.0
            )
    return found
