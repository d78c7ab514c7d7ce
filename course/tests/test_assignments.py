"""The assignments by themselves: what their tests reward, and that they reward it always.

The cells run in this process, which is fast enough to try every typical answer; test_grading.py
sends notebooks through the grader.
"""

import re
import secrets
import subprocess
import sys
import warnings

import pytest
from answers import RIGHT, WRONG

from course.assignments import ROOT, SOURCES, source
from course.handout import WITHOUT_NETWORKS

NAMES = (
    "exploring",
    "a_lemma_under_test",
    "choose_the_schedule",
    "digits_for_rewards",
    "train_the_policy",
)
AUTOGRADED, WRITTEN = 20, 5


def kinds(notebook):
    """(grade_id, nbgrader metadata, cell) of every cell."""
    return [(c.metadata.nbgrader.grade_id, c.metadata.nbgrader, c) for c in notebook.cells]


def failed(name, answers, part=""):
    """The test cells that fail when these answers take the place of the solutions.

    With a part, the name of an answer cell, only that cell and its tests are run.
    """
    namespace, lost = {"__name__": "__main__"}, set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as the kernels of the grading do
        for grade_id, kind, cell in kinds(source(name)):
            is_test = kind.grade and kind.locked
            # The pictures and the long runs earn no marks.
            chosen = kind.solution or is_test
            if part and not grade_id.startswith(part):
                chosen = False
            if cell.cell_type == "code" and (chosen or grade_id.endswith("setup")):
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


def test_the_sources_are_the_known_ones():
    folder = SOURCES
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
        assert 'os.environ.get("HIDDEN_TEST_SEED")' in region[1]
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


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_right_and_wrong_are_told_apart_whatever_is_drawn(name, monkeypatch):
    """A right answer must pass, and a wrong one fail, with every seed that a course may have."""
    for seed in range(20 if name == "digits_for_rewards" else 100):
        monkeypatch.setenv("HIDDEN_TEST_SEED", str(seed))
        for answers in [{}, *RIGHT[name]]:
            assert failed(name, answers) == set(), seed
        for wrong in WRONG[name]:
            lost = failed(name, {wrong.cell: wrong.code}, wrong.cell)
            assert lost == set(wrong.lost), (seed, wrong.mistake)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_draws_the_same(name, monkeypatch):
    """So that an appeal can be replayed: a seed of 0 is a seed, and nothing else is drawn."""

    def refused(bits):
        raise AssertionError("something is drawn that no seed gives back")

    monkeypatch.setattr(secrets, "randbits", refused)
    monkeypatch.setenv("HIDDEN_TEST_SEED", "0")
    assert failed(name, {}) == set()


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


@pytest.mark.parametrize("name", WITHOUT_NETWORKS)
def test_most_run_without_torch(name):
    code = f"""
import json, sys
import matplotlib
matplotlib.use("agg")
with open("course/source/{name}/{name}.ipynb") as file:
    cells = json.load(file)["cells"]
space = dict()
for cell in cells:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), space)
assert "torch" not in sys.modules, "torch was imported"
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    (answer,) = [c.source for i, k, c in kinds(source(name)) if i == "written"]
    told = set(re.findall(r"\d\.\d{3}", answer))
    assert told <= set(re.findall(r"\d\.\d{3}", done.stdout)), "the model answer's numbers"
