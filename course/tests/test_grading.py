"""Classes that hand in right, wrong and hostile work, graded by the commands of a teacher."""

import itertools
import os
import re
import signal
import subprocess
import sys
import time

import psutil
import pytest
from answers import RIGHT, WRONG
from classroom import Room, cell_of, marks_of_tests, solved
from mistakes import both
from nbformat.v4 import new_code_cell

from course.assignments import ROOT, names
from course.child import Limits
from course.isolate import Cell

NAMES = names()
MARK = "course-test-stray"
"""What the processes that try to get away have on their command line."""


class RealRoom(Room):
    """A classroom whose teacher runs the commands from a shell."""

    def command(self, *words):
        return [sys.executable, "-m", "course", *map(str, words), "--out", str(self.out)]

    def environment(self):
        # As from a shell in which the environment need not be activated.
        return {
            **os.environ,
            "BANDITS_MNIST": "sample",
            "PATH": os.defpath,
            "PYTHONPATH": str(ROOT),
        }

    def run(self, *words, status=0):
        done = subprocess.run(
            self.command(*words), env=self.environment(), capture_output=True, text=True
        )
        self.said = done.stdout + done.stderr
        assert done.returncode == status, self.said
        return self.said


def strays():
    """The processes that a notebook left behind."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if MARK in (process.info["cmdline"] or []):
            found.append(process)
    return found


# --- right answers, however they speak; and wrong ones ---------------------------------------

NOISE = """
import logging, sys, warnings
from tqdm import tqdm
def noisy(function):
    calls = []
    def wrapped(*args, **kwargs):
        calls.append(1)
        if len(calls) < 20:  # the pictures call thousands of times
            for _ in tqdm(range(2)):
                print("thinking", file=sys.stderr)
            warnings.warn("a warning")
            logging.warning("a log")
        return function(*args, **kwargs)
    return wrapped
"""


def noisy(name):
    """A right notebook all of whose functions write to stderr."""
    notebook = solved(name)
    setup = cell_of(notebook, "setup")
    notebook.cells.insert(notebook.cells.index(setup) + 1, new_code_cell(NOISE))
    for cell in notebook.cells:
        kind = cell.metadata.get("nbgrader")
        if kind and kind.solution and cell.source.startswith("def "):
            cell.source = "@noisy\n" + cell.source
    return notebook


def mistaken(name):
    """Students with a mistake in many parts each, so that every mistake is somebody's."""
    by_cell = {}
    for wrong in WRONG[name]:
        by_cell.setdefault(wrong.cell, []).append(wrong)
    rows = itertools.zip_longest(*by_cell.values())
    return {f"s{n:02d}": [wrong for wrong in row if wrong] for n, row in enumerate(rows)}


@pytest.fixture(scope="module")
def class_(tmp_path_factory):
    """A class of one each: right, noisy, wrong, untouched, late and hostile."""
    room = RealRoom(tmp_path_factory.mktemp("class"))
    room.hand_in("Zoë Ångström", solved("digits_for_rewards"), "digits_for_rewards.ipynb")
    room.hand_in("noisy", noisy("exploring"))
    lemma = "a_lemma_under_test"
    room.hand_in(
        "another way", solved(lemma, **RIGHT[lemma][0]), f"assignments/{lemma}/{lemma}.ipynb"
    )
    wrong = {w.cell: w.code for w in mistaken("exploring")["s00"]}
    room.hand_in("mistakes", solved(**wrong, written="YOUR ANSWER HERE"))
    room.hand_in("untouched")
    room.hand_in("vandal", hostile("vandal", room))
    room.hand_in("zz honest", solved())
    room.grade("-j", "2", "--seed", "3", "--cell", "300")
    return room


@pytest.mark.parametrize(
    "student, name",
    [
        ("Zoë Ångström", "digits_for_rewards"),
        ("noisy", "exploring"),
        ("another way", "a_lemma_under_test"),
        ("zz honest", "exploring"),
    ],
)
def test_right_answers_keep_every_mark(class_, student, name):
    assert class_.marks(student, name) == (marks_of_tests(name), "awaiting a person")
    assert class_.problems(student) == []


def test_each_mistake_costs_its_own_marks_only(class_):
    lost = {task for wrong in mistaken("exploring")["s00"] for task in wrong.lost}
    assert class_.marks("mistakes") == (marks_of_tests("exploring", lost), "graded")


def test_an_untouched_notebook_gets_nothing_and_nobody_reads_it(class_):
    tests, status = class_.marks("untouched")
    assert set(tests.values()) == {0.0}
    assert status == "graded"


def test_what_was_not_handed_in_counts_nothing(class_):
    tests, status = class_.marks("noisy", "digits_for_rewards")
    assert set(tests.values()) == {0.0}
    assert status == "not handed in"


