"""The bandit and the predictor that attain the bound, for the loop to play (`theory.attaining`).

They show that no analysis can improve the exponent 1/3: the exact regret is known at every t.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bandits.checks import finite, whole
from bandits.environments import Rounds, draw_exploration
from bandits.history import History
from bandits.predictors import _FunctionOfHistory
from bandits.streams import Stream, generator

LIMB = 21
"""Bits of the state's number in each coordinate: float32 holds whole numbers up to 24 bits."""


@dataclass(frozen=True)
class AttainingBandit:
    """Two arms that pay 1/2 and 1 in every one of infinitely many states.

    The state is k with probability p_k ∝ k^(−1/(1−a)), and its context the three 21-bit limbs of
    k, lowest first: m = 3.

    Attributes:
        risk: a, strictly between 0.05 and 0.95. The squared risk falls as n^(−a).

    Raises:
        ValueError: for another risk.
    """

    risk: float = 0.5

    def __post_init__(self) -> None:
        if not 0.05 < finite("risk (a)", self.risk) < 0.95:
            raise ValueError(f"risk (a) must lie between 0.05 and 0.95, not {self.risk!r}")

    @property
    def arms(self) -> int:
        """K = 2."""
        return 2

    @property
    def context_size(self) -> int:
        """m = 3."""
        return 3

    def rounds(self, seed: int, run: int, steps: int) -> Rounds:
        """Draw run number `run` under `seed`, T = steps ≥ 1."""
        whole("steps", steps, 1)
        states = generator(seed, run, Stream.STATES).zipf(1 / (1 - self.risk), steps)
        limbs = states[:, None] >> (LIMB * np.arange(3)) & (2**LIMB - 1)
        contexts = limbs.astype(np.float32)
        return Rounds(
            means=np.tile([0.5, 1.0], (steps, 1)),
            noise=np.zeros((steps, 2)),
            sigma=0.0,
            draws=draw_exploration(seed, run, steps, 2),
            context_size=3,
            gather=lambda block: contexts[block].copy(),
        )


class StateTable(_FunctionOfHistory):
    """What each arm paid last in exactly this state; `unseen` where it was never tried there.

    Args:
        arms: K.
        unseen: 0 in the attaining bandit, 3/4 in its variant.
    """

    def __init__(self, arms: int, *, unseen: float = 0.0) -> None:
        self.arms = whole("arms (K)", arms, 1)
        self.unseen = finite("unseen", unseen)
        self._paid: dict[bytes, NDArray[np.float64]] = {}
        self._nothing = np.full(arms, self.unseen)
        self._seen = 0

    def predict(self, contexts: NDArray[np.float32]) -> NDArray[np.float64]:
        """Contexts (n, m) -> (n, K)."""
        rows = [self._paid.get(context.tobytes(), self._nothing) for context in contexts]
        return np.array(rows).reshape(len(contexts), self.arms)

    def fit(self, history: History) -> None:
        """Enter the steps that are new since the last fit."""
        new = slice(self._seen, len(history))
        for context, arm, reward in zip(
            history.contexts[new], history.actions[new], history.rewards[new], strict=True
        ):
            self._paid.setdefault(context.tobytes(), self._nothing.copy())[arm] = reward
        self._seen = len(history)
