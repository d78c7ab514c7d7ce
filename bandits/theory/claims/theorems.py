"""The ledger's rows on the two theorems: the steps of their common proof."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import sympy as sp
from scipy.stats import norm

from bandits.theory.claims.ledger import ASSUMES, FALSE, TRUE, Ledger
from bandits.theory.lemma import as_function
from bandits.theory.symbols import C, K, L, delta, n, q, t, x
from bandits.theory.theorems import GREEDY, RISK

STEPS = Ledger()


@STEPS.claim(
    "Theorem 1 (quoted)",
    says="A network with n parameters fitted to n samples has squared risk ≤ c·√(log n/n).",
    verdict=ASSUMES,
    note="No rate can hold for every bounded μ: with 0/1 means drawn by coin on n² equally "
    "likely points the risk is ≥ (1/4)(1 - 1/n²)^n at every n. We state it as Assumption A: "
    "risk ≤ C·√(ln n/n) from n_min i.i.d. samples on.",
)
def _quoted_rate() -> bool:
    # A point not in the sample has a mean of 0 or 1 by coin, so any guess costs 1/4 there.
    floor = sp.limit(sp.log(1 - 1 / n**2) * n, n, sp.oo)
    rate = sp.limit(RISK / C, n, sp.oo)
    beaten = all(
        (1 - size**-2) ** size / 4 > constant * math.sqrt(math.log(size) / size)
        for constant, size in ((1, 200), (10, 40_000), (100, 10_000_000))
    )
    return bool(floor == 0 and rate == 0) and beaten


@STEPS.claim(
    "Theorem 1 (quoted), bounded rewards",
    says="Rewards are almost surely bounded, and normal with variance σ².",
    verdict=ASSUMES,
    note="A normal variable with σ > 0 exceeds every bound with positive probability: the "
    "experiments with σ = 1 lie outside the theorem.",
)
def _bounded_and_normal() -> bool:
    return all(norm.sf(bound) > 0 for bound in (1, 9, 30))


@STEPS.claim(
    "Theorems 2 and 3, proof, “have t parameters”",
    says="Theorem 1 applies to networks with t parameters and T_i(t) < t samples.",
    verdict=ASSUMES,
    note="Theorem 1 wants n parameters for n samples, the proof uses n = T_i(t). As many "
    "parameters as samples is also where least squares interpolates and its risk peaks. "
    "Assumption A speaks of the risk alone and leaves the size open.",
)
def _as_many_parameters_as_samples() -> bool:
    rng = np.random.default_rng(0)
    features, slope = rng.normal(size=(1000, 40)), rng.normal(size=40)
    rewards = features @ slope * 0.1 + rng.normal(size=1000)
    fit, held_out = slice(0, 40), slice(40, None)

    def errors(parameters: int) -> tuple[float, float]:
        weights = np.linalg.lstsq(features[fit, :parameters], rewards[fit], rcond=None)[0]
        squares = (features[:, :parameters] @ weights - rewards) ** 2
        return float(squares[fit].mean()), float(squares[held_out].mean())

    seen, unseen = errors(40)
    return seen < 1e-20 and unseen > 5 * errors(10)[1]


@STEPS.claim(
    "Theorems 2 and 3, proof, regret identity",
    says="The expected regret is Σ_i E Δ_i(X)·P(I = i | X).",
    verdict=TRUE,
    note="Both sides are μ_* - Σ_i μ_i P(I = i), because the P(I = i) add up to 1.",
)
def _regret_identity() -> bool:
    best, *means = sp.symbols("best mu1:5", real=True)
    chances = [*sp.symbols("c1:4", nonnegative=True)]
    chances.append(1 - sum(chances))
    lost = sum((best - mean) * chance for mean, chance in zip(means, chances, strict=True))
    earned = sum(mean * chance for mean, chance in zip(means, chances, strict=True))
    return bool(sp.expand(lost - (best - earned)) == 0)


@STEPS.claim(
    "Theorems 2 and 3, proof, P(I = i) ≤ ε/K + P(Φ_i ≥ Φ_*)",
    says="An arm is chosen at random, or because its prediction is at least the optimal arm's.",
    verdict=TRUE,
    note="Exactly P(I = i) = ε/K + (1 - ε)·P(i is the greedy arm).",
)
def _chosen_or_predicted() -> bool:
    eps, arms = Fraction(1, 3), 3
    guesses = list(itertools.product(range(3), repeat=arms))  # every order, ties included
    for best, arm in itertools.permutations(range(arms), 2):
        greedy = Fraction(sum(g.index(max(g)) == arm for g in guesses), len(guesses))
        ahead = Fraction(sum(g[arm] >= g[best] for g in guesses), len(guesses))
        if eps / arms + (1 - eps) * greedy > eps / arms + ahead:
            return False
    return True


@STEPS.claim(
    "Theorems 2 and 3, proof, midpoint and Markov",
    says="P(Φ_i ≥ Φ_*) ≤ P(e_i ≥ Δ/2) + P(e_* ≥ Δ/2) ≤ (E e_i² + E e_*²)·4/Δ².",
    verdict=TRUE,
    note="For arms with Δ_i > 0; the printed fractions are 0/0 at Δ_i = 0, where the term is 0.",
)
def _midpoint_and_markov() -> bool:
    grid = [Fraction(k, 4) for k in range(-8, 9)]
    gap = Fraction(3, 4)  # μ_i = 0 and μ_* = gap
    midpoint = all(
        not arm >= star or arm >= gap / 2 or star <= gap - gap / 2
        for arm, star in itertools.product(grid, repeat=2)
    )
    markov = all((abs(e) >= gap / 2) <= e**2 * 4 / gap**2 for e in grid)
    return midpoint and markov


@STEPS.claim(
    "Theorems 2 and 3, proof, the line without squares",
    says="Δ·e/(Δ/2) stands between the squared line before it and the squared line after it.",
    verdict=FALSE,
    note="2e ≤ 4e²/δ needs e ≥ δ/2, which small errors do not satisfy. Leave the line out: "
    "Δ·4e²/Δ² = 4e²/Δ ≤ 4e²/δ.",
)
def _line_without_squares() -> bool:
    e, extra = sp.symbols("e extra", positive=True)
    boundary = sp.solve(sp.Eq(2 * e, 4 * e**2 / delta), e)
    small = (2 * e - 4 * e**2 / delta).subs(e, delta / 4)
    repaired = sp.simplify(4 * e**2 / delta - 4 * e**2 / (delta + extra))  # Δ = δ + extra
    return bool(boundary == [delta / 2]) and bool(small.is_positive) and bool(repaired.is_positive)


@STEPS.claim(
    "Theorems 2 and 3, proof, “by dominated convergence”",
    says="The order of the two expectations may be exchanged.",
    verdict=TRUE,
    note="Nothing converges here; non-negative integrands may be exchanged by Tonelli's theorem.",
)
def _order_of_expectations() -> bool:
    a, y = sp.symbols("a y", positive=True)
    squared = (a * x - y) ** 2 * sp.exp(-x) * sp.exp(-2 * y)
    one = sp.integrate(sp.integrate(squared, (x, 0, sp.oo)), (y, 0, sp.oo))
    other = sp.integrate(sp.integrate(squared, (y, 0, sp.oo)), (x, 0, sp.oo))
    return bool(sp.simplify(one - other) == 0)


@STEPS.claim(
    "Theorems 2 and 3, proof, C_*",
    says="The optimal arm's risk is at most C_*·√(ln n/n), so that the sum over i costs 2K risks.",
    verdict=FALSE,
    note="* depends on X while A bounds each arm's risk over all X. When every arm errs only "
    "where it is optimal the printed sum is K(K-1) risks, above 2K for K > 3.",
)
def _optimal_arm_depends_on_the_state() -> bool:
    def printed_sum(arms: int) -> Fraction:
        """Σ_i E[(e_i² + e_*²); i ≠ *] for K states, arm k best and wrong in state k alone."""
        risk = Fraction(1)
        squares = [[arms * risk if arm == state else Fraction(0) for arm in range(arms)]
                   for state in range(arms)]  # fmt: skip
        if any(sum(row[arm] for row in squares) / arms != risk for arm in range(arms)):
            raise ArithmeticError(f"an arm's risk is not {risk} in the example of {arms} arms")
        return sum(
            (
                (squares[state][arm] + squares[state][state]) / arms
                for state in range(arms)
                for arm in range(arms)
                if arm != state
            ),
            Fraction(0),
        )

    return all(printed_sum(k) == k * (k - 1) for k in range(2, 9)) and all(
        (printed_sum(k) > 2 * k) == (k > 3) for k in range(2, 9)
    )


@STEPS.claim(
    "Theorems 2 and 3, C_0 = 8√2·max C",
    says="The greedy part of the regret is at most K^(3/2)·(C_0/δ)·√(ln(L/2K)/L).",
    verdict=TRUE,
    note="Repaired, and four times better, C_0 = 2√2·max C, for every K: for the greedy arm Î, "
    "Δ_Î ≤ e_Î + e_*, so Δ_Î ≤ (2/δ) Σ_j e_j². Without a gap: at most √(2K·risk).",
)
def _repaired_constant() -> bool:
    a, b = sp.symbols("a b", nonnegative=True)
    square = sp.factor(2 * (a**2 + b**2) - (a + b) ** 2) == (a - b) ** 2
    four = sp.simplify(GREEDY["printed"] / GREEDY["corrected"]) == 4
    rng = np.random.default_rng(0)
    means = rng.integers(0, 3, size=(20_000, 4)).astype(float)
    guesses = means + rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=means.shape)
    lost = means.max(axis=1) - means[np.arange(len(means)), guesses.argmax(axis=1)]
    errors = ((guesses - means) ** 2).sum(axis=1)
    pointwise = bool((lost <= 2 * errors).all() and (lost**2 <= 2 * errors).all())
    return square and four and pointwise and bool(lost.max() > 0)


@STEPS.claim(
    "Theorems 2 and 3, proof, sums over i",
    says="Adding K arms and putting n = L/(2K) gives the factors K^(3/2), √2 and √(2(1-p)).",
    verdict=TRUE,
    note="Exact, and the mean of E Δ_i is at most α = max_i E Δ_i.",
)
def _factors() -> bool:
    term = K * (8 * C / delta) * sp.sqrt(sp.log(n) / n)
    one = sp.simplify(term.subs(n, L / (2 * K)) / GREEDY["printed"]) == 1
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
    return one and two


@STEPS.claim(
    "Theorems 2 and 3, proof, monotone rate",
    says="√(ln n/n) decreases for n > e.",
    verdict=TRUE,
    note="Its square has the derivative (1 - ln n)/n².",
)
def _monotone_rate() -> bool:
    squared = sp.log(x) / x
    slope = sp.simplify(sp.diff(squared, x) - (1 - sp.log(x)) / x**2) == 0
    falling = sp.is_strictly_decreasing(squared, sp.Interval.open(sp.E, sp.oo))
    sizes = np.linspace(math.e, 500, 5000)
    return slope and falling is True and bool((np.diff(np.log(sizes) / sizes) < 0).all())
