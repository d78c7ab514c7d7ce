"""What a step of a method costs, measured once on one machine."""

import time
from dataclasses import replace
from functools import partial

import numpy as np

from bandits.engine.task import Arrays, Task, check_finite
from bandits.engine.threads import one_thread
from bandits.experiments import Experiment, RunSpec, Scale, build_policy, environment
from bandits.mnist import Mnist
from bandits.simulate import Trajectory, simulate

TIMED_STEPS = 1000
"""A timed run has this many steps: from some 300 on a step costs the same, but for
neural-linear, which goes over all its data."""


def tasks(experiment: Experiment, scale: Scale) -> list[Task]:
    """A timed run of each method, on one machine: nothing else here depends on one."""
    steps = min(TIMED_STEPS, scale.steps)
    return [
        Task(
            f"timed-{spec.method.name}-run00",
            {"measured": f"processor seconds of each step of the last half of {steps}"},
            partial(_seconds, replace(spec, steps=steps)),
            partial(check_finite, names=("seconds",)),
            run=spec,
        )
        for spec in experiment.specs(replace(scale, runs=1))
    ]


def _seconds(spec: RunSpec, mnist: Mnist, run: Trajectory) -> Arrays:
    """Processor seconds per step in the last half of a run, on one thread."""
    rounds = environment(spec, mnist).rounds(spec.seed, spec.run, spec.steps)
    with one_thread():
        times = [(0, time.process_time())]

        def mark(so_far: Trajectory) -> None:
            times.append((len(so_far), time.process_time()))

        policy = build_policy(spec, rounds)
        simulate(policy, rounds, train_every=spec.train_every, after_stage=mark)
        times.append((spec.steps, time.process_time()))
    first, began = max(pair for pair in times if pair[0] <= spec.steps / 2)
    last, ended = times[-1]
    return {"seconds": np.array((ended - began) / (last - first))}
