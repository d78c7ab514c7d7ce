"""The architecture study: what one arm's network can learn from n samples, and at what cost.

Outside the bandit, one network is trained to name the digit of the first of five images, which is
what arm 1 must learn. It is run on tuning seeds that no reported figure uses, and the choice that
it led to is frozen in `bandits.experiments`.
"""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from bandits.architecture import SIDE
from bandits.engine.task import Task
from bandits.experiments import Experiment, Scale
from bandits.experiments.study import CANDIDATES, CHOSEN, StudyScale
from bandits.results.data import Data, Own, Runs
from bandits.results.plots import PALETTE, footer, look, new_figure
from bandits.results.supervised import Trial, megaflops


def trials(experiment: Experiment, scale: Scale) -> list[Trial]:
    """Every trial of a scale.

    Raises:
        TypeError: for a scale without sizes.
    """
    if not isinstance(scale, StudyScale):
        raise TypeError(f"the study needs a StudyScale, which has sizes, not {scale!r}")
    return [
        Trial(candidate, size, run, scale.steps, experiment.seed)
        for run in range(scale.runs)
        for candidate in CANDIDATES
        for size in scale.sizes
    ]


def tasks(experiment: Experiment, scale: Scale) -> list[Task]:
    """What is computed: each trial."""
    return [trial.task() for trial in trials(experiment, scale)]


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """The figure's data, from the trials' errors.

    Returns:
        `error` (candidates, sizes, runs), `megaflops` (candidates,), `sizes`, `chosen`, and the
        candidates' names and labels.
    """
    names = list(CANDIDATES)
    sizes = sorted({task.decides["size"] for task, _ in own})
    error = np.zeros((len(names), len(sizes), 1 + max(task.decides["run"] for task, _ in own)))
    for task, arrays in own:
        told = task.decides
        place = names.index(told["candidate"]), sizes.index(told["size"]), told["run"]
        error[place] = arrays["error"]
    return {
        "candidates": np.array(names),
        "labels": np.array([label for label, _ in CANDIDATES.values()]),
        "sizes": np.array(sizes),
        "error": error,
        "megaflops": np.array(
            [megaflops(a, experiment.arms * SIDE**2) for _, a in CANDIDATES.values()]
        ),
        "chosen": np.array(CHOSEN),
    }


def draw(data: Data, caption: str) -> Figure:
    """The architecture study: error on unseen states against cost, for each sample size."""
    sizes, cost = data["sizes"], data["megaflops"]
    labels = [str(label) for label in data["labels"]]
    figure = new_figure(3.1 * len(sizes) + 2.4, 3.6)
    with look():
        for number, axes in enumerate(np.atleast_1d(figure.subplots(1, len(sizes), sharey=True))):
            for k, label in enumerate(labels):
                values = data["error"][k, number]
                chosen = str(data["candidates"][k]) == str(data["chosen"])
                marker = "oooooooosD^vP*X<>d"[8 + k % 10]
                color = PALETTE[k % len(PALETTE)]
                axes.plot(
                    np.full(len(values), cost[k]), values, marker, color=color, markersize=3,
                    alpha=0.5,
                )  # fmt: skip
                axes.plot(
                    cost[k], values.mean(), marker, color=color, markersize=9 if chosen else 6.5,
                    markeredgecolor="black" if chosen else color, markeredgewidth=1.3,
                    label=label + (" (chosen)" if chosen else ""),
                )  # fmt: skip
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(FixedLocator([1, 2, 5]))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
            axes.set_title(f"n = {sizes[number]} samples", fontsize=9)
            axes.set_xlabel("million operations per sample, forward")
            if number == 0:
                axes.set_ylabel("squared error on unseen states")
        handles, names = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside right center", frameon=False, fontsize=7)
        footer(figure, caption)
    return figure
