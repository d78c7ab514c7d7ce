"""Algorithm 5: linear upper confidence bounds."""

from typing import get_args

import numpy as np
from numpy.typing import NDArray

from bandits.checks import finite, one_of
from bandits.environments import Draws
from bandits.linear import LinearArms
from bandits.policies.choice import Choice, argmax, chosen
from bandits.settings import Ties


class LinUCB:
    """Algorithm 5: the arm with the highest Θ_jᵀx + α √(xᵀ B_j⁻¹ x).

    B_j starts as ridge · I and b_j as 0; both grow by the chosen arm's contexts and rewards.

    Args:
        context_size: m.
        arms: K.
        ridge: > 0 (the paper's 1).
        alpha: ≥ 0, weight of the width (the paper's 1).
        ties: how equal scores are decided.
    """

    def __init__(
        self,
        context_size: int,
        arms: int,
        *,
        ridge: float = 1.0,
        alpha: float = 1.0,
        ties: Ties = "first",
    ) -> None:
        ridge = finite("LinUCB's ridge", ridge, positive=True)
        self.model = LinearArms(context_size, arms, ridge)
        self.alpha = finite("LinUCB's alpha", alpha)
        self.ties = one_of("ties", ties, get_args(Ties))
        self.pending: list[tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]] = []

    def scores(self, contexts: NDArray[np.float32]) -> NDArray[np.float64]:
        """Upper confidence bounds (n, K)."""
        mean, width = self.model.predict_with_width(contexts)
        return mean + self.alpha * width

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """D_t = argmax_j of the scores."""
        actions, probability = argmax(self.scores(contexts), draws.tie, self.ties)
        return Choice(actions, chosen(probability, actions))

    def record(
        self, contexts: NDArray[np.float32], choice: Choice, rewards: NDArray[np.float32]
    ) -> None:
        """Keep the block until the training stage."""
        self.pending.append((contexts, choice.actions, rewards))

    def train(self) -> None:
        """B_j += Σ x xᵀ and b_j += Σ R x over the recorded steps of arm j."""
        for contexts, actions, rewards in self.pending:
            self.model.update(contexts, actions, rewards)
        self.pending.clear()


POLICY = LinUCB
SOURCE = "the paper, Algorithm 5"
AUTHORS = {"ridge": 1.0, "alpha": 1.0}
