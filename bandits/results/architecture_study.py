"""The architecture study: what one arm's network can learn from n samples, and at what cost.

Outside the bandit, one network is trained to name the digit of the first of five images, which is
what arm 1 must learn. It is run on tuning seeds that no reported figure uses, and the choice that
it led to is frozen in `bandits.experiments`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from numpy.typing import NDArray

from bandits.engine import cpu
from bandits.engine.files import set_aside
from bandits.engine.npz import StoreError, read_arrays, write_arrays
from bandits.environments import MnistBandit
from bandits.mnist import Mnist
from bandits.results.data import Data
from bandits.results.plots import PALETTE, footer, look, new_figure
from bandits.results.supervised import CANDIDATES, CHOSEN, Trial, held_out_error, megaflops


@dataclass(frozen=True)
class StudyScale:
    """How large the study is: sample sizes, independent runs, and passes over the sample."""

    sizes: tuple[int, ...]
    runs: int
    epochs: int


STUDY_SCALES: dict[str, StudyScale] = {
    "glance": StudyScale((200,), 1, 16),
    "quick": StudyScale((200, 800), 2, 32),
    "paper": StudyScale((200, 800), 3, 64),
}


def trials(scale: StudyScale) -> Iterator[Trial]:
    """Every trial of a scale."""
    for run in range(scale.runs):
        for candidate in CANDIDATES:
            for size in scale.sizes:
                yield Trial(candidate, size, run, scale.epochs)


def run_study(
    scale: StudyScale, mnist: Mnist, folder: Path, *, say: Callable[[str], None] = print
) -> dict[str, NDArray[Any]]:
    """Do the trials that are missing in `folder`, and return the figure's data.

    A file that is proved damaged is named, set aside and made again.

    Returns:
        `error` (candidates, sizes, runs), `megaflops` (candidates,), `sizes`, `chosen`, and the
        candidates' names and labels.

    Raises:
        Unreadable: before any work, if a trial's file is there but cannot be read now.
    """
    errors = np.zeros((len(CANDIDATES), len(scale.sizes), scale.runs))
    stored = {trial: _stored(trial, mnist, folder, say) for trial in trials(scale)}
    for trial, error in stored.items():
        if error is None:
            error = held_out_error(trial, mnist)
            about = {"settings": trial.settings(mnist.digest), "cpu": cpu.features(torch=True)}
            write_arrays(trial.path(folder, mnist.digest), {"error": np.array(error)}, about)
        place = list(CANDIDATES).index(trial.candidate), scale.sizes.index(trial.size), trial.run
        errors[place] = error
    five = MnistBandit(mnist).context_size
    return {
        "candidates": np.array(list(CANDIDATES)),
        "labels": np.array([label for label, _ in CANDIDATES.values()]),
        "sizes": np.array(scale.sizes),
        "error": errors,
        "megaflops": np.array([megaflops(a, five) for _, a in CANDIDATES.values()]),
        "chosen": np.array(CHOSEN),
    }


def _stored(trial: Trial, mnist: Mnist, folder: Path, say: Callable[[str], None]) -> float | None:
    path = trial.path(folder, mnist.digest)
    try:
        arrays, about = read_arrays(path)
        if about.get("settings") != trial.settings(mnist.digest) or "error" not in arrays:
            raise StoreError("it was made with other settings than its name says")
        error = arrays["error"]
        if error.dtype != np.float64 or error.shape != () or not 0 <= error < np.inf:
            raise StoreError(f"its error is no finite number >= 0 ({error})")
        return float(error)
    except FileNotFoundError:
        return None
    except StoreError as reason:
        say(f"{path.name} cannot be used: {reason}; set aside as {set_aside(path).name}")
        return None


def study_figure(data: Data, caption: str) -> Figure:
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
