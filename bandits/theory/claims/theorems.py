"""The ledger's rows on the two theorems: the steps of their common proof."""

import itertools
import math
from fractions import Fraction

import numpy as np
import sympy as sp
from scipy.stats import norm

from bandits.theory.attaining import unseen_after
from bandits.theory.claims.ledger import ASSUMES, FALSE, ILLUSTRATION, TRUE, Ledger
from bandits.theory.symbols import delta, x

STEPS = Ledger()


@STEPS.claim(
    "Theorem 1 (quoted)",
    says="A network with n parameters fitted to n samples has squared risk ≤ c·√(log n/n).",
    verdict=FALSE,
    note="False as printed, since nothing is asked of μ: let X = k with p_k ∝ k^(-5/4) and draw "
    "each "
    "μ(k) from {0, 1} by a coin. The risk is at least a quarter of the unseen mass on average, of "
    "order n^(-1/5), and at least an eighth of it with probability 1/7, so some one μ has risk "
    "over "
    "√(ln n/n) unbounded. We state Assumption A instead: risk ≤ C·√(ln n/n) from n_min i.i.d. "
    "samples on.",
    mutants={
        "with a lighter tail, a = 0.6": {"a": 0.6},
        "with probability 1/3": {"chance": Fraction(1, 3)},
    },
)
def _quoted_rate(a: float = 0.2, chance: Fraction = Fraction(1, 7)) -> bool:
    # An unseen state's mean is 0 or 1 by coin, so a guess g there costs (g² + (1-g)²)/2 >= 1/4.
    g = sp.Symbol("g", real=True)
    quarter = sp.minimum((g**2 + (1 - g) ** 2) / 2, g) == sp.Rational(1, 4)
    over = [
        unseen_after(10**k, risk=a).value / 4 / math.sqrt(k * math.log(10) / 10**k)
        for k in (2, 6, 12, 20)
    ]
    # 0 <= R <= MM and E R >= MM/4 give P(R >= MM/8) >= (1/4 - 1/8)/(1 - 1/8)
    markov = (Fraction(1, 4) - Fraction(1, 8)) / (1 - Fraction(1, 8)) >= chance
    return bool(quarter) and markov and over == sorted(over) and over[-1] > 1e4


@STEPS.claim(
    "Theorem 1 (quoted), bounded rewards",
    says="Rewards are almost surely bounded, and normal with variance σ².",
    verdict=ASSUMES,
    kind=ILLUSTRATION,
    note="A normal variable with σ > 0 exceeds every bound with positive probability: the "
    "experiments with σ = 1 lie outside the theorem.",
)
def _bounded_and_normal() -> bool:
    return all(norm.sf(bound) > 0 for bound in (1, 9, 30))


@STEPS.claim(
    "Theorems 2 and 3, proof, “have t parameters”",
    says="Theorem 1 applies to networks with t parameters and T_i(t) < t samples.",
    verdict=ASSUMES,
    kind=ILLUSTRATION,
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
    mutants={"though the P(I = i) add up to less": {"whole": sp.Rational(9, 10)}},
)
def _regret_identity(whole: sp.Expr = sp.S.One) -> bool:
    best, *means = sp.symbols("best mu1:5", real=True)
    chances = [*sp.symbols("c1:4", nonnegative=True)]
    chances.append(whole - sum(chances))
    lost = sum((best - mean) * chance for mean, chance in zip(means, chances, strict=True))
    earned = sum(mean * chance for mean, chance in zip(means, chances, strict=True))
    return bool(sp.expand(lost - (best - earned)) == 0)


@STEPS.claim(
    "Theorems 2 and 3, proof, P(I = i) ≤ ε/K + P(Φ_i ≥ Φ_*)",
    says="An arm is chosen at random, or because its prediction is at least the optimal arm's.",
    verdict=TRUE,
    note="Exactly P(I = i) = ε/K + (1 - ε)·P(i is the greedy arm).",
    mutants={"without ε/K": {"explored": 0}, "P(Φ_i > Φ_*) strictly": {"strictly": True}},
)
def _chosen_or_predicted(explored: int = 1, strictly: bool = False) -> bool:
    eps, arms = Fraction(1, 3), 3
    orders = list(itertools.product(range(3), repeat=arms))  # every order, ties included
    for guesses in (orders, [(0, 1, 2)], [(1, 1, 1)]):
        for best, arm in itertools.permutations(range(arms), 2):
            greedy = Fraction(sum(g.index(max(g)) == arm for g in guesses), len(guesses))
            ahead = Fraction(
                sum(g[arm] > g[best] if strictly else g[arm] >= g[best] for g in guesses),
                len(guesses),
            )
            if eps / arms + (1 - eps) * greedy > explored * eps / arms + ahead:
                return False
    return True


@STEPS.claim(
    "Theorems 2 and 3, proof, midpoint and Markov",
    says="P(Φ_i ≥ Φ_*) ≤ P(e_i ≥ Δ/2) + P(e_* ≥ Δ/2) ≤ (E e_i² + E e_*²)·4/Δ².",
    verdict=TRUE,
    note="For arms with Δ_i > 0; the printed fractions are 0/0 at Δ_i = 0, where the term is 0.",
    mutants={
        "2.25/Δ² for 4/Δ²": {"factor": Fraction(9, 4)},
        "at 0.6Δ instead of Δ/2": {"part": Fraction(3, 5)},
    },
)
def _midpoint_and_markov(factor: Fraction = Fraction(4), part: Fraction = Fraction(1, 2)) -> bool:
    grid = [Fraction(k, 20) for k in range(-40, 41)]  # Δ/2 is among them
    gap = Fraction(1)  # μ_i = 0 and μ_* = gap
    midpoint = all(
        not arm >= star or arm >= part * gap or star <= gap - part * gap
        for arm, star in itertools.product(grid, repeat=2)
    )
    markov = all((abs(e) >= gap / 2) <= e**2 * factor / gap**2 for e in grid)
    return midpoint and markov


@STEPS.claim(
    "Theorems 2 and 3, proof, the line without squares",
    says="Δ·e/(Δ/2) stands between the squared line before it and the squared line after it.",
    verdict=FALSE,
    note="2e ≤ 4e²/δ needs e ≥ δ/2, which small errors do not satisfy. Leave the line out: "
    "Δ·4e²/Δ² = 4e²/Δ ≤ 4e²/δ.",
    mutants={"it fails only below δ/8": {"edge": sp.Rational(1, 8)}},
)
def _line_without_squares(edge: sp.Rational = sp.S.Half) -> bool:
    e, extra = sp.symbols("e extra", positive=True)
    boundary = sp.solve(sp.Eq(2 * e, 4 * e**2 / delta), e)
    small = (2 * e - 4 * e**2 / delta).subs(e, delta / 4)
    corrected = sp.simplify(4 * e**2 / delta - 4 * e**2 / (delta + extra))  # Δ = δ + extra
    return (
        bool(boundary == [delta * edge]) and bool(small.is_positive) and bool(corrected.is_positive)
    )


@STEPS.claim(
    "Theorems 2 and 3, proof, “by dominated convergence”",
    says="The order of the two expectations may be exchanged.",
    verdict=TRUE,
    kind=ILLUSTRATION,
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
    mutants={"already for three arms": {"enough": 2}, "only from six arms on": {"enough": 5}},
)
def _optimal_arm_depends_on_the_state(enough: int = 3) -> bool:
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
        (printed_sum(k) > 2 * k) == (k > enough) for k in range(2, 9)
    )
