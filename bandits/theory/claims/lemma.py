"""The ledger's rows on the lemma: its common steps and part I (p = 1)."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import sympy as sp

from bandits.theory.all_pulled import probability_all_pulled
from bandits.theory.claims.ledger import EMPTY, TRUE, Ledger
from bandits.theory.exact import expected_random_pulls, random_pull_pmf
from bandits.theory.lemma import RATES, exploration, lemma_bound, vacuous_until
from bandits.theory.sums import power_sum
from bandits.theory.symbols import B, T, h, l, s

LEMMA = Ledger()
TIMES = (1, 2, 3, 7, 50, 1000, 10**6, 10**12)


def claims_hold(
    cases: Sequence[tuple[int, int, float]], rate: float, share: float, factor: float, fewest: int
) -> bool:
    """P(all arms ≥ share·L/K) ≥ 1 - factor·K·exp(-rate·L/K) in every case (t, K, p), exactly.

    False too where fewer than `fewest` cases claim a probability between 0.05 and 0.999: a lemma
    is not tested where it says nothing.
    """
    telling = 0
    for t, arms, p in cases:
        length = exploration(t, p)
        claimed = 1 - factor * arms * math.exp(-rate * length / arms)
        telling += 0.05 < claimed < 0.999
        least = math.ceil(share * length / arms * (1 - 1e-12))
        if probability_all_pulled(t, arms=arms, p=p, at_least=least) < claimed - 1e-12:
            return False
    return telling >= fewest


def rational_law(t: int, arms: int) -> list[Fraction]:
    """The law of T_i^R(t) for p = 1 in rational numbers, one step after the other."""
    law = [Fraction(1)]
    for step in range(1, t):
        hit = Fraction(1, step * arms)
        stays, moves = [*law, Fraction(0)], [Fraction(0), *law]
        law = [a * (1 - hit) + b * hit for a, b in zip(stays, moves, strict=True)]
    return law


@LEMMA.claim(
    "Lemma, proof, expectation",
    says="The expected random pulls of an arm before t are B(t) = (1/K) Σ_{l<t} ε_l.",
    verdict=TRUE,
    note="For all t ≥ 1, K ≥ 1, p > 0. Checked in rational numbers for p = 1.",
    mutants={
        "without 1/K": {"share": lambda arms: Fraction(1)},
        "one step more": {"last": 0},
    },
)
def _expectation(
    share: Callable[[int], Fraction] = lambda arms: Fraction(1, arms), last: int = -1
) -> bool:
    rational = all(
        sum(j * weight for j, weight in enumerate(rational_law(t, arms)))
        == sum(share(arms) / step for step in range(1, t + 1 + last))
        for t in range(1, 9)
        for arms in range(1, 5)
    )
    pmf = random_pull_pmf(500, arms=3, p=1 / 3)
    return rational and math.isclose(
        pmf @ np.arange(len(pmf)), expected_random_pulls(500, arms=3, p=1 / 3), rel_tol=1e-10
    )


@LEMMA.claim(
    "Lemma, proof, variance",
    says="The variance of the random pulls is at most B(t).",
    verdict=TRUE,
    note="The difference is Σ (ε_l/K)² ≥ 0.",
    mutants={"half of B(t)": {"factor": Fraction(1, 2)}},
)
def _variance(factor: Fraction = Fraction(1)) -> bool:
    chance = sp.Symbol("chance", positive=True)
    difference = sp.expand(chance - chance * (1 - chance))
    exact = True
    for t in range(1, 9):
        law = rational_law(t, 3)
        mean = sum(j * w for j, w in enumerate(law))
        spread = sum((j - mean) ** 2 * w for j, w in enumerate(law))
        squares = sum(Fraction(1, 3 * step) ** 2 for step in range(1, t))
        exact = exact and mean - spread == squares and factor * mean >= spread
    return exact and difference == chance**2


@LEMMA.claim(
    "Lemma, proof, part I, Σ 1/l ≥ ln t",
    says="The harmonic sum over l < t is at least ln t.",
    verdict=TRUE,
    note="1/l ≥ log(1 + 1/l), and these logarithms add up to log t.",
    mutants={"ln t + 0.6, above Euler's constant": {"more": 0.6}},
)
def _harmonic_at_least_log(more: float = 0.0) -> bool:
    slope = sp.simplify(sp.diff(h - sp.log(1 + h), h))
    telescope = sp.expand_log(sp.log(l + 1) - sp.log(l) - sp.log((l + 1) / l), force=True)
    harmonic = sp.simplify(sp.summation(1 / l, (l, 1, T - 1)) - sp.harmonic(T - 1))
    numbers = all(power_sum(1, 1, t) >= math.log(t) + more * (t > 1) for t in (*TIMES, 10**33))
    algebra = bool(slope.is_nonnegative) and sp.simplify(telescope) == 0 and harmonic == 0
    return algebra and numbers


@LEMMA.claim(
    "Lemma, proof, Bernstein",
    says="P(T ≤ B/2) ≤ exp(-(B²/8)/(B + B/6)) = exp(-3B/28).",
    verdict=TRUE,
    note="The last step is an equality; the exact tail is smaller still.",
    mutants={
        "rate 0.17": {"rate": sp.Rational(17, 100)},
        "variance B/6 instead of B": {"spread": sp.Rational(1, 6)},
    },
)
def _bernstein(rate: sp.Rational = RATES["printed"], spread: sp.Rational = sp.S.One) -> bool:
    algebra = sp.simplify(B**2 / 8 / (spread * B + B / 6) - rate * B) == 0
    return bool(algebra) and _tail_is_below(float(rate))


@LEMMA.claim(
    "Lemma, proof, Bernstein (better constants, ours)",
    says="3/28 may be replaced by 1/8 or by (1 - ln 2)/2 = 0.1534.",
    verdict=TRUE,
    note="Minimise the exponent of E exp(-sT) ≤ exp(B(exp(-s) - 1)); for 1/8 use exp(-s) ≤ "
    "1 - s + s²/2. No constant above 0.1534 will do.",
    mutants={"rate 0.17": {"rate": 0.17}, "rate 0.165": {"rate": 0.165}},
)
def _better_constants(rate: float = float(RATES["Chernoff"])) -> bool:
    chernoff = B * (sp.exp(-s) - 1) + s * B / 2
    (best,) = sp.solve(sp.diff(chernoff, s), s)
    one_sided = B * (-s + s**2 / 2) + s * B / 2
    (vertex,) = sp.solve(sp.diff(one_sided, s), s)
    algebra = (
        sp.simplify(chernoff.subs(s, best) + RATES["Chernoff"] * B) == 0
        and sp.simplify(one_sided.subs(s, vertex) + RATES["one-sided Bernstein"] * B) == 0
        and bool(sp.diff(sp.exp(-h) - 1 + h - h**2 / 2, h, 3).is_negative)
    )
    return bool(algebra) and _tail_is_below(rate)


def _tail_is_below(rate: float) -> bool:
    """P(T <= B/2) <= exp(-rate·B) for exact laws of many shapes, far into the tail.

    With many arms a step hits a given one rarely, the law is nearly Poisson, and the Chernoff rate
    is what remains: B is 600 and 1,500 in the last two cases.
    """
    cases = [
        (t, p, arms)
        for t in (2, 10, 100, 1000, 20000)
        for p in (0.2, 1 / 3, 0.5, 1.0)
        for arms in (1, 2, 5)
    ]
    for t, p, arms in (*cases, (10**6, 1 / 3, 25), (10**6, 1 / 3, 10)):
        mean = expected_random_pulls(t, arms=arms, p=p)
        tail = random_pull_pmf(t, arms=arms, p=p)[: math.floor(mean / 2) + 1].sum()
        if tail > math.exp(-rate * mean) * (1 + 1e-9):
            return False
    return True


@LEMMA.claim(
    "Lemma, proof, union bound",
    says="P(some arm has T_i ≤ threshold) ≤ K·P(T_1 ≤ threshold), and the complement follows.",
    verdict=TRUE,
    note="All arms have the same law. The complement even holds with > in place of ≥.",
    mutants={"K/2 times": {"factor": 0.5}, "without K": {"factor": 0.2}},
)
def _union_bound(factor: float = 1.0) -> bool:
    for t, p, arms, least in ((30, 0.5, 3, 2), (200, 1.0, 2, 1), (2000, 1 / 3, 5, 30)):
        joint = probability_all_pulled(t, arms=arms, p=p, at_least=least)
        one = random_pull_pmf(t, arms=arms, p=p)[:least].sum()
        if not 1 - factor * arms * one - 1e-12 <= joint <= 1 - one + 1e-12:
            return False
    return True


@LEMMA.claim(
    "Lemma, part I (p = 1)",
    says="All arms have at least ln(t)/(2K) random pulls with probability ≥ "
    "1 - K·exp(-3 ln(t)/(28K)).",
    verdict=EMPTY,
    note="True for every t, but the bound is at most 0 until t = K^(28K/3): 4.16e32 for "
    "K = 5, 416,128 for K = 2.",
    mutants={
        "rate 1/4": {"rate": 0.25},
        "0.7 ln(t)/K pulls": {"share": 0.7},
        "not empty at 4e32": {"empty": 4 * 10**32 * 1.1},
    },
)
def _part_one(rate: float = 3 / 28, share: float = 0.5, empty: float = 4 * 10**32) -> bool:
    cases = [(10**k, arms, 1.0) for arms in (2, 3) for k in (6, 8, 15, 20, 30, 40, 60, 90)]
    if not claims_hold([*cases, (10**40, 5, 1.0), (10**60, 5, 1.0)], rate, share, 1, 8):
        return False
    return (
        math.isclose(vacuous_until(5, 1), 4.155279e32, rel_tol=1e-6)
        and math.isclose(vacuous_until(2, 1), 416127.66, rel_tol=1e-7)
        and lemma_bound(int(empty), arms=5, p=1).says_nothing
        and not lemma_bound(42 * 10**31, arms=5, p=1).says_nothing
    )


@LEMMA.claim(
    "Lemma, what the law is exactly (ours)",
    says="P(all arms ≥ m) = Σ_n P(N = n)·M(n, m), with N the number of random steps.",
    verdict=TRUE,
    note="N is a sum of independent 0/1 variables; given N the counts are multinomial. "
    "K = 2, p = 1/2, t = 7, m = 1: 0.786897291657.",
    mutants={"ε_l off by one": {"shift": 1}, "m = 2": {"least": 2}},
)
def _exact_law(shift: int = 0, least: int = 1) -> bool:
    truth = 0.0  # every subset of random steps, every assignment of arms to them
    for steps in range(2**6):
        chosen = [step for step in range(1, 7) if steps >> (step - 1) & 1]
        weight = math.prod(
            (step + shift) ** -0.5 if step in chosen else 1 - (step + shift) ** -0.5
            for step in range(1, 7)
        )
        truth += weight * max(0.0, 1 - 2 * 0.5 ** len(chosen)) if chosen else 0.0
    value = probability_all_pulled(7, arms=2, p=0.5, at_least=least)
    return math.isclose(value, truth, rel_tol=1e-12) and round(value, 12) == 0.786897291657
