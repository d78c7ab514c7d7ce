"""The exact law against enumeration, rational arithmetic, closed forms and high precision."""

import functools
import itertools
import math
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, multinomial

from bandits.theory import (
    all_pulled,
    expected_random_pulls,
    probability_all_pulled,
    probability_never_pulled,
    random_pull_pmf,
)
from bandits.theory.counting import (
    Law,
    log_poisson,
    poisson,
    poisson_binomial,
    sum_of,
    tail_of_poisson,
    trimmed,
    truncated_poisson,
)
from bandits.theory.exact import count_law
from bandits.theory.scan import every_arm_at_least, random_step_laws
from bandits.theory.sums import power_sum

ps = st.floats(0.05, 3.0)


def by_enumeration(t, arms, p, at_least):
    """Add up every way the steps 1..t-1 can go: arm 0, ..., K-1 at random, or greedy (None)."""
    total = 0
    for path in itertools.product([*range(arms), None], repeat=t - 1):
        weight = 1
        for step, arm in enumerate(path, start=1):
            eps = Fraction(1, step) if p == 1 else float(step) ** -p
            weight *= 1 - eps if arm is None else eps / arms
        if all(path.count(arm) >= at_least for arm in range(arms)):
            total += weight
    return total


@pytest.mark.parametrize("t, arms, p, at_least", [
    (1, 2, 1, 1), (2, 1, 1, 1), (6, 2, 1, 1), (7, 2, 0.5, 1), (8, 2, 1 / 3, 2), (7, 3, 0.25, 1),
    (6, 3, 1, 2), (6, 2, 2.0, 1), (7, 1, 1.5, 2), (5, 4, 0.5, 1),
])  # fmt: skip
def test_all_pulled_is_what_enumeration_gives(t, arms, p, at_least):
    truth = float(by_enumeration(t, arms, p, at_least))
    assert probability_all_pulled(t, arms=arms, p=p, at_least=at_least) == pytest.approx(
        truth, rel=1e-12
    )


def test_the_value_quoted_in_the_audit():
    value = probability_all_pulled(7, arms=2, p=0.5, at_least=1)
    assert value == pytest.approx(0.786897291657, abs=1e-12)


@pytest.mark.parametrize("t, p", [(5, 1), (60, 0.5), (300, 1 / 3), (300, 1), (200, 2.5)])
@pytest.mark.parametrize("arms", [1, 2, 5])
def test_law_of_one_arm_is_the_plain_convolution(t, p, arms):
    law = np.ones(1)
    for step in range(1, t):
        law = np.convolve(law, [1 - step**-p / arms, step**-p / arms])
    pmf = random_pull_pmf(t, arms=arms, p=p)
    seen = np.flatnonzero(law > 1e-100)
    np.testing.assert_allclose(pmf[seen], law[seen], rtol=1e-9)
    assert law[len(pmf) :].max(initial=0) < 1e-100


def test_deep_tails_against_fifty_digits():
    """t = 250, p = 1/3, K = 5: P(all >= m) falls below 1e-80, all digits intact."""
    with mpmath.workdps(50):
        law = [mpmath.mpf(1)]
        for step in range(1, 250):
            eps = mpmath.mpf(step) ** (-mpmath.mpf(1) / 3)
            law = [
                (law[n] * (1 - eps) if n < len(law) else 0) + (law[n - 1] * eps if n else 0)
                for n in range(len(law) + 1)
            ]
        for least in (1, 8, 20, 45):
            ways = [Fraction(0)] * 250
            ways[0] = Fraction(1)
            one = [Fraction(0)] * 250
            for j in range(least, 250 - 4 * least):
                one[j] = Fraction(1, math.factorial(j))
            truth = mpmath.mpf(0)
            mp_one = [mpmath.mpf(v.numerator) / v.denominator for v in one]
            power = [mpmath.mpf(1)] + [mpmath.mpf(0)] * 399
            for arm in range(5):
                power = [
                    mpmath.fsum(power[n - j] * mp_one[j] for j in range(least, n - arm * least + 1))
                    for n in range(250)
                ]
            for n in range(5 * least, 250):
                truth += law[n] * power[n] * mpmath.factorial(n) / mpmath.mpf(5) ** n
            value = probability_all_pulled(250, arms=5, p=1 / 3, at_least=least)
            # 1/3 as a float is not 1/3; that moves the answer by about 1e-14
            assert value == pytest.approx(float(truth), rel=1e-10, abs=0)


