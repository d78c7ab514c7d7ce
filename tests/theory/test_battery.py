"""Every function of the theory on random inputs against many digits, and within two seconds."""

import contextlib
import math
import time
from functools import partial

import mpmath
import numpy as np
import pytest

from bandits.theory import (
    attained_regret,
    best_exponent,
    expected_random_pulls,
    lemma_bound,
    probability_all_pulled,
    probability_never_pulled,
    random_pull_pmf,
    theorem_bounds,
    undrawn_law,
)

FAST, ALL = 60, 400  # cases of each of the five kinds
DIGITS = 40


def random_step_law(t, p):
    """The law of N as mpmath numbers, by the plain recursion."""
    law = [mpmath.mpf(1)]
    for step in range(1, t):
        eps = mpmath.mpf(step) ** -mpmath.mpf(p)
        law = [(law[n] * (1 - eps) if n < len(law) else 0) + (law[n - 1] * eps if n else 0)
               for n in range(len(law) + 1)]  # fmt: skip
    return law


def all_pulled(rng):
    """The multinomial part through Poisson counts is avoided: arm after arm, in plain recursion."""
    t, p = int(rng.integers(2, 45)), float(rng.uniform(0.01, 2.5))
    arms = int(rng.integers(1, 12))
    least = int(rng.integers(1, max(2, (t - 1) // arms + 1)))
    law = random_step_law(t, p)
    ways = [mpmath.mpf(1)] + [mpmath.mpf(0)] * (t - 1)  # Σ over counts of 1/(j_1!…j_K!)
    for _ in range(arms):
        ways = [mpmath.fsum(ways[n - j] * mpmath.rgamma(j + 1) for j in range(least, n + 1))
                for n in range(t)]  # fmt: skip
    truth = mpmath.fsum(law[n] * ways[n] * mpmath.factorial(n) / mpmath.mpf(arms) ** n
                        for n in range(t))  # fmt: skip
    yield probability_all_pulled(t, arms=arms, p=p, at_least=least), truth


def one_arm(rng):
    t, p, arms = int(rng.integers(2, 80)), float(rng.uniform(0.01, 3)), int(rng.integers(1, 2000))
    law, total, never = [mpmath.mpf(1)], mpmath.mpf(0), mpmath.mpf(1)
    for step in range(1, t):
        hit = mpmath.mpf(step) ** -mpmath.mpf(p) / arms
        total, never = total + hit, never * (1 - hit)
        law = [(law[n] * (1 - hit) if n < len(law) else 0) + (law[n - 1] * hit if n else 0)
               for n in range(len(law) + 1)]  # fmt: skip
    yield expected_random_pulls(t, arms=arms, p=p), total
    yield probability_never_pulled(t, arms=arms, p=p), never
    pmf = random_pull_pmf(t, arms=arms, p=p)
    for n in range(min(6, len(pmf))):
        if law[n] > 1e-100:
            yield pmf[n], law[n]


def bounds(rng):
    t, arms = int(10 ** rng.uniform(2, 300)), int(rng.integers(1, 30))
    p = float(rng.choice([1.0, rng.uniform(0.05, 0.999)]))
    delta, gap, C = (float(10 ** rng.uniform(-3, 3)) for _ in range(3))
    q, u = 1 - mpmath.mpf(p), mpmath.log(t)
    length = u if p == 1 else mpmath.expm1(q * u) / q
    claimed = lemma_bound(t, arms=arms, p=p)
    yield claimed.threshold, length / (2 * arms)
    probability = 1 - arms * mpmath.exp(-3 * length / (28 * arms))
    if abs(probability) > 1e-3:
        yield claimed.probability, probability
    n = length / (2 * arms)
    if n > mpmath.e * (1 + 1e-9):
        found = theorem_bounds(t, arms=arms, p=p, delta=delta, alpha=gap, mean_gap=gap, C=C)
        eps = mpmath.exp(-mpmath.mpf(p) * u)
        greedy = 2 * arms / mpmath.mpf(delta) * C * mpmath.sqrt(mpmath.log(n) / n)
        yield found.lower, gap * eps
        yield found.upper, gap * eps + (1 - eps) * greedy


def attained(rng):
    t, p, risk = int(rng.integers(1, 40)), float(rng.uniform(0.05, 3)), rng.uniform(0.06, 0.94)
    b = 1 / (1 - mpmath.mpf(risk))
    symmetric = [mpmath.mpf(1)]
    for step in range(1, t):
        share = mpmath.mpf(step) ** -mpmath.mpf(p) / 2
        symmetric = [(symmetric[m] if m < len(symmetric) else 0)
                     + (symmetric[m - 1] * share if m else 0)
                     for m in range(len(symmetric) + 1)]  # fmt: skip
    unseen = mpmath.fsum((-1) ** m * e * mpmath.zeta(b * (m + 1)) / mpmath.zeta(b) ** (m + 1)
                         for m, e in enumerate(symmetric))  # fmt: skip
    eps = mpmath.mpf(t) ** -mpmath.mpf(p)
    yield attained_regret(t, schedule=p, risk=float(risk)).value, eps / 4 + (1 - eps) / 2 * unseen


def undrawn(rng):
    t, p, arms = int(rng.integers(2, 300)), float(rng.uniform(0.05, 2)), int(rng.integers(1, 40))
    eps = [mpmath.mpf(step) ** -mpmath.mpf(p) for step in range(1, t)]
    given = [mpmath.fprod(1 - j * e / arms for e in eps) for j in range(arms + 1)]
    found = undrawn_law(t, arms=arms, schedule=p)
    for m in rng.integers(0, arms + 1, 3):
        truth = mpmath.fsum((-1) ** (j - m) * mpmath.binomial(j, m) * mpmath.binomial(arms, j)
                            * given[j] for j in range(m, arms + 1))  # fmt: skip
        if truth > 1e-80:
            yield found[m], truth


KINDS = (all_pulled, one_arm, bounds, attained, undrawn)


def hold(kind, cases, digits=DIGITS):
    rng = np.random.default_rng(20_000)
    for case in range(cases):
        with mpmath.workdps(100 if kind in (attained, undrawn) else digits):
            for found, truth in kind(rng):
                if abs(truth) < 1e-280:
                    assert abs(found) < 1e-270, (kind.__name__, case)
                else:
                    assert abs(found - truth) <= 1e-9 * abs(truth), (kind.__name__, case)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_random_inputs_against_many_digits(kind):
    hold(kind, FAST // 3 if kind is all_pulled else FAST)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_two_thousand_random_inputs_against_many_digits(kind):
    hold(kind, ALL)


def calls(t, p, arms, least):
    constants = {"delta": 1, "alpha": 1, "mean_gap": 1, "C": 1}
    yield partial(probability_all_pulled, t, arms=arms, p=p, at_least=least)
    yield partial(random_pull_pmf, t, arms=arms, p=p)
    yield partial(probability_never_pulled, t, arms=arms, p=p)
    yield partial(undrawn_law, t, arms=min(arms, 2000), schedule=p)
    yield partial(attained_regret, min(t, 10**30), schedule=p)
    yield partial(best_exponent, t, arms=arms, **constants)


@pytest.mark.slow
def test_no_call_takes_more_than_two_seconds_of_cpu_or_it_is_refused():
    """With half a second more, for a machine that is busy."""
    rng = np.random.default_rng(7)
    for case in range(200):
        t = int(10 ** rng.uniform(0.5, rng.choice([4, 6.3, 40])))
        p = float(10 ** rng.uniform(-9, 0.5))
        arms = int(10 ** rng.uniform(0, rng.choice([1.5, 5])))
        least = int(rng.integers(1, max(2, min(t, 10**7) // arms + 1)))
        for call in calls(t, p, arms, least):
            start = time.process_time()
            with contextlib.suppress(ValueError):
                call()
            took = time.process_time() - start
            assert took < 2.5, (case, call, took)


@pytest.mark.parametrize("call", [
    lambda x: expected_random_pulls(x, arms=5, p=1),
    lambda x: expected_random_pulls(9, arms=x, p=1),
    lambda x: expected_random_pulls(9, arms=5, p=x), lambda x: random_pull_pmf(x, arms=5, p=1),
    lambda x: probability_all_pulled(9, arms=5, p=1, at_least=x),
    lambda x: probability_never_pulled(x, arms=5, p=2), lambda x: lemma_bound(x, arms=5, p=1),
    lambda x: lemma_bound(9, arms=5, p=x), lambda x: lemma_bound(9, arms=5, p=1, version=x),
    lambda x: theorem_bounds(x, arms=5, p=1, delta=1, alpha=1, mean_gap=1, C=1),
    lambda x: theorem_bounds(9, arms=5, p=1, delta=x, alpha=1, mean_gap=1, C=1),
    lambda x: best_exponent(x, arms=5, delta=1, alpha=1, mean_gap=1, C=1),
    lambda x: attained_regret(x, schedule=1), lambda x: undrawn_law(x, arms=5, schedule=1),
    lambda x: undrawn_law(9, arms=x, schedule=1),
])  # fmt: skip
@pytest.mark.parametrize("array", [np.arange(1, 4), np.ones(1), np.ones((2, 2))], ids=str)
def test_arrays_are_refused_in_one_sentence(call, array):
    with pytest.raises(ValueError, match=r"not an array of shape \("):
        call(array)


def test_largest_and_smallest_constants_give_no_warning():
    """Warnings are errors in this suite."""
    for C in (1e300, 1e-300):
        found = theorem_bounds(10**6, arms=5, p=0.3, delta=1, alpha=1, mean_gap=1, C=C)
        assert math.isfinite(found.upper)
