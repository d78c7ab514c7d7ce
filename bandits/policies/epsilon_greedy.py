"""Algorithms 1 and 4: ε-greedy with any predictor, and Linear, which never explores."""

from typing import get_args

import numpy as np
from numpy.typing import NDArray

from bandits.checks import one_of
from bandits.environments import Draws
from bandits.history import Recall
from bandits.policies.choice import Choice, argmax, chosen
from bandits.policies.learner import Learner
from bandits.predictors import LeastSquares, Predictor
from bandits.schedules import Constant, NeverExplore, Schedule, checked_epsilon
from bandits.settings import Ties, TrainOn


class EpsilonGreedy(Learner):
    """Algorithm 1 with any predictor: explore when η ≤ ε_t, else take the best prediction.

    Args:
        schedule: ε_t.
        predictor: predicts the reward of each arm; trained at the stages on the history S_j.
        arms: K.
        ties: how equal predictions are decided ("first" as NumPy and PyTorch do).
        train_on: "all" steps, as the algorithm says, or those of the "random_branch" only, which
            is what the paper's proof needs for an i.i.d. sample.
        recall: see `History`.
        epsilon: a constant ε_t, from 0 to 1, in place of the schedule.
    """

    def __init__(
        self,
        schedule: Schedule,
        predictor: Predictor,
        arms: int,
        *,
        ties: Ties = "first",
        train_on: TrainOn = "all",
        recall: Recall | None = None,
        epsilon: float | None = None,
    ) -> None:
        super().__init__(predictor, arms, recall=recall)
        self.schedule = schedule if epsilon is None else Constant(epsilon)
        self.ties = one_of("ties", ties, get_args(Ties))
        self.train_on = one_of("train_on", train_on, get_args(TrainOn))

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """D_t = ρ when η ≤ ε_t, else argmax_j Φ_j(X_t).

        Raises:
            ValueError: if the schedule gives anything but a probability for each step, or the
                predictor anything but a finite number for each step and arm.
        """
        scores = self.scores(contexts)
        greedy, probability = argmax(scores, draws.tie, self.ties)
        epsilon = checked_epsilon(self.schedule(t), t)
        explored = draws.eta <= epsilon
        actions = np.where(explored, draws.rho, greedy)
        propensities = epsilon / self.arms + (1 - epsilon) * chosen(probability, actions)
        return Choice(actions, propensities, explored, chosen(scores, actions))

    def kept(self, choice: Choice) -> NDArray[np.bool_] | slice:
        """Which of the steps are trained on, (n,)."""
        return choice.explored if self.train_on == "random_branch" else super().kept(choice)


POLICY = EpsilonGreedy
SOURCE = "the paper, Algorithm 1"
AUTHORS = {"p": 1.0}


def Linear(context_size: int, arms: int, *, ties: Ties = "first") -> EpsilonGreedy:
    """Algorithm 4: always greedy, minimum-norm least squares, B_j = 0 at the start."""
    return EpsilonGreedy(NeverExplore(), LeastSquares(context_size, arms), arms, ties=ties)