def test_every_threshold_agrees_with_plain_recursions():
    laws = random_step_laws(400, 0.4)
    deepest = 1.0
    for least in range(1, 120, 17):
        truth = float(laws[399] @ every_arm_at_least(least, 3, 400))
        value = probability_all_pulled(400, arms=3, p=0.4, at_least=least)
        assert value == pytest.approx(truth, rel=1e-9, abs=0)
        deepest = min(deepest, value)
    assert 0 < deepest < 1e-100


@pytest.mark.slow
@pytest.mark.parametrize("at_least", [7000, 7450, 7800, 8500])
def test_a_million_steps_against_the_step_by_step_recursion(at_least):
    t, p = 10**6, 1 / 3
    law, low, high = np.zeros(40000), 0, 1
    law[0] = 1.0
    for step in range(1, t):
        eps = step**-p
        new = law[low : high + 1] * (1 - eps)
        new[1:] += law[low:high] * eps
        law[low : high + 1] = new
        high += law[high] > 1e-250
        if law[low] < 1e-250:
            law[low], low = 0.0, low + 1
    n = np.arange(len(law))
    both = binom.cdf(n - at_least, n, 0.5) - binom.cdf(at_least - 1, n, 0.5)
    truth = law @ np.where(n >= 2 * at_least, both, 0.0)
    value = probability_all_pulled(t, arms=2, p=p, at_least=at_least)
    assert value == pytest.approx(truth, rel=1e-9, abs=0)


def coefficients_on_a_circle(generating_function, points=400, digits=60):
    """Taylor coefficients by Cauchy's integral over the unit circle, in high precision."""
    with mpmath.workdps(digits):
        values = [generating_function(mpmath.expjpi(mpmath.mpf(2) * k / points))
                  for k in range(points)]  # fmt: skip
        roots = [mpmath.expjpi(-mpmath.mpf(2) * k / points) for k in range(points)]
        return [
            mpmath.fsum(values[k] * roots[k * n % points] for k in range(points)).real / points
            for n in range(points)
        ]


@pytest.mark.parametrize("t", [10**6, 10**33])
def test_p_equal_to_one_is_the_law_of_the_cycles_of_a_permutation(t):
    """E z^N = Γ(t-1+z)/(Γ(z)Γ(t)), evaluated with 110 digits, gives the law of N."""

    def generating_function(z):
        if abs(z - 1) < 1e-30:
            return mpmath.mpf(1)
        log = mpmath.loggamma(t - 1 + z) - mpmath.loggamma(t)
        return mpmath.exp(log) * mpmath.rgamma(z)

    law = coefficients_on_a_circle(generating_function, points=300, digits=110)
    for arms, least in ((5, 1), (5, 2), (5, 8), (5, 16), (2, 30)):
        chances = every_arm_at_least(least, arms, 300)
        truth = float(mpmath.fsum(law[n] * chances[n] for n in range(300)))
        value = probability_all_pulled(t, arms=arms, p=1, at_least=least)
        assert value == pytest.approx(truth, rel=1e-9, abs=0)


