"""Any predictor in place of the network: regret beside cost."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bandits.engine.task import Arrays, Task, check_finite
from bandits.engine.threads import one_thread
from bandits.experiments import (
    Experiment,
    RunSpec,
    Scale,
    build_policy,
    environment,
)
from bandits.mnist import Mnist
from bandits.policies import Choice
from bandits.results.data import Data, Own, Runs
from bandits.results.marks import row, run_dots
from bandits.results.plots import runs_note, style
from bandits.results.reward import collect_reward, reward_curves
from bandits.results.statistics import paired_difference
from bandits.results.verdicts import Reading
from bandits.simulate import Trajectory

NETWORK = "deep_p1_3"


def tasks(experiment: Experiment, scale: Scale) -> list[Task]:
    """A measurement of each method's run 0, on one machine: nothing else here depends on one."""
    return [
        Task(
            f"seconds-{spec.method.name}-run00",
            {"measured": "processor seconds of the last training stage"},
            partial(_seconds, spec),
            partial(check_finite, names=("seconds",)),
            run=spec,
        )
        for spec in experiment.specs(replace(scale, runs=1))
    ]


def _seconds(spec: RunSpec, mnist: Mnist, run: Trajectory) -> Arrays:
    return {"seconds": np.array(stage_seconds(spec, run, mnist))}


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """Rewards, and what the last training stage costs.

    Adds to `collect_reward`: `seconds` (methods,), processor time of the last training stage of
    run 0 with the decisions of a block after it, on one thread of the machine that measured it.
    """
    seconds = np.array([float(arrays["seconds"]) for _, arrays in own])
    return collect_reward(experiment, runs) | {"seconds": seconds}


def stage_seconds(spec: RunSpec, run: Trajectory, mnist: Mnist) -> float:
    """Processor seconds of a run's last training stage and of deciding train_every steps."""
    rounds = environment(spec, mnist).rounds(spec.seed, spec.run, len(run))
    policy = build_policy(spec, rounds)
    some = slice(0, min(spec.train_every, len(run)))
    contexts, draws = rounds.contexts(some), rounds.draws[some]
    late = np.full(len(draws.rho), len(run))
    past = run[: len(run) // spec.train_every * spec.train_every]  # what comes later trains nothing
    with one_thread():
        everything = Choice(past.actions, past.propensities, past.explored)
        policy.record(rounds.contexts(slice(0, len(past))), everything, past.rewards)
        began = time.process_time()
        policy.train()
        policy.choose(contexts, late, draws)
        return time.process_time() - began


def cost_dots(axes: Axes, data: Data) -> None:
    """Late regret against the cost of the last training stage."""
    regret = data["late_best"] - data["late_mean"]
    for k, (name, label) in enumerate(zip(data["methods"], data["labels"], strict=True)):
        run_dots(axes, data["seconds"][k], regret[k], style(str(name), k)["color"], str(label))
    axes.set_xscale("log")
    axes.set_ylim(0, None)
    axes.set_xlabel("seconds of one core, last training stage")
    axes.set_ylabel("regret per step, last quarter")
    axes.legend(frameon=False, fontsize=7.5)


def panels(axes: Sequence[Axes], data: Data) -> None:
    """Two axes: rewards by predictor, and late regret against cost."""
    reward_curves(axes[0], data)
    cost_dots(axes[1], data)


def draw(data: Data, caption: str) -> Figure:
    """Rewards by predictor, and late regret against cost."""
    caption += runs_note(data["late_mean"].shape[1])
    caption += ". Seconds: measured once, on one machine"
    return row(panels, data, caption, size=(9.6, 3.6), columns=2)


def read(data: Data) -> list[Reading]:
    """Whether the network earns more than each of the others on equal terms."""
    names = [str(name) for name in data["methods"]]
    if NETWORK not in names:
        return []
    network, runs = names.index(NETWORK), data["late_mean"].shape[1]
    readings = []
    for k, label in enumerate(data["labels"]):
        if k != network:
            gain = paired_difference(data["late_mean"][network], data["late_mean"][k])
            what = f"network − {label}, late reward"
            claim = "The network earns more than other predictors"
            readings.append(Reading(claim, "predictors", what, gain, runs, 0, math.inf))
    return readings
