"""Neural Thompson sampling: NeuralUCB with a random width."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits.environments import Draws
from bandits.history import Recall
from bandits.policies.choice import Choice, StepGenerator, argmax, chosen, normals
from bandits.policies.neural_ucb import NeuralUCB


class NeuralThompson(NeuralUCB):
    """Algorithm 1 of Zhang, Zhou, Li and Gu (2021), "Neural Thompson Sampling", ICLR, with the
    diagonal matrix that their experiments have.

    The score of arm j is drawn from the normal law whose mean is Φ_j(x) and whose standard
    deviation is NeuralUCB's width: see there what is the authors' and what ours.

    Args:
        generator: gives a step's random numbers.
        predictor, arms, ridge, nu, recall: see `NeuralUCB`.
    """

    def __init__(
        self,
        predictor: Any,
        arms: int,
        generator: StepGenerator,
        *,
        ridge: float = 1.0,
        nu: float = 1.0,
        recall: Recall | None = None,
    ) -> None:
        super().__init__(predictor, arms, ridge=ridge, nu=nu, recall=recall)
        self.generator = generator

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """D_t = argmax_j of the scores drawn; its probability is not known."""
        mean, width = self.mean_and_width(contexts)
        sampled = mean + width * normals(self.generator, t, self.arms)
        actions, _ = argmax(sampled, draws.tie, "first")
        return Choice(actions, None, predictions=chosen(mean, actions))


POLICY = NeuralThompson
SOURCE = "Zhang et al. (2021), Algorithm 1"
AUTHORS = {"ridge": 0.001, "nu": 1.0}
