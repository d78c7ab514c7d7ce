"""Why the networks still err on the arms in use: the same fit outside the bandit, and its variants.

After T steps an arm of the bandit has some T/K samples and has seen T mini-batches. Outside the
bandit one network gets as many of both, on uniform samples. Where it errs as the bandit's networks
do, the way in which the bandit samples is not the cause; what makes it err less, is.
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
from bandits.experiments import DEEP_ARCHITECTURE, Experiment, Scale
from bandits.history import History
from bandits.mnist import Mnist
from bandits.results.data import Data, Own, Runs, quarter
from bandits.results.horizon import causes
from bandits.results.marks import row, run_dots
from bandits.results.plots import PALETTE, runs_note
from bandits.settings import plain
from bandits.streams import UNSEEN, Stream, seed_sequence

if TYPE_CHECKING:
    from bandits.networks import Networks

STATES = 5000
BLOCK = 200


@dataclass(frozen=True)
class Variant:
    """How a network is fitted: samples as a multiple of T/K, its learning rate and its layers."""

    label: str
    samples: float = 1.0
    decay: Literal["constant", "linear"] = "constant"
    architecture: Architecture = DEEP_ARCHITECTURE


VARIANTS = {
    "same": Variant("as in the bandit"),
    "decay": Variant("learning rate falls to 0", decay="linear"),
    "wide": Variant("twice the channels", architecture=Architecture((16, 32, 64), fold=2,
                                                                    padding=(0, 0, 1))),
    "quarter": Variant("a quarter of the samples", samples=0.25),
    "fourfold": Variant("four times the samples", samples=4.0),
}  # fmt: skip


@dataclass(frozen=True)
class Fit:
    """One network fitted once, as long as an arm's in T steps of the bandit."""

    variant: str
    steps: int
    arms: int
    run: int
    seed: int

    def samples(self) -> int:
        """How many uniform samples it is fitted to."""
        return max(1, round(VARIANTS[self.variant].samples * self.steps / self.arms))

    def training(self) -> Training:
        """T mini-batches in one go: K arms share T steps, each with T / 20 stages of 20 of them."""
        per_epoch = math.ceil(self.samples() / Training().batch_size)
        return Training(
            epochs=math.ceil(self.steps / per_epoch),
            decay=VARIANTS[self.variant].decay,
            max_batches=self.steps,
        )

    def task(self) -> Task:
        """The fit as a part of the figure."""
        how = {"architecture": plain(VARIANTS[self.variant].architecture)}
        how |= {"training": plain(self.training()), "samples": self.samples(), "states": STATES}
        return Task(
            f"error_causes-{self.variant}-run{self.run:02d}",
            plain(self) | how,
            partial(_measure, self),
            partial(check_finite, names=("error", "regret")),
            networks=True,
        )


def tasks(experiment: Experiment, scale: Scale) -> list[Task]:
    """Every variant, as often as there are runs."""
    return [
        Fit(variant, scale.steps, experiment.arms, run, experiment.seed).task()
        for run in range(scale.runs)
        for variant in VARIANTS
    ]


def _measure(fit: Fit, mnist: Mnist, run: None) -> Arrays:
    error, regret = measured(fit, mnist)
    return {"error": np.array(error), "regret": np.array(regret)}


def measured(fit: Fit, mnist: Mnist) -> tuple[float, float]:
    """Squared error of a fitted network in fresh states, and the regret per step of K like it.

    The network learns the digit of the first image. Arm j's prediction is what it says when image j
    and the first one change places, so that the K arms share their weights, which the bandit's do
    not.
    """
    from bandits.networks import Networks

    bandit = MnistBandit(mnist, fit.arms)
    table = bandit.rounds(fit.seed, fit.run, fit.samples())
    history = History(recall=lambda t: table.contexts(t - 1))
    for start in range(0, fit.samples(), BLOCK):
        block = slice(start, min(start + BLOCK, fit.samples()))
        t = np.arange(block.start, block.stop) + 1
        rewards = table.means[block, 0].astype(np.float32)
        history.append(table.contexts(block), np.zeros(len(t), dtype=np.int64), rewards, t)
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
        predicted = np.concatenate([by_arm(network, fresh, slice(i, i + BLOCK), fit.arms)
                                    for i in range(0, STATES, BLOCK)])  # fmt: skip
    lost = fresh.means.max(axis=1) - fresh.means[np.arange(STATES), predicted.argmax(axis=1)]
    return float(np.mean((predicted[:, 0] - fresh.means[:, 0]) ** 2)), float(lost.mean())


def by_arm(network: "Networks", table: Rounds, block: slice, arms: int) -> NDArray[np.float32]:
    """What one network says of each arm's image in some states, (n, K)."""
    images = table.contexts(block).reshape(-1, arms, table.context_size // arms)
    predicted = []
    for arm in range(arms):
        order = np.arange(arms)
        order[[0, arm]] = arm, 0
        swapped = images[:, order].reshape(len(images), -1)
        predicted.append(network.predict(np.ascontiguousarray(swapped))[:, 0])
    return np.stack(predicted, axis=1)


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """What the bandit's networks and each fit outside lose and err.

    Returns:
        `variants` and `fit_labels` (variants,); `error`, `regret` (variants, runs), from the fits;
        `samples` (variants,); `bandit_regret` (runs,), what Deep loses per step on the greedy steps
        of its last quarter beyond what its unused arms cost (the third of `horizon.CAUSES`).
    """
    (bandit,) = runs.values()
    names = list(VARIANTS)
    error, regret = np.zeros((2, len(names), len(bandit)))
    samples = np.zeros(len(names), dtype=np.int64)
    for task, arrays in own:
        k, run = names.index(task.decides["variant"]), task.decides["run"]
        error[k, run], regret[k, run] = arrays["error"], arrays["regret"]
        samples[k] = task.decides["samples"]
    late = quarter(len(bandit[0]), 4)
    edges = np.array([late.start, late.stop])
    return {
        "variants": np.array(names),
        "fit_labels": np.array([variant.label for variant in VARIANTS.values()]),
        "samples": samples,
        "error": error,
        "regret": regret,
        "bandit_regret": np.array([causes(r, edges, experiment.arms)[2, 0] for r in bandit]),
    }


def panels(axes: Sequence[Axes], data: Data) -> None:
    """Regret per step and squared error of each variant, and of the bandit's own networks."""
    every = [("in the bandit", data["bandit_regret"], None)]
    every += list(zip(data["fit_labels"], data["regret"], data["error"], strict=True))
    for k, (_, regret, error) in enumerate(every):
        color = PALETTE[k % len(PALETTE)]
        run_dots(axes[0], k, regret, color)
        if error is not None:
            run_dots(axes[1], k, error, color)
    for part, told in zip(axes, ("regret per step", "squared error"), strict=True):
        labels = [str(label) for label, _, _ in every]
        part.set_xticks(range(len(every)), labels, rotation=30, ha="right", fontsize=8)
        part.set_xlim(-0.5, len(every) - 0.5)
        part.set_ylim(0, None)
        part.set_ylabel(f"{told} in fresh states")


def draw(data: Data, caption: str) -> Figure:
    """What the networks lose in the bandit, and outside it with one thing changed at a time."""
    caption += runs_note(data["regret"].shape[1])
    return row(panels, data, caption, size=(9.6, 4.2), columns=2)
