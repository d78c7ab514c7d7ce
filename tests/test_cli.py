"""What a user types: refused in one sentence before any work, or done as the figure says."""

import json
import logging
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import ROOT, python

from bandits import __version__, cli, mnist, study
from bandits.architecture import Training
from bandits.commands import work
from bandits.engine import cpu, estimate, places, runs
from bandits.engine.jobs import jobs
from bandits.engine.store import Store, read_arrays, versions, write_arrays
from bandits.experiments import EXPERIMENTS, PAPER_FIGURES, RANDOM, SCALES
from bandits.experiments.plan import plan
from bandits.results import provenance
from bandits.results.saved import load_data, load_runs

REDUCED = shlex.split("--scale glance --methods random,optimal,linear --steps 40 --runs 2 --quiet")
ONE = ["--workers", "1"]

Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("BANDITS_MNIST", "sample")


def status(*words: str) -> int:
    """The exit status of a command, also where argparse ends it."""
    try:
        return cli.main(words)
    except SystemExit as end:
        return int(end.code or 0)


# What cannot be done

EXPERIMENTS_NAMED = ["convergence", "low_noise", "high_noise"]


@pytest.mark.parametrize("command", ["run", "figures"])
@pytest.mark.parametrize(
    "words, told",
    [
        (["nonsense"], ["'nonsense'", *EXPERIMENTS_NAMED]),
        (["low_noise", "nonsense"], ["'nonsense'", *EXPERIMENTS_NAMED]),
        (["low_noise", "--methods", "rndom"], ["'rndom'", "random", "optimal", "linucb", "deep"]),
        (["low_noise", "--methods", ""], ["''", "random"]),
        (["convergence", "--methods", "random"], ["convergence", "deep_wide", "'random'"]),
        (["low_noise", "--scale", "huge"], ["'huge'", *SCALES]),
        (["low_noise", "--arms", "0"], ["arms (K)", ">= 1", "0"]),
        (["low_noise", "--arms", "two"], ["--arms", "'two'"]),
        (["low_noise", "--steps", "0"], ["steps", ">= 1", "0"]),
        (["low_noise", "--steps", "1.5"], ["--steps", "'1.5'"]),
        (["low_noise", "--p", "-0.1"], ["-0.1", ">= 0"]),
        (["low_noise", "--p", "nan"], ["nan", ">= 0"]),
        (["low_noise", "--p", "third"], ["--p", "'third'"]),
        (["low_noise", "--p", "1", "--methods", "random"], ["--p", "random", "explores"]),
        (["pixel_scale", "--p", "1"], ["--p", "linucb_s1", "explores"]),
        (["exponent", "--p", "0.5"], ["exponent takes no --p", "deep_p1_3"]),
        (["exponent", "--p", "0.5", "--methods", "deep_p1"], ["exponent takes no --p"]),
        (["random_branch_only", "--p", "0.5"], ["random_branch_only takes no --p"]),
        (["linear_failure", "--p", "0.5"], ["linear_failure takes no --p"]),
        (["low_noise", "--epochs", "0"], ["epochs", ">= 1", "0"]),
        (["low_noise", "--learning-rate", "0"], ["learning_rate", "> 0", "0.0"]),
        (["low_noise", "--batch-size", "3.5"], ["--batch-size", "'3.5'"]),
        (["low_noise", "--max-batches", "0"], ["max_batches", ">= 1", "0"]),
        (["low_noise", "--epochs", "3", "--methods", "random"], ["--epochs", "none of them has"]),
        (["training_study", "--batch-size", "8"], ["training_study takes no --batch-size"]),
        (["low_noise", "--noise", "-1"], ["sigma", ">= 0", "-1"]),
        (["low_noise", "--noise", "nan"], ["sigma", ">= 0", "nan"]),
        (["low_noise", "--noise", "inf"], ["sigma", "finite", "inf"]),
        (["low_noise", "--noise", "loud"], ["--noise", "'loud'"]),
        (["low_noise", "--train-every", "0"], ["train_every", ">= 1", "0"]),
        (["low_noise", "--runs", "0"], ["runs", ">= 1", "0"]),
        (["low_noise", "--seed", "-1"], ["seed", ">= 0", "-1"]),
        (["low_noise", "--workers", "0"], ["--workers", ">= 1", "0"]),
        (["low_noise", "--device", "abacus"], ["abacus", "cpu"]),
        (["low_noise", "--mnist", "no/such/folder"], ["no/such/folder"]),
        (["low_noise", "--step", "3"], ["--step"]),  # no guessing at shortened options
        (["low_noise", "--depth", "3"], ["--depth"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_bad_input_is_one_sentence_before_any_work(
    command: str, words: list[str], told: list[str], capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*arguments: object, **options: object) -> None:
        raise AssertionError("work was begun")

    monkeypatch.setattr(runs, "compute", work)
    assert status(command, *words, "--out", "out") == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("bandits: ")
    assert shown.err.count("\n") == 1
    for text in told:
        assert text in shown.err


def test_how_networks_are_trained_is_an_option_and_in_the_small_print() -> None:
    words = ["run", "low_noise", "--methods", "deep,random", "--learning-rate", "0.002"]
    words += ["--epochs", "3", "--batch-size", "8", "--max-batches", "5", "--p", "0.5"]
    ((chosen, _),) = plan(cli.build_parser().parse_args(words))
    deep, random = chosen.methods
    assert deep.training == Training(3, 0.002, 8, max_batches=5)
    assert random == RANDOM
    told = ["p = 0.5", "epochs = 3", "learning rate = 0.002", "batch size = 8"]
    assert provenance.changes(chosen) == [*told, "mini-batches at most = 5"]
    ((same, _),) = plan(cli.build_parser().parse_args([*words[:4], "--epochs", "16"]))
    assert same == EXPERIMENTS["low_noise"].select(["deep", "random"])
    assert provenance.changes(same) == []


def test_one_run_is_done_by_its_number(capsys: Output) -> None:
    words = ["run", "low_noise", *REDUCED[:-3], "--quiet", *ONE, "--out", "out"]
    assert status(*words, "--run", "3") == 0
    assert "runs: 3 wanted, 3 missing" in capsys.readouterr().out
    assert {path.name.split("-")[1] for path in Path("out/runs").iterdir()} == {"run03"}
    for wrong, told in (
        (["--run", "-1"], "run must be a whole number >= 0, not -1"),
        (["--run", "1", "--runs", "2"], "--run is the number of one run"),
    ):
        assert status(*words, *wrong) == 2
        assert told in capsys.readouterr().err
    assert status("figures", "low_noise", "--run", "1") == 2
    assert status("run", "architecture_study", "--run", "1") == 2
    assert "architecture_study takes no --run" in capsys.readouterr().err


@pytest.mark.parametrize("empty", ["", " "])
@pytest.mark.parametrize(
    "words",
    [
        ["run", "low_noise", "--out"],
        ["figures", "low_noise", "--out"],
        ["figures", "--from-data", "--out"],
        ["run", "architecture_study", "--out"],
        ["run", "low_noise", "--mnist"],
        ["data", "--mnist"],
        ["figures", "--cluster"],
        ["verdicts"],
    ],
    ids=" ".join,
)
def test_a_variable_of_the_shell_that_is_not_set_is_refused(
    words: list[str], empty: str, capsys: Output
) -> None:
    """Not taken for the current folder, and not for an option that was left out."""
    forms = [[*words, empty]]
    if words[-1].startswith("--"):
        forms.append([*words[:-1], f"{words[-1]}={empty}"])
    for form in forms:
        assert status(*form) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err.startswith(f"bandits: argument {words[-1] if words[1:] else 'folder'}: ")
        assert f"must not be empty, as {empty!r} is" in shown.err
        assert shown.err.count("\n") == 1
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("variable", ["BANDITS_MNIST", "BANDITS_RESULTS", "BANDITS_SCALE"])
def test_an_empty_variable_of_the_environment_counts_as_none(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read() -> tuple[object, ...]:
        return mnist._named(None), study.results_folder(), study.scale()

    monkeypatch.delenv(variable, raising=False)
    without = read()
    monkeypatch.setenv(variable, "")
    assert read() == without
    assert Path() not in read()


@pytest.mark.parametrize("words", [["--arms", "1"], ["--steps", "1"]])
@pytest.mark.parametrize("figure", ["convergence", "convergence_repeats"])
def test_what_could_not_be_drawn_is_refused_before_the_runs(
    words: list[str], figure: str, capsys: Output, tmp_path: Path
) -> None:
    assert status("figures", figure, *words, "--out", str(tmp_path / "out")) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"bandits: {figure} fits a power law to the regret, which needs")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("words", [["--arms", "1"], ["--steps", "19"], ["--train-every", "999"]])
def test_scores_that_cannot_be_compared_are_refused_before_the_runs(
    words: list[str], capsys: Output, tmp_path: Path
) -> None:
    out = str(tmp_path / "out")
    assert status("figures", "pixel_scale", "--scale", "glance", *words, "--out", out) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("bandits: pixel_scale compares the trained scores of the arms, ")
    assert words[1] in shown.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "words",
    [["--p", "0.2"], ["--methods", "deep"], ["--workers", "2"], ["--noise", "1"], ["--runs", "3"],
     ["--steps", "9"], ["--seed", "1"], ["--arms", "3"], ["--train-every", "2"],
     ["--cluster", "tcp://here:1"], ["--mnist", "sample"]],
)  # fmt: skip
def test_drawing_from_data_takes_no_settings(words: list[str], capsys: Output) -> None:
    assert status("figures", "--from-data", "--out", str(ROOT / "figures"), *words) == 2
    assert capsys.readouterr().err == f"bandits: --from-data takes no {words[0]}\n"


@pytest.mark.parametrize("below", ["", "/folder", "/deep/er"])
def test_a_folder_that_cannot_be_written_is_refused(below: str, capsys: Output) -> None:
    Path("file").write_text("mine")
    assert status("figures", *REDUCED, "low_noise", "--out", "file" + below) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith(f"bandits: the output folder file{below} cannot be written (")
    assert "--out" in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""
    assert Path("file").read_text() == "mine"


def test_a_file_in_place_of_the_store_is_refused(capsys: Output) -> None:
    Path("out").mkdir()
    Path("out/runs").write_text("mine")
    assert status("run", "low_noise", *REDUCED, "--out", "out") == 2
    assert "out/runs cannot be written" in capsys.readouterr().err


def test_an_incomplete_folder_of_mnist_is_explained(capsys: Output) -> None:
    Path("digits").mkdir()
    Path("digits/train-images-idx3-ubyte").write_bytes(b"short")
    for command in (["data"], ["run", "low_noise"]):
        assert status(*command, "--mnist", "digits") == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err.count("\n") == 1
        for text in ("digits", "-idx", "BANDITS_MNIST=sample"):
            assert text in shown.err


@pytest.mark.parametrize("words", [[], ["nonsense"], ["run"]])
def test_a_command_that_is_none_is_refused(words: list[str], capsys: Output) -> None:
    assert status(*words) == 2
    assert capsys.readouterr().err.count("\n") == 1


# What can


def test_the_version_and_the_help_are_told(capsys: Output) -> None:
    assert status("--version") == 0
    assert capsys.readouterr().out == f"bandits {__version__}\n"
    for words in ([], ["run"], ["figures"], ["data"], ["list"], ["claims"], ["verdicts"]):
        assert status(*words, "--help") == 0
        assert "usage: bandits" in capsys.readouterr().out


def test_verdicts_are_read_off_a_folder_of_figures(capsys: Output, tmp_path: Path) -> None:
    small = ("--methods", "linucb_s1,linucb_s255", "--steps", "60", "--runs", "2")
    assert status("figures", "pixel_scale", *small, "--workers", "1", "--out", str(tmp_path)) == 0
    capsys.readouterr()
    assert status("verdicts", str(tmp_path)) == 0
    lines = capsys.readouterr().out.splitlines()
    (row,) = [line for line in lines if "share of states" in line and "s = 255" in line]
    value = float(row.split("|")[4].split("[")[0])
    assert value > 0.9
    assert row.split("|")[5].strip() == "2"
    assert status("verdicts", str(tmp_path / "nothing")) == 2
    said = capsys.readouterr().err
    assert said == f"bandits: {tmp_path / 'nothing'} holds no figure's data; name another folder\n"


@pytest.mark.parametrize("methods", ["deep,simple", "optimal,random", "linucb", "linear,random"])
def test_verdicts_of_some_methods_are_those_that_they_can_give(
    methods: str, capsys: Output, tmp_path: Path
) -> None:
    out = str(tmp_path)
    small = ("--methods", methods, "--steps", "20", "--runs", "1", "--workers", "1", "--out", out)
    assert status("figures", "low_noise", *small) == 0
    capsys.readouterr()
    assert status("verdicts", out) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "|" in line]
    rows = {line.split("|")[3].strip() for line in lines}
    assert rows & {"Deep − Simple, late reward", "Linear − Random, late reward"} == {
        "deep,simple": {"Deep − Simple, late reward"},
        "linear,random": {"Linear − Random, late reward"},
    }.get(methods, set())


@pytest.mark.parametrize(
    "words, told",
    [(["--noise", "3"], "noise σ = 3"), (["--arms", "3", "--train-every", "5"], "arms K = 3, t")],
)
def test_figures_of_other_settings_are_not_held_against_the_papers_claims(
    words: list[str], told: str, capsys: Output, tmp_path: Path
) -> None:
    out = str(tmp_path)
    small = ("--methods", "linear,random", "--steps", "20", "--runs", "2", "--workers", "1")
    assert status("figures", "low_noise", *small, *words, "--seed", "5", "--out", out) == 0
    capsys.readouterr()
    assert status("verdicts", out) == 0
    shown = capsys.readouterr()
    assert "σ = 0" not in shown.out
    assert shown.err.startswith(f"low_noise is left out, as it has {told}")
    assert "seed" not in shown.err
    caption = json.loads((tmp_path / "low_noise.json").read_text(encoding="utf-8"))["caption"]
    assert told in caption


@pytest.mark.parametrize("name", ["low_noise", "convergence", "exponent"])
def test_data_of_an_earlier_version_give_one_sentence(
    name: str, capsys: Output, tmp_path: Path
) -> None:
    """Whichever array is missing: the verdicts do without it, or say so."""
    arrays, told = read_arrays(ROOT / "figures" / f"{name}.npz")
    refused = set()
    for key in arrays:
        less = {other: values for other, values in arrays.items() if other != key}
        write_arrays(tmp_path / f"{name}.npz", less, told)
        code, shown = status("verdicts", str(tmp_path)), capsys.readouterr()
        if code:
            assert (code, shown.out) == (2, "")
            assert shown.err.startswith(f"bandits: a figure's data in {tmp_path} lacks '{key}'; ")
            assert shown.err.count("\n") == 1
            refused.add(key)
    assert {"low_noise": "quarter_regret", "convergence": "exponents"}.get(name, "p") in refused


def test_a_seed_is_told_in_all_its_digits(tmp_path: Path) -> None:
    seed = "20221231987654321"
    small = ("--methods", "random", "--steps", "9", "--runs", "1", "--workers", "1")
    assert status("figures", "low_noise", *small, "--seed", seed, "--out", str(tmp_path)) == 0
    about = json.loads((tmp_path / "low_noise.json").read_text(encoding="utf-8"))
    assert f"seed = {seed}" in about["caption"]


def test_as_many_workers_as_cores_that_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3}, raising=False)
    assert places.cores() == 1
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert places.cores() == 7


