"""Training on the random steps only, as the proof needs, against training on all steps."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bandits.experiments import Experiment
from bandits.results.data import Data, Own, Runs
from bandits.results.marks import row, run_dots
from bandits.results.plots import runs_note, style
from bandits.results.reward import collect_reward, reward_curves
from bandits.results.statistics import paired_difference
from bandits.results.verdicts import Reading


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """Rewards, and how many steps each method trained on in its last stage.

    Adds to `collect_reward`: `trained` (methods, runs); `p` (methods,); `all_steps` (methods,).
    """
    data = collect_reward(experiment, runs)
    every = experiment.train_every
    trained = [
        [
            int((r.explored | (m.train_on == "all"))[: len(r) // every * every].sum())
            for r in runs[m.name]
        ]
        for m in experiment.methods
    ]
    return data | {
        "trained": np.array(trained),
        "p": np.array([m.p for m in experiment.methods], dtype=np.float64),
        "all_steps": np.array([m.train_on == "all" for m in experiment.methods]),
    }


def pairs(data: Data) -> list[tuple[int, int]]:
    """Places of the methods that train on (all steps, random steps only) with the same p."""
    every, p = data["all_steps"], data["p"]
    places = range(len(p))
    return [(a, b) for a in places for b in places if every[a] and not every[b] and p[a] == p[b]]


def difference_dots(axes: Axes, data: Data) -> None:
    """What training on all steps gains in the last quarter, run by run, with its interval."""
    names = []
    for x, (a, b) in enumerate(pairs(data)):
        gain = data["late_mean"][a] - data["late_mean"][b]
        color = style(str(data["methods"][a]), a)["color"]
        run_dots(axes, x, gain, color)
        label = str(data["labels"][a]).split(",")[0]
        counts = [f"{data['trained'][k].mean():,.0f}" for k in (a, b)]
        names.append(f"{label}\n{counts[0]} against\n{counts[1]} samples")
    axes.axhline(0, color="#7F7F7F", linewidth=0.8)
    axes.set_xticks(range(len(names)), names, fontsize=8)
    axes.set_xlim(-0.5, max(len(names) - 0.5, 0.5))
    axes.set_ylabel("all steps − random steps, last quarter")


def panels(axes: Sequence[Axes], data: Data) -> None:
    """Two axes: rewards of both ways to train, and their paired differences."""
    reward_curves(axes[0], data)
    difference_dots(axes[1], data)


def draw(data: Data, caption: str) -> Figure:
    """Rewards of both ways to train, and their paired differences."""
    caption += runs_note(data["late_mean"].shape[1])
    return row(panels, data, caption, size=(9.6, 3.6), columns=2, ratios=(1.5, 1))


def read(data: Data) -> list[Reading]:
    """The algorithm learns from its greedy steps too; the proof does not count on it."""
    runs = data["late_mean"].shape[1]
    readings = []
    for a, b in pairs(data):
        gain = paired_difference(data["late_mean"][a], data["late_mean"][b])
        what = f"{str(data['labels'][a]).split(',')[0]}: all steps − random steps, late reward"
        claim = "Training on all steps earns more than on random steps only"
        readings.append(Reading(claim, "random_branch_only", what, gain, runs, 0, math.inf))
    return readings
