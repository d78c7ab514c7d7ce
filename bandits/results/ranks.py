"""The methods over several tasks: regret with intervals, ranks, and whether ranks tell them apart.

After Demšar (2006), "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7: each
task ranks the methods by mean regret, the test of Friedman with the statistic of Iman and Davenport
asks whether all are alike, and that of Nemenyi which two are not.
"""

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from bandits.experiments import Experiment, Scale
from bandits.results.data import Data, Own, Runs, names_of, quarter
from bandits.results.marks import row
from bandits.results.statistics import interval, mean_interval

NOT_RANKED = ("optimal", "random")
"""They are limits, not learners."""

LEVEL = 0.05
DIGITS = 12
"""Decimals to which regrets are rounded before they are ranked, so that equal ones are ties."""


@dataclass(frozen=True)
class Ranking:
    """The ranks of k methods over N tasks.

    Attributes:
        ranks: (N, k), 1 for the least regret; equal regrets share the mean of their ranks.
        mean: (k,), over tasks.
        statistic, p_value: of Iman and Davenport, on the hypothesis that all methods are alike.
        critical: the least difference of two mean ranks that is not chance at LEVEL (Nemenyi).
    """

    ranks: NDArray[np.float64]
    mean: NDArray[np.float64]
    statistic: float
    p_value: float
    critical: float


def ranking(regret: ArrayLike) -> Ranking:
    """The ranks of mean regrets (N, k): N ≥ 2 tasks, k ≥ 2 methods.

    Raises:
        ValueError: for fewer of either.
    """
    values = np.asarray(regret, np.float64)
    if values.ndim != 2 or min(values.shape) < 2:
        raise ValueError(f"ranks need two tasks and two methods at least, not {values.shape}")
    n, k = values.shape
    ranks = stats.rankdata(values.round(DIGITS), axis=1)
    mean = ranks.mean(axis=0)
    statistic = iman_davenport(mean, n)
    p_value = float(stats.f.sf(statistic, k - 1, (k - 1) * (n - 1)))
    return Ranking(ranks, mean, statistic, p_value, critical_difference(n, k))


def iman_davenport(mean_ranks: ArrayLike, tasks: int) -> float:
    """F of the mean ranks (k,) over N tasks, by k − 1 and (k − 1)(N − 1) degrees of freedom.

    Infinite where all tasks rank alike.
    """
    mean, n = np.asarray(mean_ranks, np.float64), tasks
    k = len(mean)
    friedman = 12 * n / (k * (k + 1)) * (float((mean**2).sum()) - k * (k + 1) ** 2 / 4)
    left = n * (k - 1) - friedman
    return (n - 1) * friedman / left if left > 1e-9 else math.inf


def critical_difference(tasks: int, methods: int) -> float:
    """Nemenyi's at LEVEL, for N tasks and k methods."""
    quantile = stats.studentized_range.ppf(1 - LEVEL, methods, math.inf) / math.sqrt(2)
    return float(quantile * math.sqrt(methods * (methods + 1) / (6 * tasks)))