@pytest.mark.parametrize("words", [["list"], ["verdicts", str(ROOT / "figures")], ["run", "-h"]])
def test_a_terminal_without_greek_letters_gets_the_rest(words: list[str]) -> None:
    done = python("-m", "bandits", *words, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "?" in done.stdout


ONE_RUN = ["figures", "low_noise", "--methods", "random", "--steps", "20", "--runs", "1"]
NAMES = {f"low_noise.{end}" for end in ("png", "pdf", "npz", "json")} | {"runs"}


def in_shell(line: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A command with its streams as the shell's line has them, %s being the command."""
    command = shlex.join([sys.executable, "-m", "bandits", *words])
    return subprocess.run(
        ["bash", "-c", line.replace("%s", command)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.mark.parametrize(
    "line, status, told",
    [
        ("%s >&- 2>&- <&-", 0, ""),
        ("%s 2>/dev/full", 0, ""),
        ("%s 2>&1 | true; exit ${PIPESTATUS[0]}", 141, ""),
        (
            "%s >/dev/full",
            2,
            "bandits: the standard output cannot be written (No space left on device)\n",
        ),
    ],
)
def test_whoever_does_not_listen_the_work_is_done(
    line: str, status: int, told: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    workers = "2" if "<&-" in line else "1"
    done = in_shell(line, *ONE_RUN, "--workers", workers, "--out", str(out))
    assert (done.returncode, done.stderr) == (status, told)
    assert {path.name for path in out.iterdir()} == NAMES
    assert len(list(out.glob("runs/random-*.npz"))) == 1
    read_arrays(out / "low_noise.npz")  # and nothing was printed into a file of ours


@pytest.mark.parametrize(
    "line, status, told",
    [
        ("%s >&-", 0, ""),
        ("%s 2>&-", 0, ""),
        ("%s >/dev/full", 2, "bandits: the standard output cannot be written (No space"),
    ],
)
def test_a_list_that_nobody_can_read_is_quiet(line: str, status: int, told: str) -> None:
    done = in_shell(line, "list")
    assert done.returncode == status
    assert done.stderr.startswith(told)
    assert done.stderr.count("\n") == int(bool(told))


def test_a_refusal_that_nobody_can_read_is_still_one() -> None:
    assert in_shell("%s 2>/dev/full", *ONE_RUN, "--runs", "0").returncode == 2


def test_a_terminal_that_hangs_up_stops_nothing(tmp_path: Path) -> None:
    """Once the bar has been seen; from then on each write gives an error of input and output."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    words = ["figures", "low_noise", "--methods", "linear", "--steps", "400", "--runs", "3"]
    process = subprocess.Popen(
        [sys.executable, "-m", "bandits", *words, "--workers", "1", "--out", str(tmp_path / "out")],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    assert b"%" in os.read(ours, 100)
    os.close(ours)
    assert process.wait(600) == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == NAMES


def test_a_folder_of_another_encoding_is_written_to(tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/r\xe9sultats")
    try:
        os.mkdir(folder)
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    small = ("--methods", "random", "--steps", "9", "--runs", "1", "--workers", "1")
    assert status("figures", "low_noise", *small, "--out", folder) == 0
    about = json.loads((Path(folder) / "low_noise.json").read_text(encoding="utf-8"))
    assert about["command"] == "bandits figures low_noise --methods random --steps 9 --runs 1"


def test_the_command_told_has_nothing_of_the_machine() -> None:
    words = ["figures", "low_noise", "--out", "here", "--scale", "paper", "--mnist=../my data"]
    words += ["--quiet", "--workers", "3", "--methods", "deep,my method", "--device", "cuda"]
    assert cli.without_places(words) == (
        "bandits figures low_noise --scale paper --methods 'deep,my method' --device cuda"
    )


def test_a_figure_tells_the_commit_that_drew_it(
    drawn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
            cwd=tmp_path, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.strip()

    place = tmp_path / "bandits" / "results" / "provenance.py"
    place.parent.mkdir(parents=True)
    place.touch()
    monkeypatch.setattr(provenance, "__file__", str(place))
    assert provenance.commit() is None
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    assert provenance.commit() == git("rev-parse", "--short=12", "HEAD")
    place.write_text("changed")
    assert provenance.commit() == git("rev-parse", "--short=12", "HEAD") + "-dirty"
    assert "commit" in json.loads((drawn / "low_noise.json").read_text(encoding="utf-8"))


def test_verdicts_without_a_claim_are_one_sentence_and_no_empty_table(
    tmp_path: Path, capsys: Output
) -> None:
    small = ("--methods", "optimal,random", "--steps", "40", "--runs", "2", "--workers", "1")
    out = str(tmp_path / "out")
    assert status("figures", "long_low_noise", *small, "--out", out, "--quiet") == 0
    capsys.readouterr()
    assert status("verdicts", out) == 0
    assert capsys.readouterr().out == "no claim can be read from the figures there\n"


def test_every_experiment_and_method_is_listed(capsys: Output) -> None:
    assert status("list") == 0
    shown = capsys.readouterr().out
    assert "1 runs" not in shown.replace("11 runs", "")
    assert "  glance: 200 steps, 1 run\n" in shown
    for item in EXPERIMENTS.values():
        assert f"\n{item.name}: {item.title}\n" in f"\n{shown}"
        for method in item.methods:
            assert method.name in shown


def test_the_data_are_told(capsys: Output, sample: mnist.Mnist) -> None:
    assert status("data") == 0
    shown = capsys.readouterr().out
    assert sample.description in shown
    assert sample.digest in shown


def bandits(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return python("-m", "bandits", *words, cwd=folder, DISPLAY="", MPLBACKEND="")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the two figures were made, as a user would, in a process of its own."""
    folder = tmp_path_factory.mktemp("a folder of ours, é")
    done = bandits("figures", "low_noise", "high_noise", *REDUCED, "--workers", "2", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "runs: 12 wanted, 12 missing, 2 workers" in done.stdout
    assert f"low_noise: {Path('results/low_noise.png')}\n" in done.stdout
    return folder / "results"


def test_figures_lie_beside_their_data_and_where_they_come_from(
    drawn: Path, sample: mnist.Mnist
) -> None:
    names = {f"{n}.{e}" for n in ("low_noise", "high_noise") for e in ("png", "pdf", "npz", "json")}
    assert {path.name for path in drawn.iterdir()} == names | {"runs"}
    about = json.loads((drawn / "high_noise.json").read_text(encoding="utf-8"))
    assert about["command"] == "bandits figures low_noise high_noise " + " ".join(REDUCED[:-1])
    assert about["scale"] == {"name": "glance", "steps": 40, "runs": 2}
    assert about["caption"] == f"glance scale: 40 steps, 2 runs. Data: {sample.description}"
    assert about["data"]["digest"] == sample.digest
    assert about["data"]["source"] == "sample"
    assert about["settings"]["noise"] == 1.0
    assert about["settings"]["seed"] == EXPERIMENTS["high_noise"].seed
    assert [m["name"] for m in about["settings"]["methods"]] == ["random", "optimal", "linear"]
    assert about["versions"] == [", ".join(
        f"{k} {versions()[k]}" for k in ("bandits", "torch", "numpy", "scipy", "scikit-learn")
    )]  # fmt: skip
    assert len(set(about["runs"])) == 3 * 2
    assert set(about["runs"]) < {path.name for path in drawn.glob("runs/*.npz")}
    loaded = load_runs("high_noise", drawn)
    assert {name: len(some) for name, some in loaded.items()} == {
        "random": 2, "optimal": 2, "linear": 2
    }  # fmt: skip
    best = loaded["optimal"][1]
    assert best.normalized_reward[-1] == pytest.approx(
        load_data("high_noise", drawn)[0]["final_reward"][1, 1]
    )
    assert str(drawn.parent) not in json.dumps(about)


def test_the_command_and_the_functions_give_the_same_runs(drawn: Path, sample: mnist.Mnist) -> None:
    experiment = EXPERIMENTS["high_noise"].select(["random", "optimal", "linear"])
    store = Store(drawn / "runs", sample.digest)
    for job in jobs(experiment, replace(experiment.glance, steps=40)):
        read = store.load(job.spec)
        np.testing.assert_array_equal(read.rewards, runs.compute(job.spec, sample).rewards)


WITHOUT_TORCH = """
import sys
from bandits import cli
try:
    status = cli.main(sys.argv[1:])
except SystemExit as end:
    status = end.code
assert "torch" not in sys.modules and "bandits.networks" not in sys.modules
sys.exit(status)
"""


def test_figures_are_redrawn_from_their_data_alone_byte_for_byte(
    drawn: Path, tmp_path: Path
) -> None:
    for name in ("low_noise", "high_noise"):
        (tmp_path / f"{name}.npz").write_bytes((drawn / f"{name}.npz").read_bytes())
    words = ["figures", "--from-data", "--out", str(tmp_path)]
    done = python("-c", WITHOUT_TORCH, *words, BANDITS_MNIST="/nowhere")
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("low_noise", "high_noise"):
        for end in ("png", "pdf"):
            again = (tmp_path / f"{name}.{end}").read_bytes()
            assert again == (drawn / f"{name}.{end}").read_bytes(), (name, end)


@pytest.mark.parametrize("words", [["--help"], ["figures", "--help"], ["list"]])
def test_help_is_quick_to_give_since_torch_is_not_imported(words: list[str]) -> None:
    done = python("-c", WITHOUT_TORCH, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert "low_noise" in done.stdout or "usage: bandits" in done.stdout


@pytest.mark.parametrize("words", [["list"], ["verdicts"], ["verdicts", "nowhere"]])
def test_a_reader_that_has_seen_enough_is_no_fault(words: list[str]) -> None:
    """As in `bandits verdicts | head -1`; a fault of the command itself is still told."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write) as closed:
        done = subprocess.run(
            [sys.executable, "-m", "bandits", *words],
            cwd=ROOT,
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=600,
        )
    if "nowhere" in words:
        assert done.returncode == 2
        assert "nowhere" in done.stderr
    else:
        assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(
    "words, told",
    [
        (["--out", "nowhere"], "holds no figure's data"),
        (["low_noise", "--out", "nowhere"], "nowhere/low_noise.npz is not there"),
        (["nonsense"], "'nonsense'"),
        (["--scale", "huge"], "'huge'"),
    ],
)
def test_what_cannot_be_redrawn_is_told(words: list[str], told: str, capsys: Output) -> None:
    assert status("figures", "--from-data", *words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert told in shown.err


@pytest.mark.parametrize("content", ["text", "no caption", "other arrays"])
def test_data_that_are_no_figure_s_are_told(content: str, capsys: Output) -> None:
    path = Path("results/low_noise.npz")
    path.parent.mkdir()
    if content == "text":
        path.write_text("text")
    else:
        about = {} if content == "no caption" else {"caption": "c"}
        write_arrays(path, {"x": np.arange(3)}, about)
    assert status("figures", "--from-data", "low_noise") == 2
    shown = capsys.readouterr().err
    assert str(path) in shown
    assert shown.count("\n") == 1


def figures(*words: str) -> int:
    return status("figures", "low_noise", *REDUCED, *ONE, *words)


def test_what_is_whole_is_not_redone_and_other_settings_are(capsys: Output) -> None:
    assert figures("--out", "out") == 0
    assert "6 wanted, 6 missing" in capsys.readouterr().out
    assert figures("--out", "out") == 0
    assert "6 wanted, 0 missing" in capsys.readouterr().out
    before = {path: path.read_bytes() for path in Path("out/runs").iterdir()}
    assert figures("--out", "out", "--seed", "5") == 0
    assert "6 wanted, 6 missing" in capsys.readouterr().out
    for path, content in before.items():
        assert path.read_bytes() == content, "the runs of other settings stay"
    assert len(list(Path("out/runs").iterdir())) == 12


def test_names_given_twice_count_once(capsys: Output) -> None:
    words = ["--methods", "random, optimal,random", "--out", "out"]
    assert status("figures", "low_noise", "low_noise", *REDUCED, *ONE, *words) == 0
    shown = capsys.readouterr().out
    assert "4 wanted" in shown
    assert shown.count("low_noise: ") == 1
    assert read_arrays(Path("out/low_noise.npz"))[0]["methods"].tolist() == ["random", "optimal"]


def test_what_was_changed_stands_on_the_figure() -> None:
    changes = ["--noise", "0.5", "--arms", "3", "--train-every", "10", "--seed", "1"]
    assert figures("--out", "out", *changes) == 0
    arrays, about = read_arrays(Path("out/low_noise.npz"))
    assert about["caption"].startswith(
        "glance scale: 40 steps, 2 runs, noise σ = 0.5, arms K = 3, train every = 10, seed = 1. "
    )
    assert arrays["arm_counts"].shape == (3, 2, 3)


def test_a_mixture_of_versions_is_refused_unless_allowed(
    capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert figures("--out", "out") == 0
    next(Path("out/runs").glob("*linear-run01*")).unlink()
    (out := Path("out/low_noise.png")).unlink()
    monkeypatch.setattr("bandits.engine.store.versions", lambda: versions() | {"numpy": "0.0.1"})
    assert figures("--out", "out") == 2
    shown = capsys.readouterr()
    assert "numpy 0.0.1" in shown.err
    assert "--allow-mixed-versions" in shown.err
    assert not out.exists()
    assert figures("--out", "out", "--allow-mixed-versions") == 0
    assert out.exists()
    assert len(json.loads(Path("out/low_noise.json").read_text())["versions"]) == 2


def test_a_mixture_of_cpus_is_told_and_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    here = ", ".join(f"{key} {value}" for key, value in sorted(cpu.features(torch=False).items()))
    assert figures("--out", "out") == 0
    assert json.loads(Path("out/low_noise.json").read_text())["cpu"] == [here]
    next(Path("out/runs").glob("*linear-run01*")).unlink()
    monkeypatch.setattr(cpu, "features", lambda *, torch: {"machine": "abacus", "numpy": "beads"})
    assert figures("--out", "out") == 0
    told = json.loads(Path("out/low_noise.json").read_text())
    assert told["cpu"] == sorted(["machine abacus, numpy beads", here])
    assert len(told["versions"]) == 1


def test_a_run_that_fails_is_named_with_exit_status_1(
    capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute = runs.compute

    def broken(spec: object, *arguments: object, **options: object) -> object:
        if spec.method.name == "linear" and spec.run == 1:  # type: ignore[attr-defined]
            raise ArithmeticError("odd")
        return compute(spec, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(runs, "compute", broken)
    assert status("figures", "low_noise", "high_noise", *REDUCED, *ONE, "--out", "out") == 1
    shown = capsys.readouterr()
    for name in ("low_noise", "high_noise"):
        line = f"failed: {name}, method linear, run 1, seed 2022: ArithmeticError: odd (test_cli.py"
        assert line in shown.err
        assert f"{name}: not drawn, since a run is missing" in shown.err
    assert len(list(Path("out/runs").iterdir())) == 10


def test_a_figure_that_cannot_be_drawn_does_not_keep_the_others_back(
    capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_power_law(*arguments: object) -> None:
        raise ValueError("a power law needs positive values, not 0")

    kind = cli_kinds()["low_noise"]
    monkeypatch.setitem(cli_kinds(), "low_noise", replace(kind, collect=no_power_law))
    assert status("figures", "low_noise", "high_noise", *REDUCED, *ONE, "--out", "out") == 2
    assert "low_noise is not drawn: a power law needs" in capsys.readouterr().err
    assert Path("out/high_noise.png").exists()


def cli_kinds() -> dict:
    from bandits.results import figures

    return figures.KINDS


def test_control_c_is_told(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "compute", interrupted)
    assert figures("--out", "out") == 130
    told = "bandits: interrupted in low_noise, method random, run 0, seed 2022, after 0 of 40 steps"
    assert capsys.readouterr().err == f"{told}; what is finished is kept\n"


# Where it is written


def where(*words: str) -> Path:
    options = cli.build_parser().parse_args(["figures", *words])
    return work.output_folder(options, plan(options))


def test_only_the_experiments_as_reported_at_paper_scale_go_to_the_committed_folder() -> None:
    assert where("--scale", "paper") == Path("figures")
    assert where(*PAPER_FIGURES, "convergence_repeats", "--scale", "paper") == Path("figures")
    assert where() == where("--scale", "glance") == Path("results")
    assert where("--scale", "paper", "--out", "mine") == Path("mine")


@pytest.mark.parametrize(
    "change",
    ["--methods random", "--steps 10", "--runs 2", "--seed 1", "--noise 0.5", "--arms 3",
     "--p 0.5", "--train-every 1", "--epochs 3"],
)  # fmt: skip
def test_an_option_changed_at_paper_scale_never_writes_to_the_committed_folder(change: str) -> None:
    assert where("low_noise", "--scale", "paper", *change.split()) == Path("results")


def test_the_paper_scale_says_first_how_long_it_takes(
    capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimate, "estimate_seconds", lambda *a, **k: 5400.0)
    words = ["--scale", "paper", "--out", "out"]
    assert status("run", "low_noise", *REDUCED, *ONE, *words) == 0
    shown = capsys.readouterr().out
    assert "estimate: 1.5 hours" in shown
    assert status("run", "low_noise", *REDUCED, *ONE, *words) == 0
    assert "estimate" not in capsys.readouterr().out


def test_stand_in_data_never_reach_the_reported_figures(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for names in (["low_noise"], ["architecture_study"]):
        assert cli.main(["figures", *names, "--scale", "paper", "--mnist", "sample"]) == 2
        said = capsys.readouterr().err
        assert "figures/ holds figures of full MNIST" in said
        assert said.count("\n") == 1
    assert not list(tmp_path.glob("figures/*.png"))


def test_a_command_leaves_the_logger_of_the_data_as_it_was(tmp_path, monkeypatch, capsys):
    log = logging.getLogger(mnist.__name__)
    before = log.level
    words = ["run", "low_noise", "--methods", "random", "--steps", "20", "--runs", "1"]
    assert cli.main([*words, "--quiet", "--out", str(tmp_path)]) == 0
    assert log.level == before
