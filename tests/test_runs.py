"""The same seed gives the same arrays however a run is made; what fails is named, alone."""

import errno
import io
import multiprocessing
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import fields, replace
from multiprocessing import heap
from pathlib import Path

import numpy as np
import pytest
import torch
from faulty import FILLING, KILLING, RAISING, cannot_start
from threadpoolctl import threadpool_info, threadpool_limits

from bandits import mnist
from bandits.architecture import SIMPLE, Architecture, Training
from bandits.engine import compute as computing
from bandits.engine import estimate, runs
from bandits.engine.compute import compute
from bandits.engine.estimate import PROBE_STEPS, estimate_seconds
from bandits.engine.jobs import Job, jobs
from bandits.engine.progress import cost_grows_as, relative_cost
from bandits.engine.runs import complete, do, missing
from bandits.engine.signals import Terminated
from bandits.engine.store import Store
from bandits.engine.threads import one_thread
from bandits.experiments import (
    EXPERIMENTS,
    LINEAR,
    LINUCB,
    OPTIMAL,
    RANDOM,
    SIMPLE_DEEP,
    Method,
    NetworkSpec,
    RegressorSpec,
    RunSpec,
    Scale,
    bounded,
)
from bandits.policies import EpsilonGreedy
from bandits.simulate import Trajectory

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
        assert_same(store.load(job.spec), run)
    whole = sorted(store.path(job.spec).name for job in wanted)
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
    past, state = store.load_checkpoint(job.spec)
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
    assert len(store.load_checkpoint(job.spec)[0]) == 40
    do(job, sample, store)
    assert_holds(store, {job: alone[job]})


def test_checkpoints_are_no_more_frequent_than_asked(
    sample: mnist.Mnist, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Store, "save_checkpoint", lambda *a: pytest.fail("a checkpoint was written")
    )
    do(JOBS[0], sample, store, checkpoint_seconds=1e6)


