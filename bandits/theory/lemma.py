"""The paper's lemma on the random pulls, as printed and as corrected.

Printed (Lemma, parts I and II): with x(t) = ln t for p = 1 and t^(1-p)/(1-p) for p < 1,

    P(every T_i^R(t) ≥ x/(2K)) ≥ 1 - K·exp(-3x/(28K)).

Part II rests on Σ_{l<t} l^-p ≥ t^(1-p)/(1-p), which fails for every t. The corrected lemma
puts L_p(t) = ∫_1^t s^-p ds = (t^(1-p) - 1)/(1-p), or ln t, in the place of x, for 0 < p ≤ 1.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
import sympy as sp
from sympy.codegen.cfunctions import expm1, log1p

from bandits.theory import checked
from bandits.theory.symbols import K, L, c, q, u

Version = Literal["printed", "corrected"]
VERSIONS = ("printed", "corrected")

# The single source of every number and plot below; u = log t, q = 1 - p.
EXPLORATION = {
    ("printed", "p = 1"): u,
    ("printed", "p < 1"): sp.exp(q * u) / q,
    ("corrected", "p = 1"): u,
    ("corrected", "p < 1"): expm1(q * u) / q,
}
THRESHOLD = L / (2 * K)
PROBABILITY = 1 - K * sp.exp(-c * L / K)
RATES = {
    "printed": sp.Rational(3, 28),  # two-sided Bernstein with variance bounded by B
    "one-sided Bernstein": sp.Rational(1, 8),
    "Chernoff": (1 - sp.log(2)) / 2,
}
SHARPER = expm1(q * u) / q + (1 - sp.exp(-(1 - q) * u)) / 2  # trapezoid rule and convexity
NEEDED = 28 * K * sp.log(K) / 3  # the bound says something once L exceeds this
LOG_VACUOUS = {
    ("printed", "p = 1"): NEEDED,
    ("printed", "p < 1"): sp.log(q * NEEDED) / q,
    ("corrected", "p = 1"): NEEDED,
    ("corrected", "p < 1"): log1p(q * NEEDED) / q,
}


@dataclass(frozen=True)
class LemmaBound:
    """What the lemma says at one t: P(every T_i^R(t) ≥ threshold) ≥ probability."""

    threshold: float
    probability: float

    @property
    def at_least(self) -> int:
        """The smallest whole count that reaches the threshold.

        A threshold within 1e-12 (relative) above a whole number counts as that number, since
        rounding may have put it there. ValueError where the threshold is inf.
        """
        if self.threshold == math.inf:
            raise ValueError("threshold must be finite for at_least, not inf: take a smaller t")
        return math.ceil(self.threshold * (1 - 1e-12))

    @property
    def says_nothing(self) -> bool:
        """True where the probability is 0 or below, so that the bound is empty."""
        return self.probability <= 0


def case(p: float) -> str:
    """Which of the two forms of the expressions above holds at this p."""
    return "p = 1" if p == 1 else "p < 1"


@cache
def as_function(expression: sp.Expr, *arguments: sp.Symbol) -> Any:
    """A numeric function of the arguments from a symbolic expression."""
    return sp.lambdify(arguments, expression, modules=["scipy", "numpy"])


def exploration(t: float, p: float, version: Version = "corrected") -> float:
    """L_p(t) for version "corrected", x(t) = t^(1-p)/(1-p) or ln t for version "printed".

    t: whole, at least 1, of any size; inf where the value overflows. 0 < p ≤ 1. Raises
    ValueError outside these ranges.
    """
    t, p = checked.time_step(t), checked.exponent_up_to_one(p)
    expression = EXPLORATION[checked.one_of(version, "version", VERSIONS), case(p)]
    with np.errstate(over="ignore"):  # inf is the right answer there
        return float(as_function(expression, u, q)(math.log(t), 1 - p))


def lemma_bound(t: float, *, arms: int, p: float, version: Version = "corrected") -> LemmaBound:
    """The lemma at one t: threshold x/(2K) and probability 1 - K·exp(-3x/(28K)).

    t: whole, at least 1; where x overflows it is inf and the probability 1. arms: K ≥ 1, at most
    2^53. 0 < p ≤ 1. version: "printed" (the paper's Lemma, part I for p = 1 and part II for
    p < 1) or "corrected". Raises ValueError outside these ranges.
    """
    checked.one_of(version, "version", VERSIONS)
    arms, p = checked.number_of_arms(arms), checked.exponent_up_to_one(p)
    length = exploration(checked.time_step(t), p, version)
    probability = as_function(PROBABILITY.subs(c, RATES["printed"]), L, K)
    return LemmaBound(
        threshold=float(as_function(THRESHOLD, L, K)(length, arms)),
        probability=float(probability(length, arms)),
    )


def vacuous_until(arms: int, p: float, version: Version = "corrected") -> float:
    """The time up to which the lemma's probability is 0 or less, so that it says nothing.

    The root of K·exp(-3x(t)/(28K)) = 1, as a float that need not be whole; below 1 when the
    bound says something at every t; inf where it overflows. For p = 1: K^(28K/3).
    arms: K ≥ 1, at most 2^53. 0 < p ≤ 1. Raises ValueError outside these ranges.
    """
    checked.one_of(version, "version", VERSIONS)
    arms, p = checked.number_of_arms(arms), checked.exponent_up_to_one(p)
    if arms == 1:
        return 0.0 if (version, case(p)) == ("printed", "p < 1") else 1.0
    logarithm = float(as_function(LOG_VACUOUS[version, case(p)], K, q)(arms, 1 - p))
    return math.exp(logarithm) if logarithm < 709 else math.inf
