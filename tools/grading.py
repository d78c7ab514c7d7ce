"""Grade a folder of submissions with nbgrader, one after the other, and say plainly what is wrong.

A bad submission (unreadable, endless, with copied or missing cells) is reported and never stops
the others. The student's code runs on this machine; see notebooks/assignments/README.md.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import re
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import remarks
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


def shown(name: str) -> str:
    """A file's name as text that can be written: a byte that is not UTF-8 becomes \\xe9, say.

    Two names never look the same, which they would if every such byte became the same sign.
    """
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def students_id(student: str) -> str:
    """A name that nbgrader can use in paths, patterns and its database.

    It depends on the folder's name alone: marks that a person gave belong to an id, and must not
    move to somebody else when another student's folder comes or goes.
    """
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", student)[:60]
    if plain == student:
        return student
    return f"{plain}-{hashlib.sha256(os.fsencode(student)).hexdigest()[:12]}"


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
    """What a student handed in as the notebook of an assignment; it need not be a readable file."""
    there = [
        path
        for path in (student / name / f"{name}.ipynb", student / f"{name}.ipynb")
        if os.path.lexists(path)
    ]
    # Unlike Path.is_file this never raises, for instance in a folder that cannot be opened.
    files = [path for path in there if os.path.isfile(path)]
    if len(files) > 1:
        report(f"there are two notebooks, the one in the folder {name!r} was graded")
    return next(iter(files or there), None)


def notebooks(student: Path, report: Callable[[str], None]) -> set[str]:
    """The names, without .ipynb, of everything in a student's folder that is named a notebook."""

    def closed(error: OSError) -> None:
        where = os.path.relpath(os.fsdecode(error.filename), student)
        which = "the folder" if where == "." else f"its folder {shown(where)}"
        report(f"{which} cannot be opened ({error.strerror})")

    found: set[str] = set()
    try:
        for where, folders, files in os.walk(student, onerror=closed):
            if ".ipynb_checkpoints" not in Path(where).parts:
                found |= {Path(n).stem for n in folders + files if n.endswith(".ipynb")}
    except RecursionError:
        report("its folders are nested too deeply to be searched for other notebooks")
    return found


def grade(submissions: Path, out: Path, generate: Callable[[Path], Any], limits: Limits) -> None:
    """Autograde FOLDER/STUDENT/NAME.ipynb (or FOLDER/STUDENT/NAME/NAME.ipynb) into out/course.

    `generate` fills a course folder with sources and student versions. Problems are printed and
    written to out/problems.txt. Raises AssignmentError if there is nothing to grade.
    """
    if not submissions.is_dir():
        raise AssignmentError(f"there is no folder {submissions}")
    students = sorted(
        p
        for p in submissions.iterdir()
        if (p.is_dir() or p.is_symlink()) and p.name[0] != "."  # a broken link is told, not lost
    )
    if not students:
        raise AssignmentError(f"{submissions} holds no student's folder; see FOLDER/STUDENT/NAME")
    clock = Clock(limits, configuration().Execute.timeout)
    course = out.resolve() / "course"
    course.mkdir(parents=True, exist_ok=True)
    prepare_environment(course)
    assignments = generate(course)
    api = nbgrader_api(course, clock)
    states: list[dict[str, Any]] = []
    problems: list[str] = []

    def report(about: str, what: str) -> None:
        # Messages may quote what a student wrote, which need not be text that can be written.
        line = f"{about}: {what}".encode("utf-8", "backslashreplace").decode("utf-8")
        problems.append(line)
        print(line, flush=True)

    for folder in students:
        states += grade_student(api, course, folder, assignments, clock, report)
        print(f"{shown(folder.name)}: done", flush=True)
    (course / "states.json").write_text(json.dumps(states, indent=1), encoding="utf-8")
    text = "\n".join(problems) + "\n" if problems else "Nothing unusual.\n"
    (out / "problems.txt").write_text(text, encoding="utf-8")


def grade_student(
    api: Any,
    course: Path,
    folder: Path,
    assignments: list[str],
    clock: Clock,
    report: Callable[[str, str], None],
) -> list[dict[str, Any]]:
    """Autograde what lies in one student's folder; return what became of each assignment."""
    student, student_id = shown(folder.name), students_id(folder.name)
    if student.encode() != os.fsencode(folder.name):
        report(student, "the folder's name is not UTF-8; its odd bytes are shown as numbers")
    with Gradebook(api.coursedir.db_url) as book:
        book.update_or_create_student(student_id, last_name=student)
    for stem in sorted(notebooks(folder, partial(report, student)) - set(assignments)):
        report(student, f"{shown(stem)}.ipynb is no assignment")
    states = []
    for name in assignments:
        tell = partial(report, f"{student}, {name}")
        clock.start()
        state, path, changed = "not handed in", find(folder, name, tell), []
        key = student_id, name
        if path is not None:
            try:
                before = remarks.remember(api.coursedir.db_url, course, key)
                state = grade_one(api, course, path, key, clock, tell)
                if state == "graded":
                    changed = remarks.changed(course, key, before)
            except Exception as error:  # whatever it is, the others are still graded
                tell(f"grading failed: {in_a_line(error)}")
                state = "could not be graded"
        for cell in changed:
            tell(f"the answer {cell!r} has changed since a person marked it; the mark was kept")
        about = {"student": student, "id": student_id, "name": name}
        states.append({**about, "state": state, "changed": changed})
    return states


def in_a_line(error: Exception) -> str:
    """What an error says, short enough for a list of problems."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:100]


def prepare(path: Path, released: Any) -> tuple[str, list[str]]:
    """The repaired text of a submission for nbgrader, and what was wrong with it.

    Raises whatever is raised for a file that is no notebook, or cannot be written again as one.
    """
    if not path.is_file():  # opening a pipe would wait for ever
        raise AssignmentError("it is a folder, a link that leads nowhere, or another odd file")
    notebook = read(path)
    known = {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells}
    problems = repair(notebook, released)
    if not known & {cell.metadata.nbgrader.grade_id for cell in released.cells}:
        problems = [
            "the notebook holds none of the assignment's cells; was another file handed in?"
        ]
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    writable = text.encode("utf-8", "replace").decode("utf-8")
    if writable != text:
        problems.append("half of a character (of an emoji?) cannot be stored; it became a '?'")
    return writable, problems


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
    released = read(course / "release" / name / f"{name}.ipynb")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old notebooks lack cell ids; `repair` gives them
            text, found = prepare(path, released)
    except Exception as error:
        report(f"the file cannot be read as a notebook ({in_a_line(error)})")
        return "could not be graded"
    for problem in found:
        report(problem)
    submitted = course / "submitted" / student_id / name / f"{name}.ipynb"
    submitted.parent.mkdir(parents=True, exist_ok=True)
    submitted.write_text(text, encoding="utf-8")
    result = api.autograde(name, student_id)
    if not result["success"]:
        why = last_words(result)
        if "DeadKernelError" in why or "Kernel died" in why:
            why = "its Python process ended before the notebook did (exit, or no memory left?)"
        report(f"grading failed: {why}")
        return "could not be graded"
    stopped = overran(read(remarks.graded_notebook(course, key)))
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
    os.environ.pop("PYTHONOPTIMIZE", None)  # without assertions every test cell gives full marks
    os.environ["PYTHONWARNINGS"] = "ignore"  # nbgrader gives no marks to a test cell that warns
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    # The home folder may be read-only, and nobody's own start-up files may take part.
    os.environ["IPYTHONDIR"] = str(course / "ipython")
    os.environ["JUPYTER_RUNTIME_DIR"] = str(course / "runtime")