def test_infinite_time_at_p_2_follows_from_the_sine_product():
    """Π(1 + (z-1)/l²) = sin(πw)/(πw) with w² = 1 - z."""

    def generating_function(z):
        w = mpmath.sqrt(1 - z)
        return mpmath.mpf(1) if abs(w) < 1e-30 else mpmath.sinpi(w) / (mpmath.pi * w)

    law = coefficients_on_a_circle(generating_function, points=100)
    for arms, least in ((5, 1), (2, 1), (3, 2), (2, 4)):
        chances = every_arm_at_least(least, arms, 100)
        truth = float(mpmath.fsum(law[n] * chances[n] for n in range(100)))
        value = probability_all_pulled(math.inf, arms=arms, p=2, at_least=least)
        assert value == pytest.approx(truth, rel=1e-9, abs=0)


def test_never_pulled_closed_forms():
    sine = math.sin(math.pi / math.sqrt(5)) / (math.pi / math.sqrt(5))
    assert probability_never_pulled(math.inf, arms=5, p=2) == pytest.approx(sine, rel=1e-13, abs=0)
    assert sine == pytest.approx(0.70199796, abs=1e-8)
    assert probability_never_pulled(math.inf, arms=5, p=1.5) == pytest.approx(0.577057722, abs=1e-9)
    with mpmath.workdps(90):
        for t in (2, 10, 4096, 4097, 10**6, 10**33):
            for arms in (2, 5, 11):
                share = mpmath.mpf(1) / arms
                gammas = mpmath.loggamma(t - share) - mpmath.loggamma(1 - share)
                truth = mpmath.exp(gammas - mpmath.loggamma(t))
                value = probability_never_pulled(t, arms=arms, p=1)
                assert value == pytest.approx(float(truth), rel=1e-12, abs=0)


@pytest.mark.parametrize("s", [0.3, 0.95, 1.0, 1.0001, 1.5, 2.0, 7.0])
@pytest.mark.parametrize("stop", [1, 2, 4096, 4097, 10**5, 10**12])
def test_power_sums_against_the_hurwitz_zeta_function(s, stop):
    with mpmath.workdps(60):
        truth = mpmath.harmonic(stop - 1) if s == 1 else mpmath.zeta(s) - mpmath.zeta(s, stop)
    assert power_sum(s, 1, stop) == pytest.approx(float(truth), rel=1e-13, abs=0)


@pytest.mark.parametrize("s", [1.0, 7.0, 20.0, 40.0])
def test_power_sums_that_begin_where_integrals_take_over_against_adding_up(s):
    """Here each term of Euler-Maclaurin counts. mpmath's zeta(40, 4096) is off by 6e-12."""
    with mpmath.workdps(30):
        truth = mpmath.fsum(mpmath.mpf(n) ** -s for n in range(4096, 12288))
    assert power_sum(s, 4096, 12288) == pytest.approx(float(truth), rel=5e-15, abs=0)


def test_expected_pulls_quoted_values():
    assert expected_random_pulls(1000, arms=5, p=1 / 3) == pytest.approx(29.7953, abs=5e-5)
    assert expected_random_pulls(math.inf, arms=5, p=2) == pytest.approx(math.pi**2 / 30)


@pytest.mark.parametrize("arms, least, n", [(3, 2, 9), (4, 1, 7), (2, 3, 8), (5, 2, 12)])
def test_multinomial_part_against_scipy(arms, least, n):
    """With p next to 0 every step is random, and only M(n, m) is left."""
    cells = itertools.product(range(least, n + 1), repeat=arms)
    law = multinomial(n, [1 / arms] * arms)
    truth = sum(law.pmf(cell) for cell in cells if sum(cell) == n)
    found = probability_all_pulled(n + 1, arms=arms, p=1e-300, at_least=least)
    assert found == pytest.approx(truth, rel=1e-11, abs=0)


