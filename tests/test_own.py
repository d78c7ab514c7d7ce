"""An experiment in a file of the user's own: run, stored and drawn as ours, whatever is wrong."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bandits import cli
from bandits.engine.npz import read_arrays
from bandits.environments import SyntheticBandit
from bandits.experiments import OWN
from bandits.results.saved import load_data, load_runs
from bandits.simulate import simulate

ROOT = Path(__file__).resolve().parent.parent
SMALL = ["--scale", "glance", "--steps", "60", "--runs", "2", "--quiet", "--out", "out"]
ALONE = [*SMALL, "--workers", "1"]
Output = pytest.CaptureFixture[str]

STUDY = """
from dataclasses import replace
import numpy as np
from beside import ARM
from bandits.environments import SyntheticBandit
from bandits.experiments import LINEAR, OPTIMAL, RANDOM, Method, experiment
from bandits.policies import Choice

class Always:
    def __init__(self, arms, arm=ARM): self.arm = arm
    def choose(self, contexts, t, draws):
        return Choice(np.full(len(t), self.arm), None, np.zeros(len(t), bool))
    def record(self, contexts, choice, rewards): pass
    def train(self): pass

def with_(name, *methods, **changes):
    return replace(experiment("low_noise"), name=name, methods=methods, **changes)

