"""Algorithms 1 and 4: epsilon greedy with any predictor, and Linear, which never explores."""

from typing import get_args

import numpy as np
from numpy.typing import NDArray

from bandits.checks import one_of, whole
from bandits.environments import Draws
from bandits.history import History, Recall
from bandits.policies.choice import Choice, argmax, chosen
from bandits.predictors import LeastSquares, Predictor, State, checked_predictions
from bandits.schedules import NeverExplore, Schedule, checked_epsilon
from bandits.settings import Ties, TrainOn


class EpsilonGreedy:
    """Algorithm 1 with any predictor: explore when η ≤ ε_t, else take the best prediction.

    Args:
        schedule: ε_t.
        predictor: predicts the reward of each arm; trained at the stages on the history S_j.
        arms: K.
        ties: how equal predictions are decided ("first" as NumPy and PyTorch do).
        train_on: "all" steps, as the algorithm says, or those of the "random_branch" only, which
            is what the paper's proof needs for an i.i.d. sample.
        recall: see `History`.
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
    ) -> None:
        self.schedule = schedule
        self.predictor = predictor
        self.arms = whole("arms (K)", arms, 1)
        self.ties = one_of("ties", ties, get_args(Ties))
        self.train_on = one_of("train_on", train_on, get_args(TrainOn))
        self.history = History(recall)
        self._recorded = 0

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """D_t = ρ when η ≤ ε_t, else argmax_j Φ_j(X_t).

        Raises:
            ValueError: if the schedule gives anything but a probability for each step, or the
                predictor anything but a finite number for each step and arm.
        """
        scores = checked_predictions(self.predictor.predict(contexts), len(t), self.arms)
        greedy, probability = argmax(scores, draws.tie, self.ties)
        epsilon = checked_epsilon(self.schedule(t), t)
        explored = draws.eta <= epsilon
        actions = np.where(explored, draws.rho, greedy)
        propensities = epsilon / self.arms + (1 - epsilon) * chosen(probability, actions)
        return Choice(actions, propensities, explored, chosen(scores, actions))

    def record(
        self, contexts: NDArray[np.float32], choice: Choice, rewards: NDArray[np.float32]
    ) -> None:
        """Append the block to the history that the predictor is trained on."""
        keep = choice.explored if self.train_on == "random_branch" else slice(None)
        t = self._recorded + 1 + np.arange(len(choice.actions))
        self._recorded += len(t)
        self.history.append(contexts[keep], choice.actions[keep], rewards[keep], t[keep])

    def train(self) -> None:
        """Fit the predictor of every arm that has data, with new data or not."""
        self.predictor.fit(self.history)

    def state(self) -> State | None:
        """The predictor's trained state, or None if the history determines it."""
        return self.predictor.state()

    def load_state(self, state: State) -> None:
        """Continue from a trained state, once the history has been recorded again."""
        self.predictor.load_state(state)


POLICY = EpsilonGreedy


def Linear(context_size: int, arms: int, *, ties: Ties = "first") -> EpsilonGreedy:
    """Algorithm 4: always greedy, minimum-norm least squares, B_j = 0 at the start."""
    return EpsilonGreedy(NeverExplore(), LeastSquares(context_size, arms), arms, ties=ties)