@pytest.mark.parametrize("mean, least", [
    (1e-12, 1), (0.3, 1), (2.0, 2), (2.5, 7), (40.0, 3), (39.9, 40), (1e4, 10_400), (1e4, 9000),
    (1e-6, 190_000), (2e5, 190_000), (4e5, 399_000),
])  # fmt: skip
def test_poisson_tails_and_truncated_laws_against_forty_digits(mean, least):
    with mpmath.workdps(40):
        m, x = mpmath.mpf(least), mpmath.mpf(mean)
        below = (m - 1) * mpmath.log(x) - x - mpmath.loggamma(m)
        series, term, j = mpmath.mpf(0), mpmath.mpf(1), m
        while j == m or term > mpmath.mpf(10) ** -38 * series:
            series, j = series + term, j + 1
            term *= x / j
        log_tail = m * mpmath.log(x) - x - mpmath.loggamma(m + 1) + mpmath.log(series)
        first = float(1 / series)  # P(X = least | X >= least)
    found = tail_of_poisson(mean, least)
    assert found == pytest.approx((float(below), float(log_tail)), rel=2e-13, abs=1e-14)
    assert log_poisson(least - 1, mean) == found[0]
    law = truncated_poisson(mean, least, 1e-24)
    assert law.weights.sum() == pytest.approx(1, rel=1e-13)
    if first > 1e-24:
        assert law.within(least, least)[0] == pytest.approx(first, rel=1e-11)


@pytest.mark.parametrize("sizes", [(5, 3), (3, 5), (2048, 2049), (5000, 4097), (2, 9000)])
def test_long_convolutions_in_pieces_are_the_plain_ones(sizes):
    rng = np.random.default_rng(1)
    one, other = (rng.random(size) for size in sizes)
    places = [n for n in (0, 1, 2047, 4095, sum(sizes) - 2) if n < sum(sizes) - 1]
    plain = [
        math.fsum(one[i] * other[n - i] for i in range(len(one)) if 0 <= n - i < len(other))
        for n in places
    ]
    law = sum_of(Law(1, one), Law(2, other), 0.0)
    assert law.first == 3
    assert len(law.weights) == sum(sizes) - 1
    seen = [law.weights[n] for n in places]
    np.testing.assert_allclose(seen, plain, rtol=1e-13)


def test_steps_that_are_nearly_all_random_are_counted_by_their_failures():
    chance = np.array([0.9, 1.0, 0.75, 0.2, 1.0, 0.99])
    law = poisson_binomial(chance, 1 - chance, 0.0)
    plain = np.ones(1)
    for eps in chance:
        plain = np.convolve(plain, [1 - eps, eps])
    np.testing.assert_allclose(law.within(0, 6), plain, rtol=1e-13, atol=1e-17)


def test_laws_by_hand():
    law = Law(3, np.array([1e-9, 0.25, 0.5, 1e-9]))
    for floor in (1e-6, 0.25):
        first, weights = trimmed(law, floor)
        assert (first, weights.tolist()) == (4, [0.25, 0.5])
    first, weights = trimmed(law, 0.9)  # nothing is left, and a law is never empty
    assert (first, weights.tolist()) == (3, [1e-9])
    assert law.within(5, 9).tolist() == [0.5, 1e-9, 0, 0, 0]
    assert law.within(2, 9).tolist() == [0, 1e-9, 0.25, 0.5, 1e-9, 0, 0, 0]
    assert law.within(20, 22).tolist() == [0, 0, 0]
    assert law.within(4, 3).tolist() == []


@pytest.mark.parametrize("mean", [1e-3, 0.7, 30.0, 5000.0])
def test_poisson_law_against_high_precision(mean):
    law = poisson(mean, 1e-60)
    counts = range(law.first, law.first + len(law.weights))
    with mpmath.workdps(40):
        truth = [float(mpmath.exp(n * mpmath.log(mean) - mean - mpmath.loggamma(n + 1)))
                 for n in counts]  # fmt: skip
    np.testing.assert_allclose(law.weights, truth, rtol=1e-11)


