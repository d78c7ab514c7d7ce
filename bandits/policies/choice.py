"""What a policy is and what it decides; the best arm of each row of scores."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bandits.environments import Draws
from bandits.settings import Ties

F = TypeVar("F", bound=np.floating)


@dataclass(frozen=True)
class Choice:
    """The decisions at n steps.

    Attributes:
        actions: (n,) int64 in 0..K−1.
        propensities: (n,) float64 in (0, 1], the probability of the chosen arm given its context;
            None from a policy that does not know it, such as Thompson sampling.
        explored: (n,) bool, whether the step took the uniformly random branch; False by default.
        predictions: (n,) predicted reward of the arm taken, None from a policy that predicts none.
    """

    actions: NDArray[np.int64]
    propensities: NDArray[np.floating] | None
    explored: NDArray[np.bool_] = None  # type: ignore[assignment]
    predictions: NDArray[np.floating] | None = None

    def __post_init__(self) -> None:
        if self.explored is None:
            object.__setattr__(self, "explored", np.zeros(len(self.actions), np.bool_))


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


def drawn(probabilities: NDArray[np.floating], uniform: NDArray[np.float64]) -> NDArray[np.int64]:
    """An arm for each row of probabilities (n, K), picked by uniform (n,) in [0, 1).

    Rows need sum to 1 only as far as floats do; an arm of probability 0 is never drawn.
    """
    below = probabilities.cumsum(axis=1)
    total = below[:, -1]
    place = np.minimum(uniform * total, np.nextafter(total, 0))  # the product may round up
    actions: NDArray[np.int64] = (below > place[:, None]).argmax(axis=1)
    return actions


StepGenerator = Callable[[int], np.random.Generator]
"""Random numbers of a step t alone, the same whenever they are asked for."""


def normals(generator: StepGenerator, t: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """Standard normal numbers of the steps t (n,), (n, size)."""
    return np.array([generator(int(step)).standard_normal(size) for step in t])


def chosen(table: NDArray[F], actions: NDArray[np.int64]) -> NDArray[F]:
    """The entries of the chosen arms, (n, K) and (n,) -> (n,)."""
    return table[np.arange(len(actions)), actions]