@pytest.mark.parametrize("end", [KeyboardInterrupt(), Terminated(15)], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize("method", [LINEAR, SIMPLE_NET], ids=lambda method: method.name)
def test_an_interrupted_run_keeps_how_far_it_is_and_goes_on_the_same(
    method: Method,
    end: BaseException,
    sample: mnist.Mnist,
    store: Store,
    alone: Runs,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Interrupted while the third stage trains, when weights are neither old nor new."""
    (job,) = (job for job in JOBS if job.spec.method == method and job.spec.run == 0)
    monkeypatch.setattr(runs, "NOTE_SECONDS", 0.0)
    stages = 0
    train = EpsilonGreedy.train

    def interrupted(policy: EpsilonGreedy) -> None:
        nonlocal stages
        stages += 1
        train(policy)
        if stages == 3:
            raise end

    monkeypatch.setattr(EpsilonGreedy, "train", interrupted)
    with pytest.raises(type(end)):
        do(job, sample, store, checkpoint_seconds=1e6)
    past, state = store.load_checkpoint(job.spec)
    assert len(past) == 40
    assert (state is not None) == (method == SIMPLE_NET)
    do(job, sample, store)
    assert_holds(store, {job: alone[job]})


def test_what_cannot_be_kept_does_not_hide_the_interrupt(
    sample: mnist.Mnist, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Store, "save_checkpoint", full)
    with pytest.raises(KeyboardInterrupt):
        do(JOBS[0], sample, store, checkpoint_seconds=1e6, report=interrupted_after(2))


def test_a_checkpoint_that_cannot_be_used_is_named_and_the_run_begins_anew(
    sample: mnist.Mnist, store: Store, alone: Runs
) -> None:
    job, said = JOBS[2], list[str]()
    path = store.checkpoint_path(job.spec)
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
    first = store.path(some[0].spec)
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


# Progress bars


class Terminal(io.StringIO):
    """A terminal that keeps what is written."""

    def isatty(self) -> bool:
        return True


def test_a_bar_shows_how_far_all_runs_are(
    sample: mnist.Mnist, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert complete(JOBS[:3], sample, store) == []
    assert "100%" in terminal.getvalue()
    assert "left" in terminal.getvalue()


class Logger:
    """What a framework puts in the place of the standard error; it has no fileno."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, text: str) -> None:
        self.lines.append(text)


class Hung(Terminal):
    """A terminal that was closed after a while."""

    def __init__(self, error: Exception, after: int) -> None:
        super().__init__()
        self.error, self.left = error, after

    def write(self, text: str) -> int:
        self.left -= 1
        if self.left < 0:
            raise self.error
        return super().write(text)


def closed() -> io.StringIO:
    stream = Terminal()
    stream.close()
    return stream


def odd_streams() -> dict[str, Callable[[], object]]:
    return {
        "none": lambda: None,
        "no terminal": io.StringIO,
        "logger": Logger,
        "closed": closed,
        "hung up": lambda: Hung(OSError(errno.EIO, "Input/output error"), 0),
        "hung up later": lambda: Hung(OSError(errno.EIO, "Input/output error"), 2),
        "no reader": lambda: Hung(BrokenPipeError(errno.EPIPE, "Broken pipe"), 1),
        "full": lambda: Hung(OSError(errno.ENOSPC, "No space left on device"), 1),
        "read-only": lambda: Hung(io.UnsupportedOperation("not writable"), 0),
        "closed later": lambda: Hung(ValueError("I/O operation on closed file"), 1),
    }


@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", odd_streams())
def test_a_bar_that_cannot_be_written_is_dropped_and_the_runs_go_on(
    kind: str, sample: mnist.Mnist, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = odd_streams()[kind]()
    monkeypatch.setattr(sys, "stderr", stream)
    before = threading.active_count()
    assert complete(JOBS[:3], sample, store) == []
    assert threading.active_count() == before
    assert len(list(store.folder.iterdir())) == 3
    if kind in ("no terminal", "logger"):
        assert not (stream.lines if isinstance(stream, Logger) else stream.getvalue())  # type: ignore[attr-defined]


def test_without_memory_to_share_only_the_bar_is_missing(
    sample: mnist.Mnist, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where /dev/shm is missing; the real allocation fails."""
    monkeypatch.setattr("multiprocessing.heap.Arena._dir_candidates", ["/no/such/folder"])
    monkeypatch.setattr("multiprocessing.heap.BufferWrapper._heap", heap.Heap())
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    light = [job for job in JOBS if job.spec.method in (RANDOM, OPTIMAL)]
    with pytest.raises(OSError, match="/no/such/folder"):
        multiprocessing.get_context("spawn").RawArray("d", 3)
    assert complete(light, sample, store, workers=2) == []
    assert terminal.getvalue() == ""
    assert len(list(store.folder.iterdir())) == len(light)


# Faults


def tell(failures: list[str]) -> dict[str, str]:
    """What is said of each run, without the line of the file where it was raised."""
    texts = [re.sub(r" \([a-z_]+\.py, line [0-9]+\)$", "", line) for line in failures]
    return {text.split(": ")[0]: text.partition(": ")[2] for text in texts}


def test_a_run_that_raises_here_is_named_and_the_others_finish(
    sample: mnist.Mnist, store: Store, alone: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(name: str) -> None:
        raise ArithmeticError("a number too odd")

    monkeypatch.setattr("bandits.experiments.build.regressor", broken)
    some = [job for job in JOBS if job.spec.method in (RANDOM, NEIGHBOURS, OPTIMAL)]
    assert tell(quiet(some, sample, store)) == {
        f"high_noise, method near, run {run}, seed 2022": "ArithmeticError: a number too odd"
        for run in (0, 1)
    }
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
    monkeypatch.setattr("bandits.engine.workers._serve", cannot_start)
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
    simulate = computing.simulate

    def watched(*arguments: object, **options: object) -> Trajectory:
        inside.append((torch.get_num_threads(), set(pools())))
        return simulate(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(computing, "simulate", watched)
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


def test_an_estimate_is_what_a_run_costs_and_adds_up(
    sample: mnist.Mnist, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a clock by which each method costs so much to begin, per step and per squared step.

    The first call of all costs a minute, as imports do.
    """
    now, called = [0.0], [0]
    costs = {
        "random": (0.25, 0.0, 0.0),
        "linucb": (0.5, 0.01, 0.0),  # a stage that costs the same however long the history
        "linear": (0.125, 0.02, 0.001),
        "optimal": (0.0, 0.0, 0.004),
    }

    def probe(spec: RunSpec, data: mnist.Mnist, *, device: str) -> None:
        begin, linear, quadratic = costs[spec.method.name]
        now[0] += begin + (linear + quadratic * spec.steps) * spec.steps
        now[0] += 60.0 * (called[0] == 0)
        called[0] += 1
        assert spec.steps <= PROBE_STEPS

    monkeypatch.setattr(estimate, "compute", probe)
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def told(*parts: Job, workers: int = 1) -> float:
        return estimate_seconds(parts, sample, workers=workers, device="cpu")

    one, two, three, four = (
        Job("e", RunSpec(method, 0, 1000)) for method in (RANDOM, LINUCB, LINEAR, OPTIMAL)
    )
    assert told(one) == pytest.approx(0.25)
    assert told(two) == pytest.approx(10.5)
    assert told(three) == pytest.approx(1020.125)
    assert told(four) == pytest.approx(4000)
    assert told(one, two, three) == pytest.approx(1030.875)
    assert told(three, three, two, workers=2) == pytest.approx((2 * 1020.125 + 10.5) / 2)
    assert told(three, one, workers=2) == pytest.approx(1020.125)  # its longest run
    assert told() == 0
    short = Job("e", RunSpec(LINEAR, 0, 40))
    assert told(short) == pytest.approx(0.125 + 0.8 + 1.6)
    assert told(Job("e", RunSpec(LINEAR, 0, 1))) == pytest.approx(0.146, abs=0.02)


def test_an_estimate_of_bounded_stages_grows_with_t_once_every_arm_has_enough(
    sample: mnist.Mnist, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal arms have their bound, 20 · 32 passes each in 16 epochs, at step 5 · 40; here at 400.

    The probes stay short, whatever the bound: they are to cost little beside the run.
    """
    now = [0.0]

    def cost(steps: int) -> float:
        """Stages whose cost grows up to step 400; sum of it, over the stages until then."""
        grown = min(steps, 401) - 1
        return 2.0 + 0.02 * (steps - 1) + 1e-5 * grown * (2 * (steps - 1) - grown)

    def probe(spec: RunSpec, data: mnist.Mnist, *, device: str) -> None:
        assert spec.steps <= PROBE_STEPS
        now[0] += cost(spec.steps)

    monkeypatch.setattr(estimate, "compute", probe)
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    method = bounded(SIMPLE_DEEP)
    wanted = [Job("e", RunSpec(method, 0, 40_000)), Job("e", RunSpec(method, 1, 40_000))]
    seconds = estimate_seconds(wanted, sample, workers=1, device="cpu")
    assert seconds == pytest.approx(2 * cost(40_000))
    assert cost_grows_as(wanted[0].spec) == 1
    assert cost_grows_as(RunSpec(SIMPLE_DEEP, 0, 40_000)) == 2
    # Passes of the paper's rule: 0.4 T²; of the bound: at most 20 · 32 · 5 / 20 = 160 a step.
    ratio = relative_cost(RunSpec(SIMPLE_DEEP, 0, 40_000)) / relative_cost(wanted[0].spec)
    assert ratio == pytest.approx(0.4 * 40_000 / 160)
    assert relative_cost(RunSpec(method, 0, 100)) == relative_cost(RunSpec(SIMPLE_DEEP, 0, 100))


@pytest.mark.parametrize("every", [1, 7, 20, 50, 100, 5000])
def test_the_probes_have_whole_stages_unless_the_run_is_shorter(every: int) -> None:
    long = estimate._probe_steps(RunSpec(LINEAR, 0, 1000, train_every=every))
    assert long == 1000 or (long % (2 * every) == 0 and 60 <= long <= 200)
    assert estimate._probe_steps(RunSpec(LINEAR, 0, 1, train_every=every)) == 2


def test_methods_of_one_name_are_timed_apart(
    sample: mnist.Mnist, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Method] = []
    monkeypatch.setattr(estimate, "compute", lambda spec, *a, **k: seen.append(spec.method))
    other = replace(LINEAR, pixel_scale=2.0)
    wanted = [Job("e", RunSpec(method, run, 300)) for run in (0, 1) for method in (LINEAR, other)]
    estimate_seconds(wanted, sample, workers=1, device="cpu")
    assert seen == [LINEAR] * 4 + [other] * 4


def test_an_estimate_times_real_runs(sample: mnist.Mnist) -> None:
    began = time.perf_counter()
    seconds = estimate_seconds(
        [Job("e", RunSpec(RANDOM, 0, PROBE_STEPS))], sample, workers=1, device="cpu"
    )
    assert 0 < seconds < time.perf_counter() - began