@settings(deadline=None, max_examples=60)
@given(t=st.integers(1, 3000), p=ps, arms=st.integers(1, 12))
def test_law_of_one_arm_sums_to_one_and_has_the_stated_mean_and_variance(t, p, arms):
    pmf = random_pull_pmf(t, arms=arms, p=p)
    counts = np.arange(len(pmf))
    chances = np.arange(1, t, dtype=float) ** -p / arms
    assert pmf.sum() == pytest.approx(1, abs=1e-11)
    assert pmf @ counts == pytest.approx(expected_random_pulls(t, arms=arms, p=p), abs=1e-9)
    variance = pmf @ (counts - pmf @ counts) ** 2
    assert variance == pytest.approx((chances * (1 - chances)).sum(), abs=1e-7)
    assert pmf[0] == pytest.approx(probability_never_pulled(t, arms=arms, p=p), rel=1e-9, abs=0)


@settings(deadline=None, max_examples=60)
@given(t=st.integers(2, 2000), p=ps, arms=st.integers(1, 8), least=st.integers(1, 20))
def test_all_pulled_is_monotone_and_bounded_by_one_arm(t, p, arms, least):
    value = probability_all_pulled(t, arms=arms, p=p, at_least=least)
    later = probability_all_pulled(t + 1, arms=arms, p=p, at_least=least)
    more = probability_all_pulled(t, arms=arms, p=p, at_least=least + 1)
    one_arm = random_pull_pmf(t, arms=arms, p=p)[least:].sum()
    assert 0 <= more <= value * (1 + 1e-10) <= later * (1 + 1e-9) + 1e-300
    assert value <= one_arm * (1 + 1e-9) + 1e-100  # all arms, so this one too
    assert value >= 1 - arms * (1 - one_arm) - 1e-10  # the union bound


@settings(deadline=None, max_examples=25)
@given(t=st.integers(1, 60), p=ps, arms=st.integers(2, 6))
def test_never_pulled_and_all_pulled_meet_by_inclusion_and_exclusion(t, p, arms):
    """P(all >= 1) = Σ_j (-1)^j C(K, j) Π_l (1 - j·ε_l/K)."""
    chances = np.arange(1, t, dtype=float) ** -p
    truth = sum(
        (-1) ** j * math.comb(arms, j) * np.prod(1 - j * chances / arms) for j in range(arms + 1)
    )
    value = probability_all_pulled(t, arms=arms, p=p, at_least=1)
    assert value == pytest.approx(truth, abs=1e-12)


def test_large_times_where_later_steps_enter_as_a_corrected_poisson_law():
    """p = 1 at t = 60,000 is within reach of plain multiplication; both ways must agree."""
    plain = np.ones(1)
    for step in range(1, 60000):
        plain = np.convolve(plain, [1 - 1 / step / 3, 1 / step / 3])[:60]
    pmf = random_pull_pmf(60000, arms=3, p=1)
    seen = np.flatnonzero(plain > 1e-60)
    np.testing.assert_allclose(pmf[seen], plain[seen], rtol=1e-9)


TIMES = (4096, 4097, 4130, 4200, 5000, 20_000)  # the first 4095 steps are apart
STEEP = (0.9, 1.0, 1.3, 2.0, 4.0, 8.0, 20.0, 50.0, 87.0, 90.0, 200.0)


def laws_by_recursion(p, arms, width=200):
    """{t: the law of T_i^R(t)} for t in TIMES, one step after the other."""
    laws, law = {}, np.zeros(width)
    law[0] = 1.0
    for step in range(1, TIMES[-1] + 1):
        if step in TIMES:
            laws[step] = law
        chance, miss = math.exp(-p * math.log(step)), -math.expm1(-p * math.log(step))
        following = law * (miss + chance * (1 - 1 / arms))
        following[1:] += law[:-1] * chance / arms
        law = following
    return laws


