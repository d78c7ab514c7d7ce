"""One arm's network outside the bandit: trained to name the digit of the first of five images."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits.architecture import SIMPLE, Architecture, Training
from bandits.engine.threads import one_thread
from bandits.environments import MnistBandit
from bandits.experiments import RESULTS_VERSION, TUNING_SEED
from bandits.history import History
from bandits.mnist import Mnist
from bandits.streams import UNSEEN, Stream, seed_sequence

TEST_STATES = 2000


CANDIDATES: dict[str, tuple[str, Architecture]] = {
    "simple": ("one hidden layer (Simple)", SIMPLE),
    "stacked_stride": (
        "stacked, 16-32-64, stride 2",
        Architecture((16, 32, 64), arrangement="stacked", stride=(2, 2, 2), pool=(1, 1, 1)),
    ),
    "stacked_pool": (
        "stacked, 16-32-64, pooling",
        Architecture((16, 32, 64), arrangement="stacked"),
    ),
    "side_stride": (
        "side by side, 8-16-32, stride 2",
        Architecture(stride=(2, 2, 2), pool=(1, 1, 1)),
    ),
    "side_pool": ("side by side, 8-16-32, pooling", Architecture()),
    "side_pool_bare": (
        "side by side, 8-16-32, pooling, no padding",
        Architecture(padding=(0, 0, 0)),
    ),
    "side_fold2": (
        "side by side, folded by 2, 8-16-32, pooling",
        Architecture(fold=2, padding=(0, 0, 1)),
    ),
    "side_fold2_wide": (
        "side by side, folded by 2, 16-16-32, pooling",
        Architecture((16, 16, 32), fold=2, padding=(0, 0, 1)),
    ),
    "side_fold4": (
        "side by side, folded by 4, 16-16-32",
        Architecture((16, 16, 32), fold=4, pool=(1, 2, 1)),
    ),
}


CHOSEN = "side_fold2"


@dataclass(frozen=True)
class Trial:
    """One network trained once."""

    candidate: str
    size: int
    run: int
    epochs: int
    seed: int = TUNING_SEED

    def settings(self, digest: str) -> dict[str, Any]:
        """Everything that decides the result, as plain JSON values."""
        settings = asdict(self) | {"architecture": asdict(CANDIDATES[self.candidate][1])}
        settings |= {"data": digest, "results_version": RESULTS_VERSION}
        plain: dict[str, Any] = json.loads(json.dumps(settings))
        return plain

    def path(self, folder: Path, digest: str) -> Path:
        """One file per trial."""
        text = json.dumps(self.settings(digest), sort_keys=True)
        fingerprint = hashlib.sha256(text.encode()).hexdigest()[:16]
        name = f"{NAME}-{self.candidate}-n{self.size}-run{self.run:02d}-{fingerprint}.npz"
        return folder / name


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


NAME = "architecture_study"