ALWAYS = Method("always", "Always the same arm", Always)
MINE = with_("mine", RANDOM, ALWAYS)
"""


@pytest.fixture(autouse=True)
def _a_folder_of_studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The path and the modules are as before, afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BANDITS_MNIST", "sample")
    monkeypatch.setattr(sys, "path", [*sys.path])
    before, known = set(sys.modules), dict(OWN)
    write()
    yield
    forget(before)
    OWN.clear()
    OWN.update(known)


def forget(before: set[str]) -> None:
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).parent == Path.cwd():
            del sys.modules[name]


def write(more: str = "", arm: int = 1, name: str = "study_of_mine") -> str:
    Path("beside.py").write_text(f"ARM = {arm}\n", encoding="utf-8")
    Path(f"{name}.py").write_text(STUDY + textwrap.dedent(more), encoding="utf-8")
    return f"{name}.py"


def names(place: str = "out/runs") -> set[str]:
    return {path.name for path in Path(place).glob("*.npz")}


def test_an_experiment_of_ones_own_is_run_kept_and_drawn_as_ours(capsys: Output) -> None:
    assert cli.main(["figures", "study_of_mine.py:MINE", *ALONE]) == 0
    assert "runs: 4 wanted, 4 missing, 1 worker" in capsys.readouterr().out
    files = {path.suffix: path.read_bytes() for path in Path("out").glob("mine.*")}
    assert set(files) == {".npz", ".json", ".png", ".pdf"}
    about = json.loads(files[".json"])
    assert about["command"].split()[:3] == ["bandits", "figures", "study_of_mine.py:MINE"]
    assert about["settings"]["methods"][1]["policy"].keys() == {"code", "digest"}
    for run in load_runs("mine", Path("out"))["always"]:
        assert (run.actions == 1).all()
        assert np.isnan(run.propensities).all()
    assert cli.main(["run", "study_of_mine.py:MINE", *ALONE]) == 0
    assert "runs: 4 wanted, 0 missing" in capsys.readouterr().out
    for name in ("png", "pdf"):
        Path(f"out/mine.{name}").unlink()
    words = ["figures", "study_of_mine.py:MINE", "--from-data", "--out", "out"]
    assert cli.main(words) == 0
    assert {path.suffix: path.read_bytes() for path in Path("out").glob("mine.*")} == files


def test_a_changed_method_is_computed_anew_and_nothing_else(capsys: Output) -> None:
    assert cli.main(["run", "study_of_mine.py:MINE", *ALONE]) == 0
    old = names()
    forget(set(sys.modules) - {"study_of_mine", "beside"})
    OWN.clear()
    write(arm=2)
    assert cli.main(["run", "study_of_mine.py:MINE", *ALONE]) == 0
    assert "runs: 4 wanted, 2 missing" in capsys.readouterr().out
    new = names() - old
    assert {name.split("-")[0] for name in new} == {"always"}
    assert len(new) == 2


def test_workers_import_the_file_and_give_the_same_bytes() -> None:
    assert cli.main(["run", "study_of_mine.py:MINE", *ALONE]) == 0
    words = [*SMALL[:-1], "both", "--workers", "2"]
    assert cli.main(["run", "study_of_mine.py:MINE", *words]) == 0
    assert names() == names("both/runs")
    for name in names():
        assert (Path("out/runs") / name).read_bytes() == (Path("both/runs") / name).read_bytes()


def test_what_an_option_changes_stands_in_the_small_print(capsys: Output) -> None:
    words = ["study_of_mine.py:MINE", "--noise", "0.5", "--methods", "always", *ALONE]
    assert cli.main(["figures", *words]) == 0
    assert "noise σ = 0.5" in load_data("mine", Path("out"))[1]


def test_ones_own_bandit_is_played() -> None:
    write("OTHER = with_('other', OPTIMAL, ALWAYS, bandit=SyntheticBandit, arms=2, noise=0.5)")
    assert cli.main(["figures", "study_of_mine.py:OTHER", *ALONE]) == 0
    data, _ = load_data("other", Path("out"))
    runs = load_runs("other", Path("out"))
    rounds = SyntheticBandit(2, noise=0.5).rounds(2022, 1, 60)
    from bandits.policies import Optimal

    np.testing.assert_array_equal(
        runs["optimal"][1].rewards, simulate(Optimal(rounds.means), rounds).rewards
    )
    best = [SyntheticBandit(2).rounds(2022, run, 60).means.max(axis=1) for run in (0, 1)]
    assert data["best"] == pytest.approx(np.mean(best))
    assert data["arm_counts"].shape == (2, 2, 2)
    about = json.loads(Path("out/other.json").read_text())
    assert about["settings"]["bandit"]["code"] == "SyntheticBandit"


def test_a_method_of_ones_own_is_on_the_table_with_intervals(capsys: Output) -> None:
    assert cli.main(["figures", "study_of_mine.py:MINE", *ALONE]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| Random", "| Always the same arm"]
    for line, name in zip(lines[2:], ("random", "always"), strict=True):
        late = [run[45:] for run in load_runs("mine", Path("out"))[name]]
        reward, regret = (
            np.mean([getattr(run, what) for run in late]) for what in ("means", "regret")
        )
        found = [float(cell.split()[0]) for cell in line.strip("| ").split(" | ")[1:]]
        assert found == pytest.approx([reward, regret], abs=0.006)


def test_ones_own_kind_of_picture_is_drawn() -> None:
    write(
        """
        from bandits.results.data import Kind
        from bandits.results.plots import new_figure

        def collect(shown, runs, own):
            names = [method.name for method in shown.methods]
            sums = [runs[name][0].rewards.sum() for name in names]
            return {"methods": np.array(names), "sum": np.array(sums)}

        def draw(data, caption):
            figure = new_figure(3, 2)
            figure.add_subplot().bar(data["methods"], data["sum"])
            return figure

        BARS = with_("bars", RANDOM, ALWAYS, drawn_as=Kind(collect, draw))
        """
    )  # fmt: skip
    assert cli.main(["figures", "study_of_mine.py:BARS", *ALONE]) == 0
    data, _ = load_data("bars", Path("out"))
    assert data["sum"][1] == load_runs("bars", Path("out"))["always"][0].rewards.sum()
    assert Path("out/bars.png").stat().st_size > 1000


def test_it_is_listed(capsys: Output) -> None:
    assert cli.main(["list", "study_of_mine.py:MINE"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "  methods: random, always"
    assert cli.main(["list", "study_of_mine.py:MINE", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["name"] == "mine"


# A wrong method costs its own runs only

WRONG = """
class Late(Always):
    def choose(self, contexts, t, draws):
        if 700 in t:
            raise LookupError("no such\\n arm")
        return super().choose(contexts, t, draws)

