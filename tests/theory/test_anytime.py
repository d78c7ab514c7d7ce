"""The any-time lemma against enumeration, a plain recursion, and its own proof step by step."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bandits.theory import anytime_bound, anytime_start, probability_ever_behind
from bandits.theory.anytime import anytime_rate


def behind_by_enumeration(t_1, t_2, arms, epsilon, theta):
    """(P(one given arm is ever behind), P(some arm is)), over every path of the steps < t_2."""
    one = joint = Fraction(0)
    totals = [sum(epsilon[: t - 1], Fraction(0)) for t in range(1, t_2 + 1)]
    for path in itertools.product([*range(arms), None], repeat=t_2 - 1):
        weight = Fraction(1)
        for eps, arm in zip(epsilon, path, strict=False):
            weight *= 1 - eps if arm is None else eps / arms
        behind = [
            any(path[: t - 1].count(arm) <= theta * totals[t - 1] / arms
                for t in range(t_1, t_2 + 1))
            for arm in range(arms)
        ]  # fmt: skip
        one += weight * behind[0]
        joint += weight * any(behind)
    return one, joint


@pytest.mark.parametrize("arms, theta, t_1, epsilon", [
    (1, Fraction(1, 2), 2, [1, Fraction(1, 2), Fraction(1, 3), Fraction(9, 10), 1, 0, 1]),
    (2, Fraction(1, 2), 3, [1, Fraction(3, 4), 1, Fraction(1, 3), 1, Fraction(5, 6)]),
    (2, Fraction(3, 4), 4, [0, 1, 1, Fraction(1, 2), 0, 1, 1]),  # rises and gaps
    (3, Fraction(1, 4), 2, [1, 1, Fraction(1, 2), 1, 1]),
    (1, Fraction(1, 5), 6, [1] * 8),
])  # fmt: skip
def test_ever_behind_is_what_enumeration_gives_and_the_bound_covers_it(arms, theta, t_1, epsilon):
    epsilon = [Fraction(eps) for eps in epsilon]
    t_2 = len(epsilon) + 1
    one, joint = behind_by_enumeration(t_1, t_2, arms, epsilon, theta)
    given_ = {"arms": arms, "schedule": [float(eps) for eps in epsilon], "theta": float(theta)}
    found = probability_ever_behind(t_1, t_2, **given_)
    assert found == pytest.approx(float(one), abs=1e-14)
    assert 1 - joint >= anytime_bound(t_1, **given_) - 1e-14
    assert joint <= arms * one


def behind_by_recursion(t_1, t_2, arms, epsilon, theta):
    law, lost, total = np.zeros(t_2 + 1), 0.0, 0.0
    law[0] = 1.0
    for t in range(1, t_2 + 1):
        if t >= t_1:
            low = math.floor(theta * total / arms + 1e-9) + 1
            lost += law[:low].sum()
            law[:low] = 0.0
        if t < t_2:
            hit = epsilon[t - 1] / arms
            law[1:] = law[1:] * (1 - hit) + law[:-1] * hit
            law[0] *= 1 - hit
            total += epsilon[t - 1]
    return lost


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.floats(0.05, 0.95), st.integers(2, 300))
def test_any_schedule_against_the_plain_recursion_and_below_the_bound(seed, arms, theta, t_2):
    rng = np.random.default_rng(seed)
    epsilon = rng.random(t_2 - 1) ** rng.choice([0.0, 0.3, 1.0, 5.0])
    epsilon[rng.random(t_2 - 1) < 0.2] = 0.0
    t_1 = int(rng.integers(1, t_2 + 1))
    found = probability_ever_behind(t_1, t_2, arms=arms, schedule=epsilon, theta=theta)
    assert found == pytest.approx(behind_by_recursion(t_1, t_2, arms, epsilon, theta), abs=1e-12)
    bound = math.exp(-anytime_rate(theta) * epsilon[: t_1 - 1].sum() / arms)
    assert found <= bound + 1e-12
    assert anytime_bound(t_1, arms=arms, schedule=epsilon, theta=theta) == pytest.approx(
        1 - arms * bound
    )


def test_numbers_of_the_cube_root_schedule():
    epsilon = np.arange(1, 6000) ** (-1 / 3)
    found = probability_ever_behind(355, 6000, arms=5, schedule=1 / 3)
    assert found == pytest.approx(behind_by_recursion(355, 6000, 5, epsilon, 0.5), abs=1e-13)
    assert found == pytest.approx(0.0286, abs=5e-5)
    bound = (1 - anytime_bound(355, arms=5, schedule=1 / 3)) / 5
    assert bound == pytest.approx(0.1027, abs=5e-5)
    assert bound == pytest.approx(math.exp(-(1 - math.log(2)) / 2 * epsilon[:354].sum() / 5))


def test_from_when_on_all_five_arms_keep_up_with_95_percent():
    """1,012 with B itself; with L_p/K, the smaller integral, in its place it would be 1,016."""
    sums = np.concatenate([[0.0], np.cumsum(np.arange(1, 2000) ** (-1 / 3))])
    needed = math.log(5 / 0.05) / (0.5 + 0.5 * math.log(0.5))
    by_hand = int(np.argmax(sums / 5 >= needed)) + 1
    assert anytime_start(0.95, arms=5, schedule=1 / 3) == by_hand == 1012
    integral = 1.5 * (np.arange(1, 2000) ** (2 / 3) - 1)
    assert int(np.argmax(integral / 5 >= needed)) + 1 == 1016
    assert anytime_bound(1012, arms=5, schedule=1 / 3) >= 0.95
    assert anytime_bound(1011, arms=5, schedule=1 / 3) < 0.95
    assert anytime_start(0.95, arms=5, schedule=np.arange(1, 3000) ** (-1 / 3)) == 1012


def test_the_start_for_one_over_t_is_beyond_the_universe_s_age():
    start = anytime_start(0.95, arms=5, schedule=1)
    needed = 5 * math.log(100) / ((1 - math.log(2)) / 2)  # H_{t-1} ≈ ln t + γ
    assert math.log(start) == pytest.approx(needed - np.euler_gamma, abs=1e-9)
    assert start > 10**64


@pytest.mark.parametrize("theta", [0.01, 0.3, 0.5, 0.9, 0.999])
def test_the_one_step_of_the_proof(theta):
    assert anytime_rate(theta) == pytest.approx(1 - theta + theta * math.log(theta), abs=1e-15)
    for share in np.linspace(0, 1, 101):  # E θ^ξ <= exp(-(1 - θ)ε/K)
        assert 1 - (1 - theta) * share <= math.exp(-(1 - theta) * share)


@pytest.mark.parametrize("call, words", [
    (lambda: anytime_bound(0, arms=5, schedule=1), "t_1 must be a whole number >= 1"),
    (lambda: anytime_bound(5, arms=0, schedule=1), "arms must be"),
    (lambda: anytime_bound(5, arms=5, schedule=0), "exponent p must be a finite number > 0"),
    (lambda: anytime_bound(5, arms=5, schedule=1, theta=1), "theta must lie strictly between 0"),
    (lambda: anytime_bound(5, arms=5, schedule=[1.0, 0.5]), r"ε_\{t_1 - 1\}, 4 numbers, not 2"),
    (lambda: anytime_bound(2, arms=5, schedule=[1.0, 1.5]), r"from 0 to 1; number 2 is 1\.5"),
    (lambda: anytime_bound(2, arms=5, schedule=np.ones((2, 2))), r"not float64 of shape \(2, 2\)"),
    (lambda: anytime_bound(np.arange(1, 4), arms=5, schedule=1), r"not an array of shape \(3,\)"),
    (lambda: anytime_start(1.0, arms=5, schedule=1), "level must lie strictly between 0 and 1"),
    (lambda: anytime_start(0.95, arms=5, schedule=1.5), r"not reach by t_1 = 10\^300"),
    (lambda: anytime_start(0.95, arms=5, schedule=[1.0] * 9), "does not reach by t_1 = 10$"),
    (lambda: probability_ever_behind(9, 8, arms=5, schedule=1), "t_2 must be .* >= 9"),
    (lambda: probability_ever_behind(9, 2**21, arms=5, schedule=1), "<= 1048576"),
    (lambda: probability_ever_behind(9, 2**20, arms=1, schedule=0.01), "t_2 = 1048576 is too late"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()
