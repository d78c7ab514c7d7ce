"""Make the student release of the assignments, and grade what comes back.

    python -m course release
    python -m course grade --submissions FOLDER
    python -m course export --out FOLDER

The source notebooks (solved, with hidden tests) are in course/source/; the README beside them is
the teacher's guide. Everything works without a network and starts no server.
"""

from __future__ import annotations

import argparse
import io
import re
import shutil
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

from course import grading, marks
from course.settings import (
    COURSE,
    ROOT,
    SOURCES,
    AssignmentError,
    Limits,
    names,
    nbgrader_api,
    read,
    succeed,
)

MARKERS = tuple(
    f"### {end} {what}" for what in ("SOLUTION", "HIDDEN TESTS") for end in ("BEGIN", "END")
)
# Anything that looks as if it was meant for a marker: nbgrader overlooks a misspelt one.
NEARLY_MARKER = re.compile(r"^\s*#+\s*(BEGIN|END)\b|\b(BEGIN|END)\s+(SOL|HID|MARK)", re.IGNORECASE)
FOR_STUDENTS = """\
Open each notebook in JupyterLab with Python 3.11 or later and the package `deep-epsilon-greedy`
installed (your teacher tells you how; in a copy of its repository: python -m pip install .).
Fill in the cells that say YOUR CODE HERE or YOUR ANSWER HERE, and hand in the notebooks
{names} under these names.
"""


def regions(source: str, what: str) -> list[str]:
    """The texts between ### BEGIN `what` and ### END `what` in a cell."""
    return re.findall(rf"### BEGIN {what}\n(.*?)### END {what}", source, flags=re.DOTALL)


def secrets_of(cell: Any) -> list[str]:
    """What a source cell holds that no student may see: its solution or its hidden tests."""
    kind = cell.metadata.nbgrader
    found = regions(cell.source, "SOLUTION") + regions(cell.source, "HIDDEN TESTS")
    if kind.solution and kind.grade:  # a written question: the whole cell is the model answer
        found.append(cell.source)
    return found


def check_source(name: str, notebook: Any) -> None:
    """Refuse a source notebook that would leak, wipe or mark wrongly.

    Raises AssignmentError naming the notebook and the cell.
    """
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        raise AssignmentError(f"{name}: the notebook needs the kernelspec python3")
    seen: set[str] = set()
    for number, cell in enumerate(notebook.cells, start=1):
        kind = cell.metadata.get("nbgrader")
        if kind is None:
            raise AssignmentError(f"{name}: cell {number} has no nbgrader metadata")
        where = f"{name}, cell {kind.grade_id!r}"
        if kind.grade_id in seen:
            raise AssignmentError(f"{where}: two cells have this grade_id")
        seen.add(kind.grade_id)
        for line in cell.source.splitlines():
            if NEARLY_MARKER.search(line) and line.strip() not in MARKERS:
                raise AssignmentError(f"{where}: {line.strip()!r} is not one of {MARKERS}")
        solutions, hidden = regions(cell.source, "SOLUTION"), regions(cell.source, "HIDDEN TESTS")
        if cell.cell_type == "code" and kind.solution != bool(solutions):
            raise AssignmentError(f"{where}: an answer cell, and no other, has a solution region")
        if hidden and not (kind.grade and kind.locked):
            raise AssignmentError(f"{where}: hidden tests belong in a locked test cell")