def unbeaten(regret: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Of methods (k, runs), those whose 95 % interval meets that of the least mean, (k,).

    A winner is named only where this holds of one method; with one run, which has no interval, it
    holds of none.
    """
    if regret.shape[1] < 2:
        return np.zeros(len(regret), bool)
    mean, half = mean_interval(regret, axis=1)
    best = mean.argmin()
    held: NDArray[np.bool_] = ~(mean - half > mean[best] + half[best])
    return held


def check(experiment: Experiment, scale: Scale) -> None:
    """Refuse fewer than two tasks or two methods that can be ranked.

    Raises:
        ValueError: naming those there are.
    """
    ranked = [m.name for m in experiment.methods if m.name not in NOT_RANKED]
    if len(experiment.over) < 2 or len(ranked) < 2:
        raise ValueError(
            f"{experiment.name} ranks two methods at least over two tasks at least, not "
            f"{', '.join(ranked) or 'none'} over {len(experiment.over)}"
        )


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """The mean regret per step of each run, (tasks, methods, runs), and of its last quarter."""
    names = [method.name for method in experiment.methods]
    tasks = [part.name for part in experiment.over]
    of = [[runs[f"{task}/{name}"] for name in names] for task in tasks]
    return names_of(experiment) | {
        "tasks": np.array([task.removeprefix("classify_") for task in tasks]),
        "arms": np.array([part.arms for part in experiment.over]),
        "steps": np.array([len(row[0][0]) for row in of]),
        "regret": np.array([[[r.regret.mean() for r in cell] for cell in row] for row in of]),
        "late_regret": np.array(
            [[[r.regret[quarter(len(r), 4)].mean() for r in cell] for cell in row] for row in of]
        ),
    }


def ranked(data: Data) -> tuple[NDArray[np.int64], Ranking]:
    """The places of the methods that are ranked, best mean rank first, and their ranking.

    The ranking's columns are in that order, too.
    """
    kept = np.flatnonzero([str(name) not in NOT_RANKED for name in data["methods"]])
    found = ranking(data["regret"][:, kept].mean(axis=2))
    order = np.argsort(found.mean, kind="stable")
    columns = found.ranks[:, order], found.mean[order]
    return kept[order], Ranking(*columns, found.statistic, found.p_value, found.critical)


def table(data: Data) -> str:
    """Mean regret per step with 95 % intervals, and mean ranks, as Markdown.

    Bold are those methods of a task whose interval meets that of the least mean, if there are
    several runs.
    """
    places, found = ranked(data)
    lines = [
        "| method | " + " | ".join(map(str, data["tasks"])) + " | mean rank |",
        "| --- |" + " ---: |" * (len(data["tasks"]) + 1),
    ]
    bold = [unbeaten(of_task[places]) for of_task in data["regret"]]
    for number, place in enumerate(places):
        cells = [str(interval(of_task[place])) for of_task in data["regret"]]
        cells = [f"**{c}**" if best[number] else c for c, best in zip(cells, bold, strict=True)]
        lines.append(
            f"| {data['labels'][place]} | {' | '.join(cells)} | {found.mean[number]:.1f} |"
        )
    for place in np.setdiff1d(np.arange(len(data["methods"])), places):
        cells = [str(interval(of_task[place])) for of_task in data["regret"]]
        lines.append(f"| {data['labels'][place]} | {' | '.join(cells)} | |")
    return "\n".join(lines)


def _grid(axes: Axes, data: Data) -> None:
    places, found = ranked(data)
    regret = data["regret"][:, places]
    mean, half = mean_interval(regret, axis=2)
    axes.imshow(found.ranks.T, cmap="Blues_r", vmin=-len(places), vmax=len(places), aspect="auto")
    for column, of_task in enumerate(regret):
        for line, best in enumerate(unbeaten(of_task)):
            # Without their last bits, which another CPU may round otherwise.
            of_cell, width = (round(float(x[column, line]), DIGITS) for x in (mean, half))
            text = f"{of_cell:.3f}" + (f"\n± {width:.3f}" if math.isfinite(width) else "")
            axes.text(column, line, text, ha="center", va="center", fontsize=6.5,
                      fontweight="bold" if best else "normal")  # fmt: skip
    heads = zip(data["tasks"], data["arms"], data["steps"], strict=True)
    axes.set_xticks(range(len(regret)), [f"{t}\nK = {k}\nT = {n:,}" for t, k, n in heads])
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(places)), [str(label) for label in data["labels"][places]])
    axes.tick_params(length=0, labelsize=7.5)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    several = regret.shape[2] > 1
    axes.set_xlabel(f"regret per step{', mean over runs ± 95 %' * several}", fontsize=8)


def _mean_ranks(axes: Axes, data: Data) -> None:
    _, found = ranked(data)
    lines = np.arange(len(found.mean))
    alike = found.mean <= found.mean[0] + found.critical
    axes.axvspan(found.mean[0], found.mean[0] + found.critical, color="#E5E5E5", linewidth=0)
    for shown, face in ((alike, "#0072B2"), (~alike, "white")):
        axes.plot(found.mean[shown], lines[shown], "o", color="#0072B2", markerfacecolor=face)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_xlim(0.5, len(lines) + 0.5)
    axes.set_yticks([])
    axes.spines.left.set_visible(False)
    axes.tick_params(labelsize=7.5)
    axes.set_xlabel("mean rank over the tasks", fontsize=8)


def panels(axes: NDArray[np.object_], data: Data) -> None:
    """Two axes: the table of regrets, and the mean ranks beside its rows."""
    _grid(axes[0], data)
    _mean_ranks(axes[1], data)


def draw(data: Data, caption: str) -> Figure:
    """The table of regrets, shaded by rank, and the mean ranks."""
    _, found = ranked(data)
    f = "∞" if math.isinf(found.statistic) else f"{found.statistic:.1f}"
    p = "< 0.001" if found.p_value < 0.001 else f"= {found.p_value:.3f}"
    several = data["regret"].shape[2] > 1
    bold = "Bold: the interval meets that of the least mean. " if several else ""
    caption += (
        f".\n{bold}All alike: F = {f}, p {p}"
        f". Grey: Nemenyi's {found.critical:.1f} ranks from the first, not told apart"
    )
    return row(panels, data, caption, size=(9.0, 5.4), columns=2, ratios=(3.0, 1.0))
