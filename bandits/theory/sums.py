"""Sums of powers Σ l^-s to full precision, however many terms they have."""

import math
import sys

import numpy as np
from numpy.typing import NDArray

# Terms added one by one before Euler-Maclaurin takes over. From 4096 on, the three Bernoulli
# terms kept leave an error below s^7 · 4096^(-s-7) / 10^6, far under one unit in the last place.
DIRECT = 4096
STEEPEST = 100.0  # from this power on 4096^-s and all after it are 0 in double precision
LOG_LARGEST = math.log(sys.float_info.max)


def integral_of_power(s: float, start: float, log_ratio: float) -> float:
    """∫ x^-s dx from `start` ≥ 1 to start·e^log_ratio, without cancellation near s = 1.

    inf where it overflows.
    """
    if log_ratio == math.inf:
        return float(start ** (1 - s) / (s - 1))
    if s == 1:
        return log_ratio
    if (1 - s) * log_ratio > LOG_LARGEST:
        return math.inf
    return float(start ** (1 - s) * math.expm1((1 - s) * log_ratio) / (1 - s))


def _power(base: float, exponent: float) -> float:
    """base^exponent for exponent < 0, with inf^exponent = 0 and integers of any size."""
    return 0.0 if base == math.inf else math.exp(exponent * math.log(base))


def power_sum(s: float, start: int, stop: float) -> float:
    """Σ l^-s over start ≤ l < stop, for s > 0; stop may be math.inf when s > 1.

    Relative error below 1e-14 for stop up to 10^12 and below 1e-12 for any, by adding the first
    terms and using Euler-Maclaurin summation for the rest; inf where the sum overflows.
    """
    middle = max(start, DIRECT)
    if stop <= middle or s > STEEPEST:
        return math.fsum(np.arange(start, min(stop, middle), dtype=float) ** -s)
    head = np.arange(start, middle, dtype=float) ** -s
    log_ratio = math.inf if stop == math.inf else math.log(stop) - math.log(middle)
    tail = [integral_of_power(s, middle, log_ratio)]
    for end, sign in ((middle, 1.0), (stop, -1.0)):
        tail += [
            sign * 0.5 * _power(end, -s),
            sign * s / 12 * _power(end, -s - 1),
            -sign * s * (s + 1) * (s + 2) / 720 * _power(end, -s - 3),
        ]
    return math.fsum([*head.tolist(), *tail])


def log_one_plus_sum(x: float, p: float, t: float) -> float:
    """Σ log(1 + x·l^-p) over 1 ≤ l < t, for -1 < x ≤ 0; t may be math.inf when p > 1.

    This is the logarithm of a probability generating function at z = 1 + x. Steps beyond the
    first ones are summed through the series of log(1 + y), one power sum for each power of x.
    """
    steps = np.arange(1, min(t, DIRECT), dtype=float)
    parts: list[float] = np.log1p(x * steps**-p).tolist()
    if t > DIRECT:
        for k in range(1, 400):
            term = -((-x) ** k) / k * power_sum(k * p, DIRECT, t)
            parts.append(term)
            if abs(term) <= 1e-18 * abs(parts[len(steps)]) or term == 0:
                break
    return math.fsum(parts)


def random_steps(
    t: int, p: float, first: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(ε_l, 1 - ε_l) for l = first..t-1, (t - first,) float64 each, to full relative accuracy."""
    log_steps = np.log(np.arange(first, t, dtype=float))
    with np.errstate(over="ignore"):  # exp(-inf) = 0 is right for p near the end of the floats
        return np.exp(-p * log_steps), -np.expm1(-p * log_steps)
