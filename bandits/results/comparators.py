"""What a researcher would pick instead: regret beside cost, of many ways to explore."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from bandits.experiments import Experiment
from bandits.results.cost import tasks
from bandits.results.data import Data, Own, Runs, arm_counts, each_run, names_of, quarter
from bandits.results.horizon import log_times
from bandits.results.marks import row
from bandits.results.plots import (
    FEWEST_FOR_A_BAND,
    footer,
    look,
    new_figure,
    runs_note,
    spread,
    style,
)
from bandits.results.statistics import interval, mean_interval, paired_difference
from bandits.results.verdicts import Reading

__all__ = ["collect", "draw", "draw_dots", "read", "tasks"]

DEEP = "deep"
"""The paper's algorithm, which the others are held against."""


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """Regret of every method and run, and what a step costs.

    Returns:
        `t` (times,), `normalized_regret` (methods, runs, times); `late_regret` and `total_regret`
        (methods, runs), per step, of the last quarter and of all steps; `arm_counts` (methods,
        runs, K); `noise` (), σ; `seconds` (methods,), processor time of a step, measured once on
        one machine, NaN where it was not measured.
    """
    read = partial(each_run, experiment, runs)
    steps = len(runs[experiment.methods[0].name][0])
    t, late = log_times(steps), quarter(steps, 4)
    return names_of(experiment) | {
        "t": t,
        "normalized_regret": read(lambda run: run.normalized_regret[t - 1]).astype(np.float32),
        "late_regret": read(lambda run: run.regret[late].mean()),
        "total_regret": read(lambda run: run.regret.mean()),
        "arm_counts": arm_counts(experiment, runs),
        "noise": np.array(experiment.noise),
        "seconds": np.array(
            [float(a["seconds"]) for _, a in own] or [np.nan] * len(experiment.methods)
        ),
    }


def learners(data: Data) -> list[int]:
    """The rows of the methods that have regret, the one that loses least at the end first."""
    there = [k for k, rows in enumerate(data["total_regret"]) if rows.any()]
    return sorted(there, key=lambda k: float(data["late_regret"][k].mean()))


def color_of(data: Data, k: int) -> str:
    """A method's colour in every panel."""
    return str(style(str(data["methods"][k]), k)["color"])


def regret_dots(axes: Axes, data: Data) -> None:
    """Late regret of each run, with its mean and interval, a line for each method."""
    order = learners(data)
    for place, k in enumerate(order):
        values, color = data["late_regret"][k], color_of(data, k)
        axes.plot(values, np.full(len(values), place), "o", color=color, markersize=3, alpha=0.5)
        if len(values) >= FEWEST_FOR_A_BAND:
            bounds = interval(values)
            axes.plot((bounds.low, bounds.high), (place, place), color=color, linewidth=2)
        axes.plot(values.mean(), place, "o", color=color, markersize=7)
    axes.set_yticks(range(len(order)), [str(data["labels"][k]) for k in order])
    axes.invert_yaxis()
    axes.set_xlim(0, None)
    axes.set_xlabel("regret per step, last quarter")


def cost_dots(axes: Axes, data: Data) -> None:
    """Milliseconds of a step of each method, in the order of `regret_dots`."""
    order = learners(data)
    for place, k in enumerate(order):
        axes.plot(1000 * data["seconds"][k], place, "D", color=color_of(data, k), markersize=6)
    axes.set_yticks(range(len(order)), [""] * len(order))
    axes.invert_yaxis()
    _logarithmic(axes, "x")
    axes.set_xlabel("milliseconds of a step")


def against_seconds(axes: Axes, data: Data) -> None:
    """Mean normalized regret against the processor time spent so far."""
    shown = data["t"] >= min(100, data["t"][-1] / 2)
    ends = []
    for k in learners(data):
        spent = data["seconds"][k] * data["t"][shown]
        mean = data["normalized_regret"][k].mean(axis=0)[shown]
        axes.plot(spent, mean, color=color_of(data, k), linewidth=1.2)
        ends.append((float(mean[-1]), float(spent[-1]), k))
    _logarithmic(axes, "x")
    _logarithmic(axes, "y")
    axes.set_xlabel("seconds of one core")
    axes.set_ylabel("normalized regret")
    ends.sort()
    low, high = np.log(axes.get_ylim())
    heights = [(math.log(height) - low) / (high - low) for height, _, _ in ends]
    for place, (height, end, k) in zip(spread(heights, 0.062), ends, strict=True):
        axes.annotate(
            str(data["labels"][k]), (end, height), xytext=(1.03, place), fontsize=8, va="center",
            textcoords="axes fraction", color=color_of(data, k), annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": color_of(data, k), "linewidth": 0.4},
        )  # fmt: skip


