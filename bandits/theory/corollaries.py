"""What the corollaries and the remark assert: the best exponent, and starvation for p > 1."""

import math
from functools import cache
from typing import Any, Literal

import numpy as np
import sympy as sp
from scipy.optimize import brentq
from sympy.codegen.cfunctions import log1p

from bandits.checks import shown
from bandits.theory import checked
from bandits.theory.exact import probability_never_pulled
from bandits.theory.lemma import as_function
from bandits.theory.symbols import C, K, L, alpha, delta, mean_gap, q, u
from bandits.theory.theorems import GREEDY

LATEST = 10**308  # L_p(t) is at most t - 1, which is to be a float
Constant = Literal["corrected", "printed"]
CONSTANTS = ("corrected", "printed")


@cache
def bound_at(constant: Constant, greedy_factor: bool) -> sp.Expr:
    """The upper bound as an expression in u = log t and q = 1 - p, with L = L_p(t) throughout.

    "corrected": D̄·ε_t + 2√2 K^(3/2) (C/δ) sqrt(ln(L/2K)/L), the unified theorem. "printed":
    α·ε_t + 8√2 K^(3/2) (C/δ) sqrt(ln(L/2K)/L), the paper's terms. With greedy_factor the
    second term carries the factor 1 - ε_t.
    """
    explore = sp.exp(-(1 - q) * u)
    first, greedy = {
        "corrected": (mean_gap, GREEDY["corrected"]),
        "printed": (alpha, GREEDY["printed"]),
    }[constant]
    factor = 1 - explore if greedy_factor else sp.Integer(1)
    log_length = q * u + log1p(-sp.exp(-q * u)) - sp.log(q)  # log L_p(t), whose slope stays small
    return first * explore + factor * greedy.subs(L, sp.exp(log_length))


@cache
def _bound_and_slope(constant: Constant, greedy_factor: bool) -> tuple[Any, Any]:
    expression = bound_at(constant, greedy_factor)
    arguments = (q, u, K, delta, alpha, mean_gap, C)
    return as_function(expression, *arguments), as_function(expression.diff(q), *arguments)


def best_exponent(
    t: float,
    *,
    arms: int,
    delta: float,
    alpha: float,
    mean_gap: float,
    C: float,
    constant: Constant = "corrected",
    greedy_factor: bool = True,
) -> float:
    """p*(t): the p in (0, 1] whose corrected upper bound at step t is smallest.

    Only those p compete for which the bound speaks at t, L_p(t) ≥ 2K·e (risk known from
    n_min ≤ e samples on). The minimum is the root of the symbolic derivative next to the
    best of 4000 trial exponents, or the largest p allowed. Arguments and ranges as in
    `theorem_bounds`, which also says where alpha and mean_gap enter; constant: "corrected"
    (2√2) or "printed" (8√2). Raises ValueError outside the ranges, where t is so small that no
    p is allowed (t must be at least 1 + 2K·e), where t exceeds 10^308, and where there is no
    minimiser, because the bound is smallest in the limit p → 0: for the paper's task with
    C = δ = 1 up to t = 320.
    """
    checked.one_of(constant, "constant", CONSTANTS)
    t, arms = checked.time_step(t), checked.number_of_arms(arms)
    delta, C = checked.positive(delta, "delta"), checked.positive(C, "C")
    alpha = checked.not_negative(alpha, "alpha")
    mean_gap = checked.not_negative(mean_gap, "mean_gap")
    if t > LATEST:
        raise ValueError(f"t must be at most 10^308, not {shown(t)}")
    needed, log_t = 2 * arms * math.e, math.log(t)
    if t - 1 <= needed:
        raise ValueError(f"t must exceed t_0 = 1 + 2K·e = {1 + needed:.6g} for some p, not {t}")

    def missing(rest: float) -> float:
        return math.expm1(rest * log_t) / rest - needed

    tiny = 1e-9
    least = tiny if missing(tiny) >= 0 else float(brentq(missing, tiny, 1.0, xtol=1e-15))
    bound, slope = _bound_and_slope(constant, greedy_factor)
    # Only the ratio of the two terms matters; scaled like this, neither overflows.
    first = alpha if constant == "printed" else mean_gap
    log_ratio = math.log(C) - math.log(delta) - (math.log(first) if first > 0 else -math.inf)
    scaled_first, scaled_c = math.exp(-max(log_ratio, 0.0)), math.exp(min(log_ratio, 0.0))
    others = (log_t, arms, 1.0, scaled_first, scaled_first, scaled_c)
    trial = np.linspace(least * (1 + 1e-12), 1 - tiny, 4000)
    best = int(np.argmin(bound(trial, *others)))
    if best == 0:
        return float(1 - trial[best]) if trial[best] > tiny * 1.1 else 1.0
    if best == len(trial) - 1:
        raise ValueError(
            f"no p is best at t = {t} for these constants: the bound falls all the way to p → 0, "
            "where every step explores; a larger t or a smaller C/delta has a best p"
        )
    return float(1 - brentq(slope, trial[best - 1], trial[best + 1], args=others, xtol=1e-14))


def exponent_for_risk(a: float, *, gap: bool = True) -> float:
    """The p that balances exploration t^-p with a squared risk n^-a at n of order t^(1-p).

    With a gap the regret follows the risk, p = a(1 - p), so p = a/(1 + a); without one its
    square root, 2p = a(1 - p), so p = a/(2 + a). a > 0; ValueError otherwise. The paper's
    a = 1/2 gives 1/3.
    """
    a = checked.positive(a, "a")
    return a / (1 + a) if gap else a / (2 + a)


def two_armed_floor(t: float, *, p: float) -> float:
    """A floor under E regret at t in an example that never recovers when p > 1.

    Arm 1 pays 1/2 always, arm 2 pays 1 with probability 0.9; sample means, 0 for an untried
    arm, ties to arm 1. While arm 2 has never been drawn at random it is never chosen greedily,
    so E regret ≥ 0.4·(1 - ε_t/2)·Π_{l<t}(1 - l^-p/2). t as in `expected_random_pulls`.
    """
    never = probability_never_pulled(t, arms=2, p=p)
    explore = 0.0 if t == math.inf else math.exp(-p * math.log(t))
    return 0.4 * (1 - explore / 2) * never
