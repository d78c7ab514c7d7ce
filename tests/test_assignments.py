"""The assignments by themselves: what their tests reward, and what the tools refuse.

Here the cells run in this process, which is fast enough to try every typical answer;
test_assignments_grading.py sends notebooks through nbgrader.
"""

import copy
import importlib
import re
import subprocess
import sys
import warnings
from pathlib import Path

import nbformat
import pytest
from assignment_answers import RIGHT, WRONG

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("exploring", "a_lemma_under_test", "digits_for_rewards")
AUTOGRADED, WRITTEN = 20, 5


def source(name):
    path = ROOT / "notebooks" / "assignments" / "source" / name / f"{name}.ipynb"
    return nbformat.read(path, as_version=4)


def kinds(notebook):
    """(grade_id, nbgrader metadata, cell) of every cell."""
    return [(c.metadata.nbgrader.grade_id, c.metadata.nbgrader, c) for c in notebook.cells]


def failed(name, answers):
    """The test cells that fail when these answers take the place of the solutions."""
    namespace, lost = {"__name__": "__main__"}, set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as the kernels of the grading do
        for grade_id, kind, cell in kinds(source(name)):
            is_test = kind.grade and kind.locked
            # The pictures and the long runs earn no marks.
            if cell.cell_type == "code" and (kind.solution or is_test or grade_id == "setup"):
                code = answers.get(grade_id, cell.source)
                try:
                    exec(compile(code, grade_id, "exec"), namespace)
                except Exception:
                    if not is_test:
                        raise
                    lost.add(grade_id)
    return lost


@pytest.fixture(autouse=True)
def _sample(monkeypatch):
    monkeypatch.setenv("BANDITS_MNIST", "sample")


@pytest.fixture(scope="module")
def tool():
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbgrader's own
            yield importlib.import_module("assignments")
    finally:
        sys.path.remove(str(ROOT / "tools"))


def test_the_sources_are_the_three_known_ones():
    folder = ROOT / "notebooks" / "assignments" / "source"
    assert {p.stem for p in folder.rglob("*.ipynb")} == set(NAMES)
    assert not list(folder.rglob("*.py")), "a .py twin could reach the students"


@pytest.mark.parametrize("name", NAMES)
def test_points_add_up_and_hidden_tests_draw_their_inputs(name):
    points = {i: k.points for i, k, _ in kinds(source(name)) if k.grade}
    assert points.pop("written") == WRITTEN
    assert sum(points.values()) == AUTOGRADED
    hidden = [c.source for i, k, c in kinds(source(name)) if k.grade and i.endswith("_hidden")]
    assert len(hidden) >= 5
    for cell in hidden:
        region = re.search("### BEGIN HIDDEN TESTS\n(.*)### END HIDDEN TESTS", cell, re.DOTALL)
        assert region is not None
        assert "secrets.randbits" in region[1]
        assert "seed {_seed}" in region[1] or "K = {_K}" in region[1]  # told on failure


@pytest.mark.parametrize("name", NAMES)
def test_no_output_is_stored_and_every_stub_has_its_docstring(name):
    for grade_id, kind, cell in kinds(source(name)):
        if cell.cell_type != "code":
            continue
        assert not cell.outputs
        assert cell.execution_count is None
        if kind.solution and cell.source.startswith("def "):
            stub = cell.source.split("### BEGIN SOLUTION")[0]
            assert '"""' in stub, grade_id
            assert "Returns" in stub, grade_id


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_and_two_other_right_answers_keep_full_marks(name):
    assert failed(name, {}) == set()
    answer_cells = {i for i, k, c in kinds(source(name)) if k.solution and c.cell_type == "code"}
    for answers in RIGHT[name]:
        assert answer_cells <= set(answers)
        assert failed(name, answers) == set()


@pytest.mark.parametrize("name", NAMES)
def test_hidden_tests_are_fair_again_and_again(name):
    """New inputs each time: a right answer must pass whatever is drawn."""
    for answers in [{}, *RIGHT[name]] * 3:
        assert failed(name, answers) == set()


@pytest.mark.parametrize(
    "name, wrong",
    [pytest.param(n, w, id=f"{n}: {w.mistake}") for n in NAMES for w in WRONG[n]],
)
def test_a_wrong_answer_loses_exactly_its_own_marks(name, wrong):
    assert failed(name, {wrong.cell: wrong.code}) == set(wrong.lost)


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_set_of_wrong_answers_covers_every_part(name):
    hidden = {i for i, k, _ in kinds(source(name)) if k.grade and i.endswith("_hidden")}
    assert {cell for wrong in WRONG[name] for cell in wrong.lost} >= hidden
    assert len(WRONG[name]) >= 5


