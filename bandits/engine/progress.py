"""How far all runs are, on a terminal that may go away."""

import sys
import threading
from collections.abc import Iterator, MutableSequence, Sequence
from contextlib import contextmanager
from multiprocessing import get_context

from tqdm import tqdm

from bandits.engine.task import Task
from bandits.engine.terminal import Droppable, is_terminal
from bandits.experiments import NetworkSpec, RunSpec


@contextmanager
def progress_bar(weights: Sequence[float], show: bool) -> Iterator[MutableSequence[float]]:
    """A progress bar over jobs of these costs; yields the array in which each reports its fraction.

    Workers share the array without a lock, so that one that is killed can hold none. There is no
    bar where the standard error is no terminal, or where no memory can be shared, and one that
    can no longer be written is dropped.
    """
    fractions, shared = _fractions(len(weights))
    if not (show and shared and is_terminal(sys.stderr)):
        yield fractions
        return
    stop = threading.Event()
    bar = tqdm(
        total=100.0,
        unit="%",
        bar_format="{l_bar}{bar}| {elapsed} so far, {remaining} left",
        file=Droppable(sys.stderr),
    )

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


def _fractions(count: int) -> tuple[MutableSequence[float], bool]:
    """So many zeros, and whether workers share them: a system may have no memory to share."""
    try:
        return get_context("spawn").RawArray("d", count), True
    except OSError:  # /dev/shm is missing, full or read-only; only the bar needs it
        return [0.0] * count, False


def bound(spec: RunSpec) -> int | None:
    """How many passes of a sample a stage makes at most; None where its cost grows with t."""
    predictor = spec.method.predictor
    if not isinstance(predictor, NetworkSpec) or predictor.training.max_batches is None:
        return None
    networks = 1 if predictor.shared else spec.arms
    return predictor.training.max_batches * predictor.training.batch_size * networks


def cost_grows_as(spec: RunSpec) -> int:
    """The power of T that a run's cost grows with: 1 where a stage is bounded, else 2."""
    return 2 if bound(spec) is None else 1


def relative_cost(spec: RunSpec | Task) -> float:
    """Rough cost of a run against the others, for the progress bar only."""
    if isinstance(spec, Task):
        return 1.0
    stages = spec.steps / spec.train_every
    unit, passes = 1.0, 8.0 * stages * spec.steps  # 16 epochs over half of the steps on average
    if isinstance(spec.method.predictor, NetworkSpec):
        unit = 20.0 if spec.method.predictor.architecture.channels else 6.0
        most = bound(spec)
        if most is not None:
            passes = min(passes, most * stages)
    return unit * passes
