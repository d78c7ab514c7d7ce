"""Grade a folder of submissions with nbgrader, one after the other, and say plainly what is wrong.

A bad submission (unreadable, endless, with copied or missing cells) is reported and never stops
the others. The student's code runs on this machine; see notebooks/assignments/README.md.
"""

from __future__ import annotations

import copy
import json
import os
import re
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
from course import (
    ROOT,
    AssignmentError,
    Clock,
    Limits,
    configuration,
    last_words,
    nbgrader_api,
    read,
)
from nbgrader.api import Gradebook


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
    problems: list[str] = []
    places: dict[str, Any] = {}
    for cell in reversed(notebook.cells):
        data = cell.metadata.pop("nbgrader", None)
        grade_id = data.get("grade_id", "") if isinstance(data, dict) else ""
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
            places[grade_id] = copy.deepcopy(cell)
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
    found = [
        p for p in (student / name / f"{name}.ipynb", student / f"{name}.ipynb") if p.is_file()
    ]
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
    clock = Clock(limits, configuration().Execute.timeout)
    course = out.resolve() / "course"
    course.mkdir(parents=True, exist_ok=True)
    prepare_environment(course)
    assignments = generate(course)
    api = nbgrader_api(course, clock)
    taken: set[str] = set()
    states: list[dict[str, str]] = []
    problems: list[str] = []

    def report(about: str, what: str) -> None:
        problems.append(f"{about}: {what}")
        print(problems[-1], flush=True)

    for folder in students:
        student_id = students_id(folder.name, taken)
        with Gradebook(api.coursedir.db_url) as book:
            book.update_or_create_student(student_id, last_name=folder.name)
        handed_in = (p for p in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)
        for stem in sorted({path.stem for path in handed_in} - set(assignments)):
            report(folder.name, f"{stem}.ipynb is no assignment")
        for name in assignments:
            tell = partial(report, f"{folder.name}, {name}")
            clock.start()
            state, path = "not handed in", find(folder, name, tell)
            if path is not None:
                state = grade_one(api, course, path, (student_id, name), clock, tell)
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
            notebook = read(path)
            released = read(course / "release" / name / f"{name}.ipynb")
            known = {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells}
            found = repair(notebook, released)
    except Exception as error:
        why = (str(error).strip() or type(error).__name__).splitlines()[0][:100]
        report(f"the file cannot be read as a notebook ({why})")
        return "could not be graded"
    if not known & {cell.metadata.nbgrader.grade_id for cell in released.cells}:
        report("the notebook holds none of the assignment's cells; was another file handed in?")
    else:
        for problem in found:
            report(problem)
    submitted = course / "submitted" / student_id / name / f"{name}.ipynb"
    submitted.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, submitted)  # type: ignore[no-untyped-call]
    result = api.autograde(name, student_id)
    if not result["success"]:
        why = last_words(result)
        if "DeadKernelError" in why or "Kernel died" in why:
            why = "its Python process ended before the notebook did (exit, or no memory left?)"
        report(f"grading failed: {why}")
        return "could not be graded"
    graded = course / "autograded" / student_id / name / f"{name}.ipynb"
    stopped = overran(read(graded))
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
    os.environ["PYTHONWARNINGS"] = "ignore"  # nbgrader gives no marks to a test cell that warns
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    # The home folder may be read-only, and nobody's own start-up files may take part.
    os.environ["IPYTHONDIR"] = str(course / "ipython")
    os.environ["JUPYTER_RUNTIME_DIR"] = str(course / "runtime")
