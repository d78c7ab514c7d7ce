"""When to explore: the schedules ε_t of ε-greedy."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits.checks import finite, probability, whole
from bandits.theory import random_steps


@dataclass(frozen=True)
class PowerSchedule:
    """ε_t = 1 / t^p for t = 1, 2, … (Algorithm 1 has p = 1, Theorem 3.3 has 0 < p < 1).

    Attributes:
        p: the exponent, p ≥ 0 and finite. p = 0 explores at every step, p > 1 starves some arm.

    Raises:
        ValueError: if p is negative, infinite or not a number.
    """

    p: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", finite("p", self.p))

    def __call__(self, t: ArrayLike) -> NDArray[np.float64]:
        """ε_t in (0, 1] for time steps t ≥ 1 (any shape); ε_1 = 1. Below 1e-308 it may be 0."""
        with np.errstate(over="ignore"):  # t^p = ∞ gives ε = 0, as it should
            return np.asarray(1.0 / _steps(t) ** self.p)


@dataclass(frozen=True)
class NeverExplore:
    """ε_t = 0: always the greedy arm, as in Algorithm 4 (Linear)."""

    def __call__(self, t: ArrayLike) -> NDArray[np.float64]:
        """Zeros of the shape of t."""
        return np.zeros(np.shape(t))


class Schedule(Protocol):
    """Any function of the time steps."""

    def __call__(self, t: NDArray[np.int64], /) -> ArrayLike:
        """ε_t for steps t (n,), each from 0 to 1; a single number stands for all."""


class CountedSchedule(Schedule, Protocol):
    """A schedule that knows its own expected number of random steps, and never rises."""

    def random_steps(self, t: int) -> float:
        """Σ_{l≤t} ε_l; an arm's expected random pulls are this divided by K."""


def _steps(t: ArrayLike) -> NDArray[np.float64]:
    steps = np.asarray(t, dtype=np.float64)
    if not np.all(steps >= 1):  # NaN is not
        raise ValueError(f"t must be >= 1, not {steps.min():g}")
    return steps


@dataclass(frozen=True)
class Constant:
    """ε_t = ε.

    Attributes:
        epsilon: from 0 to 1.
    """

    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", probability("epsilon", self.epsilon))

    def __call__(self, t: ArrayLike) -> NDArray[np.float64]:
        """ε for each of the steps t ≥ 1 (any shape)."""
        return np.full(_steps(t).shape, self.epsilon)

    def random_steps(self, t: int) -> float:
        """ε t."""
        return random_steps.constant(self.epsilon, t)


@dataclass(frozen=True)
class CappedPower:
    """ε_t = min(1, c / t^p), as Auer, Cesa-Bianchi and Fischer (2002) have it with p = 1.

    Attributes:
        c: > 0.
        p: > 0.
    """

    c: float
    p: float = 1.0

    def __post_init__(self) -> None:
        for name in ("c", "p"):
            value = finite(name, getattr(self, name), positive=True)
            object.__setattr__(self, name, value)

    def __call__(self, t: ArrayLike) -> NDArray[np.float64]:
        """min(1, c / t^p) for steps t ≥ 1 (any shape)."""
        with np.errstate(over="ignore"):
            return np.asarray(np.minimum(1.0, self.c / _steps(t) ** self.p))

    def random_steps(self, t: int) -> float:
        """Σ_{l≤t} ε_l."""
        return random_steps.capped_power(self.c, self.p, t)


@dataclass(frozen=True)
class EpsilonFirst:
    """ε_t = 1 for t ≤ steps, then 0: explore, then commit.

    Attributes:
        steps: ≥ 0.
    """

    steps: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", whole("steps", self.steps, 0))

    def __call__(self, t: ArrayLike) -> NDArray[np.float64]:
        """1 or 0 for steps t ≥ 1 (any shape)."""
        return np.asarray(_steps(t) <= self.steps, dtype=np.float64)

    def random_steps(self, t: int) -> float:
        """min(t, steps)."""
        return random_steps.epsilon_first(self.steps, t)


@dataclass(frozen=True)
class Exponential:
    """ε_t = decay^(t−1).

    Attributes:
        decay: from 0 to 1.
    """

    decay: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "decay", probability("decay", self.decay))

    def __call__(self, t: ArrayLike) -> NDArray[np.float64]:
        """decay^(t−1) for steps t ≥ 1 (any shape)."""
        with np.errstate(under="ignore"):
            return np.asarray(self.decay ** (_steps(t) - 1))

    def random_steps(self, t: int) -> float:
        """(1 − decay^t) / (1 − decay)."""
        return random_steps.exponential(self.decay, t)


@dataclass(frozen=True)
class Floor:
    """ε_t = max(least, schedule(t)).

    Attributes:
        schedule: one that never rises.
        least: from 0 to 1.
    """

    schedule: CountedSchedule
    least: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "least", probability("least", self.least))

    def __call__(self, t: ArrayLike) -> NDArray[np.float64]:
        """The larger of both for steps t ≥ 1 (any shape)."""
        steps = np.asarray(t, dtype=np.int64)
        return np.maximum(self.least, np.asarray(self.schedule(steps), dtype=np.float64))

    def random_steps(self, t: int) -> float:
        """Σ_{l≤t} ε_l."""

        def epsilon(step: int) -> float:
            return float(np.asarray(self.schedule(np.array([step]))).ravel()[0])

        return random_steps.floored(epsilon, self.schedule.random_steps, self.least, t)


def checked_epsilon(given: ArrayLike, t: NDArray[np.int64]) -> NDArray[np.float64]:
    """What a schedule gave for the time steps t (n,), (n,); a single number stands for all.

    Raises:
        ValueError: naming the schedule, for another shape or kind, or what is no probability.
    """
    epsilon = np.asarray(given)
    if epsilon.shape not in ((), t.shape) or epsilon.dtype.kind not in "fiu":
        raise ValueError(
            f"the schedule gives {epsilon.shape} of {epsilon.dtype} for the steps from t = {t[0]} "
            f"on; it must give {t.shape} numbers, one ε for each, or a single one"
        )
    epsilon = np.broadcast_to(epsilon.astype(np.float64), t.shape)
    bad = ~((epsilon >= 0) & (epsilon <= 1))  # NaN is neither
    if bad.any():
        raise ValueError(
            f"the schedule gives ε = {epsilon[bad][0]:g} at t = {t[bad][0]}; "
            "it must be a probability, from 0 to 1"
        )
    return epsilon
