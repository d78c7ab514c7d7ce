"""When to explore: the schedules ε_t of ε-greedy."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits.checks import finite


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
        steps = np.asarray(t, dtype=np.float64)
        if not np.all(steps >= 1):  # NaN is not
            raise ValueError(f"t must be >= 1, not {steps.min():g}")
        with np.errstate(over="ignore"):  # t^p = ∞ gives ε = 0, as it should
            return np.asarray(1.0 / steps**self.p)


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
