"""Why Linear does badly: ties, no exploration, or the peak of least squares near its rank."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from bandits.engine.task import Task
from bandits.experiments import Experiment, Scale
from bandits.results import interpolation
from bandits.results.data import Data, Own, Runs
from bandits.results.marks import levels, mean_line, row
from bandits.results.plots import PALETTE, runs_note, style
from bandits.results.reward import collect_reward, reward_curves
from bandits.results.statistics import paired_difference
from bandits.results.verdicts import MARGIN, Reading, place_of

REPEATS = 3
BEYOND = 2.5
"""The samples per arm go up to this many times the steps of a run, past the rank at 2,000."""


def tasks(experiment: Experiment, scale: Scale) -> list[Task]:
    """What least squares makes of n samples per arm, each repeat by itself."""
    sizes = tuple(n for n in interpolation.SIZES if n <= BEYOND * scale.steps)
    return [
        interpolation.task(
            experiment.seed, experiment.arms, sizes or interpolation.SIZES[:1], repeat
        )
        for repeat in range(min(REPEATS, scale.runs))
    ]


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """Rewards, and what least squares makes of n samples per arm.

    Adds to `collect_reward`: `sizes`, `ridges`, `error`, `greedy` and `rank` of
    `interpolation.study`.
    """
    found = {
        name: np.stack([arrays[name] for _, arrays in own], axis=-1)
        for name in ("error", "greedy", "rank")
    }
    told = {
        "sizes": np.array(own[0][0].decides["sizes"]),
        "ridges": np.array(interpolation.RIDGES),
    }
    return collect_reward(experiment, runs) | told | found


def sample_curves(left: Axes, right: Axes, data: Data) -> None:
    """Error on unseen states and reward of the greedy choice, against samples per arm."""
    sizes = data["sizes"]
    colours = {0: style("linear")["color"], 1: style("linear_ridge")["color"], 100: PALETTE[5]}
    for axes, name in ((left, "error"), (right, "greedy")):
        for k, ridge in enumerate(data["ridges"]):
            label = "least norm (Linear)" if ridge == 0 else f"ridge {ridge:g}"
            mean_line(axes, sizes, data[name][k], colours[ridge], label, log=axes is left)
        axes.set_xlabel("samples per arm n")
        ticks = [n for n in (50, 200, 800, 3600) if n <= sizes[-1]]
        axes.set_xticks(ticks, [f"{n:,}" for n in ticks])
        axes.minorticks_off()
        rank = int(data["rank"].max())
        if sizes[-1] > rank:
            axes.axvline(rank, color="#7F7F7F", linewidth=0.8, linestyle=(0, (2, 2)))
            if axes is left:
                axes.text(rank * 0.97, 0.99, f"rank {rank:,}", fontsize=7, rotation=90, ha="right",
                          va="top", transform=axes.get_xaxis_transform())  # fmt: skip
        if "linear" in data["methods"]:
            taken = np.median(data["arm_counts"][place_of(data, "linear")].max(axis=1))
            axes.axvspan(sizes[0] * 0.9, taken, color="#E5E5E5", zorder=0)
    left.yaxis.set_major_locator(FixedLocator([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]))
    left.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    left.yaxis.set_minor_locator(NullLocator())
    left.set_ylabel("squared error on unseen states")
    left.axhline(8.25, color="#7F7F7F", linewidth=0.8)
    right.set_ylabel("reward of the greedy choice")
    levels(right, data["arm_counts"].shape[2])
    left.legend(frameon=False, fontsize=7.5, loc="upper left")


def panels(axes: Sequence[Axes], data: Data) -> None:
    """Three axes: rewards, then error and greedy reward against samples per arm."""
    reward_curves(axes[0], data)
    sample_curves(axes[1], axes[2], data)


def draw(data: Data, caption: str) -> Figure:
    """Linear and its variants; error and greedy reward against samples per arm."""
    caption += runs_note(data["late_mean"].shape[1])
    if "linear" in data["methods"]:
        caption += ". Grey band: as many samples as Linear's most taken arm has (median run)"
    sizes, rank = data["sizes"], data["rank"].max()
    if sizes[-1] > rank:
        caption += f". Rank {rank:,}: so many of {sizes[-1]:,} states are linearly independent"
    return row(panels, data, caption, size=(11.0, 3.6), columns=3, ratios=(1.25, 1, 1))


def read(data: Data) -> list[Reading]:
    """Each explanation on its own: what does Linear gain when its cause is taken away?"""
    late = {str(name): data["late_mean"][k] for k, name in enumerate(data["methods"])}
    runs = data["late_mean"].shape[1]
    changed = {
        "linear_ties": ("Ties make Linear bad", "random ties"),
        "linear_explore": ("Linear is bad for want of exploration", "exploring"),
        "linear_ridge": ("Interpolation makes Linear bad", "ridge 1"),
        "linear_ridge_explore": ("Interpolation and want of exploration do", "ridge 1, exploring"),
    }
    readings = []
    for name, (claim, words) in changed.items():
        if {name, "linear"} <= set(late):
            gain = paired_difference(late[name], late["linear"])
            what = f"{words} − Linear, late reward"
            readings.append(Reading(claim, "linear_failure", what, gain, runs, MARGIN, math.inf))
    repeats = data["greedy"].shape[2]
    ridges = list(data["ridges"])
    for n in (200, 800, int(data["sizes"][np.abs(data["sizes"] - data["rank"].max()).argmin()])):
        if n in data["sizes"]:
            place = int(np.flatnonzero(data["sizes"] == n)[0])
            lost = paired_difference(
                data["greedy"][ridges.index(100.0), place], data["greedy"][0, place]
            )
            what = f"n = {n:,} per arm: ridge 100 − least norm, reward of the greedy choice"
            claim = "Interpolation costs reward"
            readings.append(Reading(claim, "linear_failure", what, lost, repeats, MARGIN, math.inf))
    return readings
