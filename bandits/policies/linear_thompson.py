"""Linear Thompson sampling, one model per arm: LinUCB with a random width."""

import numpy as np
from numpy.typing import NDArray

from bandits.environments import Draws
from bandits.policies.choice import Choice, StepGenerator, argmax, normals
from bandits.policies.linucb import LinUCB


class LinearThompson(LinUCB):
    """Algorithm 1 of Agrawal and Goyal (2013), "Thompson Sampling for Contextual Bandits with
    Linear Payoffs", ICML.

    At each step θ̃_j is drawn from the normal law of mean Θ_j and covariance v² B_j⁻¹, and the arm
    with the largest θ̃_jᵀx is taken. Of θ̃_j only θ̃_jᵀx matters, which is normal with mean Θ_jᵀx and
    standard deviation v √(xᵀ B_j⁻¹ x): that is drawn, which spares a root of a matrix of m rows.
    B_j = I at the start is theirs. One model per arm, as in LinUCB, is ours: they share one θ among
    all arms. Their v = R √(9 m log(t / δ)) is for the proof, and v = 1 is ours.

    Args:
        context_size: m.
        arms: K.
        generator: gives a step's random numbers.
        ridge: > 0.
        scale: v ≥ 0.
    """

    def __init__(
        self,
        context_size: int,
        arms: int,
        generator: StepGenerator,
        *,
        ridge: float = 1.0,
        scale: float = 1.0,
    ) -> None:
        super().__init__(context_size, arms, ridge=ridge, alpha=scale)
        self.generator = generator

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """D_t = argmax_j θ̃_jᵀx; its probability is not known."""
        mean, width = self.model.predict_with_width(contexts)
        sampled = mean + self.alpha * width * normals(self.generator, t, mean.shape[1])
        actions, _ = argmax(sampled, draws.tie, self.ties)
        return Choice(actions, None)


POLICY = LinearThompson
SOURCE = "Agrawal and Goyal (2013), Algorithm 1"
AUTHORS = {"ridge": 1.0}
