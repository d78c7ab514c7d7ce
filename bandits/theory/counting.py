"""Laws of counts as arrays, computed with sums and products of non-negative numbers only.

Nothing is subtracted, so no digit is lost: every probability keeps its relative accuracy, far
out in the tails too. A law is a `Law(first, weights)`: weights[i] = P(count = first + i).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BATCH = 256  # steps multiplied side by side, before arrays of unequal length take over
GROUP = 2**15  # steps held in one array, which then stays in the processor's cache


class Law(NamedTuple):
    """Weights of the counts first, first + 1, ...; they sum to at most 1."""

    first: int
    weights: Floats

    def within(self, first: int, last: int) -> Floats:
        """The weights of first..last (both included), zero where this law has none."""
        inside = np.zeros(max(last - first + 1, 0))
        low, high = max(first, self.first), min(last + 1, self.first + len(self.weights))
        if high > low:
            inside[low - first : high - first] = self.weights[low - self.first : high - self.first]
        return inside


def trimmed(law: Law, floor: float) -> Law:
    """Without the outer entries below `floor`: what goes is a known, tiny mass."""
    kept = np.flatnonzero(law.weights >= floor)
    if len(kept) == 0:
        return Law(law.first, law.weights[:1])
    return Law(law.first + int(kept[0]), law.weights[kept[0] : kept[-1] + 1])


def sum_of(one: Law, other: Law, floor: float) -> Law:
    """The law of the sum of two independent counts."""
    return trimmed(Law(one.first + other.first, np.convolve(one.weights, other.weights)), floor)


def poisson_binomial(success: Floats, failure: Floats, floor: float) -> Law:
    """The law of a sum of independent 0/1 variables, P(1) = success, P(0) = failure.

    Both arrays are (n,) float64; failure is passed in so that it too has full relative
    accuracy. Steps are multiplied in pairs, the products in pairs again. Fewer than 2n products
    drop outer entries below `floor`, fewer than n entries each time, so an entry of the result
    differs from the truth by at most 1e-12 of itself plus 2n²·floor.
    """
    laws = [Law(0, np.ones(1))] if len(success) == 0 else []
    for start in range(0, len(success), GROUP):
        group = slice(start, start + GROUP)
        laws += _blocks(np.stack([failure[group], success[group]], axis=1), floor)
    while len(laws) > 1:
        pairs = zip(laws[0::2], laws[1::2], strict=False)
        last = laws[-1:] if len(laws) % 2 else []
        laws = [sum_of(left, right, floor) for left, right in pairs] + last
    return laws[0]


def _blocks(rows: Floats, floor: float) -> list[Law]:
    """Multiply neighbouring rows, all at once, until each row stands for BATCH steps."""
    steps = 1
    while len(rows) > 1 and steps < BATCH:
        if len(rows) % 2:
            nothing = np.zeros((1, rows.shape[1]))
            nothing[0, 0] = 1.0
            rows = np.concatenate([rows, nothing])
        left, right = rows[0::2], rows[1::2]
        width = rows.shape[1]
        rows = np.zeros((len(left), 2 * width - 1))
        for shift in range(width):
            rows[:, shift : shift + width] += left[:, shift : shift + 1] * right
        rows = rows[:, : int(np.flatnonzero((rows >= floor).any(axis=0))[-1]) + 1]
        steps *= 2
    return [trimmed(Law(0, weights), floor) for weights in rows]


def poisson(mean: float, floor: float) -> Law:
    """The Poisson law, entries down to about `floor`, by ratios of neighbours from the mode."""
    mode = int(mean)
    reach = math.sqrt(-2 * math.log(floor))  # in standard deviations, on the short lower side
    low = max(0, mode - int(reach * math.sqrt(mean)) - 1)
    high = mode + int(2 * reach * math.sqrt(mean) - 2 * math.log(floor)) + 10
    up = np.cumprod(mean / np.arange(mode + 1, high + 1, dtype=float))
    down = np.cumprod(np.arange(mode, low, -1, dtype=float) / mean)
    weights = np.concatenate([down[::-1], [1.0], up])
    return trimmed(Law(low, weights / weights.sum()), floor)


def power_of(law: Law, times: int, floor: float) -> Law:
    """The law of the sum of `times` independent copies (times >= 1), by repeated squaring."""
    if times < 1:
        raise ValueError(f"times must be a whole number >= 1, not {times}")
    while times % 2 == 0:
        law = sum_of(law, law, floor)
        times //= 2
    result = law
    while times := times // 2:
        law = sum_of(law, law, floor)
        if times % 2:
            result = sum_of(result, law, floor)
    return result


def all_at_least(least: int, arms: int, first: int, last: int, centre: float) -> Floats:
    """M(n, least) for n = first..last: P(multinomial(n; 1/K, ..., 1/K) has every count >= least).

    n!/K^n [z^n](Σ_{j >= least} z^j/j!)^K, with z^j/j! weighted as a Poisson law of mean
    centre/K: then the coefficient is the chance that K independent Poisson counts are all
    large enough and add up to n, and M divides it by the chance that they add up to n.
    Accurate for n within some 15 standard deviations (√centre) of `centre`.
    """
    floor = 1e-80
    mean = centre / arms
    one_arm = poisson(mean, floor)
    enough = Law(least, one_arm.within(least, one_arm.first + len(one_arm.weights) - 1))
    if len(enough.weights) == 0:
        return np.zeros(last - first + 1)
    together = power_of(enough, arms, 1e-200).within(first, last)
    total = poisson(centre, floor).within(first, last)
    return np.divide(together, total, out=np.zeros_like(total), where=total > 0)
