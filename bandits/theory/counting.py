"""Laws of counts as arrays, computed with sums and products of non-negative numbers only.

Nothing is subtracted, so no digit is lost: every probability keeps its relative accuracy, far
out in the tails too. A law is a `Law(first, weights)`: weights[i] = P(count = first + i).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BATCH = 256  # steps multiplied side by side, before arrays of unequal length take over
PIECE = 2048  # of the shorter factor of a convolution
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
    long, short = sorted((one.weights, other.weights), key=len, reverse=True)
    weights = np.zeros(len(long) + len(short) - 1)
    # NumPy hands products of more than 10,000 numbers to several threads, which costs more than it
    # gains and makes the last digits depend on the machine.
    for start in range(0, len(short), PIECE):
        piece = np.convolve(long, short[start : start + PIECE])
        weights[start : start + len(piece)] += piece
    return trimmed(Law(one.first + other.first, weights), floor)


def poisson_binomial(success: Floats, failure: Floats, floor: float) -> Law:
    """The law of a sum of independent 0/1 variables, P(1) = success, P(0) = failure.

    Both arrays are (n,) float64; failure is passed in so that it too has full relative
    accuracy. Steps are multiplied in pairs, the products in pairs again. Fewer than 2n products
    drop outer entries below `floor`, fewer than n entries each time, so an entry of the result
    differs from the truth by at most 1e-12 of itself plus 2n²·floor.
    """
    if success.sum() > 0.5 * len(success):  # the rarer outcome has the shorter arrays
        failures = poisson_binomial(failure, success, floor)
        return Law(
            len(success) - failures.first - len(failures.weights) + 1, failures.weights[::-1]
        )
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
    """The law of the sum of `times` independent copies (times ≥ 1), by repeated squaring."""
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


def tail_of_poisson(mean: float, least: int) -> tuple[float, float]:
    """(log P(X = least - 1), log P(X ≥ least)) of a Poisson X, least ≥ 1, to some 1e-14 each.

    Where the tail is the smaller part it is added up from `least` on, else what lies below it.
    """
    below = log_poisson(least - 1, mean)
    if mean < least:
        reach = _reach(mean, least)
        ratios = np.cumprod(mean / np.arange(least + 1, least + reach, dtype=float))
        return below, below + math.log(mean / least) + math.log1p(float(ratios.sum()))
    reach = min(_reach(mean, least), least - 1)
    ratios = np.cumprod(np.arange(least - 1, least - 1 - reach, -1, dtype=float) / mean)
    return below, math.log1p(-math.exp(below) * (1 + float(ratios.sum())))


def log_poisson(count: int, mean: float) -> float:
    """log P(X = count) of a Poisson X, by Loader's formula, which is accurate for large counts."""
    if count == 0:
        return -mean
    x = (count - mean) / mean
    deviance = mean * ((1 + x) * math.log1p(x) - x)
    if count < 16:
        rest = math.lgamma(count + 1) - count * math.log(count) + count
        return -deviance - rest
    stirling = 1 / (12 * count) - 1 / (360 * count**3) + 1 / (1260 * count**5)
    return -deviance - stirling - 0.5 * math.log(2 * math.pi * count)


def truncated_poisson(mean: float, least: int, floor: float) -> Law:
    """The Poisson law conditioned to be at least `least`, by ratios of neighbours from its mode."""
    mode = max(least, int(mean))
    reach = _reach(mean, mode)
    up = np.cumprod(mean / np.arange(mode + 1, mode + reach + 1, dtype=float))
    down = np.cumprod(np.arange(mode, max(least, mode - reach), -1, dtype=float) / mean)
    weights = np.concatenate([down[::-1], [1.0], up])
    return trimmed(Law(mode - len(down), weights / weights.sum()), floor)


def _reach(mean: float, count: int) -> int:
    """How many neighbours of `count` matter: the rest weighs less than 1e-28 of it."""
    return int(12 * math.sqrt(max(mean, count))) + 80
