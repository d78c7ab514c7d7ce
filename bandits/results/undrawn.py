"""Arms that no random step has drawn: when they are taken, and what is predicted of them."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator
from numpy.typing import NDArray

from bandits.engine.task import Arrays, Task, check_finite
from bandits.experiments import Experiment, NetworkSpec, RunSpec, Scale, build_policy, environment
from bandits.mnist import Mnist
from bandits.policies import EpsilonGreedy
from bandits.results.data import Data, Own, Runs, arm_counts, each_run, names_of
from bandits.results.horizon import first_taken
from bandits.results.marks import row
from bandits.results.plots import PALETTE
from bandits.simulate import Trajectory, blocks

NAMES = ("untrained_low", "untrained_high", "untrained_at")
BLOCK = 500


def check(experiment: Experiment, scale: Scale) -> None:
    """Refuse methods without random steps or networks.

    Raises:
        ValueError: naming the first of them.
    """
    for method in experiment.methods:
        if method.p is None or not isinstance(method.predictor, NetworkSpec):
            raise ValueError(
                f"{experiment.name} asks what untrained networks predict before a random step "
                f"draws their arm; {method.name} has no networks, or no random steps"
            )


def tasks(experiment: Experiment, scale: Scale) -> list[Task]:
    """What each run's networks predict before any training, in the states of the run."""
    return [
        Task(
            f"untrained-{spec.method.name}-run{spec.run:02d}",
            {"what": "untrained"},
            partial(_untrained, spec),
            partial(check_finite, names=NAMES),
            run=spec,
            networks=True,
        )
        for spec in experiment.specs(scale)
    ]


def untrained(spec: RunSpec, mnist: Mnist) -> NDArray[np.float64]:
    """What the run's initial networks predict of every arm in each of its states, (steps, K)."""
    rounds = environment(spec, mnist).rounds(spec.seed, spec.run, spec.steps)
    policy = build_policy(spec, rounds)
    if not isinstance(policy, EpsilonGreedy):
        raise ValueError(f"{spec.method.name} is no ε-greedy policy, and predicts nothing")
    parts = [policy.predictor.predict(rounds.contexts(b)) for b in blocks(spec.steps, BLOCK)]
    return np.concatenate(parts).astype(np.float64)


def _untrained(spec: RunSpec, mnist: Mnist, run: Trajectory) -> Arrays:
    predicted = untrained(spec, mnist)
    _, taken = first_taken(run, spec.arms)
    at = [predicted[t - 1, arm] if t else 0.0 for arm, t in enumerate(taken)]
    low, high = predicted.min(axis=0), predicted.max(axis=0)
    return dict(zip(NAMES, (low, high, np.array(at)), strict=True))


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """When each arm was first drawn at random and first taken, and what was predicted of it.

    Returns:
        `first_drawn`, `first_taken` (methods, runs, K), 0 for never; `arm_counts` likewise;
        `first_paid` likewise, the mean reward of the arm when it was first taken, NaN for never;
        `untrained_low`, `untrained_high`: the smallest and largest prediction of the arm's initial
        network over the run's states, and `untrained_at` that at its first taking, NaN for never;
        `steps` and `train_every` ().
    """
    played = [runs[method.name] for method in experiment.methods]
    firsts = each_run(experiment, runs, lambda run: first_taken(run, experiment.arms))
    drawn, taken = firsts[:, :, 0], firsts[:, :, 1]
    paid = [[r.means[t - 1] for r, t in zip(*both, strict=True)]
            for both in zip(played, taken, strict=True)]  # fmt: skip
    # Tasks come run by run, and in each the methods in their order.
    shape = (taken.shape[1], taken.shape[0], taken.shape[2])
    asked = {
        name: np.array([arrays[name] for _, arrays in own]).reshape(shape).swapaxes(0, 1)
        for name in NAMES
    }
    return asked | {
        "untrained_at": np.where(taken > 0, asked["untrained_at"], np.nan),
        "steps": np.array(len(played[0][0])),
        "train_every": np.array(experiment.train_every),
        **names_of(experiment),
        "first_drawn": drawn,
        "first_taken": taken,
        "first_paid": np.where(taken > 0, paid, np.nan),
        "arm_counts": arm_counts(experiment, runs),
    }


def first_steps(axes: Axes, data: Data, method: int) -> None:
    """When each arm of each run was first taken, against when a random step first drew it."""
    never = 3 * int(data["steps"])
    drawn, taken = (
        np.where(times > 0, times, never).astype(np.float64)
        for times in (data["first_drawn"][method].ravel(), data["first_taken"][method].ravel())
    )
    before = taken < drawn
    axes.plot((1, never), (1, never), color="#7F7F7F", linewidth=0.8)
    axes.axhspan(1, int(data["train_every"]), color="#000000", alpha=0.05, linewidth=0)
    for which, color, marker, label in (
        (~before, PALETTE[0], "o", "a random step came first, or neither came"),
        (before, PALETTE[1], "D", "taken greedily, before any random step drew it"),
    ):
        axes.plot(drawn[which], taken[which], marker, color=color, markersize=4.5, alpha=0.6,
                  markeredgewidth=0, label=f"{label}: {which.sum()} arms")  # fmt: skip
    ticks = [x for x in (1, 10, 100, 1000, 10_000, 100_000) if x <= data["steps"]]
    named = [*(f"{x:,}" for x in ticks), "never"]
    axes.set(xscale="log", yscale="log")
    for side in (axes.xaxis, axes.yaxis):
        side.set_major_locator(FixedLocator([*ticks, never]))
        side.set_minor_locator(NullLocator())
        side.set_major_formatter(FixedFormatter(named))
    axes.set(xlabel="first drawn by a random step, t", ylabel="first taken, t")
    axes.legend(frameon=False, fontsize=7.5, loc="upper left", bbox_to_anchor=(0, 1.17))


def panels(axes: Sequence[Axes], data: Data) -> None:
    """One panel for each method."""
    for method, panel in enumerate(axes):
        first_steps(panel, data, method)


def draw(data: Data, caption: str) -> Figure:
    """First taken against first drawn, for each arm of each run."""
    runs, *source = caption.split(". Data: ")
    runs += f", {data['first_taken'][0].size} arms"
    caption = ". Data: ".join([runs, *source]) + ". Shaded: before the first training stage"
    columns = len(data["methods"])
    return row(panels, data, caption, size=(0.4 + 4.8 * columns, 4.2), columns=columns)
