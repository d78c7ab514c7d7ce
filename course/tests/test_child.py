"""Small notebooks in a real cell: what a student's code can do to itself, and to nobody else."""

import nbformat
import pytest
from nbformat import v4

from course.child import MOST_OUTPUT, TOO_LONG, Limits
from course.isolate import Cell

QUICK = Limits(cell=4, grace=3, notebook=200, processes=40, file=8)


def run(*sources, limits=QUICK):
    """What became of a notebook of these code cells."""
    cells = [v4.new_code_cell(source) for source in sources]
    notebook = v4.new_notebook(cells=cells)
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    outcome = Cell(0, limits, seed=5, own_user=False).run(notebook)
    assert outcome.failure == ""
    nbformat.validate(outcome.notebook)
    return outcome


def said(outcome, index):
    """What a cell printed, or the name of its error."""
    outputs = outcome.notebook.cells[index].outputs
    texts = [o.get("text") or o.get("ename") for o in outputs]
    return "".join(texts)


LAST = "print('still', before)"
UNSTOPPABLE = {
    "a loop in C": "n = sum(range(1, 10**14))",
    "an interrupt that is caught": """
import time
while True:
    try:
        time.sleep(0.01)
    except BaseException:
        pass
""",
}


@pytest.mark.parametrize("what", UNSTOPPABLE)
def test_a_cell_that_python_cannot_interrupt_costs_that_cell(what):
    outcome = run("before = 1", UNSTOPPABLE[what], LAST)
    assert said(outcome, 2) == "still 1\n"
    assert TOO_LONG in said(outcome, 1)
    assert set(outcome.stopped) == {1}
    assert outcome.stopped[1].startswith("ran too long")


def test_what_ends_the_process_costs_its_cell():
    outcome = run(
        "before = 1",
        "import os\nos._exit(3)",
        "exit()",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        LAST,
    )
    assert said(outcome, 4) == "still 1\n"
    why = "ended its own process (exit, or no memory left?)"
    assert outcome.stopped == {1: why, 2: why, 3: why}


def test_limits_cost_the_cell_that_meets_them():
    outcome = run(
        "before = 1",
        "x = bytearray(100 << 30)",
        "open('large', 'wb').write(bytes(9 << 20))",
        "input()",
        "while True:\n    print('flood ' * 1000)",
        "import os\nprint([n for n in os.environ if n.startswith(('HIDDEN', 'SECRET'))])",
        LAST,
    )
    assert said(outcome, 1) == "MemoryError"
    assert said(outcome, 2) == "OSError"
    assert said(outcome, 3) == "StdinNotImplementedError"
    assert TOO_LONG in said(outcome, 4)
    assert len(said(outcome, 4)) < 2 * MOST_OUTPUT
    assert said(outcome, 5) == "['HIDDEN_TEST_SEED']\n"
    assert said(outcome, 6) == "still 1\n"
    assert set(outcome.stopped) == {4}


def test_a_notebook_that_has_used_up_its_time_stops():
    loops = "import time\nwhile True:\n    time.sleep(0.05)"
    outcome = run("before = 1", *[loops] * 4, LAST, limits=Limits(cell=3, grace=5, notebook=5))
    assert set(outcome.stopped) >= {1, 3, 4, 5}
    assert outcome.stopped[5] == "was not run, as the notebook had used up its time"
    assert outcome.notebook.cells[0].execution_count == 1


def test_whoever_ends_the_grading_gets_no_result(monkeypatch):
    monkeypatch.setenv("TEACHERS_SECRET", "x")
    notebook = v4.new_notebook(
        cells=[v4.new_code_cell("import os, time\nos.kill(os.getppid(), 15)\ntime.sleep(60)")]
    )
    outcome = Cell(0, QUICK, seed=5, own_user=False).run(notebook)
    assert outcome.notebook is None
    assert outcome.failure == "its grading was ended from inside (signal 15)"
