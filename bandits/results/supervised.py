"""One arm's network outside the bandit: trained to name the digit of the first of five images."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bandits.architecture import Architecture, Training
from bandits.engine.task import Arrays, Task
from bandits.engine.threads import one_thread
from bandits.environments import MnistBandit
from bandits.experiments import TUNING_SEED
from bandits.experiments.study import CANDIDATES, STUDY
from bandits.experiments.study import CHOSEN as CHOSEN
from bandits.history import History
from bandits.mnist import Mnist
from bandits.settings import plain
from bandits.streams import UNSEEN, Stream, seed_sequence

NAME = STUDY.name
TEST_STATES = 2000


@dataclass(frozen=True)
class Trial:
    """One network trained once."""

    candidate: str
    size: int
    run: int
    epochs: int
    seed: int = TUNING_SEED

    def task(self) -> Task:
        """The trial as a part of the figure."""
        decides = plain(self) | {"architecture": plain(CANDIDATES[self.candidate][1])}
        stem = f"{STUDY.name}-{self.candidate}-n{self.size}-run{self.run:02d}"
        return Task(stem, decides, partial(_error, self), check_error, networks=True)


def _error(trial: Trial, mnist: Mnist, run: None) -> Arrays:
    return {"error": np.array(held_out_error(trial, mnist))}


def check_error(arrays: Arrays) -> None:
    """Refuse an error that no network can have.

    Raises:
        ValueError: telling it.
    """
    error = arrays.get("error", np.array("missing"))
    if error.dtype != np.float64 or error.shape != () or not 0 <= error < np.inf:
        raise ValueError(f"its error is no finite number >= 0 ({error})")


def split(mnist: Mnist) -> tuple[Mnist, Mnist]:
    """Images to train on and images to test on, never the same ones.

    The test set where there is one; else every second image of each digit is kept for testing.
    """
    if len(mnist.test_images):
        return mnist, _part(mnist, mnist.test_images, mnist.test_labels)
    order = np.argsort(mnist.labels, kind="stable")
    halves = [_part(mnist, mnist.images[rows], mnist.labels[rows])
              for rows in (order[::2], order[1::2])]  # fmt: skip
    return halves[0], halves[1]


def _part(mnist: Mnist, images: NDArray[np.uint8], labels: NDArray[np.uint8]) -> Mnist:
    return Mnist(images, labels, mnist.source, mnist.description)


def held_out_error(trial: Trial, mnist: Mnist, device: str = "cpu") -> float:
    """Mean squared error on unseen states, for the digit of the first image (variance 8.25)."""
    from bandits.networks import Networks

    with one_thread():
        train, test = split(mnist)
        table = MnistBandit(train).rounds(trial.seed, trial.run, trial.size)
        unseen = MnistBandit(test).rounds(trial.seed, trial.run + UNSEEN, TEST_STATES)
        history = History()
        history.append(
            table.contexts(slice(None)),
            np.zeros(trial.size, dtype=np.int64),
            table.means[:, 0].astype(np.float32),
        )
        network = Networks(
            CANDIDATES[trial.candidate][1],
            table.context_size,
            1,
            training=Training(epochs=trial.epochs),
            weights=seed_sequence(trial.seed, trial.run, Stream.WEIGHTS),
            batches=seed_sequence(trial.seed, trial.run, Stream.BATCHES),
            device=device,
        )
        network.fit(history)
        predicted = np.concatenate(
            [
                network.predict(unseen.contexts(slice(i, i + 200)))[:, 0]
                for i in range(0, TEST_STATES, 200)
            ]
        )
        return float(np.mean((predicted - unseen.means[:, 0]) ** 2))


def megaflops(architecture: Architecture, context_size: int) -> float:
    """Millions of multiplications and additions of one forward pass for one sample."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    from bandits.networks import Network

    network = Network(architecture, context_size, generator=torch.Generator().manual_seed(0))
    counter = FlopCounterMode(display=False)
    with counter, torch.no_grad():
        network(network.arrange(torch.zeros(1, context_size)))
    return float(counter.get_total_flops()) / 1e6