class Quits(Always):
    def train(self):
        raise SystemExit

class Nothing(Always):
    def choose(self, contexts, t, draws): return None

class Column(Always):
    def choose(self, contexts, t, draws):
        return replace(super().choose(contexts, t, draws), actions=np.zeros((len(t), 1), int))

class Model:
    def __init__(self, value, shape): self.value, self.shape = value, shape
    def predict(self, contexts): return np.full((len(contexts), self.shape), self.value)
    def fit(self, history): pass
    def state(self): return None
    def load_state(self, state): pass

def not_a_number(arms): return Model(np.nan, arms)
def too_few(arms): return Model(0.0, arms - 1)
def greedy(name, predictor): return Method(name, name, "epsilon_greedy", predictor=predictor)
def own(name, policy, **given): return Method(name, name, policy, parameters=given)

BAD = with_("bad", RANDOM, own("late", Late), own("quits", Quits), own("nothing", Nothing),
            own("beyond", Always, arm=5), own("column", Column), greedy("nan", not_a_number),
            greedy("shape", too_few), ALWAYS)
"""
TOLD = {
    "late": r"LookupError: no such arm, at the steps t = 681 to 700 \(study_of_mine.py, line 25\)",
    "quits": r"SystemExit \(study_of_mine.py, line 30\)",
    "nothing": "ValueError: a policy must return a Choice, and at t = 1 returned None",
    "beyond": "ValueError: the action at t = 1 is 5; it must be 0 to 4",
    "column": r"ValueError: the actions from t = 1 on must be \(20,\) whole numbers, not "
    r"\(20, 1\) of int64",
    "nan": "ValueError: the predicted reward of arm 0 is nan; it must be finite, at the steps "
    "t = 1 to 20",
    "shape": r"ValueError: the predictor gives \(20, 4\) of float64 for 20 contexts and 5 arms; it "
    r"must give \(20, 5\) numbers, one for each context and arm, at the steps t = 1 to 20",
}


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_wrong_method_costs_its_own_runs_and_is_named(workers: str, capsys: Output) -> None:
    write(WRONG)
    words = ["--steps", "800", "--runs", "1", "--quiet", "--out", "out", "--workers", workers]
    assert cli.main(["figures", "study_of_mine.py:BAD", *words]) == 1
    *failed, last = capsys.readouterr().err.splitlines()
    assert (
        last == "bad: not drawn, since a run is missing; --methods random,always draws the others"
    )
    assert len(failed) == len(TOLD)
    for name, told in TOLD.items():
        line = f"failed: bad, method {name}, run 0, seed 2022: {told}"
        assert any(re.fullmatch(line, text) for text in failed), (line, failed)
    assert {name.split("-")[0] for name in names()} == {"random", "always"}
    words += ["--methods", "random,always"]
    assert cli.main(["figures", "study_of_mine.py:BAD", *words]) == 0
    assert Path("out/bad.png").exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_control_c_ends_an_endless_loop_and_names_it(workers: int) -> None:
    """Ctrl-C reaches the whole group of processes."""
    write(
        """
        class Loop(Always):
            def train(self):
                open("in-the-loop", "a").write(".")
                while True:
                    pass

        LOOP = with_("loop", RANDOM, ALWAYS, Method("endless", "Endless", Loop))
        """
    )
    words = ["run", "study_of_mine.py:LOOP", *SMALL, "--workers", str(workers)]
    process = subprocess.Popen(
        [sys.executable, "-m", "bandits", *words],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    loops = Path("in-the-loop")
    for _ in range(6000):
        if loops.exists() and len(loops.read_text()) == workers:
            break
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=600)
    assert process.returncode == 130
    at = " and ".join(
        f"loop, method endless, run {run}, seed 2022, after 0 of 60 steps" for run in range(workers)
    )
    assert told == f"bandits: interrupted in {at}; what is finished is kept\n"
    done = {"random-run00", "always-run00"}
    if workers == 2:  # the first loop held up one of them only
        done |= {"random-run01", "always-run01"}
    assert {name.rsplit("-", 1)[0] for name in names()} == done
    assert cli.main(["run", *words[1:-2], "--workers", "1", "--methods", "random,always"]) == 0
    assert len(names()) == 4


HOSTILE = """
import os
print("imported")

