"""What is read off the runs: averages with intervals, paired differences, fitted power laws."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats


def mean_interval(
    values: ArrayLike, *, axis: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean over independent runs, and the half-width of its 95 % Student t interval.

    Args:
        values: any shape, the runs along `axis`.
        axis: of the runs.

    Returns:
        Mean and half-width; the half-width is NaN where there is one run only.
    """
    runs = np.asarray(values, dtype=np.float64)
    n = runs.shape[axis]
    mean = runs.mean(axis=axis)
    if n < 2:
        return mean, np.full(np.shape(mean), np.nan)
    quantile = stats.t.ppf(0.975, n - 1)
    return mean, np.asarray(quantile * runs.std(axis=axis, ddof=1) / np.sqrt(n))


@dataclass(frozen=True)
class Interval:
    """An estimate with its 95 % interval; `low` and `high` are NaN where one run gave it."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        # A mean of 1.835 may be the float below it on another CPU, so its last bits are dropped
        # before it is rounded. Adding 0 turns −0.00 into 0.00.
        three = (self.mean, self.low, self.high)
        mean, low, high = (f"{round(round(float(x), 9), 2) + 0.0:.2f}" for x in three)
        return f"{mean} (no interval)" if math.isnan(self.low) else f"{mean} [{low}, {high}]"


def interval(values: ArrayLike) -> Interval:
    """Mean over runs (n,) with its interval."""
    mean, half = mean_interval(values)
    return Interval(float(mean), float(mean - half), float(mean + half))


def paired_difference(first: ArrayLike, second: ArrayLike) -> Interval:
    """Mean of first − second over runs that saw the same table, (n,) each, with its interval.

    Raises:
        ValueError: if the lengths differ.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape:
        raise ValueError(f"paired values must be of one shape, not {a.shape} and {b.shape}")
    return interval(a - b)


@dataclass(frozen=True)
class PowerLaw:
    """y ≈ constant · t^exponent, fitted over first ≤ t ≤ last."""

    exponent: float
    constant: float
    first: int
    last: int


def fit_power_law(values: NDArray[np.float64], *, first: int) -> PowerLaw:
    """Fit a straight line on log-log axes to a curve over t = 1..n, from t = first on.

    Every t counts by 1/t, so that each factor of two in t has the same say. Neighbouring points of
    a running average are nearly the same number: one curve gives no interval for the exponent.

    Args:
        values: (n,) positive and finite from t = first on.
        first: ≥ 1, at most n/2.

    Raises:
        ValueError: if first is out of range or a value is not positive and finite.
    """
    n = len(values)
    if not 1 <= first <= n / 2:
        raise ValueError(f"first must be from 1 to {n // 2} for {n} steps, not {first}")
    t = np.arange(first, n + 1)
    y = values[first - 1 :]
    bad = ~((y > 0) & np.isfinite(y))
    if bad.any():
        raise ValueError(f"a power law needs positive, finite values, not {y[bad][0]:g}")
    exponent, log_constant = np.polyfit(np.log(t), np.log(y), 1, w=1 / np.sqrt(t))
    return PowerLaw(float(exponent), float(np.exp(log_constant)), first, n)


def fit_start(steps: int) -> int:
    """Where our fits begin: a twentieth of the run, and never before t = 20 if it has 40 steps."""
    return max(min(20, steps // 2), steps // 20, 1)