@pytest.mark.parametrize("p", STEEP)
def test_few_expected_pulls_after_the_first_steps_against_the_recursion(p):
    laws = {arms: laws_by_recursion(p, arms) for arms in (1, 5)}
    for t in TIMES:
        for arms, recursion in laws.items():
            pmf = random_pull_pmf(t, arms=arms, p=p)
            seen = np.flatnonzero(recursion[t] > 1e-100)
            np.testing.assert_allclose(pmf[seen], recursion[t][seen], rtol=1e-9, atol=0)
            assert recursion[t][len(pmf) :].max(initial=0) < 1e-100
        for arms, least in itertools.product((2, 5), (1, 3, 8)):
            truth = laws[1][t] @ every_arm_at_least(least, arms, 200)
            value = probability_all_pulled(t, arms=arms, p=p, at_least=least)
            assert value == pytest.approx(truth, rel=1e-9, abs=1.1e-280)


@pytest.mark.parametrize("p", STEEP)
def test_never_pulled_is_the_law_at_zero_and_the_product_with_thirty_digits(p):
    with mpmath.workdps(30):
        products = {2: mpmath.mpf(1), 5: mpmath.mpf(1), 1000: mpmath.mpf(1)}
        for step in range(1, 4201):
            chance = mpmath.mpf(step) ** -p
            for arms, product in products.items():
                if step in TIMES:
                    never = probability_never_pulled(step, arms=arms, p=p)
                    assert never == pytest.approx(float(product), rel=1e-12, abs=0)
                    law = random_pull_pmf(step, arms=arms, p=p)
                    assert law[0] == pytest.approx(float(product), rel=1e-9, abs=0)
                products[arms] = product * (1 - chance / arms)


@pytest.mark.parametrize("p", [8.0, 20.0, 50.0, 87.0, 90.0, 200.0])
def test_in_infinite_time_the_steps_from_20_000_on_add_nothing_to_steep_exponents(p):
    for arms in (1, 5):
        forever = random_pull_pmf(math.inf, arms=arms, p=p)
        law = random_pull_pmf(20_000, arms=arms, p=p)
        np.testing.assert_allclose(forever[:8], law[:8], rtol=1e-9, atol=1e-100)
    forever = probability_all_pulled(math.inf, arms=2, p=p, at_least=1)
    by_then = probability_all_pulled(20_000, arms=2, p=p, at_least=1)
    assert forever == pytest.approx(by_then, rel=1e-9, abs=0)


@pytest.mark.parametrize("p", [1.0, 1.0 + 1e-9, 1.00002, 1.1, 3.0])
def test_from_p_1_on_later_steps_can_be_summed_up_to_100_000_expected_pulls(p):
    for t in (2**17 + 1, 2**21 + 1, 10**40):
        never = probability_never_pulled(t, arms=5, p=p)
        assert random_pull_pmf(t, arms=5, p=p)[0] == pytest.approx(never, rel=1e-9, abs=0)
    if p > 1.00001:
        assert random_pull_pmf(math.inf, arms=5, p=p).sum() == pytest.approx(1, abs=1e-9)
    else:
        t, shown = (math.inf, "inf") if p > 1 else (10**300_000, r"10\^300000")
        with pytest.raises(ValueError, match=rf"t must be at most 2097152 for p = 1\.0.*{shown}"):
            random_pull_pmf(t, arms=5, p=p)


@pytest.mark.parametrize("t, p, least", [
    (10**5, 0.95, 5), (10**5, 0.95, 30), (200_000, 0.99, 2), (200_000, 0.99, 14),
])  # fmt: skip
def test_tilting_and_power_sums_are_two_ways_to_one_number(t, p, least):
    tilted = all_pulled._with_steps(t, p, 5, least)
    direct = all_pulled._with_law(count_law(t, p, 1, floor=1e-290), 5, least)
    assert tilted == pytest.approx(direct, rel=1e-10, abs=0)


