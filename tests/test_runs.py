"""The same seed gives the same arrays however a run is made; what fails is named, alone."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from faulty import FILLING, KILLING, RAISING, cannot_start
from threadpoolctl import threadpool_info, threadpool_limits

from bandits import mnist, runs
from bandits.architecture import SIMPLE, Architecture, Training
from bandits.experiments import (
    EXPERIMENTS,
    LINEAR,
    LINUCB,
    OPTIMAL,
    RANDOM,
    Method,
    NetworkSpec,
    RegressorSpec,
    RunSpec,
    Scale,
)
from bandits.runs import Job, complete, compute, do, estimate_seconds, jobs, missing
from bandits.simulate import Trajectory
from bandits.store import Store
from bandits.threads import one_thread

SHORT = Training(epochs=2)
SIMPLE_NET = Method(
    "simple", "Simple", "epsilon_greedy", 0.5, NetworkSpec(replace(SIMPLE, width=8), SHORT)
)
CONVOLUTIONS = Architecture(
    channels=(2, 2), width=8, fold=2, stride=(1, 1), pool=(2, 2), padding=(0, 1)
)
DEEP_NET = Method(
    "deep",
    "Deep",
    "epsilon_greedy",
    0.5,
    NetworkSpec(CONVOLUTIONS, replace(SHORT, decay="linear", keep_optimizer=False)),
    ties="random",
)
NEIGHBOURS = Method("near", "k nearest", "epsilon_greedy", 0.5, RegressorSpec("k_nearest"))
PROOF = replace(SIMPLE_NET, name="proof", train_on="random_branch")
METHODS = (RANDOM, OPTIMAL, LINEAR, LINUCB, NEIGHBOURS, SIMPLE_NET, DEEP_NET, PROOF)
STEPS = 70  # stages at 20, 40 and 60, and an unfinished block
EXPERIMENT = replace(EXPERIMENTS["high_noise"], methods=METHODS)
JOBS = jobs(EXPERIMENT, Scale(STEPS, 2))

Runs = dict[Job, Trajectory]


def assert_same(one: Trajectory, other: Trajectory) -> None:
    for f in fields(Trajectory):
        np.testing.assert_array_equal(getattr(one, f.name), getattr(other, f.name), f.name)


@pytest.fixture(scope="module")
def alone(sample: mnist.Mnist) -> Runs:
    """Every run by itself, without store, workers or interruption."""
    return {job: compute(job.spec, sample) for job in JOBS}


@pytest.fixture
def store(tmp_path: Path, sample: mnist.Mnist) -> Store:
    return Store(tmp_path / "runs", sample.digest)


def assert_holds(store: Store, wanted: Runs) -> None:
    for job, run in wanted.items():
        assert_same(store.load(job.experiment, job.spec), run)
    whole = sorted(store.path(job.experiment, job.spec).name for job in wanted)
    assert sorted(path.name for path in store.folder.iterdir()) == whole


def quiet(
    wanted: list[Job], sample: mnist.Mnist, store: Store, workers: int = 1, **options: object
) -> list[str]:
    return complete(wanted, sample, store, workers=workers, progress=False, **options)  # type: ignore[arg-type]


# One seed, the same arrays


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_workers_gives_the_runs_made_alone(
    workers: int, sample: mnist.Mnist, store: Store, alone: Runs
) -> None:
    # A third worker would import torch and scikit-learn once more: seconds, and nothing new.
    light = (RANDOM, OPTIMAL, LINEAR, LINUCB)
    some = [job for job in JOBS if workers < 3 or job.spec.method in light]
    assert quiet(some, sample, store, workers) == []
    assert_holds(store, {job: alone[job] for job in some})
    assert multiprocessing.active_children() == []


def test_the_methods_of_a_run_differ_and_so_do_the_runs_of_a_method(alone: Runs) -> None:
    """Else the comparisons above would compare nothing."""
    chosen = [run for job, run in alone.items() if job.spec.method != PROOF]
    rewards = [run.rewards.tobytes() for run in chosen]
    assert len(set(rewards)) == len(rewards)


def interrupted_after(stages: int) -> Callable[[float], None]:
    seen = 0

    def report(fraction: float) -> None:
        nonlocal seen
        seen += 1
        if seen > stages:
            raise KeyboardInterrupt

    return report


@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_run_goes_on_from_its_checkpoint_as_if_never_interrupted(
    method: Method, stages: int, sample: mnist.Mnist, store: Store, alone: Runs
) -> None:
    (job,) = (job for job in JOBS if job.spec.method == method and job.spec.run == 0)
    with pytest.raises(KeyboardInterrupt):
        do(job, sample, store, checkpoint_seconds=0.0, report=interrupted_after(stages))
    past, state = store.load_checkpoint(job.experiment, job.spec)
    assert len(past) == 20 * stages
    assert (state is not None) == isinstance(method.predictor, NetworkSpec)
    reported: list[float] = []
    do(job, sample, store, checkpoint_seconds=0.0, report=reported.append)
    assert len(reported) == 3 - stages + 1  # the stages left, and the end: nothing is redone
    assert_holds(store, {job: alone[job]})


def test_a_run_interrupted_at_every_stage_is_still_the_same(
    sample: mnist.Mnist, store: Store, alone: Runs
) -> None:
    (job,) = (job for job in JOBS if job.spec.method == SIMPLE_NET and job.spec.run == 1)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            do(job, sample, store, checkpoint_seconds=0.0, report=interrupted_after(1))
    assert len(store.load_checkpoint(job.experiment, job.spec)[0]) == 40
    do(job, sample, store)
    assert_holds(store, {job: alone[job]})


def test_checkpoints_are_no_more_frequent_than_asked(sample: mnist.Mnist, store: Store) -> None:
    with pytest.raises(KeyboardInterrupt):
        do(JOBS[0], sample, store, checkpoint_seconds=1e6, report=interrupted_after(2))
    assert not store.folder.exists()


def test_a_checkpoint_that_cannot_be_used_is_named_and_the_run_begins_anew(
    sample: mnist.Mnist, store: Store, alone: Runs
) -> None:
    job, said = JOBS[2], list[str]()
    path = store.checkpoint_path(job.experiment, job.spec)
    path.parent.mkdir()
    path.write_bytes(b"half a checkp")
    assert quiet([job], sample, store, say=said.append) == []
    assert len(said) == 1
    assert path.name in said[0]
    aside = path.with_name(path.name + ".set-aside0")
    assert aside.read_bytes() == b"half a checkp"
    aside.unlink()
    assert_holds(store, {job: alone[job]})


def test_what_is_whole_is_not_redone(sample: mnist.Mnist, store: Store, alone: Runs) -> None:
    some = [job for job in JOBS if job.spec.method in (RANDOM, LINEAR)]
    assert quiet(some, sample, store) == []
    first = store.path(some[0].experiment, some[0].spec)
    before = {path.name: path.stat().st_mtime_ns for path in store.folder.iterdir()}
    inodes = {path.name: path.stat().st_ino for path in store.folder.iterdir()}
    assert missing(JOBS, store) == [job for job in JOBS if job not in some]
    assert quiet(some, sample, store, 2) == []
    do(some[0], sample, store)
    assert before == {path.name: path.stat().st_mtime_ns for path in store.folder.iterdir()}
    assert inodes == {path.name: path.stat().st_ino for path in store.folder.iterdir()}
    first.unlink()
    assert missing(some, store) == some[:1]
    assert quiet(some, sample, store) == []
    assert_holds(store, {job: alone[job] for job in some})


@pytest.mark.parametrize("workers", [0, -1])
def test_workers_below_one_are_refused(workers: int, sample: mnist.Mnist, store: Store) -> None:
    with pytest.raises(ValueError, match=f"workers must be a whole number >= 1, not {workers}"):
        quiet(JOBS, sample, store, workers)
    assert not store.folder.exists()


def test_a_bar_shows_how_far_all_runs_are(
    sample: mnist.Mnist, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert complete(JOBS[:3], sample, store) == []
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "100%" in shown.err
    assert "left" in shown.err


# Faults


def tell(failures: list[str]) -> dict[str, str]:
    return {line.split(": ")[0]: line.partition(": ")[2] for line in failures}


def test_a_run_that_raises_here_is_named_and_the_others_finish(
    sample: mnist.Mnist, store: Store, alone: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(name: str) -> None:
        raise ArithmeticError("a number too odd")

    monkeypatch.setattr("bandits.experiments.build.regressor", broken)
    some = [job for job in JOBS if job.spec.method in (RANDOM, NEIGHBOURS, OPTIMAL)]
    assert quiet(some, sample, store) == [
        f"high_noise, method near, run {run}, seed 2022: ArithmeticError: a number too odd"
        for run in (0, 1)
    ]
    assert_holds(store, {job: alone[job] for job in some if job.spec.method != NEIGHBOURS})


def test_runs_that_raise_or_kill_their_worker_are_named_and_the_others_finish(
    sample: mnist.Mnist, store: Store
) -> None:
    """The error in a worker cannot be unpickled, and the killer runs beside innocent runs."""
    spoilt = replace(EXPERIMENT, methods=(KILLING, RAISING, LINEAR, RANDOM))
    wanted = jobs(spoilt, Scale(STEPS, 1))
    failures = quiet(wanted, sample, store, 2)
    assert tell(failures) == {
        "high_noise, method raising, run 0, seed 2022": "OddError: no luck",
        "high_noise, method killing, run 0, seed 2022": "its worker died twice (exit -9)",
    }
    assert_holds(store, {job: compute(job.spec, sample) for job in wanted[2:]})
    assert multiprocessing.active_children() == []


def test_a_worker_killed_once_is_replaced_and_its_run_goes_on(
    sample: mnist.Mnist, store: Store
) -> None:
    killed: list[int] = []

    def kill_one() -> None:
        for _ in range(60_000):  # ten minutes
            children = multiprocessing.active_children()
            if children and any(store.folder.glob("*.partial.npz")):
                killed.append(children[0].pid or 0)
                os.kill(killed[0], signal.SIGKILL)
                return
            time.sleep(0.01)

    store.folder.mkdir()
    thread = threading.Thread(target=kill_one)
    thread.start()
    try:
        assert quiet(FILLING, sample, store, 2, checkpoint_seconds=0.0) == []
    finally:
        thread.join()
    assert len(killed) == 1
    assert_holds(store, {job: compute(job.spec, sample) for job in FILLING})


def test_workers_that_cannot_start_are_told_and_not_started_for_ever(
    sample: mnist.Mnist, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bandits.workers._serve", cannot_start)
    assert quiet(JOBS[:2], sample, store, 2) == [
        f"{job}: its worker died twice (exit 3)" for job in JOBS[:2]
    ]


# Threads and estimates


def pools() -> list[int]:
    return [library["num_threads"] for library in threadpool_info()]


def test_a_run_is_computed_on_one_thread_and_the_limits_are_restored(
    sample: mnist.Mnist, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = torch.get_num_threads()
    inside: list[tuple[int, set[int]]] = []
    simulate = runs.simulate

    def watched(*arguments: object, **options: object) -> Trajectory:
        inside.append((torch.get_num_threads(), set(pools())))
        return simulate(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(runs, "simulate", watched)
    try:
        with threadpool_limits(limits=3):
            torch.set_num_threads(3)
            outside = torch.get_num_threads(), pools()
            assert 3 in outside[1]
            compute(replace(JOBS[5].spec, steps=3), sample)
            assert (torch.get_num_threads(), pools()) == outside
            with pytest.raises(ZeroDivisionError), one_thread():
                raise ZeroDivisionError
            assert (torch.get_num_threads(), pools()) == outside
    finally:
        torch.set_num_threads(before)
    assert inside == [(1, {1})]


def test_an_estimate_is_positive_and_adds_up(
    sample: mnist.Mnist, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a clock that gives each method its own second of probe, exactly."""
    now = [0.0]
    cost = {"random": 0.25, "linear": 1.0}

    def probe(spec: RunSpec, data: mnist.Mnist, *, device: str) -> None:
        if spec.steps == runs.PROBE_STEPS:
            now[0] += cost[spec.method.name]

    monkeypatch.setattr(runs, "compute", probe)
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def estimate(*parts: Job, workers: int = 1) -> float:
        return estimate_seconds(parts, sample, workers=workers, device="cpu")

    size = 3 * runs.PROBE_STEPS
    first, second = Job("e", RunSpec(RANDOM, 0, size)), Job("e", RunSpec(LINEAR, 0, size))
    assert estimate(first) == 9 * 0.25
    assert estimate(second) == 9 * 1.0
    assert estimate(first, second) == 9 * 1.25
    assert estimate(first, second, second, second, workers=2) == 9 * 3.25 / 2
    assert estimate(first, second, workers=2) == 9 * 1.0  # no shorter than its longest run
    assert estimate() == 0


def test_an_estimate_times_real_runs(sample: mnist.Mnist) -> None:
    began = time.perf_counter()
    seconds = estimate_seconds(
        [Job("e", RunSpec(RANDOM, 0, runs.PROBE_STEPS))], sample, workers=1, device="cpu"
    )
    assert 0 < seconds < time.perf_counter() - began
