"""Figs 2 and 3: the normalized reward of every method, and who converges."""

import math
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bandits.experiments import Experiment
from bandits.results.data import (
    Data,
    Runs,
    arm_counts,
    each_run,
    kept_steps,
    names_of,
    quarter,
    quarter_regrets,
)
from bandits.results.plots import (
    EXPECTED_UNIFORM,
    FEWEST_FOR_A_BAND,
    PLATE,
    footer,
    label_ends,
    look,
    new_figure,
    runs_note,
    style,
)
from bandits.results.statistics import Interval, interval, mean_interval, paired_difference
from bandits.results.verdicts import MARGIN, Reading, place_of
from bandits.theory.mnist_facts import expected_best


def collect_reward(experiment: Experiment, runs: Runs) -> Data:
    """Normalized reward of every method: its mean over runs, with a 95 % band.

    `curves`, `mean`, `half_width` and `final_reward` are of the rewards as they were received,
    noise included, as in the paper's figures. `late_mean` and `late_best` (methods, runs) are of
    the means, without noise: what the arms taken, and the best ones, pay per step of the last
    quarter. `best`, of a bandit that is not the paper's only, is the mean of the best arm's means
    over all runs and steps, where the paper's has an exact value.
    """
    read = partial(each_run, experiment, runs)
    steps = len(runs[experiment.methods[0].name][0])
    t = kept_steps(steps)
    curves = read(lambda run: run.normalized_reward[t - 1])
    mean, half = mean_interval(curves, axis=1)
    late = quarter(steps, 4)
    best = np.array(read(lambda run: run.best_means).mean())
    return {
        "t": t,
        **names_of(experiment),
        "curves": curves.astype(np.float32),
        "mean": mean,
        "half_width": half,
        "final_reward": read(lambda run: run.normalized_reward[-1]),
        "late_mean": read(lambda run: run.means[late].mean()),
        "late_best": read(lambda run: run.best_means[late].mean()),
        "arm_counts": arm_counts(experiment, runs),
    } | ({} if experiment.bandit is None else {"best": best})


def collect_reward_by_quarter(experiment: Experiment, runs: Runs) -> Data:
    """What Figs 2 and 3 show, and what is asked about them.

    Adds to `collect_reward`: `quarter_regret` (methods, runs, 4), the mean regret per step in each
    quarter of each run, NaN where a quarter has no step.
    """
    regret = each_run(experiment, runs, quarter_regrets)
    return collect_reward(experiment, runs) | {"quarter_regret": regret}


