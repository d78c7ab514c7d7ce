"""Grade a folder of submissions with nbgrader, one after the other, and say plainly what is wrong.

A bad submission (unreadable, endless, with copied or missing cells) is reported and never stops
the others. The student's code runs on this machine; see notebooks/assignments/README.md.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config, PyFileConfigLoader

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENTS = ROOT / "notebooks" / "assignments"
SOURCES = ASSIGNMENTS / "source"
COLUMNS = ("student", "assignment", "task", "marks", "out_of", "status")


class AssignmentError(ValueError):
    """Something that the teacher has to put right, told in one sentence."""


@dataclass(frozen=True)
class Limits:
    """Seconds that one cell (None: as nbgrader_config.py says) and one notebook may run."""

    cell: int | None = None
    notebook: int = 600


class Clock:
    """Tells nbgrader how long the next cell may run, within what is left for the notebook."""

    def __init__(self, limits: Limits, configured: int) -> None:
        self.cell = limits.cell if limits.cell is not None else configured
        self.notebook = limits.notebook
        if self.cell < 1 or self.notebook < 1:
            raise AssignmentError(f"time limits must be >= 1 second, not {self.cell} and {limits}")
        self.start()

    def start(self) -> None:
        """A new notebook begins."""
        self.end = time.monotonic() + self.notebook

    def __call__(self, cell: Any) -> int:
        """Seconds for this cell, at least 1."""
        return max(1, min(self.cell, int(self.end - time.monotonic())))


def names() -> list[str]:
    """The assignments, by the folders of their sources."""
    return sorted(path.parent.name for path in SOURCES.glob("*/*.ipynb"))


def nbgrader_api(course: Path, clock: Clock | None = None) -> Any:
    """nbgrader at work in the folder `course`, with the settings of nbgrader_config.py."""
    settings = configuration()
    settings.CourseDirectory.root = str(course)
    settings.Exchange.root = str(course / "exchange")  # not used; the default may not be writable
    (course / "exchange").mkdir(parents=True, exist_ok=True)
    if clock is not None:
        settings.Execute.timeout_func = clock
    api = NbGraderAPI(CourseDirectory(config=settings), config=settings)
    api.log.handlers.clear()  # what went wrong is in the results, and is told in plain words
    api.log.propagate = False
    return api


def configuration() -> Config:
    """The settings of nbgrader_config.py."""
    return PyFileConfigLoader("nbgrader_config.py", path=str(ASSIGNMENTS)).load_config()


def succeed(result: dict[str, Any], what: str) -> None:
    """Raise AssignmentError with nbgrader's own words unless the result is a success."""
    if not result["success"]:
        raise AssignmentError(f"{what} failed: {last_words(result)}")


def last_words(result: dict[str, Any]) -> str:
    """The most telling line of a failed result of nbgrader."""
    if "KeyboardInterrupt" in result["error"]:
        raise KeyboardInterrupt
    lines = (result.get("log", "") + "\n" + result["error"]).splitlines()
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in lines]
    errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Entry)\b", line)]
    # nbgrader's own exception only says that there was another one.
    telling = [line for line in errors if "NbGraderException" not in line]
    return (telling or errors or lines)[-1]


