"""Do the runs that are missing: resume, several workers, and what went wrong by name."""

import math
import time
from collections.abc import Callable, MutableSequence, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from bandits.engine.compute import compute, perform
from bandits.engine.failure import failure, under_way
from bandits.engine.files import set_aside
from bandits.engine.jobs import Job, check_data, check_sendable
from bandits.engine.npz import StoreError
from bandits.engine.progress import cost_grows_as, progress_bar, relative_cost
from bandits.engine.store import Store
from bandits.engine.task import Task
from bandits.engine.workers import in_processes
from bandits.experiments import RunSpec
from bandits.mnist import Mnist
from bandits.predictors import State
from bandits.simulate import Trajectory

CHECKPOINT_SECONDS = 300.0
NOTE_SECONDS = 1.0
"""How often the state is noted that is written when a run is interrupted; noting takes time."""


def missing(wanted: Sequence[Job], store: Store, say: Callable[[str], None] = print) -> list[Job]:
    """The jobs that the store does not hold, each run once even if several experiments want it.

    A file that is proved damaged is named and set aside, checkpoints too.

    Raises:
        Unreadable: if a file is there but cannot be read now; it is left as it is.
    """
    left: dict[Path, Job] = {}
    for job in wanted:
        path = store.path(job.spec)
        if path in left:
            continue
        if _whole(job, store, say):
            store.drop_checkpoint(job.spec)
        else:
            if isinstance(job.spec, RunSpec):
                _checkpoint(job.spec, store, say)
            left[path] = job
    return list(left.values())


def _whole(job: Job, store: Store, say: Callable[[str], None]) -> bool:
    """Whether the run is there and can be used; what is proved damaged is set aside."""
    # Again and again, since a file of an older name may take a damaged one's place.
    while store.has(job.spec):
        try:
            store.read(job.spec)
            return True
        except FileNotFoundError:  # another command set it aside meanwhile
            continue
        except StoreError as error:
            say(spoilt(store.path(job.spec), error))
    return False


def _checkpoint(
    spec: RunSpec, store: Store, say: Callable[[str], None]
) -> tuple[Trajectory, State | None] | None:
    """How far a run has come, or None; a checkpoint that is proved damaged is set aside."""
    try:
        return store.load_checkpoint(spec)
    except FileNotFoundError:
        return None
    except StoreError as error:
        say(spoilt(store.checkpoint_path(spec), error))
        return None


def spoilt(path: Path, error: StoreError) -> str:
    """Set a damaged file aside; the sentence that says so."""
    return f"{path.name} cannot be used: {error}; set aside as {set_aside(path).name}"


def longest_first(left: Sequence[Job]) -> list[Job]:
    """The jobs in another order, so that no worker is left with a long one at the end."""
    return sorted(
        left,
        key=lambda job: (
            -job.spec.steps * job.spec.method.torch if isinstance(job.spec, RunSpec) else 0
        ),
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

    A checkpoint is written every `checkpoint_seconds`, and when the run is interrupted
    (KeyboardInterrupt).
    """
    if _whole(job, store, say):
        report(1.0)
        return
    spec = job.spec
    if isinstance(spec, Task):
        store.save(spec, perform(spec, mnist, run_of(spec, store)))
        store.drop_checkpoint(spec)
        report(1.0)
        return
    saved = time.monotonic()
    noted = -math.inf
    latest: tuple[Trajectory, State | None] | None = None

    def save() -> None:
        nonlocal latest, saved
        if latest is not None:
            store.save_checkpoint(spec, *latest)
        latest, saved = None, time.monotonic()

    def after_stage(done: Trajectory, policy: object) -> None:
        nonlocal latest, noted
        report((len(done) / spec.steps) ** cost_grows_as(spec))
        now = time.monotonic()
        due = now - saved >= checkpoint_seconds
        if len(done) < spec.steps and (due or now - noted >= NOTE_SECONDS):
            latest = done, policy.state() if hasattr(policy, "state") else None
            noted = now
            if due:
                save()

    try:
        trajectory = compute(
            spec,
            mnist,
            device=store.device,
            start=lambda: _checkpoint(spec, store, say),
            after_stage=after_stage,
        )
    except KeyboardInterrupt:  # or SIGTERM: keep all but the last second and the current stage
        with suppress(OSError):
            save()
        raise
    store.save(spec, trajectory)
    store.drop_checkpoint(spec)
    report(1.0)


def can_begin(spec: RunSpec | Task, store: Store) -> bool:
    """Whether what it starts from is there; a run starts from nothing."""
    return isinstance(spec, RunSpec) or spec.run is None or store.has(spec.run)


def run_of(task: Task, store: Store) -> Trajectory | None:
    """The finished run that a task starts from, if it needs one; raises as `Store.load` does."""
    return None if task.run is None else store.load(task.run)


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
        ValueError: if workers < 1, for code that cannot be sent to one of several, or for a task
            whose data cannot be had.
    """
    if workers < 1:
        raise ValueError(f"workers must be a whole number >= 1, not {workers}")
    if workers > 1:
        check_sendable(wanted)
    left = longest_first(missing(wanted, store, say))
    if not left:
        return []
    check_data(left, mnist)
    with progress_bar([relative_cost(job.spec) for job in left], progress) as fractions:
        if workers == 1:
            return _in_process(left, mnist, store, checkpoint_seconds, fractions, say)
        work = partial(_do_one, mnist, store, checkpoint_seconds)
        return in_processes(left, work, failure, under_way, fractions, workers)


def _do_one(
    mnist: Mnist,
    store: Store,
    checkpoint_seconds: float,
    job: Job,
    report: Callable[[float], None],
) -> None:
    do(job, mnist, store, checkpoint_seconds=checkpoint_seconds, report=report)


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
        except KeyboardInterrupt as end:
            end.add_note(under_way(job, fractions[number]))
            raise
        except (Exception, SystemExit) as error:
            failures.append(failure(job, error))
    return failures
