"""What policies share that learn by a predictor: the history, and training it at the stages."""

import numpy as np
from numpy.typing import NDArray

from bandits.checks import whole
from bandits.history import History, Recall
from bandits.policies.choice import Choice
from bandits.predictors import Predictor, State, checked_predictions


class Learner:
    """Keeps every step, and trains a predictor on all of them; `choose` is left to others.

    Args:
        predictor: predicts the reward of each arm; trained at the stages on the history S_j.
        arms: K.
        recall: see `History`.
    """

    def __init__(self, predictor: Predictor, arms: int, *, recall: Recall | None = None) -> None:
        self.predictor = predictor
        self.arms = whole("arms (K)", arms, 1)
        self.history = History(recall)
        self._recorded = 0

    def scores(self, contexts: NDArray[np.float32]) -> NDArray[np.floating]:
        """The predicted reward of every arm, (n, m) -> (n, K).

        Raises:
            ValueError: if the predictor gives anything but a number for each context and arm.
        """
        return checked_predictions(self.predictor.predict(contexts), len(contexts), self.arms)

    def kept(self, choice: Choice) -> NDArray[np.bool_] | slice:
        """Which of the steps are trained on, (n,): all."""
        return slice(None)

    def record(
        self, contexts: NDArray[np.float32], choice: Choice, rewards: NDArray[np.float32]
    ) -> None:
        """Append the block to the history that the predictor is trained on."""
        keep = self.kept(choice)
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
