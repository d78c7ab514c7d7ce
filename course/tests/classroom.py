"""A class that hands in, and its teacher: what the tests of the grading share."""

import contextlib
import copy
import csv
import io
import json

from course import __main__, isolate
from course.assignments import points, released, source
from course.isolate import Outcome


def cell_of(notebook, grade_id):
    """The cell of a notebook with this grade_id."""
    ids = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    return notebook.cells[ids.index(grade_id)]


def position(notebook, grade_id):
    """Where in the notebook this cell is."""
    return notebook.cells.index(cell_of(notebook, grade_id))


def blank(name="exploring"):
    """The notebook as it is handed out."""
    return copy.deepcopy(released(name))


def solved(name="exploring", **answers):
    """The student's notebook, filled in; cells without an answer get the solution."""
    notebook = blank(name)
    for cell in notebook.cells:
        kind = cell.metadata.nbgrader
        if kind.solution:
            cell.source = answers.get(kind.grade_id, cell_of(source(name), kind.grade_id).source)
    return notebook


def as_bytes(notebook):
    """The notebook as a file."""
    return json.dumps(notebook).encode()


def marks_of_tests(name, lost=()):
    """The marks of every test cell, where these are lost."""
    every = points(name).items()
    return {task: 0.0 if task in lost else marks for task, marks in every if task != "written"}


class Room:
    """A folder to hand in to, and a folder for the results."""

    def __init__(self, home):
        self.folder, self.out = home / "in", home / "out"
        self.folder.mkdir()
        self.said = ""

    def hand_in(self, student, content=None, file="exploring.ipynb"):
        """Put bytes or a notebook (None: the untouched one) into a student's folder."""
        if not isinstance(content, bytes):
            content = as_bytes(content if content is not None else blank())
        path = self.folder / student / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def run(self, *words, status=0):
        """Run a command in this process; returns what it said."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            found = __main__.main([*map(str, words), "--out", str(self.out)])
        assert found == status, said.getvalue()
        self.said = said.getvalue()
        return self.said

    def grade(self, *words, status=0):
        """Grade what was handed in."""
        return self.run(
            "grade", "--submissions", self.folder, "--no-feedback", *words, status=status
        )

    def table(self, name):
        """The rows of a table that was written."""
        with (self.out / f"{name}.csv").open(newline="", encoding="utf-8-sig") as file:
            return list(csv.DictReader(file))

    def write_table(self, name, rows):
        """What a spreadsheet does when it saves."""
        with (self.out / f"{name}.csv").open("w", newline="", encoding="utf-8-sig") as file:
            writer = csv.DictWriter(file, rows[0].keys(), delimiter=";")
            writer.writeheader()
            writer.writerows(rows)

    def states(self, name="exploring"):
        """The state of an assignment by student."""
        rows = self.table("totals")
        return {row["student"]: row["state"] for row in rows if row["assignment"] == name}

    def marks(self, student, name="exploring"):
        """The marks of the tests, and the status of the written answer."""
        rows = [
            row
            for row in self.table("marks")
            if (row["student"], row["assignment"]) == (student, name)
        ]
        tests = {row["task"]: float(row["marks"]) for row in rows if row["task"] != "written"}
        (status,) = [row["status"] for row in rows if row["task"] == "written"]
        return tests, status

    def problems(self, student=""):
        """The lines of problems.txt, or those about a student."""
        lines = (self.out / "problems.txt").read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.startswith(student)]

    def ignored(self):
        """What was ignored, with the reason."""
        lines = (self.out / "ignored.txt").read_text(encoding="utf-8").splitlines()
        return dict(line.split(": ", 1) for line in lines)


def run_nothing(monkeypatch):
    """Let every cell of every notebook pass, without running any."""

    def passed(self, notebook):
        notebook = copy.deepcopy(notebook)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.execution_count = 1
        return Outcome(notebook)

    monkeypatch.setattr(isolate.Cell, "run", passed)
    monkeypatch.setattr(isolate, "adopt", lambda: None)
    monkeypatch.setattr(isolate, "can_own_users", lambda: False)
