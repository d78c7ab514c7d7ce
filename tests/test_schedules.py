"""ε_t against its formula, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bandits.schedules import NeverExplore, PowerSchedule


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