class Writes(Always):
    def choose(self, contexts, t, draws):
        contexts[:], draws.rho[:] = 7, 0
        return super().choose(contexts, t, draws)
    def record(self, contexts, choice, rewards):
        assert (contexts != 7).any()

class Cheats(Always):
    def __init__(self, arms, means): self.arm, means[:] = 1, 9

class Forks(Always):
    def train(self): os.fork()

class ForksAndRaises(Always):
    def train(self):
        if not os.fork(): raise ValueError("in the fork")

def own(policy): return Method(policy.__name__.lower(), policy.__name__, policy)

HOSTILE = with_("hostile", *map(own, (Writes, Cheats, Forks, ForksAndRaises)), RANDOM, ALWAYS)
if os.environ.get("FORK"): os.fork()
"""


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("imported", ["", "FORK"])
def test_what_writes_on_its_arrays_or_forks_changes_no_run(workers: str, imported: str) -> None:
    """In a process of its own: it forks."""
    write(HOSTILE)
    words = ["run", "study_of_mine.py:HOSTILE", *SMALL, "--workers", workers]
    done = subprocess.run(
        [sys.executable, "-m", "bandits", *words],
        env=os.environ | {"PYTHONPATH": str(ROOT), **({imported: "1"} if imported else {})},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 1
    failed = [line for line in done.stderr.splitlines() if line != "imported"]
    assert [line.split(": ", 2)[1] for line in failed] == [
        f"hostile, method cheats, run {run}, seed 2022" for run in (0, 1)
    ]
    assert all("assignment destination is read-only (study_of_mine.py, line " in f for f in failed)
    kept = {name.rsplit("-", 1)[0]: Path("out/runs") / name for name in names()}
    assert len(kept) == 10
    for run in ("run00", "run01"):
        always = read_arrays(kept[f"always-{run}"])[0]
        for name in ("writes", "forks", "forksandraises"):
            other = read_arrays(kept[f"{name}-{run}"])[0]
            assert always.keys() == other.keys()
            for key in always:
                if key != "about":
                    np.testing.assert_array_equal(other[key], always[key])


def test_what_a_file_prints_is_no_part_of_what_is_told(capsys: Output) -> None:
    write("print('imported')")
    assert cli.main(["list", "study_of_mine.py:MINE", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)[0]["name"] == "mine"
    assert err == "imported\n"


@pytest.mark.parametrize(
    ("more", "drawn", "name"),
    [
        ("RNG = np.random.default_rng(0)", "RNG.integers(5, size=n)", "RNG"),
        ("", "np.random.randint(5, size=n)", "np.random.randint"),
        ("from numpy.random import randint", "randint(5, size=n)", "randint"),
        ("import random", "[random.randrange(5) for _ in range(n)]", "random.randrange"),
        ("import random", "np.array([int(5 * random.random())] * n)", "random.random"),
        ("import torch\nG = torch.Generator()", "torch.randint(5, (n,), generator=G)", "G"),
        ("HELD = [np.random.RandomState(1)]", "HELD[0].randint(5, size=n)", "RandomState"),
    ],
)
def test_a_generator_that_runs_would_share_is_refused(
    more: str, drawn: str, name: str, capsys: Output
) -> None:
    write(
        f"""{more}
