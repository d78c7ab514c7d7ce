"""Algorithm 3: the oracle."""

import numpy as np
from numpy.typing import NDArray

from bandits.environments import Draws
from bandits.policies.choice import Choice


class Optimal:
    """Algorithm 3: an oracle names the best arm, the lowest-numbered one among equals.

    Args:
        means: (T, K), the table that the oracle reads.
    """

    def __init__(self, means: NDArray[np.float64]) -> None:
        self.best = means.argmax(axis=1)

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """D_t = oracle(t)."""
        return Choice(self.best[t - 1], np.ones(len(t)))

    def record(
        self, contexts: NDArray[np.float32], choice: Choice, rewards: NDArray[np.float32]
    ) -> None:
        """Nothing to keep."""

    def train(self) -> None:
        """Nothing to learn."""


POLICY = Optimal
SOURCE = "the paper, Algorithm 3"
