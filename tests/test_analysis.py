"""Averages, intervals and power laws against SciPy and known exponents."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from bandits.results.statistics import (
    Interval,
    fit_power_law,
    fit_start,
    interval,
    mean_interval,
    paired_difference,
)

NUMBERS = st.floats(-1e3, 1e3)


# ── Intervals ───────────────────────────────────────────────────────────────────────────────────


@given(values=hnp.arrays(np.float64, st.integers(2, 15), elements=NUMBERS))
def test_intervals_are_those_of_a_t_test(values):
    if np.ptp(values) < 1e-6:
        return  # SciPy warns of constant samples; see below
    found = interval(values)
    theirs = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    np.testing.assert_allclose(
        [found.low, found.high], [theirs.low, theirs.high], rtol=1e-9, atol=1e-9
    )
    assert found.mean == pytest.approx(values.mean(), abs=1e-9)


def test_three_runs_by_hand():
    # Mean 2, standard deviation 1, and the t quantile 4.303.
    found = interval([1, 2, 3])
    quantile = 0.95 * math.sqrt(2 / (1 - 0.95**2))  # closed form for two degrees of freedom
    assert found.mean == 2
    assert found.high - 2 == pytest.approx(quantile / math.sqrt(3), rel=1e-10)
    assert 2 - found.low == pytest.approx(quantile / math.sqrt(3), rel=1e-10)
    assert str(Interval(2, 1.2345, 3.999)) == "2.00 [1.23, 4.00]"
    assert str(Interval(-0.001, -0.004, 0.0)) == "0.00 [0.00, 0.00]"
    assert str(interval([1.5])) == "1.50 (no interval)"


@pytest.mark.parametrize("half", [0.005, -0.125, 1.835, 2.675, 6.665])
def test_what_is_printed_does_not_hang_on_the_last_bit(half):
    near = [half, np.nextafter(half, -10), np.nextafter(half, 10), half * (1 + 1e-13)]
    assert len({str(Interval(x, x, x)) for x in near}) == 1
    assert str(Interval(half + 0.001, math.nan, math.nan)) != str(
        Interval(half - 0.001, math.nan, math.nan)
    )


def test_equal_runs_have_an_interval_of_no_width():
    assert interval([5, 5, 5]) == Interval(5, 5, 5)


def test_the_runs_may_lie_along_any_axis():
    values = np.random.default_rng(0).normal(size=(3, 4, 5))
    for axis in range(3):
        mean, half = mean_interval(values, axis=axis)
        rows = np.moveaxis(values, axis, -1).reshape(-1, values.shape[axis])
        expected = [interval(row) for row in rows]
        np.testing.assert_allclose(mean.ravel(), [e.mean for e in expected])
        np.testing.assert_allclose(half.ravel(), [(e.high - e.low) / 2 for e in expected])


def test_one_run_has_no_interval():
    mean, half = mean_interval(np.arange(6.0).reshape(1, 6))
    np.testing.assert_array_equal(mean, np.arange(6.0))
    assert np.isnan(half).all()
    one = interval([3.0])
    assert one.mean == 3
    assert math.isnan(one.low)
    assert math.isnan(one.high)


def test_intervals_cover_the_truth_as_often_as_they_say():
    # 4,000 samples of 5 normals: coverage is binomial, outside this band with probability 1e-4.
    rng = np.random.default_rng(3)
    mean, half = mean_interval(rng.normal(1, 2, size=(5, 4000)))
    covered = int((np.abs(mean - 1) <= half).sum())
    assert stats.binomtest(covered, 4000, 0.95).pvalue > 1e-4


@given(
    pairs=hnp.arrays(np.float64, st.tuples(st.integers(2, 12), st.just(2)), elements=NUMBERS),
)
def test_paired_differences_are_those_of_a_paired_t_test(pairs):
    first, second = pairs.T
    if np.ptp(first - second) < 1e-6:
        return
    found = paired_difference(first, second)
    theirs = stats.ttest_rel(first, second).confidence_interval(0.95)
    np.testing.assert_allclose(
        [found.low, found.high], [theirs.low, theirs.high], rtol=1e-9, atol=1e-9
    )


def test_pairing_takes_out_what_the_runs_share():
    rng = np.random.default_rng(1)
    shared = rng.normal(scale=100, size=12)
    found = paired_difference(shared + 1 + 0.01 * rng.normal(size=12), shared)
    assert found.low < 1 < found.high
    assert found.high - found.low < 0.1


def test_unpaired_lengths_are_refused():
    with pytest.raises(ValueError, match=r"must be of one shape, not \(3,\) and \(2,\)"):
        paired_difference([1, 2, 3], [1, 2])


# ── Power laws ──────────────────────────────────────────────────────────────────────────────────


@given(
    exponent=st.floats(-3, 2),
    constant=st.floats(1e-3, 1e3),
    n=st.integers(4, 300),
    data=st.data(),
)
def test_an_exact_power_law_is_recovered(exponent, constant, n, data):
    first = data.draw(st.integers(1, n // 2))
    t = np.arange(1, n + 1)
    values = constant * t.astype(float) ** exponent
    values[: first - 1] = -1  # what comes before is not looked at
    law = fit_power_law(values, first=first)
    assert law.exponent == pytest.approx(exponent, abs=1e-7)
    assert law.constant == pytest.approx(constant, rel=1e-6)
    assert (law.first, law.last) == (first, n)


def test_every_factor_of_two_has_the_same_say():
    # The weighted least-squares line by its normal equations, weights 1/t.
    rng = np.random.default_rng(2)
    t = np.arange(5, 401)
    y = 3 * t**-0.5 * np.exp(0.3 * rng.normal(size=len(t)))
    u, v, w = np.log(t), np.log(y), 1 / t
    u_mean, v_mean = (w * u).sum() / w.sum(), (w * v).sum() / w.sum()
    slope = (w * (u - u_mean) * (v - v_mean)).sum() / (w * (u - u_mean) ** 2).sum()
    law = fit_power_law(np.concatenate([np.ones(4), y]), first=5)
    assert law.exponent == pytest.approx(slope, rel=1e-10)
    assert law.constant == pytest.approx(math.exp(v_mean - slope * u_mean), rel=1e-10)


def test_normalized_regret_of_a_known_curve():
    # Regret t^(−1/2) at each step: its running mean falls as 2 t^(−1/2) − O(1/t).
    t = np.arange(1, 20_001)
    normalized = np.cumsum(t**-0.5) / t
    law = fit_power_law(normalized, first=1000)
    assert law.exponent == pytest.approx(-0.5, abs=0.01)
    assert law.constant == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize("value", [0.0, -2.0, np.nan, np.inf])
def test_values_without_a_logarithm_are_refused(value):
    values = np.ones(20)
    values[15] = value
    with pytest.raises(ValueError, match=f"needs positive, finite values, not {value:g}"):
        fit_power_law(values, first=3)


@pytest.mark.parametrize("first", [0, -1, 11])
def test_a_start_outside_the_first_half_is_refused(first):
    with pytest.raises(ValueError, match=f"first must be from 1 to 10 for 20 steps, not {first}"):
        fit_power_law(np.ones(20), first=first)


@pytest.mark.parametrize(
    ("steps", "start"), [(2, 1), (10, 5), (40, 20), (200, 20), (600, 30), (2000, 100), (5000, 250)]
)
def test_where_fits_begin(steps, start):
    assert fit_start(steps) == start
    assert fit_power_law(np.arange(1.0, steps + 1), first=start).exponent == pytest.approx(1)
