"""A bootstrapped ensemble: at each step one of its members, drawn uniformly, decides."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bandits.checks import probability, whole
from bandits.environments import Draws
from bandits.history import History, Recall
from bandits.policies.choice import Choice, StepGenerator, argmax
from bandits.predictors import Predictor, State, checked_predictions


class Bootstrapped:
    """Algorithm 1 of Osband, Blundell, Pritzel and Van Roy (2016), "Deep Exploration via
    Bootstrapped DQN", NIPS, for episodes of one step.

    Each step of the history enters each member's own history with probability `keep`, independent
    of all else. That a member is drawn uniformly and then followed greedily is the authors'. Ours
    are members that share nothing, where theirs are heads of one network. Five members that keep a
    step with probability 0.8 are what the published code of NeuralTS (Zhang et al. 2021) compares
    with.

    Args:
        predictors: makes as many predictors as it is asked for.
        arms: K.
        generator: gives a step's random numbers.
        members: ≥ 1.
        keep: from 0 to 1.
        recall: see `History`.

    Raises:
        ValueError: for a value out of range.
    """

    def __init__(
        self,
        predictors: Callable[[int], Sequence[Predictor]],
        arms: int,
        generator: StepGenerator,
        *,
        members: int = 5,
        keep: float = 0.8,
        recall: Recall | None = None,
    ) -> None:
        self.arms = whole("arms (K)", arms, 1)
        self.predictors = predictors(whole("members", members, 1))
        self.histories = [History(recall) for _ in self.predictors]
        self.generator = generator
        self.keep = probability("keep", keep)
        self._recorded = 0

    def _uniform(self, t: NDArray[np.int64]) -> NDArray[np.float64]:
        """Numbers in [0, 1) of each step: which member decides, then who keeps the step."""
        size = 1 + len(self.predictors)
        return np.array([self.generator(int(step)).random(size) for step in t])

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """The best arm of the member drawn; its probability is the share of those who agree."""
        n, count = len(t), len(self.predictors)
        scores = np.stack(
            [
                checked_predictions(member.predict(contexts), n, self.arms)
                for member in self.predictors
            ]
        )
        best = np.stack([argmax(of_one, draws.tie, "first")[0] for of_one in scores])
        member, rows = (self._uniform(t)[:, 0] * count).astype(np.int64), np.arange(n)
        actions = best[member, rows]
        agree = (best == actions).mean(axis=0)
        return Choice(actions, agree, predictions=scores[member, rows, actions])

    def record(
        self, contexts: NDArray[np.float32], choice: Choice, rewards: NDArray[np.float32]
    ) -> None:
        """Append to each member's history the steps that it keeps."""
        t = self._recorded + 1 + np.arange(len(choice.actions))
        self._recorded += len(t)
        kept = self._uniform(t)[:, 1:] < self.keep
        for history, keep in zip(self.histories, kept.T, strict=True):
            history.append(contexts[keep], choice.actions[keep], rewards[keep], t[keep])

    def train(self) -> None:
        """Fit every member to its own history."""
        for predictor, history in zip(self.predictors, self.histories, strict=True):
            predictor.fit(history)

    def state(self) -> State | None:
        """The members' trained states, or None if their histories determine them."""
        states = [predictor.state() for predictor in self.predictors]
        if any(state is None for state in states):
            return None
        return {f"{n}:{k}": v for n, state in enumerate(states) for k, v in (state or {}).items()}

    def load_state(self, state: State) -> None:
        """Continue from a trained state, once the history has been recorded again."""
        for number, predictor in enumerate(self.predictors):
            start = f"{number}:"
            own = {k.removeprefix(start): v for k, v in state.items() if k.startswith(start)}
            predictor.load_state(own)


POLICY = Bootstrapped
SOURCE = "Osband et al. (2016), Algorithm 1, as Zhang et al. (2021) run it"
AUTHORS = {"members": 5, "keep": 0.8}