def test_the_vandal_is_listed_and_leaves_nothing_behind(class_):
    assert [
        row["student"] for row in class_.table("look_at") if "other processes" in row["what"]
    ] == ["vandal"]
    assert strays() == []


# --- hostile notebooks -----------------------------------------------------------------------

DETACH = f"""
import os, subprocess, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(900)", "{MARK}"])
    os._exit(0)
"""
VANDAL = """
import os
from pathlib import Path
for top in {folders!r}:
    for path in sorted(Path(top).rglob("*"), reverse=True):
        try:
            path.chmod(0o777)
            path.write_text("vandal") if path.is_file() else path.rename(str(path) + "x")
        except OSError:
            pass
"""
SQLITE = """
import sqlite3, glob
for path in glob.glob("/**/grade*.db", root_dir={top!r}, recursive=True):
    with sqlite3.connect(path) as book:
        book.execute("update grade set manual_score = 0")
"""


def hostile(kind, room):
    """A notebook that attacks: in `choose`, so that the marks of `choose` alone may be lost."""
    folders = [str(room.folder), str(room.out / "handed_in"), str(room.out / "graded")]
    attacks = {
        "vandal": VANDAL.format(folders=folders) + DETACH,
        "parent": "import os\nos.kill(os.getppid(), 15)",
        "group": "import os\nos.killpg(os.getpgid(os.getppid()), 9)",
        "quits": "import os\nos._exit(1)",
        "loops": "n = sum(range(1, 10**15))",
        "catches": "while True:\n    try:\n        pass\n    except BaseException:\n        pass",
        "memory": "x = []\nwhile True:\n    x.append(bytearray(64 << 20))",
        "floods": "while True:\n    print('x' * 10000)",
        "forks": "import os, time\nwhile True:\n    if os.fork() == 0:\n        time.sleep(900)",
        "threads": "import threading, time\nwhile True:\n"
        "    threading.Thread(target=time.sleep, args=(900,)).start()",
        "disk": "open('full', 'wb').write(bytes(1 << 30))",
        "sqlite": SQLITE.format(top=str(room.out.parent)),
        "patches": "np.isclose = np.allclose = lambda *a, **k: True",
        "asks": "input('marks, please')",
        "quiet": "get_ipython().showtraceback = lambda *args, **more: None",
        "shouts": "def choose(*given):\n    print('x' * 2_000_000)\n    return None, None",
        "clears": "import threading, IPython.display as d\ndef run():\n    while True:\n"
        "        d.clear_output()\nthreading.Thread(target=run, daemon=True).start()",
        "optimizes": "import os, sys\n"
        "os.execv(sys.executable, [sys.executable, '-O', *sys.orig_argv[1:]])",
        "pipes": "import os\nos.mkfifo('done.ipynb')\nos.mkfifo('done.json')",
        "links": "import os\nos.symlink('/dev/zero', 'done.ipynb')\n"
        "os.symlink('/etc/passwd', 'done.json')",
        "empties": "import shutil\nshutil.rmtree('.', ignore_errors=True)",
        "moves": "import os\nos.rename(os.getcwd(), os.getcwd() + 'x')",
        "closes": "import os\nos.closerange(3, 4096)",
        "sleeps": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
        "freezes": "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)",
        "many files": "for number in range(20_000):\n    open(f'f{number}', 'w').close()",
        "deep": "x = []\nfor _ in range(10**6):\n    x = [x]\nprint(x)",
        "bad output": "from IPython.display import display\n"
        "print('\\ud800')\ndisplay({'image/png': 5}, raw=True)",
        "detaches": DETACH,
        "result": "open('done.json', 'w').write('{}')\nimport os\nos.kill(os.getppid(), 9)",
    }
    return solved("exploring", choose=attacks[kind]) if kind else sorted(attacks)


def test_hostile_work_stops_nobody(tmp_path):
    room = RealRoom(tmp_path)
    kinds = ("parent", "loops", "forks")
    for kind in kinds:
        room.hand_in(f"b {kind}", hostile(kind, room))
    room.hand_in("a honest", solved())
    room.hand_in("c honest", solved())
    room.grade("--cell", "12", "--grace", "5", "--processes", "40")
    whole = marks_of_tests("exploring")
    for student in ("a honest", "c honest"):
        assert room.marks(student) == (whole, "awaiting a person")
    assert room.states()["b parent"] == "could not be graded"
    assert room.problems("b parent") == [
        "b parent, exploring: grading failed: its grading was ended from inside (signal 15)"
    ]
    for kind in ("loops", "forks"):
        tests, _ = room.marks(f"b {kind}")
        assert tests == marks_of_tests("exploring", both("choose"))
        assert any("the cell 'choose' was stopped" in line for line in room.problems(f"b {kind}"))
    assert strays() == []


