"""Expected random steps Σ_{l≤t} ε_l of common schedules, each by a closed form or a short search.

An arm's expected random pulls up to t are these divided by K. The sums up to t include ε_t.
"""

import math
from collections.abc import Callable

from bandits.theory.sums import power_sum


def constant(epsilon: float, t: int) -> float:
    """ε_l = ε."""
    return epsilon * t


def epsilon_first(steps: int, t: int) -> float:
    """ε_l = 1 for l ≤ steps, then 0."""
    return float(min(steps, t))


def exponential(decay: float, t: int) -> float:
    """ε_l = d^(l−1) for 0 ≤ d ≤ 1, without cancellation near d = 1."""
    if decay in (0.0, 1.0):
        return float(t if decay else min(t, 1))
    return math.expm1(t * math.log(decay)) / math.expm1(math.log(decay))


def capped_power(c: float, p: float, t: int) -> float:
    """ε_l = min(1, c / l^p) for c > 0 and p > 0."""
    capped = _last(lambda step: c >= step**p, t)
    return capped + c * power_sum(p, capped + 1, t + 1)


def floored(
    epsilon: Callable[[int], float], total: Callable[[int], float], least: float, t: int
) -> float:
    """ε_l = max(least, s_l) for a schedule s that never rises.

    Args:
        epsilon: s_l of a step.
        total: Σ_{i≤l} s_i.
        least: the floor.
        t: the last step.
    """
    above = _last(lambda step: epsilon(step) >= least, t)
    return (total(above) if above else 0.0) + least * (t - above)


def _last(holds: Callable[[int], bool], t: int) -> int:
    """The last step up to t where something holds that never holds again once it fails; or 0."""
    low, high = 0, t + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