def reward_curves(axes: Axes, data: Data) -> None:
    """Mean normalized reward of each method with its 95 % band, and the levels that are known."""
    t, paper = data["t"], "best" not in data
    best = float(expected_best(data["arm_counts"].shape[-1]) if paper else data["best"])
    axes.axhline(best, color="#000000", linewidth=0.8)
    if paper:
        axes.axhline(EXPECTED_UNIFORM, color="#7F7F7F", linewidth=0.8)
    ends = []
    for number, (name, label) in enumerate(zip(data["methods"], data["labels"], strict=True)):
        look = style(str(name), number)
        mean, half = data["mean"][number], data["half_width"][number]
        axes.plot(t, mean, **look)
        if data["curves"].shape[1] >= FEWEST_FOR_A_BAND:
            axes.fill_between(
                t, mean - half, mean + half, color=look["color"], alpha=0.16, linewidth=0
            )
        else:
            axes.plot(t, data["curves"][number].T, color=look["color"], linewidth=0.4, alpha=0.7)
        ends.append((float(mean[-1]), str(label), look["color"]))
    axes.set_xlim(0, t[-1])
    lowest = float(np.nanmin(data["mean"][:, len(t) // 10 :]))
    if paper:
        _mark_the_papers_levels(axes, best, t[-1] * 0.99, lowest)
    else:
        highest = max(best, float(np.nanmax(data["mean"][:, len(t) // 10 :])))
        pad = 0.12 * (highest - lowest) or 1.0
        axes.set_ylim(lowest - pad, highest + pad)
        told = f"best arm at each step: {best:.3g}"
        axes.text(t[-1] * 0.99, best, told, ha="right", va="bottom", fontsize=7.5, bbox=PLATE)
    label_ends(axes, ends)
    axes.set_xlabel("time step t")
    axes.set_ylabel("normalized reward (cumulative reward / t)")


def _mark_the_papers_levels(axes: Axes, best: float, right: float, lowest: float) -> None:
    axes.set_ylim(min(3.5, lowest - 0.2), max(8.35, best + 0.55))
    axes.text(
        right, best + 0.12, f"best possible: {best:g}", ha="right", va="bottom",
        fontsize=7.5, bbox=PLATE,
    )  # fmt: skip
    axes.text(
        right, EXPECTED_UNIFORM - 0.15, "uniform choice: 4.5", ha="right", va="top",
        fontsize=7.5, color="#5F5F5F", bbox=PLATE,
    )  # fmt: skip


def reward_figure(data: Data, caption: str) -> Figure:
    """Figs 2 and 3."""
    figure = new_figure(5.4, 3.6)
    with look():
        reward_curves(figure.add_subplot(), data)
        footer(figure, caption + runs_note(data["final_reward"].shape[1]))
    return figure


def late_regret(data: Data, method: str) -> NDArray[np.float64]:
    """Mean regret per step in the last quarter of each run, (runs,), from a reward figure's data.

    Raises:
        ValueError: if the figure has no such method.
    """
    place = place_of(data, method)
    return np.asarray(data["late_best"][place] - data["late_mean"][place], dtype=np.float64)


def quarter_regret(data: Data, method: str, quarter: int) -> NDArray[np.float64]:
    """Mean regret per step in a quarter (1 to 4) of each run, (runs,), from a reward figure's data.

    NaN where a run is too short to have that quarter.

    Raises:
        ValueError: for another quarter, or a method that the figure lacks.
    """
    if quarter not in (1, 2, 3, 4):
        raise ValueError(f"quarter must be 1, 2, 3 or 4, not {quarter}")
    place = place_of(data, method)
    return np.asarray(data["quarter_regret"][place, :, quarter - 1], dtype=np.float64)


def late_table(data: Data) -> str:
    """Each method's reward and regret per step of the last quarter, with intervals, as Markdown."""
    lines = ["| method | late reward [95 %] | late regret [95 %] |", "| --- | ---: | ---: |"]
    for name, label, late in zip(data["methods"], data["labels"], data["late_mean"], strict=True):
        lines.append(f"| {label} | {interval(late)} | {interval(late_regret(data, str(name)))} |")
    return "\n".join(lines)


LABELS = {
    "deep": "Deep",
    "simple": "Simple",
    "linucb": "LinUCB",
    "linear": "Linear",
    "random": "Random",
}


def read_reward(data: Data, case: str) -> list[Reading]:
    """Figs 2 and 3: who converges, and who does no better than chance.

    A figure of some methods only answers what those can.
    """
    there = {str(name) for name in data["methods"]}
    runs = data["late_mean"].shape[1]
    readings: list[Reading] = []

    def add(claim: str, measured: str, value: Interval, low: float, high: float) -> None:
        readings.append(Reading(claim, case, measured, value, runs, low, high))

    def compare(claim: str, one: str, other: str, low: float, high: float) -> None:
        if {one, other} <= there:
            first, second = (data["late_mean"][place_of(data, name)] for name in (one, other))
            what = f"{LABELS[one]} − {LABELS[other]}, late reward"
            add(claim, what, paired_difference(first, second), low, high)

    deep, simple = "Deep converges to the optimal", "Simple Deep does not converge to the optimal"
    for name, claim, late, falls in (
        ("deep", deep, (-math.inf, MARGIN), (0, math.inf)),
        ("simple", simple, (MARGIN, math.inf), (-math.inf, 0)),
    ):
        if name not in there:
            continue
        add(claim, f"late regret of {LABELS[name]}", interval(late_regret(data, name)), *late)
        third, last = (quarter_regret(data, name, quarter) for quarter in (3, 4))
        if np.isfinite(third).all():  # a single step has no third quarter
            what = f"{LABELS[name]}'s regret, third quarter − last"
            add(claim, what, paired_difference(third, last), *falls)
    compare(simple, "deep", "simple", 0, math.inf)
    compare("Deep is better than LinUCB", "deep", "linucb", 0, math.inf)
    for name in ("linucb", "linear"):
        claim = f"{LABELS[name]} does as well as random"
        compare(claim, name, "random", -MARGIN, MARGIN)
    return readings


def read_noise(low_noise: Data, high_noise: Data) -> list[Reading]:
    """Fig. 2 against Fig. 3: their tables are paired, so each run is compared with itself.

    The runs and methods that both have are compared.
    """
    runs = min(low_noise["late_mean"].shape[1], high_noise["late_mean"].shape[1])
    readings = []
    both = set(map(str, low_noise["methods"])) & set(map(str, high_noise["methods"]))
    for name in (name for name in ("deep", "simple", "linucb", "linear") if name in both):
        without, with_noise = (
            data["late_mean"][place_of(data, name), :runs] for data in (low_noise, high_noise)
        )
        readings.append(
            Reading("Noise does not change the picture", "σ = 0 against 1",
                    f"{LABELS[name]}, late reward without noise − with",
                    paired_difference(without, with_noise), runs, -MARGIN, MARGIN)
        )  # fmt: skip
    return readings
