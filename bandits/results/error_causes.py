"""Why the networks still err on the arms in use: the same fit outside the bandit, and its variants.

After T steps an arm of the bandit has some T/K samples and has seen T mini-batches. Outside the
bandit one network gets as many of both, on uniform samples, or on those that an arm of the bandit
chose. Where it errs as the bandit's networks do, what was changed is not the cause.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bandits.architecture import Architecture, Training
from bandits.engine.task import Arrays, Task, check_finite
from bandits.engine.threads import one_thread
from bandits.environments import MnistBandit, Rounds
from bandits.experiments import DEEP_ARCHITECTURE, Experiment, RunSpec, Scale
from bandits.history import History
from bandits.mnist import Mnist
from bandits.results.data import Data, Own, Runs, quarter
from bandits.results.horizon import causes
from bandits.results.marks import row
from bandits.results.plots import PALETTE
from bandits.settings import plain
from bandits.simulate import Trajectory
from bandits.streams import UNSEEN, Stream, seed_sequence

if TYPE_CHECKING:
    from bandits.networks import Networks

STATES = 5000
BLOCK = 200


@dataclass(frozen=True)
class Variant:
    """How a network is fitted: samples as a multiple of T/K, its learning rate and its layers.

    Without `samples`, to those of the run's arm that was taken most often.
    """

    label: str
    samples: float | None = 1.0
    decay: Literal["constant", "linear"] = "constant"
    architecture: Architecture = DEEP_ARCHITECTURE


VARIANTS = {
    "own": Variant("fitted anew to an arm's own samples", samples=None),
    "same": Variant("as many uniform samples"),
    "decay": Variant("the same, learning rate falls to 0", decay="linear"),
    "wide": Variant("the same, twice the channels", architecture=Architecture((16, 32, 64), fold=2,
                                                                    padding=(0, 0, 1))),
    "quarter": Variant("a quarter as many", samples=0.25),
    "fourfold": Variant("four times as many", samples=4.0),
}  # fmt: skip


@dataclass(frozen=True)
class Fit:
    """One network fitted once, as long as an arm's in T steps of the bandit."""

    variant: str
    steps: int
    arms: int
    run: int
    seed: int

    def samples(self) -> int | None:
        """How many uniform samples it is fitted to; None where the run decides."""
        multiple = VARIANTS[self.variant].samples
        return None if multiple is None else max(1, round(multiple * self.steps / self.arms))

    def training(self) -> Training:
        """T mini-batches in one go: an arm of the bandit has T / 20 stages of 20 of them."""
        per_epoch = math.ceil((self.samples() or 1) / Training().batch_size)
        return Training(
            epochs=math.ceil(self.steps / per_epoch),
            decay=VARIANTS[self.variant].decay,
            max_batches=self.steps,
        )

    def task(self, run: RunSpec) -> Task:
        """The fit as a part of the figure; run is the bandit's, for its own samples."""
        how = {"architecture": plain(VARIANTS[self.variant].architecture)}
        how |= {"training": plain(self.training()), "samples": self.samples(), "states": STATES}
        return Task(
            f"error_causes-{self.variant}-run{self.run:02d}",
            plain(self) | how,
            partial(_measure, self),
            partial(check_finite, names=("error", "regret")),
            run=run if self.samples() is None else None,
            networks=True,
        )


def check(experiment: Experiment, scale: Scale) -> None:
    """Refuse what the fits do not have.

    Raises:
        ValueError: for noise, or several methods.
    """
    if experiment.noise or len(experiment.methods) != 1:
        raise ValueError(
            f"{experiment.name} fits one method's networks without noise, not those of "
            f"{len(experiment.methods)} with σ = {experiment.noise:g}"
        )


def tasks(experiment: Experiment, scale: Scale) -> list[Task]:
    """Every variant, as often as there are runs."""
    return [
        Fit(variant, scale.steps, experiment.arms, spec.run, experiment.seed).task(spec)
        for spec in experiment.specs(scale)
        for variant in VARIANTS
    ]


def _measure(fit: Fit, mnist: Mnist, run: Trajectory | None) -> Arrays:
    error, regret = measured(fit, mnist, run)
    return {"error": np.array(error), "regret": np.array(regret)}