COST_THEIR_CELL = {
    *("quits", "loops", "catches", "memory", "floods", "forks", "asks"),
    *("quiet", "shouts", "clears", "optimizes", "pipes", "links", "sleeps", "closes"),
    *("many files", "deep", "bad output", "detaches", "threads"),
}
"""These lose the cell `choose` and its tests, no more and no less."""
CELL = 60


def honest(number):
    """The answers of an honest neighbour; every third makes a mistake, which costs its marks."""
    if number % 3:
        return {}
    return {"epsilon": "def epsilon(t, p):\n    return 1 / (t + 1) ** p"}


@pytest.mark.slow
def test_thirty_hostile_and_thirty_honest_with_the_grader_killed_twice(tmp_path):
    room = RealRoom(tmp_path)
    kinds = hostile("", room)
    assert len(kinds) >= 30
    for number in range(30):
        answers = honest(number)
        room.hand_in(f"{number:02d} honest", solved(written=f"Essay {number}.", **answers))
        room.hand_in(f"{number:02d} {kinds[number]}", hostile(kinds[number], room))
    words = ("grade", "--submissions", room.folder, "--no-feedback", "--resume", "-j", "2")
    limits = ("--cell", str(CELL), "--grace", "5", "--processes", "40")
    for wanted in (10, 30):
        process = subprocess.Popen(room.command(*words, *limits), env=room.environment())
        while process.poll() is None:
            time.sleep(1)
            book = room.out / "book.json"
            if book.is_file() and book.read_text().count('"digest"') >= wanted:
                process.send_signal(signal.SIGKILL)
        process.wait()
    room.run(*words, *limits)
    for number in range(30):
        missing = {task for cell in honest(number) for task in both(cell)}
        expected = marks_of_tests("exploring", missing), "awaiting a person"
        assert room.marks(f"{number:02d} honest") == expected
        assert room.problems(f"{number:02d} honest") == []
    lost = marks_of_tests("exploring", both("choose"))
    for student in room.states():
        kind = student.split(" ", 1)[1]
        if kind in COST_THEIR_CELL:
            assert room.marks(student)[0] == lost, (student, room.problems(student))
    assert strays() == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_wrong_answer_and_every_right_one_through_the_grader(tmp_path, name):
    room, cases = RealRoom(tmp_path), mistaken(name)
    for student, wrongs in cases.items():
        answers = {wrong.cell: wrong.code for wrong in wrongs}
        room.hand_in(student, solved(name, **answers), f"{name}.ipynb")
    room.hand_in("right", solved(name, **RIGHT[name][1]), f"{name}.ipynb")
    room.hand_in("noisy", noisy(name), f"{name}.ipynb")
    room.grade("-j", "2", "--cell", "300")
    for student in [*cases, "right", "noisy"]:
        lost = {task for wrong in cases.get(student, ()) for task in wrong.lost}
        assert room.marks(student, name)[0] == marks_of_tests(name, lost), student


def test_the_users_own_home_is_out_of_reach(monkeypatch, tmp_path):
    """What a student's code sees of the grader's environment holds no secrets and no home."""
    monkeypatch.setenv("TEACHERS_SECRET", "x")
    seen = Cell(0, Limits(), seed=1, own_user=False).environment(tmp_path)
    assert "TEACHERS_SECRET" not in seen
    assert seen["HOME"].startswith(str(tmp_path))
    assert seen["HIDDEN_TEST_SEED"] == "1"


def test_a_container_gets_no_network_and_read_only_work(tmp_path, monkeypatch):
    """No engine runs in the tests; what would be started is looked at."""
    room = RealRoom(tmp_path)
    engine = tmp_path / "bin" / "docker"
    engine.parent.mkdir()
    engine.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/words\n')
    engine.chmod(0o755)
    room.hand_in("ada")
    environment = {**room.environment(), "PATH": f"{engine.parent}{os.pathsep}{os.defpath}"}
    monkeypatch.setattr(room, "environment", lambda: environment)
    room.grade("--isolate", "container", "--image", "study", "-j", "2", "--student=ada")
    words = (tmp_path / "words").read_text().splitlines()
    line = " ".join(words)
    assert "--network none" in line
    assert "--read-only" in words
    assert f"--volume {ROOT}:/study:ro" in line
    assert f"--volume {room.folder}:/in:ro" in line
    assert f"--volume {room.out}:/out" in line
    inside = words[words.index("study") + 1 :]
    assert inside[:4] == ["python", "-m", "course", "grade"]
    assert inside.count("--submissions") == inside.count("--isolate") == inside.count("--out") == 1
    assert re.search(r"--submissions /in\b.* --isolate auto --out /out$", " ".join(inside))
    assert "--student=ada" in inside
    assert "--image" not in inside
    engine.write_text("#!/bin/sh\nexit 125\n")  # as docker does where its daemon does not run
    room.out = tmp_path / "never"
    room.grade("--isolate", "container", "--image", "study", status=125)
    assert not room.out.exists()
