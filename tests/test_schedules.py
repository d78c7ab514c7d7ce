"""ε_t against its formula, and what is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bandits.schedules import (
    CappedPower,
    Constant,
    EpsilonFirst,
    Exponential,
    Floor,
    NeverExplore,
    PowerSchedule,
)


def test_the_paper_explores_with_one_over_t():
    t = np.arange(1, 200)
    exact = [float(Fraction(1, int(k))) for k in t]
    np.testing.assert_array_equal(PowerSchedule(1)(t), exact)


@pytest.mark.parametrize(
    ("p", "t", "epsilon"),
    [
        (1 / 3, 1, 1.0),
        (1 / 3, 8, 1 / 2),
        (1 / 3, 27, 1 / 3),
        (0.5, 25, 0.2),
        (2, 10, 0.01),
        (3, 10**7, 1e-21),  # t^p is beyond int64
    ],
)
def test_values_by_hand(p, t, epsilon):
    assert PowerSchedule(p)(t) == pytest.approx(epsilon, rel=1e-15, abs=0)


@given(p=st.floats(0, 1e300), t=st.integers(1, 10**6))
def test_a_probability_that_starts_at_one_and_never_rises(p, t):
    schedule = PowerSchedule(p)
    now, later = schedule([t, t + 1])
    assert schedule(1) == 1.0
    assert 0 <= later <= now <= 1
    assert now > 0 or p * np.log(t) > 700  # only underflow gives 0


def test_p_zero_always_explores_and_never_explore_never_does():
    t = np.arange(1, 13).reshape(3, 4)
    np.testing.assert_array_equal(PowerSchedule(0)(t), np.ones((3, 4)), strict=True)
    np.testing.assert_array_equal(NeverExplore()(t), np.zeros((3, 4)), strict=True)
    assert PowerSchedule(0.5)(t).dtype == NeverExplore()(t).dtype == np.float64


@pytest.mark.parametrize("p", [-1, -1e-300, float("nan"), float("inf"), float("-inf"), "1/3", None])
def test_an_exponent_out_of_range_is_refused(p):
    with pytest.raises(ValueError, match=f"p must be a finite number >= 0, not {p!r}"):
        PowerSchedule(p)


@pytest.mark.parametrize("t", [0, -3, [1, 2, 0], 0.5, float("nan"), [1, float("nan")]])
def test_time_starts_at_one(t):
    with pytest.raises(ValueError, match="t must be >= 1, not"):
        PowerSchedule(1)(t)


@pytest.mark.parametrize("p", [1, np.float32(0.5), Fraction(1, 4), -0.0])
def test_an_exponent_is_kept_as_a_float(p):
    kept = PowerSchedule(p).p
    assert type(kept) is float
    assert kept == float(p)
    assert str(kept) in ("1.0", "0.5", "0.25", "0.0")


def test_a_time_beyond_the_integers_of_numpy_has_a_probability():
    epsilon = PowerSchedule(0.5)([10**20, 10**40])
    assert epsilon.dtype == np.float64
    np.testing.assert_allclose(epsilon, [1e-10, 1e-20], rtol=1e-12)


def test_schedules_compare_by_value_and_cannot_change():
    assert PowerSchedule(0.5) == PowerSchedule(0.5) != PowerSchedule(0.25)
    with pytest.raises(AttributeError):
        PowerSchedule(0.5).p = 2


@pytest.mark.parametrize(
    "schedule",
    [
        Constant(0.1),
        CappedPower(5.0, 1.0),
        CappedPower(3.0, 0.5),
        CappedPower(0.5, 2.0),
        EpsilonFirst(40),
        Exponential(0.9),
        Exponential(0.0),
        Exponential(1.0),
        Floor(CappedPower(5.0), 0.05),
        Floor(Exponential(0.9), 0.2),
        Floor(Constant(0.1), 0.3),
    ],
)
def test_random_steps_are_the_sum_of_the_schedule(schedule):
    epsilon = schedule(np.arange(1, 301))
    assert ((epsilon >= 0) & (epsilon <= 1)).all()
    for t in (1, 2, 39, 40, 41, 300):
        assert schedule.random_steps(t) == pytest.approx(math.fsum(epsilon[:t]), rel=1e-12)


def test_schedules_have_the_values_they_say():
    t = np.array([1, 4, 5, 16, 100])
    np.testing.assert_allclose(CappedPower(4.0)(t), [1, 1, 0.8, 0.25, 0.04])
    np.testing.assert_array_equal(EpsilonFirst(5)(t), [1, 1, 1, 0, 0])
    np.testing.assert_allclose(Exponential(0.5)(t[:3]), [1, 1 / 8, 1 / 16])
    np.testing.assert_allclose(Floor(CappedPower(4.0), 0.1)(t), [1, 1, 0.8, 0.25, 0.1])
    np.testing.assert_array_equal(Constant(0.2)(t), [0.2] * 5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Constant(1.5), "epsilon must be from 0 to 1, not 1.5"),
        (lambda: Exponential(-0.1), "decay must be"),
        (lambda: CappedPower(0.0), "c must be a finite number > 0"),
        (lambda: EpsilonFirst(-1), "steps must be a whole number >= 0"),
        (lambda: Floor(Constant(0.1), 2.0), "least must be from 0 to 1"),
        (lambda: Constant(0.5)([0]), "t must be >= 1"),
    ],
)
def test_schedules_out_of_range_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