def measured(fit: Fit, mnist: Mnist, run: Trajectory | None = None) -> tuple[float, float]:
    """Squared error of a fitted network in fresh states, and the regret per step of K like it.

    The network learns the digit of one image: the first, or that of the arm whose samples it gets.
    Another arm's prediction is what it says when the two arms' images change places, so that the K
    arms share their weights, which the bandit's do not.
    """
    from bandits.networks import Networks

    bandit = MnistBandit(mnist, fit.arms)
    table = bandit.rounds(fit.seed, fit.run, fit.samples() or fit.steps)
    arm, every = 0, np.arange(table.steps) + 1
    if run is not None:
        arm = int(np.bincount(run.actions).argmax())
        every = np.flatnonzero(run.actions == arm) + 1
    history = History(recall=lambda t: table.contexts(t - 1))
    for t in np.array_split(every, math.ceil(len(every) / BLOCK)):
        rewards = table.means[t - 1, arm].astype(np.float32)
        history.append(table.contexts(t - 1), np.zeros(len(t), dtype=np.int64), rewards, t)
    with one_thread():
        network = Networks(
            VARIANTS[fit.variant].architecture,
            bandit.context_size,
            1,
            training=fit.training(),
            weights=seed_sequence(fit.seed, fit.run, Stream.WEIGHTS),
            batches=seed_sequence(fit.seed, fit.run, Stream.BATCHES),
        )
        network.fit(history)
        fresh = bandit.rounds(fit.seed, fit.run + UNSEEN, STATES)
        predicted = np.concatenate([by_arm(network, fresh, slice(i, i + BLOCK), arm)
                                    for i in range(0, STATES, BLOCK)])  # fmt: skip
    lost = fresh.means.max(axis=1) - fresh.means[np.arange(STATES), predicted.argmax(axis=1)]
    return float(np.mean((predicted - fresh.means)[:, arm] ** 2)), float(lost.mean())


def by_arm(network: "Networks", table: Rounds, block: slice, home: int) -> NDArray[np.float32]:
    """What a network that reads image `home` says of each arm's image in some states, (n, K)."""
    images = table.contexts(block).reshape(-1, table.arms, table.context_size // table.arms)
    predicted = []
    for arm in range(table.arms):
        order = np.arange(table.arms)
        order[[home, arm]] = arm, home
        swapped = images[:, order].reshape(len(images), -1)
        predicted.append(network.predict(np.ascontiguousarray(swapped))[:, 0])
    return np.stack(predicted, axis=1)


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """What the bandit's networks and each fit outside lose and err.

    Returns:
        `methods` (1,); `variants` and `fit_labels` (variants,); `error`, `regret` (variants, runs),
        from the fits; `samples` (variants,), of the last run; `bandit_regret` (runs,), what Deep
        loses per step on the greedy steps of its last quarter beyond what its unused arms cost (the
        third of `horizon.CAUSES`).
    """
    (bandit,) = runs.values()
    names = list(VARIANTS)
    error, regret = np.zeros((2, len(names), len(bandit)))
    samples = np.zeros(len(names), dtype=np.int64)
    for task, arrays in own:
        k, run = names.index(task.decides["variant"]), task.decides["run"]
        error[k, run], regret[k, run] = arrays["error"], arrays["regret"]
        samples[k] = task.decides["samples"] or np.bincount(bandit[run].actions).max()
    late = quarter(len(bandit[0]), 4)
    edges = np.array([late.start, late.stop])
    return {
        "methods": np.array([method.name for method in experiment.methods]),
        "variants": np.array(names),
        "fit_labels": np.array([variant.label for variant in VARIANTS.values()]),
        "samples": samples,
        "error": error,
        "regret": regret,
        "bandit_regret": np.array([causes(r, edges, experiment.arms)[2, 0] for r in bandit]),
    }


def panels(axes: Sequence[Axes], data: Data) -> None:
    """Regret per step and squared error of each variant, and of the bandit's own networks.

    A small dot for a run, a large one for the mean.
    """
    labels = ["in the bandit", *map(str, data["fit_labels"])]
    regret = [data["bandit_regret"], *data["regret"]]
    error = [np.full_like(data["bandit_regret"], np.nan), *data["error"]]
    for panel, values, told in zip(
        axes, (regret, error), ("regret per step", "squared error"), strict=True
    ):
        for k, found in enumerate(values):
            color = PALETTE[k % len(PALETTE)]
            panel.plot(found, np.full(len(found), k), "o", color=color, markersize=3.5, alpha=0.5)
            panel.plot(found.mean(), k, "o", color=color, markersize=8)
        panel.set_yticks(range(len(labels)), labels if panel is axes[0] else [""] * len(labels))
        panel.set_ylim(len(labels) - 0.5, -0.5)
        panel.set_xlim(0, None)
        panel.set_xlabel(told)


def draw(data: Data, caption: str) -> Figure:
    """What the networks lose in the bandit, and outside it with one thing changed at a time."""
    return row(panels, data, caption, size=(9.6, 3.6), columns=2)
