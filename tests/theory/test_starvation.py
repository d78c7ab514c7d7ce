"""The price of 1/t against enumeration, closed forms with many digits, and every learner."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bandits.results.statistics import fit_power_law
from bandits.theory import starvation_curve, starvation_regret, starvation_tail, undrawn_law
from bandits.theory.starvation import _by_inclusion, best_of_digits


def law_by_enumeration(arms, epsilon):
    law = [Fraction(0)] * (arms + 1)
    for path in itertools.product([*range(arms), None], repeat=len(epsilon)):
        weight = Fraction(1)
        for eps, arm in zip(epsilon, path, strict=True):
            weight *= 1 - eps if arm is None else eps / arms
        law[arms - len(set(path) - {None})] += weight
    return [float(weight) for weight in law]


@pytest.mark.parametrize("arms, epsilon", [
    (1, ["1/2", "1"]), (2, ["1", "1/2", "1/3", "1/4", "1/5"]), (3, ["1/2", "0", "1", "1/3", "1"]),
    (4, ["1", "1/2", "1/3", "1/4"]), (5, ["1", "1", "1"]), (3, []),
])  # fmt: skip
def test_undrawn_law_is_what_enumeration_gives(arms, epsilon):
    epsilon = [Fraction(eps) for eps in epsilon]
    schedule = [float(eps) for eps in epsilon] or [1.0]
    found = undrawn_law(len(epsilon) + 1, arms=arms, schedule=schedule)
    np.testing.assert_allclose(found, law_by_enumeration(arms, epsilon), rtol=1e-12, atol=1e-15)


def law_with_many_digits(t, arms):
    """p = 1: P(j given arms undrawn) = Γ(t - j/K)/(Γ(1 - j/K)Γ(t)), then inclusion-exclusion."""
    with mpmath.workdps(120 + 2 * arms):
        shares = [mpmath.mpf(j) / arms for j in range(arms)]
        undrawn = [mpmath.exp(mpmath.loggamma(t - s) - mpmath.loggamma(t)) * mpmath.rgamma(1 - s)
                   for s in shares] + [mpmath.mpf(0)]  # fmt: skip
        return [
            float(mpmath.fsum((-1) ** (j - m) * mpmath.binomial(j, m) * mpmath.binomial(arms, j)
                              * undrawn[j] for j in range(m, arms + 1)))
            for m in range(arms + 1)
        ]  # fmt: skip


@pytest.mark.parametrize("t", [2, 50, 2000, 10**9, 10**30])
@pytest.mark.parametrize("arms", [2, 5, 20, 60])
def test_undrawn_law_for_one_over_t_against_gamma_functions(t, arms):
    truth = np.array(law_with_many_digits(t, arms))
    found = undrawn_law(t, arms=arms, schedule=1)
    seen = truth > 1e-90
    np.testing.assert_allclose(found[seen], truth[seen], rtol=1e-9, atol=0)
    assert found[~seen].max(initial=0) < 1e-85


@pytest.mark.parametrize("t, arms, p", [(3000, 12, 1 / 3), (30_000, 300, 0.5), (400, 5, 0.2),
                                        (5000, 1000, 1.0), (2000, 40, 1.7)])  # fmt: skip
def test_undrawn_law_against_the_chain_step_by_step(t, arms, p):
    law, m = np.zeros(arms + 1), np.arange(arms + 1)
    law[arms] = 1.0
    for step in range(1, t):
        new = step**-p * m / arms
        law = law * (1 - new) + np.append((law * new)[1:], 0.0)
    seen = law > 1e-90
    for schedule in (p, np.arange(1, t) ** -p):
        found = undrawn_law(t, arms=arms, schedule=schedule)
        np.testing.assert_allclose(found[seen], law[seen], rtol=1e-9, atol=0)


def test_both_ways_are_used_and_the_cancelling_one_is_noticed():
    def logs(arms, t):
        steps = np.arange(1, t)
        with np.errstate(divide="ignore"):
            return np.array([np.log1p(-j / arms / steps).sum() for j in range(arms + 1)])

    assert _by_inclusion(logs(5, 2000))[1] < 30
    assert _by_inclusion(logs(60, 2000))[1] > 30


def test_mean_of_the_best_by_counting():
    for k in (1, 2, 3):
        draws = list(itertools.product(range(10), repeat=k))
        assert best_of_digits(3)[k - 1] == pytest.approx(sum(map(max, draws)) / len(draws))


@pytest.mark.parametrize("p, quoted", [(1, 0.369), (1 / 3, 0.261), (1 / 2, 0.074)])
def test_the_price_at_two_thousand_steps(p, quoted):
    """By a third way: mixing the best of the drawn arms over sets of arms, in 50 digits."""
    with mpmath.workdps(50):
        steps = [mpmath.mpf(step) ** -mpmath.mpf(p) for step in range(1, 2000)]
        q = [mpmath.fprod(1 - j * eps / 5 for eps in steps) for j in range(6)]
        v = [sum((d + 1) ** k - d**k for d in range(10) for _ in range(d)) / mpmath.mpf(10) ** k
             for k in range(6)]  # fmt: skip
        loss = mpmath.mpf(0)
        for m in range(1, 5):
            chance = mpmath.fsum((-1) ** (j - m) * mpmath.binomial(j, m) * mpmath.binomial(5, j)
                                 * q[j] for j in range(m, 6))  # fmt: skip
            loss += chance * (v[5] - v[5 - m])
        eps = mpmath.mpf(2000) ** -mpmath.mpf(p)
        truth = float(eps * (v[5] - mpmath.mpf("4.5")) + (1 - eps) * loss)
    assert truth == pytest.approx(quoted, abs=5e-4)
    assert starvation_regret(2000, schedule=p) == pytest.approx(truth, rel=1e-12)
    assert starvation_curve(2000, schedule=p)[-1] == pytest.approx(truth, rel=1e-11)


def test_curve_and_single_values_agree_for_any_schedule():
    rng = np.random.default_rng(5)
    epsilon, best = rng.random(60), np.array([0.0, 1.0, 1.5, 1.6])
    curve = starvation_curve(60, schedule=epsilon, best=best)
    for t in (1, 2, 3, 10, 60):
        single = starvation_regret(t, schedule=epsilon, best=best)
        assert curve[t - 1] == pytest.approx(single, rel=1e-12)
    assert curve[0] == pytest.approx(1.6)  # v_0 = v_1: a blind choice


def test_the_tail_of_one_over_t():
    for t, digits in ((10**8, 0.05), (10**20, 1e-3), (10**30, 1e-5)):
        assert starvation_regret(t, schedule=1) == pytest.approx(starvation_tail(t), rel=digits)
    v = best_of_digits(5)
    by_hand = 5 * (v[4] - v[3]) * 10**-4 / math.gamma(0.8)
    assert starvation_tail(10**20) == pytest.approx(by_hand)


def test_the_running_average_looks_like_a_power_of_minus_0_288():
    """The project's own fit (each doubling of t counts alike) and a plain one on a log grid."""
    curve = starvation_curve(2000, schedule=1)
    average = np.cumsum(curve) / np.arange(1, 2001)
    assert fit_power_law(average, first=100).exponent == pytest.approx(-0.288, abs=5e-4)
    grid = np.unique(np.geomspace(100, 2000, 400).round().astype(int))
    slope = np.polyfit(np.log(grid), np.log(average[grid - 1]), 1)[0]
    assert slope == pytest.approx(-0.288, abs=1e-3)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(1, 5))
