"""The constants of the two theorems: the correction, the factors, the rate."""

import math

import numpy as np
import sympy as sp

from bandits.theory.claims.ledger import TRUE, Ledger
from bandits.theory.lemma import as_function
from bandits.theory.symbols import C, K, L, delta, n, q, t, x
from bandits.theory.theorems import GREEDY

CONSTANTS = Ledger()


@CONSTANTS.claim(
    "Theorems 2 and 3, C_0 = 8√2·max C",
    says="The greedy part of the regret is at most K^(3/2)·(C_0/δ)·√(ln(L/2K)/L).",
    verdict=TRUE,
    note="The corrected constant is four times better, C_0 = 2√2·max C, for every K: for the "
    "greedy arm Î, Δ_Î ≤ e_Î + e_*, so Δ_Î ≤ (2/δ) Σ_j e_j². Without a gap: at most √(2K·risk).",
    mutants={"1.8/δ for 2/δ": {"factor": 1.8}, "(e_Î² + e_*²)·1.5 ≥ (e_Î + e_*)²": {"twice": 1.5}},
)
def _corrected_constant(factor: float = 2.0, twice: float = 2) -> bool:
    a, b = sp.symbols("a b", nonnegative=True)
    square = sp.expand(sp.nsimplify(twice) * (a**2 + b**2) - (a + b) ** 2 - (a - b) ** 2) == 0
    four = sp.simplify(GREEDY["printed"] / GREEDY["corrected"]) == 4
    rng = np.random.default_rng(0)
    means = rng.integers(0, 3, size=(20_000, 4)).astype(float)
    guesses = means + rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=means.shape)
    lost = means.max(axis=1) - means[np.arange(len(means)), guesses.argmax(axis=1)]
    errors = ((guesses - means) ** 2).sum(axis=1)
    pointwise = bool((lost <= factor * errors).all() and (lost**2 <= factor * errors).all())
    return bool(square and four and pointwise and lost.max() > 0)


@CONSTANTS.claim(
    "Theorems 2 and 3, proof, sums over i",
    says="Adding K arms and putting n = L/(2K) gives the factors K^(3/2), √2 and √(2(1-p)).",
    verdict=TRUE,
    note="Exact, and the mean of E Δ_i is at most α = max_i E Δ_i.",
    mutants={"K in the place of K^(3/2)": {"arms": sp.sqrt(K)}, "n = L/K": {"share": 1}},
)
def _factors(arms: sp.Expr = K, share: int = 2) -> bool:
    term = arms * (8 * C / delta) * sp.sqrt(sp.log(n) / n)
    one = sp.simplify(term.subs(n, L / (share * K)) / GREEDY["printed"]) == 1
    printed_two = (
        8
        * sp.sqrt(2 * q)
        * K ** sp.Rational(3, 2)
        * C
        / delta
        * sp.sqrt((sp.log(t**q) - sp.log(2 * q * K)) / t**q)
    )
    ratio = as_function(GREEDY["printed"].subs(L, t**q / q) / printed_two, t, q, K, C, delta)
    two = all(
        math.isclose(ratio(10.0**power, rest, 5, 2.0, 0.7), 1, rel_tol=1e-12)
        for power in (3, 6, 12)
        for rest in (0.4, 2 / 3, 0.9)
    )
    return bool(one and two)


@CONSTANTS.claim(
    "Theorems 2 and 3, proof, monotone rate",
    says="√(ln n/n) decreases for n > e.",
    verdict=TRUE,
    note="Its square has the derivative (1 - ln n)/n².",
    mutants={"from n = 2 on": {"start": 2.0}},
)
def _monotone_rate(start: float = math.e) -> bool:
    squared = sp.log(x) / x
    slope = sp.simplify(sp.diff(squared, x) - (1 - sp.log(x)) / x**2) == 0
    falling = sp.is_strictly_decreasing(squared, sp.Interval.open(sp.E, sp.oo))
    sizes = np.linspace(start, 500, 5000)
    return slope and falling is True and bool((np.diff(np.log(sizes) / sizes) < 0).all())