MANY_ARMS = [  # P so small that a window around the usual counts misses it
    (1271, 954, 0.01, 1, 1.818e-212), (1000, 700, 0.1, 1, 1.140e-259),
    (874, 759, 0.001, 1, 8.63e-218),
]  # fmt: skip


def onto_step_by_step(t, arms, p):
    """m = 1: the law of N, and of the arms hit after n draws, by plain recursions. Both stay among
    the floats, and nothing is subtracted."""
    chance = np.arange(1, t, dtype=float) ** -p
    misses = -np.expm1(-p * np.log(np.arange(1, t, dtype=float)))
    law = np.zeros(t)
    law[0] = 1.0
    for step, (eps, miss) in enumerate(zip(chance, misses, strict=True), start=1):
        law[1 : step + 1] = law[1 : step + 1] * miss + law[:step] * eps
        law[0] *= miss
    onto = np.zeros(arms + 1)
    onto[0], total = 1.0, 0.0
    hit = np.arange(arms + 1) / arms
    for n in range(t):
        if onto[arms] > 0 and law[n] > 0:
            total += math.exp(math.log(law[n]) + math.log(onto[arms]))
        onto = onto * hit + np.concatenate([[0.0], onto[:-1] * (1 - hit[:-1])])
    return total


@pytest.mark.parametrize("t, arms, p, at_least, quoted", MANY_ARMS)
def test_many_arms_and_tiny_probabilities(t, arms, p, at_least, quoted):
    truth = onto_step_by_step(t, arms, p)
    assert truth == pytest.approx(quoted, rel=5e-4)
    found = probability_all_pulled(t, arms=arms, p=p, at_least=at_least)
    assert found == pytest.approx(truth, rel=1e-9, abs=0)


@pytest.mark.parametrize("at_least", [1, 2900, 3400, 100_000, 199_999])
def test_a_million_steps(at_least):
    value = probability_all_pulled(10**6, arms=5, p=1 / 3, at_least=at_least)
    assert 0 <= value <= 1
    assert (value == 0) == (at_least > 5000)


