"""How long runs will take, from short ones."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from bandits.engine.compute import compute
from bandits.engine.jobs import Job
from bandits.engine.progress import bound
from bandits.engine.task import Task
from bandits.experiments import RunSpec
from bandits.mnist import Mnist

PROBE_STEPS = 120
"""About as long is the longer of the two probes."""

UNEVEN = 2
"""A bounded stage has its full cost after this many times the steps that equal arms would need."""


def estimate_seconds(wanted: Sequence[Job], mnist: Mnist, *, workers: int, device: str) -> float:
    """Wall-clock seconds that the runs among the jobs would take on this machine, now.

    Each method is timed on two short runs, one twice as long as the other, and on a run of one
    step. A quadratic through the three tells what a run costs to begin, per step, and per step of
    history that its stages train on. Where stages are bounded, a run goes on as a line from the
    step at which they have their full cost. Measured with one worker, so the truth is somewhat more
    with several.
    """
    known: dict[RunSpec, tuple[float, float, float]] = {}
    seconds = []
    for job in wanted:
        spec = job.spec
        if isinstance(spec, Task):
            continue
        probe = replace(spec, run=0, seed=0, steps=_probe_steps(spec))
        if probe not in known:
            known[probe] = _costs(probe, mnist, device)
        begin, linear, quadratic = known[probe]
        more = spec.steps - 1
        bent = min(more, _full_cost_from(spec))
        seconds.append(begin + linear * more + quadratic * bent * (2 * more - bent))
    return max(sum(seconds) / workers, max(seconds, default=0.0))


def _probe_steps(spec: RunSpec) -> int:
    """Of the longer probe: an even number of whole stages, but no more than the run has."""
    stages = 2 * max(1, PROBE_STEPS // (2 * spec.train_every))
    return min(stages * spec.train_every, max(2, spec.steps))


def _full_cost_from(spec: RunSpec) -> float:
    """The step from which a stage costs no more than the one before it."""
    most, training = bound(spec), spec.method.training
    return math.inf if most is None or training is None else UNEVEN * most / training.epochs


def _costs(probe: RunSpec, mnist: Mnist, device: str) -> tuple[float, float, float]:
    """Seconds of a run of one step, per step more, and per square of that, none below 0."""
    long = probe.steps
    half = replace(probe, steps=long // 2)

    def timed(spec: RunSpec) -> float:
        began = time.perf_counter()
        compute(spec, mnist, device=device)
        return time.perf_counter() - began

    timed(half)  # imports and first calls
    begin, at_half, at_long = (timed(s) for s in (replace(probe, steps=1), half, probe))
    slope = max(0.0, at_long - begin) / (long - 1)
    slope_at_half = max(0.0, at_half - begin) / max(1, half.steps - 1)
    quadratic = max(0.0, slope - slope_at_half) / (long - half.steps)
    return begin, max(0.0, slope - quadratic * (long - 1)), quadratic


def duration(seconds: float) -> str:
    """A time in seconds, minutes or hours, whichever suits it."""
    for unit, length in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{max(1, round(seconds))} seconds"
