"""Do the runs that are missing: resume, several workers, progress, and what went wrong by name."""

import sys
import threading
import time
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tqdm import tqdm

from bandits.experiments import (
    Experiment,
    NetworkSpec,
    RunSpec,
    Scale,
    build_policy,
    environment,
)
from bandits.files import set_aside
from bandits.mnist import Mnist
from bandits.npz import StoreError
from bandits.predictors import State
from bandits.simulate import Trajectory, restore, simulate
from bandits.store import Store
from bandits.threads import one_thread
from bandits.workers import in_processes

CHECKPOINT_SECONDS = 300.0
PROBE_STEPS = 120


@dataclass(frozen=True)
class Job:
    """One run of one experiment: the unit of work, independent of every other."""

    experiment: str
    spec: RunSpec

    def __str__(self) -> str:
        s = self.spec
        return f"{self.experiment}, method {s.method.name}, run {s.run}, seed {s.seed}"


def jobs(experiment: Experiment, scale: Scale) -> list[Job]:
    """Every run of an experiment at a scale."""
    return [Job(experiment.name, spec) for spec in experiment.specs(scale)]


def missing(wanted: Sequence[Job], store: Store, say: Callable[[str], None] = print) -> list[Job]:
    """The jobs that the store does not hold, for this experiment or another.

    A file that is proved damaged is named and set aside, checkpoints too.

    Raises:
        Unreadable: if a file is there but cannot be read now; it is left as it is.
    """
    left = []
    for job in wanted:
        try:
            store.load(job.experiment, job.spec)
            store.drop_checkpoint(job.experiment, job.spec)
            continue
        except FileNotFoundError:
            if store.adopt(job.experiment, job.spec):
                continue
        except StoreError as error:
            say(spoilt(store.path(job.experiment, job.spec), error))
        _checkpoint(job, store, say)
        left.append(job)
    return left


def _checkpoint(
    job: Job, store: Store, say: Callable[[str], None]
) -> tuple[Trajectory, State | None] | None:
    """How far a run has come, or None; a checkpoint that is proved damaged is set aside."""
    try:
        return store.load_checkpoint(job.experiment, job.spec)
    except FileNotFoundError:
        return None
    except StoreError as error:
        say(spoilt(store.checkpoint_path(job.experiment, job.spec), error))
        return None


def spoilt(path: Path, error: StoreError) -> str:
    """Set a damaged file aside; the sentence that says so."""
    return f"{path.name} cannot be used: {error}; set aside as {set_aside(path).name}"


def longest_first(left: Sequence[Job]) -> list[Job]:
    """The jobs in another order, so that no worker is left with a long one at the end."""
    return sorted(
        left,
        key=lambda job: -job.spec.steps * isinstance(job.spec.method.predictor, NetworkSpec),
    )


def compute(
    spec: RunSpec,
    mnist: Mnist,
    *,
    device: str = "cpu",
    start: Callable[[], tuple[Trajectory, State | None] | None] = lambda: None,
    after_stage: Callable[[Trajectory, object], None] = lambda done, policy: None,
) -> Trajectory:
    """Compute one run in this process, on one thread.

    Args:
        spec: which run.
        mnist: the data.
        device: where networks are trained.
        start: gives the checkpoint to go on from, or None.
        after_stage: called after each training stage with the steps so far and the policy.
    """
    if isinstance(spec.method.predictor, NetworkSpec):
        import bandits.networks  # noqa: F401  (torch must be loaded for its threads to be limited)
    with one_thread():
        rounds = environment(spec, mnist).rounds(spec.seed, spec.run, spec.steps)
        policy = build_policy(spec, rounds, device)
        checkpoint = start()
        past = None
        if checkpoint is not None:
            past, state = checkpoint
            restore(policy, rounds, past, spec.train_every, state)
        return simulate(
            policy,
            rounds,
            train_every=spec.train_every,
            resume=past,
            after_stage=lambda done: after_stage(done, policy),
        )


def do(
    job: Job,
    mnist: Mnist,
    store: Store,
    *,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    report: Callable[[float], None] = lambda fraction: None,
    say: Callable[[str], None] = print,
) -> None:
    """Do one job unless it is done, from its checkpoint if it has one, and store the result.

    A run that another experiment has made already is taken over from it.
    """
    if store.path(job.experiment, job.spec).exists() or store.adopt(job.experiment, job.spec):
        report(1.0)
        return
    last = time.monotonic()

    def after_stage(done: Trajectory, policy: object) -> None:
        nonlocal last
        report((len(done) / job.spec.steps) ** 2)  # the cost of a stage grows with t
        if time.monotonic() - last >= checkpoint_seconds and len(done) < job.spec.steps:
            state = policy.state() if hasattr(policy, "state") else None
            store.save_checkpoint(job.experiment, job.spec, done, state)
            last = time.monotonic()

    trajectory = compute(
        job.spec,
        mnist,
        device=store.device,
        start=lambda: _checkpoint(job, store, say),
        after_stage=after_stage,
    )
    store.save(job.experiment, job.spec, trajectory)
    store.drop_checkpoint(job.experiment, job.spec)
    report(1.0)


