"""A schedule ε_1, ε_2, … given either by its exponent p (ε_l = l^-p) or by its values.

Everything the theorems need of a schedule is a sum or a product over the steps before t. For
powers these sums are closed forms, so that t may have any size.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits.theory import checked
from bandits.theory.sums import log_one_plus_sum, power_sum, random_steps

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PowerExploration:
    """ε_l = l^-p for every l ≥ 1, p > 0."""

    p: float

    @property
    def length(self) -> float:
        """How many steps are known."""
        return math.inf

    def at(self, t: int) -> float:
        """ε_t."""
        return math.exp(-self.p * math.log(t))

    def total(self, t: int, power: int = 1) -> float:
        """Σ_{l<t} ε_l^power, relative error below 1e-12; inf where it overflows."""
        return power_sum(power * self.p, 1, t)

    def log_product(self, x: float, t: int) -> float:
        """Σ_{l<t} log(1 + x·ε_l) for -1 ≤ x ≤ 0."""
        if x == -1:
            return 0.0 if t == 1 else -math.inf  # ε_1 = 1
        return log_one_plus_sum(x, self.p, t)

    def steps(self, first: int, t: int) -> tuple[Floats, Floats]:
        """(ε_l, 1 - ε_l) for first ≤ l < t, each to full relative accuracy."""
        return random_steps(t, self.p, first)


@dataclass(frozen=True, eq=False)
class GivenExploration:
    """ε_1, …, ε_n as an array (n,) of numbers in [0, 1]."""

    epsilon: Floats

    @property
    def length(self) -> float:
        """How many steps are known."""
        return len(self.epsilon)

    def at(self, t: int) -> float:
        """ε_t."""
        return float(self.epsilon[t - 1])

    def total(self, t: int, power: int = 1) -> float:
        """Σ_{l<t} ε_l^power."""
        return float((self.epsilon[: t - 1] ** power).sum())

    def log_product(self, x: float, t: int) -> float:
        """Σ_{l<t} log(1 + x·ε_l) for -1 ≤ x ≤ 0."""
        with np.errstate(divide="ignore"):  # log 0 = -inf is right where x·ε = -1
            return float(np.log1p(x * self.epsilon[: t - 1]).sum())

    def steps(self, first: int, t: int) -> tuple[Floats, Floats]:
        """(ε_l, 1 - ε_l) for first ≤ l < t."""
        chance = self.epsilon[first - 1 : t - 1]
        return chance, 1 - chance


Exploration = PowerExploration | GivenExploration


def exploration_of(schedule: Any, needed: int = 0, last: str = "t - 1") -> Exploration:
    """The schedule that a number p > 0 or an array of ε_1, …, ε_n in [0, 1] describes.

    ValueError for anything else, and where fewer than `needed` values are given; `last` says in
    the message which step that is.
    """
    if np.ndim(schedule) == 0:
        return PowerExploration(checked.positive(schedule, "the schedule's exponent p"))
    epsilon = checked.numbers(schedule, "the schedule ε_1, ε_2, …", 0.0, 1.0)
    if len(epsilon) < needed:
        raise ValueError(
            f"the schedule must hold ε_1 to ε_{{{last}}}, {needed} numbers, not {len(epsilon)}"
        )
    return GivenExploration(epsilon)