def test_the_first_two_run_without_torch():
    code = """
import json, sys
import matplotlib
matplotlib.use("agg")
for name in ("exploring", "a_lemma_under_test"):
    with open("notebooks/assignments/source/" + name + "/" + name + ".ipynb") as file:
        cells = json.load(file)["cells"]
    space = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), space)
assert "torch" not in sys.modules, "torch was imported"
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def broken(name="exploring"):
    return copy.deepcopy(source(name))


def cell_of(notebook, grade_id):
    return next(c for i, _, c in kinds(notebook) if i == grade_id)


@pytest.mark.parametrize("name", NAMES)
def test_the_sources_are_accepted(tool, name):
    tool.check_source(name, source(name))


def misspelt(notebook):
    cell = cell_of(notebook, "epsilon")
    cell.source = cell.source.replace("### BEGIN SOLUTION", "### BEGIN SOLUTON")


def lower_case(notebook):
    cell = cell_of(notebook, "epsilon_hidden")
    cell.source = cell.source.replace("### END HIDDEN TESTS", "### end hidden tests")


def spaced(notebook):
    cell = cell_of(notebook, "choose_hidden")
    cell.source = cell.source.replace("### BEGIN HIDDEN TESTS", "###BEGIN HIDDEN TESTS")


def no_region(notebook):
    cell_of(notebook, "choose").source = "def choose(): ..."


def wrong_place(notebook):
    cell = cell_of(notebook, "setup")
    cell.source += "\n### BEGIN HIDDEN TESTS\npass\n### END HIDDEN TESTS"


def same_id(notebook):
    cell_of(notebook, "choose").metadata.nbgrader.grade_id = "epsilon"


def no_kernel(notebook):
    del notebook.metadata["kernelspec"]


def no_metadata(notebook):
    del notebook.cells[3].metadata["nbgrader"]


@pytest.mark.parametrize(
    "spoil, told",
    [
        (misspelt, "'### BEGIN SOLUTON' is not one of"),
        (lower_case, "'### end hidden tests' is not one of"),
        (spaced, "'###BEGIN HIDDEN TESTS' is not one of"),
        (no_region, "an answer cell, and no other, has a solution region"),
        (wrong_place, "hidden tests belong in a locked test cell"),
        (same_id, "two cells have this grade_id"),
        (no_kernel, "needs the kernelspec python3"),
        (no_metadata, "cell 4 has no nbgrader metadata"),
    ],
)
def test_a_spoilt_source_is_refused(tool, spoil, told):
    notebook = broken()
    spoil(notebook)
    with pytest.raises(ValueError, match=re.escape(told)):
        tool.check_source("exploring", notebook)


@pytest.mark.parametrize("grade_id", ["epsilon", "choose_hidden", "written"])
def test_a_release_that_leaks_is_refused(tool, grade_id):
    release = broken()
    for _, _, cell in kinds(release):
        for what in ("SOLUTION", "HIDDEN TESTS"):
            cell.source = re.sub(
                rf" *### BEGIN {what}\n.*?### END {what}",
                "    # YOUR CODE HERE",
                cell.source,
                flags=re.DOTALL,
            )
    cell_of(release, "written").source = "YOUR ANSWER HERE"
    tool.check_release("exploring", source("exploring"), release)
    leak = tool.secrets_of(cell_of(source("exploring"), grade_id))[0]
    cell_of(release, "title").source += "\n" + leak
    with pytest.raises(ValueError, match="leaked"):
        tool.check_release("exploring", source("exploring"), release)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff\xfe\x00",
        b'{"cells": [{"cell_type": "code"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
        b'{"cells": 3, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
        b'{"cells": [], "metadata": {}, "nbformat": 99, "nbformat_minor": 0}',
    ],
)
def test_any_file_that_is_no_notebook_is_reported(tool, tmp_path, content):
    submitted, said = tmp_path / "exploring.ipynb", []
    submitted.write_bytes(content)
    released = tmp_path / "release" / "exploring" / "exploring.ipynb"
    released.parent.mkdir(parents=True)
    nbformat.write(source("exploring"), released)
    state = tool.grading.grade_one(
        None, tmp_path, submitted, ("ada", "exploring"), None, said.append
    )
    assert state == "could not be graded"
    assert len(said) == 1
    assert said[0].startswith("the file cannot be read as a notebook (")
    assert len(said[0]) > len("the file cannot be read as a notebook ()")


def test_wrong_folders_and_limits_are_explained(tool, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "in" / "ada").mkdir(parents=True)
    out = ["--out", str(tmp_path / "out")]
    cases = [
        (["grade", "--submissions", str(tmp_path / "none"), *out], "there is no folder"),
        (["grade", "--submissions", str(tmp_path / "empty"), *out], "holds no student's folder"),
        (["grade", "--submissions", str(tmp_path / "in"), *out, "--timeout", "0"], ">= 1 second"),
        (["grade", "--submissions", str(tmp_path / "in"), *out, "--total", "-5"], ">= 1 second"),
        (["export", *out], "holds no graded submissions; run `grade` first"),
    ]
    for arguments, told in cases:
        assert tool.main(arguments) == 2
        error = capsys.readouterr().err
        assert error.startswith("error: ")
        assert told in error
        assert not (tmp_path / "out").exists()