def test_no_learner_of_the_class_does_better(seed, arms, t):
    """Exact over exploration and states (digits 0..2), for learners that choose among the drawn
    arms by any rule; the best of the drawn ones attains it."""
    rng = np.random.default_rng(seed)
    epsilon = [1.0, *rng.random(4)]
    rule = rng.random((arms,) + (3,) * arms)
    states = list(itertools.product(range(3), repeat=arms))
    best = np.array([sum(map(max, itertools.product(range(3), repeat=k))) / 3**k
                     for k in range(1, arms + 1)])  # fmt: skip
    regret, perfect = 0.0, 0.0
    for path in itertools.product([*range(arms), None], repeat=t - 1):
        weight = math.prod(1 - eps if arm is None else eps / arms
                           for eps, arm in zip(epsilon, path, strict=False))  # fmt: skip
        drawn = sorted(set(path) - {None}) or [0]
        for state in states:
            lost = [max(state) - state[arm] for arm in range(arms)]
            blind = epsilon[t - 1] * sum(lost) / arms
            chosen = max(drawn, key=lambda arm, s=state: rule[(arm, *s)])
            share = weight / len(states)
            regret += share * (blind + (1 - epsilon[t - 1]) * lost[chosen])
            perfect += share * (blind + (1 - epsilon[t - 1]) * min(lost[arm] for arm in drawn))
    price = starvation_regret(t, schedule=epsilon, best=best)
    assert regret >= price - 1e-12
    assert perfect == pytest.approx(price, abs=1e-12)


@pytest.mark.parametrize("call, words", [
    (lambda: undrawn_law(0, arms=5, schedule=1), "t must be a whole number >= 1"),
    (lambda: undrawn_law(5, arms=2001, schedule=1), "arms must be .* <= 2000, not 2001"),
    (lambda: undrawn_law(5, arms=2, schedule=[1.0]), r"ε_1 to ε_\{t - 1\}, 4 numbers, not 1"),
    (lambda: undrawn_law(10**7, arms=2000, schedule=0.45), "and exclusion cancel, and t "),
    (lambda: undrawn_law(2 * 10**6, arms=2000, schedule=0.38), "are too many to follow"),
    (lambda: starvation_regret(5, schedule=1, best=[2.0, 1.0]), r"v_1 <= … <= v_K"),
    (lambda: starvation_regret(5, schedule=1, best=[]), "must be a list of numbers"),
    (lambda: starvation_curve(10**6, schedule=1), "steps must be .* <= 100000"),
    (lambda: starvation_tail(5, best=[1.0]), "best must hold v_1 to v_K for K >= 2, not 1"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()
