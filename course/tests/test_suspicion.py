"""What is listed for a person to look at, and what is not."""

import copy

import pytest
from answers import RIGHT, WRONG
from classroom import as_bytes, cell_of, solved

from course.assignments import names
from course.repair import prepare
from course.suspicion import alike, remarks

NAMES = names()

SEEN = {
    "from bandits.theory import random_pull_pmf": "imports an answer",
    "from bandits.theory.exact import expected_random_pulls as e": "imports an answer",
    "import bandits.theory as th\nth.vacuous_until(3, 1)": "uses an answer",
    "import bandits\nbandits.theory.expected_random_pulls(3)": "uses an answer",
    "np.isclose = lambda *a, **k: True": "sets np.isclose",
    "import numpy\nnumpy.allclose = max": "sets numpy.allclose",
    "import builtins\nbuiltins.AssertionError = Warning": "sets builtins.AssertionError",
    "setattr(np, 'isclose', max)": "sets an attribute of np",
    "class AssertionError(Exception): pass": "gives another meaning to AssertionError",
    "np = None": "gives another meaning to np",
    "open('../source/exploring/exploring.ipynb')": "names the folder of solutions",
    "cells = {c.id: c for c in nb}\ncells['choose_hidden']": "names the folder of solutions",
    "import os\nos.listdir('/proc/1')": "names files outside its folder",
    "import sqlite3\nsqlite3.connect('x.db')": "names the grader's files",
    "import os\nos.kill(os.getppid(), 15)": "reaches for other processes",
    "!ls ..": "starts other programs",
    "%system ls": "starts other programs",
    "import subprocess": "starts other programs",
    "get_ipython().ast_transformers": "reaches for the cells",
    "import sys\nsys.settrace(max)": "looks into the running program",
    "import urllib.request": "uses the network",
    "import os\nos.environ['HIDDEN_TEST_SEED']": "reads the environment",
}


ORDINARY = (
    "n_hidden = 30\nN_HIDDEN = n_hidden\nself_hidden = width_hidden = 1",
    "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x.eval()",
)


@pytest.mark.parametrize("code", ORDINARY)
def test_what_everybody_writes_is_not_listed(code):
    notebook, _ = prepare_text(solved("exploring", choose=code))
    assert remarks(notebook) == []


@pytest.mark.parametrize("code", SEEN)
def test_what_looks_odd_is_listed_with_its_cell(code):
    notebook, _ = prepare_text(solved("exploring", choose=code))
    found = [remark for remark in remarks(notebook) if remark.startswith(SEEN[code])]
    assert found, remarks(notebook)
    assert all(remark.endswith("(in 'choose')") for remark in found)


def prepare_text(notebook, name="exploring"):
    return prepare(as_bytes(notebook), name)


@pytest.mark.parametrize("name", NAMES)
def test_honest_work_is_not_listed(name):
    code = [{}, *RIGHT[name], *({wrong.cell: wrong.code} for wrong in WRONG[name])]
    for answers in code:
        notebook, _ = prepare_text(solved(name, **answers), name)
        assert remarks(notebook) == []


def renamed(notebook):
    """What somebody does who hopes that nobody sees it."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code" and not cell.metadata.nbgrader.locked:
            for old, new in (
                ("theta", "coef"),
                ("matrix", "mat"),
                ("greedy", "best"),
                ("new_", "n_"),
            ):
                cell.source = cell.source.replace(old, new)
            cell.source = "# my own work\n" + cell.source
    return notebook


def test_a_copy_is_listed_and_honest_neighbours_are_not():
    essay = " ".join(f"word{n} and so on" for n in range(20))
    honest = {
        f"honest {n}": solved("exploring", **{"written": f"My {n}. essay.", **answers})
        for n, answers in enumerate(RIGHT["exploring"])
    }
    first = solved("exploring", **{**RIGHT["exploring"][0], "written": essay})
    class_ = {
        **honest,
        "thief": renamed(honest["honest 1"]),
        "writer": first,
        "reader": solved("exploring", written=essay.replace("word7", "other")),
    }
    pairs = {
        frozenset((one, other)): what for one, other, what in alike(class_.items(), "exploring")
    }
    assert "code" in pairs[frozenset(("honest 1", "thief"))]
    assert "written answer" in pairs[frozenset(("writer", "reader"))]
    assert frozenset(("honest 0", "honest 1")) not in pairs
    assert frozenset(("honest 1", "the published solution")) not in pairs


def test_the_published_solution_is_a_neighbour():
    found = list(alike([("ada", renamed(solved("exploring", written="")))], "exploring"))
    assert [(one, other) for one, other, _ in found] == [("ada", "the published solution")]


def test_no_text_is_too_odd_to_look_at():
    for code in ("def (", "\x00", "(" * 5000, "'''", "x = 1\n  y", "𝐧𝐩.isclose = 1", "%%bash\nls"):
        notebook = solved()
        cell_of(notebook, "choose").source = code
        remarks(notebook)
        list(alike([("a", notebook), ("b", notebook)], "exploring"))