def each_alone(axes: Sequence[Axes], data: Data) -> None:
    """Normalized regret of each method on axes of its own, before all others in grey."""
    t, first = data["t"], min(20, data["t"][-1] / 2)
    order = learners(data)
    means = {k: data["normalized_regret"][k].mean(axis=0) for k in order}
    lowest = min(mean[t >= first].min() for mean in means.values())
    for k, one in _pairs(order, axes):
        if k is None:
            one.set_axis_off()
            continue
        for mean in means.values():
            one.plot(t, mean, color="#D0D0D0", linewidth=0.7)
        color, curves = color_of(data, k), data["normalized_regret"][k]
        if len(curves) >= FEWEST_FOR_A_BAND:
            middle, half = mean_interval(curves, axis=0)
            one.fill_between(t, middle - half, middle + half, color=color, alpha=0.2, linewidth=0)
        one.plot(t, means[k], color=color, linewidth=1.6)
        one.set_xlim(first, t[-1])
        one.set_ylim(0.8 * lowest, 6)
        _logarithmic(one, "x")
        _logarithmic(one, "y")
        one.set_title(str(data["labels"][k]), fontsize=8, color=color)


def _pairs(order: list[int], axes: Sequence[Axes]) -> Iterator[tuple[int | None, Axes]]:
    for k, one in zip_longest(order, axes):
        if one is None:
            raise ValueError(f"{len(order)} methods need as many axes, not {len(axes)}")
        yield k, one


def _logarithmic(axes: Axes, which: Literal["x", "y"]) -> None:
    """A logarithmic axis; the heights, which span less than a decade or two, have more ticks."""
    axes.set(**{f"{which}scale": "log"})
    axis = axes.xaxis if which == "x" else axes.yaxis
    if which == "y":
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def draw(data: Data, caption: str) -> Figure:
    """Late regret, cost of a step and regret against seconds above; each method alone below."""
    count = len(learners(data))
    columns = max(1, math.ceil(count / 2))
    figure = new_figure(12.5, 8.6)
    with look():
        above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=(1.15, 1))[:, 0]
        dots, cost, seconds = above.subplots(1, 3, width_ratios=(1, 0.45, 1.3))
        regret_dots(dots, data)
        cost_dots(cost, data)
        against_seconds(seconds, data)
        each_alone(
            below.subplots(2, columns, sharex=True, sharey=True, squeeze=False).ravel(), data
        )
        below.supxlabel("time step t", fontsize=9)
        below.supylabel("normalized regret", fontsize=9)
        caption += ". Grey lines: the other methods"
        if (runs := data["late_regret"].shape[1]) >= FEWEST_FOR_A_BAND:
            caption += runs_note(runs)
        footer(figure, caption + ". Times: measured once, on one machine")
    return figure


def draw_dots(data: Data, caption: str) -> Figure:
    """Late regret alone."""
    return row(lambda axes, data: regret_dots(axes[0], data), data, caption, size=(7, 5), columns=1)


ORDERS = (
    ("neural_ucb", "epsilon_0_1", "NeuralUCB is ahead of neural ε-greedy (Zhou et al. 2020)"),
    ("epsilon_0_1", "linucb", "Neural ε-greedy is ahead of LinUCB (Zhou et al. 2020)"),
    ("neural_thompson", "neural_ucb", "NeuralTS is ahead of NeuralUCB (Zhang et al. 2021)"),
    ("neural_linear", "dropout", "Neural-linear is ahead of dropout (Riquelme et al. 2018)"),
)
"""Published orders: the first is said to lose less than the second."""


def read(data: Data) -> list[Reading]:
    """Whether each learner loses less than Deep at the end, and the published orders.

    Nothing is read from one run, which has no interval: so many rows would decide nothing.
    """
    if data["late_regret"].shape[1] < 2:
        return []
    names = [str(name) for name in data["methods"]]
    label = dict(zip(names, map(str, data["labels"]), strict=True))
    orders = [
        (name, DEEP, "Another way to explore loses less than Deep's")
        for name in names
        if name not in (DEEP, "optimal", "random")
    ]
    case, readings = f"σ = {float(data['noise']):g}", []
    for first, second, claim in (*orders, *ORDERS):
        if first in names and second in names:
            less, more = (data["late_regret"][names.index(name)] for name in (first, second))
            what = f"{label[second]} − {label[first]}, late regret"
            gain = paired_difference(more, less)
            readings.append(Reading(claim, case, what, gain, len(less), 0, math.inf))
    return readings
