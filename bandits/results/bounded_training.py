"""What a training stage of bounded cost loses against the paper's rule, and what it saves."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bandits.experiments import BOUNDS, Experiment, Method, NetworkSpec, Scale
from bandits.results.data import Data, Own, Runs
from bandits.results.marks import row, run_dots
from bandits.results.plots import runs_note, style
from bandits.results.reward import collect_reward
from bandits.results.statistics import Interval, paired_difference
from bandits.results.verdicts import MARGIN, Reading, place_of

BASES = ("deep", "deep_p1_3", "simple", "simple_p1_3")
"""The methods trained by the paper's rule; with a bound their names end in BATCHESxSIZE."""


def passes(method: Method, actions: np.ndarray, train_every: int, arms: int) -> int:
    """How often a sample passes through a network while a run is trained."""
    stages = range(train_every, len(actions) + 1, train_every)
    counts = (np.bincount(actions[:stage], minlength=arms) for stage in stages)
    return sum(passes_of_a_stage(method, n) for n in counts)


def passes_of_a_stage(method: Method, samples: Iterable[int]) -> int:
    """How often a sample passes through a network in one stage, for the sizes n of all S_j."""
    if not isinstance(method.predictor, NetworkSpec):
        return 0
    training, total = method.predictor.training, 0
    for n in map(int, samples):
        batches = math.ceil(n / training.batch_size)  # of an epoch, all full but the last
        if training.max_batches is None or training.epochs * batches <= training.max_batches:
            total += training.epochs * n
        else:
            epochs, left = divmod(training.max_batches, batches)
            total += epochs * n + left * training.batch_size
    return total


def check(experiment: Experiment, scale: Scale) -> None:
    """Refuse where there is nothing to compare with.

    Raises:
        ValueError: without a method of the paper's rule.
    """
    names = [method.name for method in experiment.methods]
    if not set(names) & set(BASES):
        raise ValueError(
            f"{experiment.name} compares with the paper's rule, which needs a method of "
            f"{', '.join(BASES)}, not {', '.join(names)} alone"
        )


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """Adds to `collect_reward` the `passes` of samples through networks, (methods, runs)."""
    counted = [
        [passes(m, run.actions, experiment.train_every, experiment.arms) for run in runs[m.name]]
        for m in experiment.methods
    ]
    return collect_reward(experiment, runs) | {"passes": np.array(counted)}


def losses(data: Data, base: str) -> list[tuple[str, int, Interval]]:
    """For each bound: its name, the place of the method, and paper − bounded in late reward."""
    late, there = data["late_mean"], {str(name) for name in data["methods"]}
    found = []
    for batches, size in BOUNDS:
        name = f"{base}_{batches}x{size}"
        if {base, name} <= there:
            place = place_of(data, name)
            value = paired_difference(late[place_of(data, base)], late[place])
            found.append((f"{batches} x {size}", place, value))
    return found


def loss_dots(axes: Axes, data: Data, base: str) -> None:
    """Late reward lost with each bound, run by run, with what counts as nothing."""
    reference = data["late_mean"][place_of(data, base)]
    rule = data["passes"][place_of(data, base)].mean()
    names = []
    for x, (name, place, _) in enumerate(losses(data, base)):
        run_dots(axes, x, reference - data["late_mean"][place], style(base)["color"])
        names.append(f"{name}\n{data['passes'][place].mean() / rule:.0%}")
    axes.axhline(0, color="#7F7F7F", linewidth=0.8)
    axes.axhline(MARGIN, color="#D55E00", linewidth=0.8, linestyle=(0, (5, 1.5)))
    axes.set_xticks(range(len(names)), names, fontsize=7)
    axes.set_xlim(-0.5, max(len(names) - 0.5, 0.5))
    axes.set_title(str(data["labels"][place_of(data, base)]), fontsize=9)


def bases_in(data: Data) -> list[str]:
    """The methods trained by the paper's rule that the figure has."""
    return [base for base in BASES if base in data["methods"]]


def panels(axes: Sequence[Axes], data: Data) -> None:
    """One panel for each method that was bounded."""
    for panel, base in zip(axes, bases_in(data), strict=True):
        loss_dots(panel, data, base)
    limits = [panel.get_ylim() for panel in axes]
    for panel in axes:  # one scale, so that the panels can be compared
        panel.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
    axes[0].set_ylabel("late reward: paper's rule − bounded")


def draw(data: Data, caption: str) -> Figure:
    """What each bound loses, and the share of the passes that it needs."""
    caption += runs_note(data["late_mean"].shape[1])
    caption += ". Below each bound (batches x samples): its share of the passes. Dashed: our margin"
    columns = len(bases_in(data))
    return row(panels, data, caption, size=(2.0 + 2.4 * columns, 3.6), columns=columns)


def read(data: Data) -> list[Reading]:
    """Which bounds lose nothing: the whole interval below the margin."""
    runs = data["late_mean"].shape[1]
    return [
        Reading(
            "A bounded stage is not worse than the paper's rule",
            "bounded_training",
            f"{data['labels'][place_of(data, base)]}, late reward, paper's rule − {name}",
            value,
            runs,
            -np.inf,
            MARGIN,
        )
        for base in bases_in(data)
        for name, _, value in losses(data, base)
    ]