def complete(
    wanted: Sequence[Job],
    mnist: Mnist,
    store: Store,
    *,
    workers: int = 1,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    progress: bool = True,
    say: Callable[[str], None] = print,
) -> list[str]:
    """Do every job that the store does not hold.

    One worker computes in this process, several in processes of their own; the results are the
    same. A job that fails does not stop the others.

    Returns:
        One line for each job that failed, naming experiment, method, run and seed.

    Raises:
        ValueError: if workers < 1.
    """
    if workers < 1:
        raise ValueError(f"workers must be a whole number >= 1, not {workers}")
    left = longest_first(missing(wanted, store, say))
    if not left:
        return []
    with progress_bar(left, progress) as fractions:
        if workers == 1:
            return _in_process(left, mnist, store, checkpoint_seconds, fractions, say)
        work = partial(_do_one, mnist, store, checkpoint_seconds)
        return in_processes(left, work, failure, fractions, workers)


def _do_one(
    mnist: Mnist,
    store: Store,
    checkpoint_seconds: float,
    job: Job,
    report: Callable[[float], None],
) -> None:
    do(job, mnist, store, checkpoint_seconds=checkpoint_seconds, report=report)


def failure(job: Job, error: BaseException) -> str:
    """One line that names a failed job and why."""
    return f"{job}: {type(error).__name__}: {error}"


def _in_process(
    left: Sequence[Job],
    mnist: Mnist,
    store: Store,
    checkpoint_seconds: float,
    fractions: MutableSequence[float],
    say: Callable[[str], None],
) -> list[str]:
    failures = []
    for number, job in enumerate(left):

        def report(fraction: float, number: int = number) -> None:
            fractions[number] = fraction

        try:
            do(job, mnist, store, checkpoint_seconds=checkpoint_seconds, report=report, say=say)
        except Exception as error:
            failures.append(failure(job, error))
    return failures


@contextmanager
def progress_bar(left: Sequence[Job], show: bool) -> Iterator[MutableSequence[float]]:
    """A progress bar over all jobs; yields the array in which workers report their fractions.

    Workers share the array without a lock, so that one that is killed can hold none.
    """
    fractions = get_context("spawn").RawArray("d", len(left))
    if not show or sys.stderr is None:  # None where a shell has closed it
        yield fractions
        return
    weights = [relative_cost(job.spec) for job in left]
    stop = threading.Event()
    bar = tqdm(total=100.0, unit="%", bar_format="{l_bar}{bar}| {elapsed} so far, {remaining} left")

    def follow() -> None:
        finished = False
        while not finished:
            finished = stop.wait(0.5)
            share = sum(w * f for w, f in zip(weights, fractions, strict=True)) / sum(weights)
            bar.update(100 * share - bar.n)

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield fractions
    finally:
        stop.set()
        thread.join()
        bar.close()


def relative_cost(spec: RunSpec) -> float:
    """Rough cost of a run against the others, for the progress bar only."""
    unit = 1.0
    if isinstance(spec.method.predictor, NetworkSpec):
        network = spec.method.predictor.architecture
        unit = 20.0 if network.channels else 6.0
    return unit * spec.steps**2


def estimate_seconds(wanted: Sequence[Job], mnist: Mnist, *, workers: int, device: str) -> float:
    """Wall-clock seconds that the jobs would take on this machine, now.

    Each method is timed on a short run; every stage trains on the whole history, so that the cost
    of a run grows with T². Measured with one worker, so the truth is somewhat more with several.
    """
    seconds: dict[str, float] = {}
    total = 0.0
    for job in wanted:
        name = job.spec.method.name
        if name not in seconds:
            probe = replace(job.spec, steps=PROBE_STEPS)
            compute(replace(probe, steps=1), mnist, device=device)  # imports and first calls
            began = time.perf_counter()
            compute(probe, mnist, device=device)
            seconds[name] = time.perf_counter() - began
        total += seconds[name] * (job.spec.steps / PROBE_STEPS) ** 2
    longest = max(
        (seconds[j.spec.method.name] * (j.spec.steps / PROBE_STEPS) ** 2 for j in wanted),
        default=0.0,
    )
    return max(total / workers, longest)
