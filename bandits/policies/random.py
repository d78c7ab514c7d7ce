"""Algorithm 2: every action uniform."""

import numpy as np
from numpy.typing import NDArray

from bandits.checks import whole
from bandits.environments import Draws
from bandits.policies.choice import Choice


class Random:
    """Algorithm 2: every action uniform, whatever was seen."""

    def __init__(self, arms: int) -> None:
        self.arms = whole("arms (K)", arms, 1)

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """D_t = ρ."""
        n = len(draws.rho)
        return Choice(draws.rho, np.full(n, 1 / self.arms), np.ones(n, dtype=bool))

    def record(
        self, contexts: NDArray[np.float32], choice: Choice, rewards: NDArray[np.float32]
    ) -> None:
        """Nothing to keep."""

    def train(self) -> None:
        """Nothing to learn."""


POLICY = Random
SOURCE = "the paper, Algorithm 2"
