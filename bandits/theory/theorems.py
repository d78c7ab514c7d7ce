"""Both theorems of the paper as printed, and the one theorem that replaces them.

The probability and the lower and upper bound on the regret at step t are symbolic expressions
in L (the exploration: ln t or t^(1-p)/(1-p) as printed, L_p(t) as corrected) and in ε_t. The
regret is the expectation over step t, given the exploration draws of the steps before it.
"""

import math
import sys
from dataclasses import dataclass

import sympy as sp
from sympy.codegen.cfunctions import log1p

from bandits.checks import shown
from bandits.theory import checked
from bandits.theory.lemma import VERSIONS, Version, as_function, case, exploration, lemma_bound
from bandits.theory.symbols import C, K, L, alpha, delta, m0, mean_gap, n, q

eps = sp.Symbol("epsilon", positive=True)  # ε_t

RISK = C * sp.sqrt(sp.log(n) / n)  # Assumption A: the squared risk after n samples, n ≥ n_min
GREEDY = {
    # 8√2 K^(3/2) (max C/δ) sqrt(ln(L/2K)/L), the paper's second term for p = 1 and p < 1 alike
    "printed": 8 * sp.sqrt(2) * K ** sp.Rational(3, 2) * C / delta * sp.sqrt(sp.log(L / 2 / K) / L),
    # Δ of the greedy arm ≤ (2/δ) Σ_j e_j², and each of the K risks is at most RISK at L/(2K)
    "corrected": 2 * K / delta * RISK.subs(n, L / (2 * K)),
}
UPPER = {
    "printed": alpha * eps + GREEDY["printed"],
    "corrected": mean_gap * eps + (1 - eps) * GREEDY["corrected"],
}
LOWER = {"printed": delta * eps / K, "corrected": mean_gap * eps}
LOG_START = {  # log t_0, where L reaches 2K·m0
    ("printed", "p = 1"): 2 * K * m0,
    ("printed", "p < 1"): sp.log(2 * q * K * m0) / q,
    ("corrected", "p = 1"): 2 * K * m0,
    ("corrected", "p < 1"): log1p(2 * q * K * m0) / q,
}


@dataclass(frozen=True)
class TheoremBounds:
    """lower ≤ regret at t ≤ upper with at least this probability, claimed from t_0 on."""

    lower: float
    upper: float
    probability: float
    t_0: float


def start_of_validity(*, arms: int, p: float, n_min: int = 1, version: Version) -> float:
    """t_0 with m0 = max(e, n_min): exp(2K·m0) for p = 1; inf where it overflows.

    For p < 1: (2qK·m0)^(1/q) as printed, (1 + 2qK·m0)^(1/q) as corrected, with q = 1 - p.
    arms: K ≥ 1, and n_min ≥ 1, both whole and at most 2^53. 0 < p ≤ 1. Raises ValueError
    outside these ranges.
    """
    checked.one_of(version, "version", VERSIONS)
    arms, p = checked.number_of_arms(arms), checked.exponent_up_to_one(p)
    n_min = checked.fewest_samples(n_min)
    logarithm = _log_start(arms, p, n_min, version)
    return math.exp(logarithm) if logarithm < 709 else math.inf


def _log_start(arms: int, p: float, n_min: int, version: Version) -> float:
    expression = LOG_START[version, case(p)]
    return float(as_function(expression, K, q, m0)(arms, 1 - p, max(math.e, n_min)))


def theorem_bounds(
    t: float,
    *,
    arms: int,
    p: float,
    delta: float,
    alpha: float,
    mean_gap: float,
    C: float,
    n_min: int = 1,
    version: Version = "corrected",
) -> TheoremBounds:
    """Bounds on the regret of step t, their probability, and the t_0 they start from.

    version "printed" is the paper's Theorem 2 for p = 1 and Theorem 3 for p < 1; "corrected"
    is the unified theorem: D̄·ε_t ≤ regret ≤ D̄·ε_t + (1 - ε_t)(2K/δ)·C·sqrt(ln n/n) at
    n = L_p(t)/(2K), for networks trained on the random branch's samples.

    t: whole, at least 1, and so small that L does not overflow (any for p = 1). arms: K ≥ 1, at
    most 2^53. 0 < p ≤ 1. delta > 0: the gap δ. alpha ≥ 0: max_i E Δ_i, used by the printed
    version. mean_gap ≥ 0: D̄ = (1/K) Σ_i E Δ_i, used by the corrected one. C > 0: largest constant
    of the risk C·sqrt(ln n/n), which holds from n_min samples on (whole, at least 1, at most 2^53).
    Raises ValueError outside these ranges, and where t lies below t_0, which it names.
    """
    checked.one_of(version, "version", VERSIONS)
    arms, p = checked.number_of_arms(arms), checked.exponent_up_to_one(p)
    t, n_min = checked.time_step(t), checked.fewest_samples(n_min)
    delta, C = checked.positive(delta, "delta"), checked.positive(C, "C")
    alpha = checked.not_negative(alpha, "alpha")
    mean_gap = checked.not_negative(mean_gap, "mean_gap")
    length = exploration(t, p, version)
    if length == math.inf:
        most = math.log10(sys.float_info.max * (1 - p)) / (1 - p)
        raise ValueError(
            f"t must be at most about 10^{most:.4g} for p={p:.6g}, where L overflows; "
            f"it is {shown(t)}"
        )
    t_0 = start_of_validity(arms=arms, p=p, n_min=n_min, version=version)
    if math.log(t) < _log_start(arms, p, n_min, version):
        raise ValueError(
            f"t must be at least t_0 = {t_0:.6g}, where the {version} bound starts "
            f"for arms={arms}, p={p:.6g}, n_min={n_min}; it is {shown(t)}"
        )
    values = {
        "epsilon": math.exp(-p * math.log(t)),
        "L": length,
        "K": arms,
        "delta": delta,
        "alpha": alpha,
        "Dbar": mean_gap,
        "C": C,
    }
    return TheoremBounds(
        lower=_at(LOWER[version], values),
        upper=_at(UPPER[version], values),
        probability=lemma_bound(t, arms=arms, p=p, version=version).probability,
        t_0=t_0,
    )


def _at(expression: sp.Expr, values: dict[str, float]) -> float:
    """The number an expression takes when its symbols, looked up by name, take these values."""
    symbols = sorted(expression.free_symbols, key=str)
    return float(as_function(expression, *symbols)(*(values[str(symbol)] for symbol in symbols)))