def students_id(student: str, taken: set[str]) -> str:
    """A name that nbgrader can use in paths, patterns and its database."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", student)
    unique, number = plain, 2
    while unique in taken:
        unique, number = f"{plain}_{number}", number + 1
    taken.add(unique)
    return unique


def repair(notebook: Any, released: Any) -> list[str]:
    """Give a submission the cells and the marking data of the release; return what was wrong.

    nbgrader finds its cells by grade_id. Of cells copied in the notebook the last one counts;
    missing test cells and set-up cells are put back; the marking data of every cell is renewed.
    """
    wanted = {cell.metadata.nbgrader.grade_id: cell for cell in released.cells}
    problems, places = [], {}
    for cell in reversed(notebook.cells):
        data = cell.metadata.pop("nbgrader", None)
        grade_id = data.get("grade_id") if isinstance(data, dict) else None
        if grade_id in places:
            if f"the cell {grade_id!r} is there more than once" not in " ".join(problems):
                problems.append(
                    f"the cell {grade_id!r} is there more than once (was it copied?); "
                    "the last copy counts"
                )
        elif grade_id in wanted:
            places[grade_id] = cell
            kind = cell.metadata.nbgrader = wanted[grade_id].metadata.nbgrader
            if kind.grade and kind.locked and cell.source != wanted[grade_id].source:
                problems.append(f"the test cell {grade_id!r} was changed; the original was used")
    before = None
    for grade_id, cell in wanted.items():
        kind = cell.metadata.nbgrader
        if grade_id not in places and (kind.grade or (kind.locked and cell.cell_type == "code")):
            after = [c is before for c in notebook.cells].index(True) + 1 if before else 0
            places[grade_id] = nbformat.from_dict(cell)
            notebook.cells.insert(after, places[grade_id])
            problems.append(f"the cell {grade_id!r} was missing and was put back")
        before = places.get(grade_id, before)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"  # copied cells share an id, which nbformat refuses
    notebook.nbformat_minor = max(notebook.nbformat_minor, 5)
    return problems


def overran(notebook: Any) -> list[str]:
    """The cells of a graded notebook that were stopped for running too long."""
    found = []
    for number, cell in enumerate(notebook.cells, start=1):
        if any(output.get("ename") == "CellTimeoutError" for output in cell.get("outputs", [])):
            found.append(repr(cell.metadata.get("nbgrader", {}).get("grade_id", f"no. {number}")))
    return found


def find(student: Path, name: str, report: Callable[[str], None]) -> Path | None:
    """The notebook that a student handed in for an assignment."""
    found = [p for p in (student / name / f"{name}.ipynb", student / f"{name}.ipynb") if p.is_file()]
    if len(found) > 1:
        report(f"there are two notebooks, the one in the folder {name!r} was graded")
    return found[0] if found else None


def grade(submissions: Path, out: Path, generate: Callable[[Path], Any], limits: Limits) -> None:
    """Autograde FOLDER/STUDENT/NAME.ipynb (or FOLDER/STUDENT/NAME/NAME.ipynb) into out/course.

    `generate` fills a course folder with sources and student versions. Problems are printed and
    written to out/problems.txt. Raises AssignmentError if there is nothing to grade.
    """
    if not submissions.is_dir():
        raise AssignmentError(f"there is no folder {submissions}")
    students = sorted(p for p in submissions.iterdir() if p.is_dir() and p.name[0] != ".")
    if not students:
        raise AssignmentError(f"{submissions} holds no student's folder; see FOLDER/STUDENT/NAME")
    course = out.resolve() / "course"
    course.mkdir(parents=True, exist_ok=True)
    clock = Clock(limits, configuration().Execute.timeout)
    prepare_environment(course)
    assignments = generate(course)
    api, taken, states, problems = nbgrader_api(course, clock), set[str](), [], []
    for folder in students:
        student_id = students_id(folder.name, taken)
        with Gradebook(api.coursedir.db_url) as book:
            book.update_or_create_student(student_id, last_name=folder.name)
        strange = {p.stem for p in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts}
        told = [f"{folder.name}: {n}.ipynb is no assignment" for n in strange - set(assignments)]
        problems += told
        for name in assignments:

            def report(what: str, about: str = f"{folder.name}, {name}") -> None:
                problems.append(f"{about}: {what}")
                print(problems[-1], flush=True)

            clock.start()
            path = find(folder, name, report)
            state = "not handed in" if path is None else grade_one(
                api, course, path, (student_id, name), clock, report
            )
            states.append({"student": folder.name, "id": student_id, "name": name, "state": state})
        print(f"{folder.name}: done", flush=True)
    (course / "states.json").write_text(json.dumps(states, indent=1), encoding="utf-8")
    text = "\n".join(problems) + "\n" if problems else "Nothing unusual.\n"
    (out / "problems.txt").write_text(text, encoding="utf-8")


def grade_one(
    api: Any,
    course: Path,
    path: Path,
    key: tuple[str, str],
    clock: Clock,
    report: Callable[[str], None],
) -> str:
    """Autograde one notebook; return "graded" or "could not be graded"."""
    student_id, name = key
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old notebooks lack cell ids; `repair` gives them
            notebook = nbformat.read(path, as_version=4)
            released = nbformat.read(course / "release" / name / f"{name}.ipynb", as_version=4)
            known = {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells}
            found = repair(notebook, released)
    except Exception as error:
        report(f"the file cannot be read as a notebook ({str(error).splitlines()[0][:100]})")
        return "could not be graded"
    if not known & {cell.metadata.nbgrader.grade_id for cell in released.cells}:
        report("the notebook holds none of the assignment's cells; was another file handed in?")
    else:
        for problem in found:
            report(problem)
    submitted = course / "submitted" / student_id / name / f"{name}.ipynb"
    submitted.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, submitted)
    result = api.autograde(name, student_id)
    if not result["success"]:
        why = last_words(result)
        if "DeadKernelError" in why or "Kernel died" in why:
            why = "its Python process ended before the notebook did (exit, or no memory left?)"
        report(f"grading failed: {why}")
        return "could not be graded"
    graded = course / "autograded" / student_id / name / f"{name}.ipynb"
    stopped = overran(nbformat.read(graded, as_version=4))
    if stopped:
        others = f", then {', '.join(stopped[1:])}" if stopped[1:] else ""
        report(
            f"a cell was stopped, without marks, because it ran longer than {clock.cell} s "
            f"(does it loop for ever?): {stopped[0]}{others}"
        )
    return "graded"


def prepare_environment(course: Path) -> None:
    """What the students' kernels inherit: this package, one thread, the sample of MNIST."""
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")])
    )
    os.environ.setdefault("BANDITS_MNIST", "sample")
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    # The home folder may be read-only, and nobody's own start-up files may take part.
    os.environ["IPYTHONDIR"] = str(course / "ipython")
    os.environ["JUPYTER_RUNTIME_DIR"] = str(course / "runtime")


def marks(book: Any, state: dict[str, str]) -> Iterator[tuple[Any, ...]]:
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


def write_feedback(api: Any, course: Path, out: Path, state: dict[str, str]) -> None:
    """One feedback page, under the student's own folder name."""
    name = state["name"]
    result = api.generate_feedback(name, state["id"])
    if not result["success"]:
        print(f"{state['student']}, {name}: no feedback page: {last_words(result)}", file=sys.stderr)
        return
    page = out / "feedback" / state["student"] / f"{name}.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(course / "feedback" / state["id"] / name / f"{name}.html", page)


def write_csv(path: Path, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    """UTF-8 with the mark that spreadsheets look for."""
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
