"""The paper's five algorithms: each chooses for a block of steps, records it, and trains.

Choosing learns nothing. Recording keeps what was seen. Training changes the model, and happens at
training stages only.
"""

from dataclasses import dataclass
from typing import Protocol, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from bandits.checks import finite, one_of, whole
from bandits.environments import Draws
from bandits.history import History, Recall
from bandits.linear import LinearArms
from bandits.predictors import LeastSquares, Predictor, State, checked_predictions
from bandits.schedules import NeverExplore, Schedule, checked_epsilon
from bandits.settings import Ties, TrainOn

F = TypeVar("F", bound=np.floating)


@dataclass(frozen=True)
class Choice:
    """The decisions at n steps.

    Attributes:
        actions: (n,) int64 in 0..K−1.
        propensities: (n,) float64 in (0, 1], the probability of the chosen arm given its context.
        explored: (n,) bool, whether the step took the uniformly random branch.
        predictions: (n,) predicted reward of the arm taken, None from a policy that predicts none.
    """

    actions: NDArray[np.int64]
    propensities: NDArray[np.floating]
    explored: NDArray[np.bool_]
    predictions: NDArray[np.floating] | None = None


class Policy(Protocol):
    """What the loop needs."""

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """Decide the steps t (n,) with contexts (n, m), learning nothing."""

    def record(
        self, contexts: NDArray[np.float32], choice: Choice, rewards: NDArray[np.float32]
    ) -> None:
        """Keep the chosen arms' rewards (n,) for the next training stage."""

    def train(self) -> None:
        """The training stage: learn from everything recorded."""


def argmax(
    scores: NDArray[np.floating], tie: NDArray[np.float64], ties: Ties
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The best arm of each row of scores (n, K), and every arm's probability (n, K) of being it.

    The first of equal scores, or with ties="random" the one picked by tie (n,) in [0, 1).

    Raises:
        ValueError: if a score is not finite (NaN would win every comparison).
    """
    if not np.isfinite(scores).all():
        row, arm = np.argwhere(~np.isfinite(scores))[0]
        raise ValueError(
            f"the predicted reward of arm {arm} is {scores[row, arm]}; it must be finite"
        )
    best = scores == scores.max(axis=1, keepdims=True)
    if ties == "first":
        best &= best.cumsum(axis=1) == 1
    count = best.sum(axis=1, keepdims=True)
    wanted = (tie[:, None] * count).astype(np.int64)  # 0 .. count − 1
    # The wanted-th True of a row is where the running count first exceeds it.
    return (best.cumsum(axis=1) > wanted).argmax(axis=1), best / count


def chosen(table: NDArray[F], actions: NDArray[np.int64]) -> NDArray[F]:
    """The entries of the chosen arms, (n, K) and (n,) -> (n,)."""
    return table[np.arange(len(actions)), actions]


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


class Optimal:
    """Algorithm 3: an oracle names the best arm, the lowest-numbered one among equals.

    Args:
        means: (T, K), the table that the oracle reads.
    """

    def __init__(self, means: NDArray[np.float64]) -> None:
        self.best = means.argmax(axis=1)

    def choose(self, contexts: NDArray[np.float32], t: NDArray[np.int64], draws: Draws) -> Choice:
        """D_t = oracle(t)."""
        return Choice(self.best[t - 1], np.ones(len(t)), np.zeros(len(t), dtype=bool))

    def record(
        self, contexts: NDArray[np.float32], choice: Choice, rewards: NDArray[np.float32]
    ) -> None:
        """Nothing to keep."""

    def train(self) -> None:
        """Nothing to learn."""


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
        return Choice(actions, chosen(probability, actions), np.zeros(len(t), dtype=bool))

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


def Linear(context_size: int, arms: int, *, ties: Ties = "first") -> EpsilonGreedy:
    """Algorithm 4: always greedy, minimum-norm least squares, B_j = 0 at the start."""
    return EpsilonGreedy(NeverExplore(), LeastSquares(context_size, arms), arms, ties=ties)
