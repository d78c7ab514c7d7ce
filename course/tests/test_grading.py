"""The assignments through nbgrader: release, hand in, autograde, marks and feedback.

Every case goes through the commands that a teacher uses, in processes of their own.
"""

import copy
import csv
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from answers import RIGHT, WRONG

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = ("a_lemma_under_test", "digits_for_rewards", "exploring")
SECRET = re.compile("### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)### END", re.DOTALL)


def tool(*arguments, status=0):
    done = subprocess.run(
        [sys.executable, "-m", "course", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=840,
        # As from a teacher's shell, in which the environment need not be activated.
        env={**os.environ, "BANDITS_MNIST": "sample", "PATH": os.defpath},
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def source(name):
    path = ROOT / "course" / "source" / name / f"{name}.ipynb"
    return nbformat.read(path, as_version=4)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The student release, a zip."""
    out = tmp_path_factory.mktemp("release")
    tool("release", "--out", out)
    return out / "assignments.zip"


@pytest.fixture(scope="module")
def released(archive):
    """The student notebooks by name."""
    with zipfile.ZipFile(archive) as file:
        return {
            n: nbformat.reads(file.read(f"assignments/{n}/{n}.ipynb").decode(), as_version=4)
            for n in NAMES
        }


def answered(released, name, answers):
    """The student's notebook, filled in; cells without an answer get the solution."""
    notebook = copy.deepcopy(released[name])
    solutions = {c.metadata.nbgrader.grade_id: c.source for c in source(name).cells}
    for cell in notebook.cells:
        kind = cell.metadata.nbgrader
        if kind.solution:
            cell.source = answers.get(kind.grade_id, solutions[kind.grade_id])
    return notebook


def position(notebook, grade_id):
    return [c.metadata.get("nbgrader", {}).get("grade_id") for c in notebook.cells].index(grade_id)


def hand_in(folder, student, name, notebook, *, own_folder=False):
    path = folder / student / (name if own_folder else "") / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")


def read_csv(path):
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def points(name):
    """The marks of every test cell."""
    kinds = [c.metadata.nbgrader for c in source(name).cells]
    return {k.grade_id: float(k.points) for k in kinds if k.grade and k.locked}


def one_mistake_a_part(name):
    """As many wrong answers as can be made at once, each in another cell."""
    return {w.cell: w for w in reversed(WRONG[name])}


# --- the release -----------------------------------------------------------------------------


def test_the_release_holds_three_notebooks_and_a_text_only(archive):
    with zipfile.ZipFile(archive) as file:
        members = {info.filename for info in file.infolist()}
        text = file.read("assignments/README.txt").decode()
    assert members == {f"assignments/{n}/{n}.ipynb" for n in NAMES} | {"assignments/README.txt"}
    assert all(f"{n}.ipynb" in text for n in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_release_holds_no_solution_and_no_hidden_test(released, name):
    whole = "\n".join(cell.source for cell in released[name].cells)
    assert "### BEGIN" not in whole
    assert "### END" not in whole
    assert "secrets" not in whole
    assert "Rubric" not in whole
    assert "Model answer" not in whole
    lines = {line.strip() for line in whole.splitlines()}
    removed = 0
    for cell in source(name).cells:
        kind = cell.metadata.nbgrader
        texts = [cell.source] if kind.solution and kind.grade else SECRET.findall(cell.source)
        for line in "\n".join(texts).splitlines():
            if len(line.strip()) > 20 and not line.strip().startswith(("import ", "from ")):
                assert line.strip() not in lines
                removed += 1
    assert removed > 40


@pytest.mark.parametrize("name", NAMES)
def test_the_release_keeps_texts_stubs_and_visible_tests(released, name):
    assert released[name].metadata.kernelspec.name == "python3"
    for before, after in zip(source(name).cells, released[name].cells, strict=True):
        kind = before.metadata.nbgrader
        assert after.metadata.nbgrader.grade_id == kind.grade_id
        if kind.solution:
            assert "YOUR CODE HERE" in after.source or "YOUR ANSWER HERE" in after.source
            if before.source.startswith("def "):
                assert after.source.startswith(before.source.split("    ### BEGIN")[0])
        elif not kind.grade_id.endswith("_hidden"):
            assert after.source == before.source
        if after.cell_type == "code":
            assert after.outputs == []


# --- a class hands in ------------------------------------------------------------------------

STUDENTS = ("Zoë Ångström", "untouched", "another way", "mistakes")


@pytest.fixture(scope="module")
def graded(released, tmp_path_factory):
    """Three students with all assignments, one with the answers that are most unlike ours."""
    folder = tmp_path_factory.mktemp("class") / "handed in"
    for name in NAMES:
        mistakes = {cell: wrong.code for cell, wrong in one_mistake_a_part(name).items()}
        # The first writes the model answer's text, the last one nothing.
        mistakes["written"] = "YOUR ANSWER HERE"
        hand_in(folder, STUDENTS[0], name, answered(released, name, {}), own_folder=True)
        hand_in(folder, STUDENTS[1], name, released[name])
        hand_in(folder, STUDENTS[3], name, answered(released, name, mistakes), own_folder=True)
    name = "a_lemma_under_test"
    hand_in(folder, STUDENTS[2], name, answered(released, name, RIGHT[name][0]))
    out = folder.parent / "grades"
    tool("grade", "--submissions", folder, "--out", out, "--no-feedback")
    return out


def rows_of(graded, student, name):
    return {
        row["task"]: row
        for row in read_csv(graded / "marks.csv")
        if (row["student"], row["assignment"]) == (student, name)
    }


@pytest.mark.parametrize(
    "student, name", [(STUDENTS[2], "a_lemma_under_test"), *((STUDENTS[0], n) for n in NAMES)]
)
def test_right_answers_get_full_marks_and_the_written_one_waits(graded, student, name):
    rows = rows_of(graded, student, name)
    written = rows.pop("written")
    assert (written["marks"], written["status"]) == ("", "awaiting a person")
    assert {task: float(row["marks"]) for task, row in rows.items()} == points(name)
    assert {row["status"] for row in rows.values()} == {"graded"}


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_release_scores_nothing(graded, name):
    rows = rows_of(graded, "untouched", name)
    assert set(rows) == {*points(name), "written"}
    assert {float(row["marks"]) for row in rows.values()} == {0.0}


@pytest.mark.parametrize("name", NAMES)
def test_each_mistake_costs_its_own_marks_only(graded, name):
    lost = {cell for wrong in one_mistake_a_part(name).values() for cell in wrong.lost}
    rows = rows_of(graded, "mistakes", name)
    assert float(rows.pop("written")["marks"]) == 0  # no answer was given
    expected = {task: 0.0 if task in lost else marks for task, marks in points(name).items()}
    assert {task: float(row["marks"]) for task, row in rows.items()} == expected


def test_what_was_not_handed_in_counts_nothing(graded):
    rows = rows_of(graded, STUDENTS[2], "exploring")
    assert {(float(r["marks"]), r["status"]) for r in rows.values()} == {(0.0, "not handed in")}


def test_totals_and_problems(graded):
    totals = {(r["student"], r["assignment"]): r for r in read_csv(graded / "totals.csv")}
    assert len(totals) == len(STUDENTS) * len(NAMES)
    for name in NAMES:
        row = totals[STUDENTS[0], name]
        assert (float(row["marks"]), float(row["out_of"])) == (20, 20)
        assert float(row["awaiting_a_person"]) == 5
    assert (graded / "problems.txt").read_text(encoding="utf-8") == "Nothing unusual.\n"


def test_no_feedback_means_none(graded):
    assert not (graded / "feedback").exists()


# --- bad submissions -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bad(released, tmp_path_factory):
    """Submissions with something wrong, one after the other, and a good one at the end."""
    folder = tmp_path_factory.mktemp("bad") / "in"

    def give(student, notebook):
        hand_in(folder, student, "exploring", notebook)

    light = answered(released, "exploring", {})
    loops = copy.deepcopy(light)
    at = position(loops, "linucb_update")
    loops.cells[at].source = "while True:\n    pass\n" + loops.cells[at].source
    give("a loops", loops)

    copied = copy.deepcopy(light)
    at = position(copied, "choose")
    copied.cells.insert(at, copy.deepcopy(copied.cells[at]))
    copied.cells[at].source = "def choose(predictions, epsilon_t, eta, rho):\n    return 0, False"
    give("b copied", copied)

    maimed = copy.deepcopy(light)
    for grade_id in ("setup", "propensity_visible", "propensity_hidden"):
        del maimed.cells[position(maimed, grade_id)]
    test_cell = maimed.cells[position(maimed, "epsilon_hidden")]
    test_cell.source, test_cell.metadata.nbgrader.points = "assert True", 100
    give("c maimed", maimed)

    quits = copy.deepcopy(light)
    quits.cells[position(quits, "choose")].source = "import os\nos._exit(1)"
    give("d quits", quits)

    (folder / "e broken").mkdir()
    (folder / "e broken" / "exploring.ipynb").write_text('{"cells": [', encoding="utf-8")
    (folder / "f nothing").mkdir()
    (folder / "g misnamed").mkdir()
    (folder / "g misnamed" / "exploring (2).ipynb").write_text("{}", encoding="utf-8")
    give("h good", light)

    out = folder.parent / "out"
    # Pictures are drawn within a few seconds even on a busy machine; a loop is stopped after 20.
    said = tool("grade", "--submissions", folder, "--out", out, "--timeout", 20, "--no-feedback")
    return out, said


def row_of(bad, student):
    rows = read_csv(bad[0] / "totals.csv")
    mine = [r for r in rows if (r["student"], r["assignment"]) == (student, "exploring")]
    return float(mine[0]["marks"]), mine[0]["state"]


def told_about(bad, student):
    lines = (bad[0] / "problems.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith(student)]


def test_a_cell_that_loops_for_ever_is_named_and_costs_its_part(bad):
    (line,) = told_about(bad, "a loops")
    assert line == (
        "a loops, exploring: a cell was stopped, without marks, because it ran longer than 20 s "
        "(does it loop for ever?): 'linucb_update'"
    )
    assert line in bad[1]
    assert row_of(bad, "a loops") == (16, "graded")


def test_a_copied_cell_is_named_and_the_last_copy_counts(bad):
    assert told_about(bad, "b copied") == [
        "b copied, exploring: the cell 'choose' is there more than once (was it copied?); "
        "the last copy counts"
    ]
    assert row_of(bad, "b copied") == (20, "graded")


def test_missing_and_changed_test_cells_are_put_right(bad):
    lines = told_about(bad, "c maimed")
    for grade_id in ("setup", "propensity_visible", "propensity_hidden"):
        assert f"c maimed, exploring: the cell {grade_id!r} was missing and was put back" in lines
    changed = "the test cell 'epsilon_hidden' was changed; the original was used"
    assert f"c maimed, exploring: {changed}" in lines
    assert len(lines) == 4
    assert row_of(bad, "c maimed") == (20, "graded")


def test_what_cannot_be_graded_is_told_and_stops_nobody(bad):
    assert told_about(bad, "d quits") == [
        "d quits, exploring: grading failed: its Python process ended before the notebook did "
        "(exit, or no memory left?)"
    ]
    (line,) = told_about(bad, "e broken")
    assert line.startswith("e broken, exploring: the file cannot be read as a notebook")
    assert told_about(bad, "g misnamed") == ["g misnamed: exploring (2).ipynb is no assignment"]
    assert row_of(bad, "d quits") == (0, "could not be graded")
    assert row_of(bad, "e broken") == (0, "could not be graded")
    assert row_of(bad, "f nothing") == (0, "not handed in")
    assert told_about(bad, "h good") == []
    assert row_of(bad, "h good") == (20, "graded")


def test_manual_marks_reach_the_csv_and_the_feedback(bad):
    out, _ = bad
    code = """
import sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///" + sys.argv[1]) as book:
    (student_id,) = [student.id for student in book.students if student.last_name == "h good"]
    grade = book.find_grade("written", "exploring", "exploring", student_id)
    grade.manual_score, grade.needs_manual_grade = 4.0, False
    book.db.commit()
"""
    database = out / "course" / "gradebook.db"
    subprocess.run([sys.executable, "-c", code, str(database)], check=True, capture_output=True)
    tool("export", "--out", out)
    row = rows_of(out, "h good", "exploring")["written"]
    assert (float(row["marks"]), row["status"]) == (4.0, "marked by a person")
    assert row_of(bad, "h good") == (24, "graded")
    assert row_of(bad, "b copied") == (20, "graded")
    pages = {p.parent.name: p for p in (out / "feedback").rglob("exploring.html")}
    assert set(pages) == {"a loops", "b copied", "c maimed", "h good"}  # the graded ones
    assert "CellTimeoutError" in pages["a loops"].read_text(encoding="utf-8")
    assert re.search(r"Score:\s*24", pages["h good"].read_text(encoding="utf-8"))


# --- longer batteries ------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_wrong_answer_and_the_second_right_one_through_nbgrader(released, tmp_path, name):
    cases = {f"s{n:02d}": w for n, w in enumerate(WRONG[name])}
    for student, wrong in cases.items():
        notebook = answered(released, name, {wrong.cell: wrong.code})
        hand_in(tmp_path / "in", student, name, notebook)
    hand_in(tmp_path / "in", "second", name, answered(released, name, RIGHT[name][1]))
    tool("grade", "--submissions", tmp_path / "in", "--out", tmp_path / "out", "--no-feedback")
    for student in [*cases, "second"]:
        lost = cases[student].lost if student in cases else ()
        rows = rows_of(tmp_path / "out", student, name)
        rows.pop("written")
        expected = {task: 0.0 if task in lost else marks for task, marks in points(name).items()}
        assert {t: float(r["marks"]) for t, r in rows.items()} == expected, student


@pytest.mark.slow
def test_grading_again_keeps_a_persons_marks(released, tmp_path):
    notebook = answered(released, "exploring", {})
    hand_in(tmp_path / "in", "ada", "exploring", notebook)
    arguments = ("grade", "--submissions", tmp_path / "in", "--out", tmp_path / "out")
    tool(*arguments, "--no-feedback")
    code = """
import sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///" + sys.argv[1]) as book:
    book.find_grade("written", "exploring", "exploring", "ada").manual_score = 3.0
    book.db.commit()
"""
    database = tmp_path / "out" / "course" / "gradebook.db"
    subprocess.run([sys.executable, "-c", code, str(database)], check=True, capture_output=True)
    for essay, status in (
        (None, "marked by a person"),
        ("Another essay.", "marked by a person, but the answer has changed since"),
    ):
        if essay is not None:
            notebook.cells[position(notebook, "written")].source = essay
            hand_in(tmp_path / "in", "ada", "exploring", notebook)
        tool(*arguments, "--no-feedback")
        row = rows_of(tmp_path / "out", "ada", "exploring")["written"]
        assert (float(row["marks"]), row["status"]) == (3.0, status)
