"""Small notebooks in a real cell: what a student's code can do to itself, and to nobody else."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import psutil
import pytest
from nbformat import v4

from course.assignments import ROOT
from course.child import MOST_OUTPUT, TOO_LONG, Limits
from course.isolate import Cell

CALM = Limits(processes=40)
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


DIES = "import os\nif 'ill' in globals():\n    os._exit(1)"
LACKS = "assert 'ill' not in globals()"  # fails as where nothing is left that it needs
USED_UP = "used up its memory, threads or files"


@pytest.mark.parametrize(
    "ends, after, told",
    [
        ("while True:\n    pass", DIES, "ran too long"),
        ("bytearray(100 << 30)", LACKS, USED_UP),
        ("raise RuntimeError('can\\'t start new thread')", LACKS, USED_UP),
    ],
)
def test_what_a_stopped_cell_leaves_behind_costs_no_other_cell(ends, after, told):
    outcome = run(f"ill = True\n{ends}", f"{after}\nprint('well')")
    assert said(outcome, 1) == "well\n"
    assert outcome.stopped == {0: told}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere its limit on CPU time ends it")
def test_a_kernel_ends_with_the_process_that_started_it():
    """A loop in C lets none of the kernel's own threads see that the grading was killed."""
    endless = v4.new_code_cell("open('begun', 'w').close()\nn = sum(range(10**14))")
    with Cell(0, CALM, seed=5, own_user=False).folder() as folder:
        nbformat.write(v4.new_notebook(cells=[endless]), folder / "notebook.ipynb")
        (folder / "limits.json").write_text("{}")
        words = [sys.executable, "-m", "course.child", folder]
        process = subprocess.Popen(words, cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)})
        while not (folder / "begun").exists():
            assert process.poll() is None
            time.sleep(0.1)
        below = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.wait()
        assert below
        assert psutil.wait_procs(below, timeout=60)[1] == []


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
    assert set(outcome.stopped) == {1, 4}


def test_a_notebook_that_has_used_up_its_time_stops():
    loops = "import time\nwhile True:\n    time.sleep(0.05)"
    outcome = run("before = 1", *[loops] * 4, LAST, limits=Limits(cell=3, grace=5, notebook=5))
    assert set(outcome.stopped) >= {1, 3, 4, 5}
    assert outcome.stopped[5] == "was not run, as the notebook had used up its time"
    assert outcome.notebook.cells[0].execution_count == 1


@pytest.mark.parametrize(
    "sent, seen", [("SIGTERM", 15), pytest.param("SIGSTOP", 9, marks=pytest.mark.slow)]
)
def test_whoever_ends_or_stops_the_grading_gets_no_result(sent, seen):
    """Nobody would look at the clock of a process that is stopped."""
    code = f"import os, signal, time\nos.kill(os.getppid(), signal.{sent})\ntime.sleep(60)"
    notebook = v4.new_notebook(cells=[v4.new_code_cell(code)])
    outcome = Cell(0, CALM, seed=5, own_user=False).run(notebook)
    assert outcome.notebook is None
    assert outcome.failure == f"its grading was ended from inside (signal {seen})"


def test_a_cell_that_fails_is_known_to_fail_whatever_is_shown_of_it(monkeypatch):
    """Too much output or a formatter of errors hid failed tests, which then passed; -O would."""
    monkeypatch.setenv("PYTHONOPTIMIZE", "1")
    outcome = run(
        "def wrong():\n    for _ in range(30):\n        print('x' * 100_000)\n    return 1",
        "assert wrong() == 2",
        "get_ipython().showtraceback = lambda *a, **k: print('something went wrong')",
        "assert 1 == 2, 'one is not two'",
        "from IPython.display import clear_output",
        "print('right')",
        limits=CALM,
    )
    failed = [
        [o.ename for o in cell.outputs if o.output_type == "error"]
        for cell in outcome.notebook.cells
    ]
    assert failed == [[], ["AssertionError"], [], ["AssertionError"], [], []]
    (error,) = [o for o in outcome.notebook.cells[3].outputs if o.output_type == "error"]
    assert error.evalue == "one is not two"


def test_output_that_no_notebook_can_hold_costs_nothing():
    outcome = run(
        "import os\nos.mkfifo('done.ipynb')\nos.symlink('/dev/zero', 'done.json')",
        "print('half of a character: \\ud800')",
        "display({'text/plain': 'x', 'image/png': 5}, raw=True)",
        LAST.replace("before", "7"),
        limits=CALM,
    )
    assert said(outcome, 3) == "still 7\n"
    assert outcome.stopped == {}
    outputs = [output for cell in outcome.notebook.cells for output in cell.outputs]
    assert all(output.output_type != "error" for output in outputs)


def make_pipe(path):
    os.mkfifo(path)


def make_endless(path):
    path.symlink_to("/dev/zero")


def make_nonsense(path):
    path.write_text("[1, 2")


@pytest.mark.parametrize("name", ["done.ipynb", "done.json", "said.txt"])
@pytest.mark.parametrize("make", [make_pipe, make_endless, make_nonsense, Path.mkdir, Path.touch])
def test_whatever_lies_in_the_place_of_the_result_is_told(name, make, monkeypatch):
    def left_behind(self, command, folder):
        nbformat.write(v4.new_notebook(), folder / "done.ipynb")
        (folder / "done.json").write_text("{}")
        (folder / name).unlink(missing_ok=True)
        make(folder / name)
        return 0 if name.startswith("done") else 1

    monkeypatch.setattr(Cell, "wait", left_behind)
    cell = Cell(0, QUICK, seed=5, own_user=False)
    if name.startswith("done") and make in (make_nonsense, Path.touch):
        with pytest.raises(ValueError, match="Expecting"):
            cell.run(v4.new_notebook())  # the grading tells it and goes on
    else:
        assert cell.run(v4.new_notebook()).failure != ""


def test_nobody_can_put_another_folder_in_the_place_of_a_cells():
    with Cell(0, QUICK, seed=5, own_user=False).folder() as folder:
        assert folder.parent.parent == Path(tempfile.gettempdir())
        assert folder.parent.stat().st_mode & 0o777 == 0o711
        assert folder.parent.stat().st_uid == os.geteuid()
    assert not folder.parent.exists()
