"""From finished runs to the arrays that a figure is drawn from."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from types import ModuleType
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from bandits.engine.task import Arrays, Task
from bandits.experiments import Experiment, Scale
from bandits.simulate import Trajectory

Data = dict[str, NDArray[Any]]
Runs = dict[str, list[Trajectory]]
Own = list[tuple[Task, Arrays]]
"""What a figure's own tasks gave, in their order."""


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


def quarter_regrets(run: Trajectory) -> list[float]:
    """The mean regret per step in each quarter of a run, NaN where a quarter has no step."""
    parts = [run.regret[quarter(len(run), number)] for number in (1, 2, 3, 4)]
    return [float(part.mean()) if len(part) else math.nan for part in parts]


def squared_errors(run: Trajectory) -> NDArray[np.float64]:
    """(what was predicted of the arm taken − its mean)² at each step, NaN without predictions."""
    if run.predictions is None:
        return np.full(len(run), np.nan)
    return np.asarray((run.predictions.astype(np.float64) - run.means) ** 2)


def names_of(experiment: Experiment) -> Data:
    """The `methods` of a figure and their `labels`, (methods,) each."""
    return {
        "methods": np.array([method.name for method in experiment.methods]),
        "labels": np.array([method.label for method in experiment.methods]),
    }


def each_run(
    experiment: Experiment, runs: Runs, read: Callable[[Trajectory], ArrayLike]
) -> NDArray[Any]:
    """What is read off every run, (methods, runs, …)."""
    return np.array([[read(run) for run in runs[m.name]] for m in experiment.methods])


def arm_counts(experiment: Experiment, runs: Runs) -> NDArray[np.int64]:
    """How often each run took each arm, (methods, runs, K)."""
    return each_run(
        experiment, runs, lambda run: np.bincount(run.actions, minlength=experiment.arms)
    )


def first_step(held: NDArray[np.bool_]) -> int:
    """The first step t of a run (T,) where something held; 0: nowhere."""
    return int(held.argmax()) + 1 if held.any() else 0


@dataclass(frozen=True)
class Kind:
    """How one kind of figure is made.

    Attributes:
        collect: the data, a function of the runs and of what the tasks gave, and of nothing else.
        draw: the picture, from the data and the small print.
        tasks: what the figure computes beside its runs; the data are collected from both.
        check: raises ValueError, before any run, for what could not be drawn after all of them.
    """

    collect: Callable[[Experiment, Runs, Own], Data]
    draw: Callable[[Data, str], Figure]
    tasks: Callable[[Experiment, Scale], list[Task]] = lambda experiment, scale: []
    check: Callable[[Experiment, Scale], None] = lambda experiment, scale: None

    @classmethod
    def of(cls, module: ModuleType) -> "Kind":
        """What a module with functions of these names makes."""
        parts = {field.name: getattr(module, field.name, None) for field in fields(cls)}
        return cls(**{name: part for name, part in parts.items() if part is not None})