def check_release(name: str, source: Any, release: Any) -> None:
    """Refuse a student notebook that holds a solution, a hidden test, a marker or an output.

    Raises AssignmentError naming the notebook and what leaked.
    """
    text = "\n".join(cell.source for cell in release.cells)
    lines = {line.strip() for line in text.splitlines()}
    for cell in source.cells:
        for secret in secrets_of(cell):
            for line in map(str.strip, secret.splitlines()):
                # Imports and lines as short as "else:" tell nothing.
                if len(line) > 20 and line in lines and not line.startswith(("import ", "from ")):
                    raise AssignmentError(
                        f"{name}, cell {cell.metadata.nbgrader.grade_id!r}: {line!r} leaked"
                    )
    for cell in release.cells:
        grade_id = cell.metadata.nbgrader.grade_id
        if NEARLY_MARKER.search(cell.source):
            raise AssignmentError(f"{name}, cell {grade_id!r}: a marker is left in the release")
        if cell.get("outputs"):
            raise AssignmentError(f"{name}, cell {grade_id!r}: an output is left in the release")
        if cell.metadata.nbgrader.solution and "YOUR" not in cell.source:
            raise AssignmentError(f"{name}, cell {grade_id!r}: the answer was not removed")


def generate(course: Path, *, database: bool = True) -> list[str]:
    """Put the checked student versions into course/release; return the assignments' names.

    The database, course/gradebook.db, is what submissions are graded against.
    """
    assignments = names()
    for name in assignments:
        source = read(SOURCES / name / f"{name}.ipynb")
        check_source(name, source)
        destination = course / "source" / name / f"{name}.ipynb"
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SOURCES / name / f"{name}.ipynb", destination)
    shutil.copy(COURSE / "nbgrader_config.py", course)  # for nbgrader's own commands
    api = nbgrader_api(course, database=database)
    for name in assignments:
        succeed(api.generate_assignment(name), f"generating {name}")
        source = read(course / "source" / name / f"{name}.ipynb")
        released = read(course / "release" / name / f"{name}.ipynb")
        check_release(name, source, released)
    return assignments


def release(out: Path) -> Path:
    """Write the student release of all assignments, out/assignments.zip, and return its path."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder).resolve() / "course"
        assignments = generate(course, database=False)
        texts = {
            "README.txt": FOR_STUDENTS.format(names=", ".join(f"{n}.ipynb" for n in assignments))
        }
        for name in assignments:
            path = course / "release" / name / f"{name}.ipynb"
            texts[f"{name}/{name}.ipynb"] = path.read_text(encoding="utf-8")
        unfinished = out / "assignments.zip.partial"
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, text in texts.items():
                # A fixed date: the same sources give the same list of members and times.
                archive.writestr(zipfile.ZipInfo(f"assignments/{member}"), text)
        return unfinished.replace(out / "assignments.zip")


def main(arguments: list[str] | None = None) -> int:
    """Run one of the commands; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="course", description=__doc__.split("\n")[0] if __doc__ else None
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("release", help="build the student release as a zip")
    one.add_argument("--out", type=Path, default=ROOT / "results" / "assignments")
    one = commands.add_parser("grade", help="grade a folder of submissions")
    one.add_argument("--submissions", type=Path, required=True, help="FOLDER/STUDENT/NAME.ipynb")
    one.add_argument("--out", type=Path, default=ROOT / "results" / "grades")
    one.add_argument("--timeout", type=int, help="seconds a cell may run (default: the config's)")
    one.add_argument("--total", type=int, default=600, help="seconds a notebook may run")
    one.add_argument("--no-feedback", action="store_true", help="write no feedback pages")
    one = commands.add_parser("export", help="write marks and feedback again, after manual marks")
    one.add_argument("--out", type=Path, default=ROOT / "results" / "grades")
    options = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name must not stop the grading by being shown
        sys.stdout.reconfigure(errors="backslashreplace")
    warnings.filterwarnings("ignore", module="nbgrader")  # SQLAlchemy's, about nbgrader's own code
    try:
        if options.command == "release":
            print(f"student release: {release(options.out)}")
        elif options.command == "grade":
            limits = Limits(options.timeout, options.total)
            grading.grade(options.submissions, options.out, generate, limits)
            marks.export(options.out, feedback=not options.no_feedback)
        else:
            marks.export(options.out, feedback=True)
    except (AssignmentError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
