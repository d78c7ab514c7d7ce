"""SquareCB: how likely an arm is taken falls with the inverse of its gap to the best."""

import numpy as np
from numpy.typing import NDArray

from bandits.checks import finite
from bandits.environments import Draws
from bandits.history import Recall
from bandits.policies.choice import Choice, argmax, chosen, drawn
from bandits.policies.learner import Learner
from bandits.predictors import Predictor


class SquareCB(Learner):
    """Algorithm 1 of Foster and Rakhlin (2020), "Beyond UCB", ICML, with any predictor.

    With b the arm of the best prediction, an arm a ≠ b has the probability 1 / (μ + γ_t (f_b −
    f_a)), and b the rest. μ = K is the authors'. Their γ is a constant, √(K T) over the root of the
    predictor's own regret, which nobody knows here: γ_t = gamma t^exponent is ours, and of the same
    order for a regret that does not grow with exponent = 1/2.

    Args:
        predictor, arms, recall: see `Learner`.
        gamma: > 0, per unit of reward.
        exponent: ≥ 0.
    """

    def __init__(
        self,
        predictor: Predictor,
        arms: int,
        *,
        gamma: float = 1.0,
        exponent: float = 0.5,
        recall: Recall | None = None,
    ) -> None:
        super().__init__(predictor, arms, recall=recall)
        self.gamma = finite("SquareCB's gamma", gamma, positive=True)
        self.exponent = finite("SquareCB's exponent", exponent)

    def probabilities(
        self, scores: NDArray[np.floating], t: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Each arm's probability (n, K) at the steps t (n,), for finite scores (n, K)."""
        best, _ = argmax(scores, np.zeros(len(t)), "first")
        gaps = chosen(scores, best)[:, None] - scores.astype(np.float64)
        steepness = self.gamma * t.astype(np.float64) ** self.exponent
        inverse = 1 / (self.arms + steepness[:, None] * gaps)
        rows = np.arange(len(t))
        inverse[rows, best] = 0
        inverse[rows, best] = 1 - inverse.sum(axis=1)
        return inverse

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """Draw each arm with its probability."""
        scores = self.scores(contexts)
        probability = self.probabilities(scores, t)
        actions = drawn(probability, draws.tie)
        return Choice(actions, chosen(probability, actions), predictions=chosen(scores, actions))


POLICY = SquareCB
SOURCE = "Foster and Rakhlin (2020), Algorithm 1"