class Drawn(Always):
    def choose(self, contexts, t, draws):
        n = len(t)
        return Choice({drawn}, None)
M = with_("m", RANDOM, Method("drawn", "Drawn", Drawn))
"""
    )
    assert cli.main(["run", "study_of_mine.py:M", *ALONE]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"bandits: {name} draws from a random generator that all runs would sha")
    assert told.count("\n") == 1
    assert names() == set()


def test_a_generator_of_the_run_is_taken() -> None:
    write(
        """
        class Drawn(Always):
            def __init__(self, arms, generator, weights):
                self.generator, self.own = generator, np.random.default_rng(weights)
            def choose(self, contexts, t, draws):
                return Choice(self.generator(t[0]).integers(5, size=len(t)), None)
        M = with_("m", RANDOM, Method("drawn", "Drawn", Drawn))
        """
    )
    assert cli.main(["run", "study_of_mine.py:M", *ALONE]) == 0


# What is refused before any work


@pytest.mark.parametrize(
    ("more", "place", "told"),
    [
        ("", "no_file.py:MINE", "there is no file no_file.py"),
        ("", "study_of_mine.py", "those in study_of_mine.py are: study_of_mine.py:MINE"),
        ("", "study_of_mine.py:YOURS", "'study_of_mine.py:YOURS' is no experiment; those in"),
        ("x = 1 / 0", "study_of_mine.py:MINE", "ZeroDivisionError: division by zero (line 21)"),
        ("x = (", "study_of_mine.py:MINE", "cannot be imported: SyntaxError: '(' was never closed"),
        ("M = with_('high_noise')", "study_of_mine.py:M", "the name of another experiment"),
        ("M = with_('a/b')", "study_of_mine.py:MINE",
         "an experiment's name must be of letters, digits and _ only, not 'a/b' (line 17)"),
        ("M = Method('a b', 'A', 'random')", "study_of_mine.py:MINE", "a method's name must be"),
        ("M = with_('m', RANDOM, drawn_as='pie')", "study_of_mine.py:M", "drawn_as must be one of"),
        ("M = with_('m', RANDOM, ALWAYS, drawn_as='convergence')", "study_of_mine.py:M",
         "m shows the regret of one method, not 2"),
        ("M = with_('m', RANDOM, noise=1.0, bandit=lambda arms: 0)", "study_of_mine.py:M",
         "experiment m has noise = 1, which its bandit does not read"),
        ("M = with_('m', RANDOM, bandit=lambda images: 0)", "study_of_mine.py:M",
         "asks for 'images', which a run does not give; a run gives mnist, arms, noise"),
        ("M = with_('m', replace(LINEAR, pixel_scale=2.0), bandit=SyntheticBandit)",
         "study_of_mine.py:M", "method linear has a pixel_scale"),
        ("M = with_('m', replace(LINEAR, schedule=lambda t: 0.5))", "study_of_mine.py:M",
         "method linear: <lambda> cannot be sent to a worker process"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_one_sentence(
    more: str, place: str, told: str, capsys: Output
) -> None:
    write(more)
    assert cli.main(["figures", place, *SMALL, "--workers", "2"]) == 2
    shown = capsys.readouterr().err
    assert told in shown
    assert shown.startswith("bandits: ")
    assert shown.count("\n") == 1
    assert names() == set()


def test_a_file_with_the_name_of_another_module_is_refused(capsys: Output) -> None:
    place = write(name="textwrap")
    assert cli.main(["run", f"{place}:MINE", *ALONE]) == 2
    assert "another module is called textwrap" in capsys.readouterr().err


def test_a_bandit_of_other_arms_fails_by_name(capsys: Output) -> None:
    write("M = with_('m', RANDOM, bandit=lambda: SyntheticBandit(3))")
    assert cli.main(["run", "study_of_mine.py:M", *ALONE]) == 1
    told = "the bandit's table has 3 arms, and the experiment says arms = 5"
    assert told in capsys.readouterr().err