@pytest.mark.parametrize("function", [
    expected_random_pulls,
    probability_never_pulled,
    random_pull_pmf,
    lambda t, arms, p: probability_all_pulled(t, arms=arms, p=p, at_least=1),
])  # fmt: skip
@pytest.mark.parametrize("t, arms, p, words", [
    (0, 5, 1, "t must be a whole number >= 1, not 0"),
    (2.5, 5, 1, "t must be a whole number >= 1, not 2.5"),
    (math.nan, 5, 1, "t must be a whole number >= 1, not nan"),
    (True, 5, 1, "t must be a whole number >= 1, not True"),
    ("9", 5, 1, "t must be a whole number >= 1, not '9'"),
    (math.inf, 5, 1, "t may be infinite only for p > 1"),
    (10, 0, 1, "arms must be a whole number >= 1, not 0"),
    (10, 2.5, 1, "arms must be a whole number >= 1, not 2.5"),
    (10, 5, 0, "p must be a finite number > 0, not 0"),
    (10, 5, -1, "p must be a finite number > 0, not -1"),
    (10, 5, math.inf, "p must be a finite number > 0, not inf"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(function, t, arms, p, words):
    with pytest.raises(ValueError, match=words):
        function(t, arms=arms, p=p)


@pytest.mark.parametrize("p", [95.0, 99.9, 100.1, 1e3, 1e110, 1e308])
@pytest.mark.parametrize("t", [2, 4096, 4097, 5000, 10**4000, math.inf])
def test_exponents_so_steep_that_only_the_first_step_is_random(t, p):
    assert expected_random_pulls(t, arms=2, p=p) == pytest.approx(1 / 2, rel=1e-15)
    assert probability_never_pulled(t, arms=5, p=p) == pytest.approx(4 / 5, rel=1e-15)
    np.testing.assert_allclose(random_pull_pmf(t, arms=5, p=p)[:2], [4 / 5, 1 / 5], rtol=1e-9)
    assert probability_all_pulled(t, arms=1, p=p, at_least=1) == pytest.approx(1, rel=1e-9)
    assert probability_all_pulled(t, arms=2, p=p, at_least=1) < 1e-27  # 2^-95 and less


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.9, 0.99, 1.0, 1.001])
@pytest.mark.parametrize("power", [4, 100, 300, 400, 600, 4000, 10_000])
def test_times_of_any_size_against_forty_digits(p, power):
    """Σ l^-p by hand up to 500, by Euler-Maclaurin from there on, for p and its multiples."""

    @functools.cache
    def total(s):
        first, last = mpmath.mpf(500), mpmath.mpf(10) ** power
        middle = (last ** (1 - s) - first ** (1 - s)) / (1 - s) if s != 1 else power * mpmath.ln10
        middle -= mpmath.log(first) if s == 1 else 0
        ends = [(x**-s / 2, s / 12 * x ** (-s - 1), -s * (s + 1) * (s + 2) / 720 * x ** (-s - 3))
                for x in (first, last)]  # fmt: skip
        return middle + mpmath.fsum(ends[0]) - mpmath.fsum(ends[1])

    with mpmath.workdps(40):
        exponent = mpmath.mpf(p)
        chances = [mpmath.mpf(step) ** -exponent for step in range(1, 500)]
        expected = (mpmath.fsum(chances) + total(exponent)) / 7
        value = expected_random_pulls(10**power, arms=7, p=p)
        if expected > sys.float_info.max:
            assert value == math.inf
        else:
            assert value == pytest.approx(float(expected), rel=1e-12, abs=0)
        log = mpmath.fsum(mpmath.log1p(-chance / 7) for chance in chances)
        log -= mpmath.fsum(total(k * exponent) / (k * mpmath.mpf(7) ** k) for k in range(1, 25))
        never = probability_never_pulled(10**power, arms=7, p=p)
        assert never == pytest.approx(float(mpmath.exp(log)), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("call", [
    lambda arms: expected_random_pulls(100, arms=arms, p=1),
    lambda arms: probability_never_pulled(100, arms=arms, p=1),
    lambda arms: random_pull_pmf(100, arms=arms, p=1),
    lambda arms: probability_all_pulled(100, arms=arms, p=1, at_least=1),
])  # fmt: skip
def test_more_arms_than_whole_floats_are_refused(call):
    call(2**53)
    for arms, shown in ((2**53 + 1, "9007199254740993"), (10**400, r"10\^400"),
                        (10**5000, r"10\^5000")):  # fmt: skip
        with pytest.raises(ValueError, match=rf"arms .* <= 9007199254740992, not {shown}$"):
            call(arms)


def test_numbers_beyond_the_floats_are_refused_by_name():
    for t, p, words in (
        (-(10**5000), 1, r"t must be a whole number >= 1, not -10\^5000$"),
        (10**5000, 0.5, r"t must be at most 2097152 for p = 0\.5 .*, not 10\^5000$"),
        (10, 10**400, r"p must be a finite number > 0, not 10\^400$"),
        (10, Fraction(1, 10**400), "p must be a finite number > 0, not Fraction"),
    ):
        with pytest.raises(ValueError, match=words):
            random_pull_pmf(t, arms=5, p=p)


def test_bad_thresholds_and_unreachable_times_are_refused():
    for bad in (-1, 1.5):
        with pytest.raises(ValueError, match="at_least must be a whole number >= 0"):
            probability_all_pulled(10, arms=2, p=1, at_least=bad)
    with pytest.raises(ValueError, match=r"t must be at most 2097152 for p = 0\.1"):
        probability_all_pulled(10**8, arms=2, p=0.1, at_least=1)
    assert probability_all_pulled(1, arms=2, p=1, at_least=0) == 1.0
    assert probability_all_pulled(10, arms=5, p=1, at_least=2) == 0.0
