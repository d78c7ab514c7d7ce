"""From finished runs to the arrays that a figure is drawn from."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bandits.analysis import fit_power_law, fit_start, mean_interval
from bandits.experiments import Experiment
from bandits.mnist import Mnist
from bandits.simulate import Trajectory

Data = dict[str, NDArray[Any]]
Runs = dict[str, list[Trajectory]]

REWARD_POINTS = 400
"""Curves are kept at about this many steps: more cannot be seen, and the files stay small."""


def kept_steps(steps: int) -> NDArray[np.int64]:
    """About REWARD_POINTS values of t from 1 to steps, evenly spaced."""
    return np.unique(np.linspace(1, steps, min(steps, REWARD_POINTS)).round().astype(np.int64))


def quarter(steps: int, number: int) -> slice:
    """The steps of a run's quarter `number`, 1 to 4; runs are judged by the last, the fourth.

    Quarters are of equal length and counted from the end, so that up to three steps at the start
    may belong to none. Below four steps each has one step, and the first ones have none.
    """
    size = max(1, steps // 4)
    end = max(0, steps - (4 - number) * size)
    return slice(max(0, end - size), end)


def collect_reward(experiment: Experiment, runs: Runs) -> Data:
    """Normalized reward of every method: its mean over runs, with a 95 % band.

    `curves`, `mean`, `half_width` and `final_reward` are of the rewards as they were received,
    noise included, as in the paper's figures. `late_mean` and `late_best` (methods, runs) are of
    the means, without noise: what the arms taken, and the best ones, pay per step of the last
    quarter.
    """
    names = [method.name for method in experiment.methods]
    steps = len(runs[names[0]][0])
    t = kept_steps(steps)
    curves = np.array([[r.normalized_reward[t - 1] for r in runs[n]] for n in names])
    mean, half = mean_interval(curves, axis=1)
    late = quarter(steps, 4)
    return {
        "t": t,
        "methods": np.array(names),
        "labels": np.array([method.label for method in experiment.methods]),
        "curves": curves.astype(np.float32),
        "mean": mean,
        "half_width": half,
        "final_reward": np.array([[r.normalized_reward[-1] for r in runs[n]] for n in names]),
        "late_mean": np.array([[r.means[late].mean() for r in runs[n]] for n in names]),
        "late_best": np.array([[r.best_means[late].mean() for r in runs[n]] for n in names]),
        "arm_counts": np.array(
            [[np.bincount(r.actions, minlength=experiment.arms) for r in runs[n]] for n in names]
        ),
    }


def quarter_regrets(run: Trajectory) -> list[float]:
    """The mean regret per step in each quarter of a run, NaN where a quarter has no step."""
    parts = [run.regret[quarter(len(run), number)] for number in (1, 2, 3, 4)]
    return [float(part.mean()) if len(part) else math.nan for part in parts]


def collect_reward_by_quarter(experiment: Experiment, runs: Runs) -> Data:
    """What Figs 2 and 3 show, and what is asked about them.

    Adds to `collect_reward`: `quarter_regret` (methods, runs, 4), the mean regret per step in each
    quarter of each run, NaN where a quarter has no step.
    """
    regret = [[quarter_regrets(run) for run in runs[m.name]] for m in experiment.methods]
    return collect_reward(experiment, runs) | {"quarter_regret": np.array(regret)}


def collect_regret(experiment: Experiment, runs: Runs) -> Data:
    """Normalized regret of every run of one method, with fitted power laws (Fig. 1)."""
    (method,) = experiment.methods
    curves = np.array([r.normalized_regret for r in runs[method.name]])
    first = fit_start(curves.shape[1])
    fits = [fit_power_law(curve, first=first) for curve in curves]
    of_mean = fit_power_law(curves.mean(axis=0), first=first)
    t = kept_steps(curves.shape[1])
    return {
        "t": t,
        "methods": np.array([method.name]),
        "labels": np.array([method.label]),
        "normalized_regret": curves[:, t - 1],
        "fit_first": np.array(first),
        "fit_last": np.array(of_mean.last),
        "exponents": np.array([fit.exponent for fit in fits]),
        "constants": np.array([fit.constant for fit in fits]),
        "exponent_of_mean": np.array(of_mean.exponent),
        "constant_of_mean": np.array(of_mean.constant),
        "late_regret": np.array([r.regret[quarter(len(r), 4)].mean() for r in runs[method.name]]),
        "arm_counts": np.array(
            [np.bincount(r.actions, minlength=experiment.arms) for r in runs[method.name]]
        ),
    }


@dataclass(frozen=True)
class Kind:
    """How one kind of figure is collected, from its runs and the images they saw, and drawn."""

    collect: Callable[[Experiment, Runs, Mnist], Data]
    draw: Callable[[Data, str], Figure]
