"""P(every arm has at least m random pulls), to full relative accuracy however small it is.

With N random steps and M(n, m) = n!/K^n [z^n](Σ_{j≥m} z^j/j!)^K the answer is
Σ_n P(N = n)·M(n, m). For any λ > 0 and r > 0, with n* = rKλ, it is also, exactly,

    C_r · P(Poisson(λ) ≥ m)^K · e^(-Kλ(r-1)) · Σ_n P_r(n)·P_λ(n)/Poisson(n*; n),

where P_r is the law of N with the odds of every step times r, C_r = E r^N its constant, and P_λ
the law of a sum of K Poisson(λ) counts each conditioned to be at least m. λ is chosen so that both
laws and the Poisson law have the same centre. Then no number in the sum is very small or large; the
factor in front of it is, and is kept as a logarithm.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from bandits.theory import checked
from bandits.theory.counting import (
    Floats,
    Law,
    poisson,
    poisson_binomial,
    power_of,
    tail_of_poisson,
    trimmed,
    truncated_poisson,
)
from bandits.theory.exact import LONGEST, count_law
from bandits.theory.sums import random_steps

FLOOR = 1e-24  # of the three centred laws: what is dropped weighs less than 1e-12 of the sum
UNDERFLOW = -745.0  # exp of anything less is 0 in double precision
EXACTLY = 4096  # steps that enter the search for the centre one by one; the rest in groups
LEAST_LAMBDA = 1e-280  # at this λ every count is the least allowed


def probability_all_pulled(t: float, *, arms: int, p: float, at_least: int) -> float:
    """P(T_i^R(t) ≥ at_least for every arm i), the left side of the paper's lemma, exactly.

    For a threshold that is not whole pass its ceiling. t, arms and p as for `random_pull_pmf`;
    at_least: whole, at least 0. Relative error below 1e-9, for any number of arms, down to 1e-280
    (below that the answer may be rounded down to 0). Raises ValueError as `random_pull_pmf` does.
    """
    arms, p = checked.number_of_arms(arms), checked.exponent(p)
    t = checked.time_or_forever(t, p)
    least = checked.whole_number(at_least, "at_least", 0)
    if least == 0:
        return 1.0
    if least * arms > t - 1:
        return 0.0
    if p >= 1 or t > LONGEST:
        return _with_law(count_law(t, p, 1, floor=1e-290), arms, least)
    return _with_steps(int(t), p, arms, least)


def _with_law(law: Law, arms: int, least: int) -> float:
    """The law of N is at hand, whole: tilting multiplies its weights."""
    kept = law.weights > 0
    counts = (law.first + np.arange(len(law.weights)))[kept]
    logs = np.log(law.weights[kept])
    if counts[-1] < least * arms:
        return 0.0

    def tilted(log_r: float) -> tuple[Floats, float]:
        raised = logs + log_r * counts
        top = raised.max()
        weights = np.exp(raised - top)
        return weights / weights.sum(), float(top + math.log(weights.sum()))

    rate = _centre(lambda log_r: float(tilted(log_r)[0] @ counts), arms, least, float(counts[-1]))
    weights, log_constant = tilted(math.log1p(_excess(rate, least)))
    whole = np.zeros(len(law.weights))
    whole[kept] = weights
    return _combined(trimmed(Law(law.first, whole), FLOOR), log_constant, rate, arms, least)


def _with_steps(t: int, p: float, arms: int, least: int) -> float:
    """Steps are tilted one by one, and only the centre of their law is multiplied out."""
    chance, miss = random_steps(t, p)
    few, weight = _grouped(chance)

    def mean(log_r: float) -> float:
        odds = few * math.exp(log_r)
        return float(weight @ (odds / (1 - few + odds)))

    rate = _centre(mean, arms, least, float(t - 1))
    excess = _excess(rate, least)
    scale = 1 + chance * excess
    steps = poisson_binomial(chance * (1 + excess) / scale, miss / scale, FLOOR)
    log_constant = float(np.log1p(chance * excess).sum())
    return _combined(steps, log_constant, rate, arms, least)


def _grouped(chance: Floats) -> tuple[Floats, Floats]:
    """The chances of the first steps, then of the middle step of ever longer groups; sizes."""
    if len(chance) <= 2 * EXACTLY:
        return chance, np.ones(len(chance))
    edges = np.unique(np.geomspace(EXACTLY, len(chance), EXACTLY).astype(int))
    middle = (edges[:-1] + edges[1:]) // 2
    sizes = np.concatenate([np.ones(edges[0]), np.diff(edges)])
    return np.concatenate([chance[: edges[0]], chance[middle]]), sizes


def _excess(rate: float, least: int) -> float:
    """r - 1 = P(Poisson(λ) = m - 1)/P(Poisson(λ) ≥ m): then K truncated counts have mean rKλ."""
    below, tail = tail_of_poisson(rate, least)
    return math.exp(below - tail)


def _centre(mean: Callable[[float], float], arms: int, least: int, most: float) -> float:
    """The λ at which K truncated counts and the tilted law of N have the same mean, nearly.

    The first grows with λ, the second falls. Any λ gives the right answer as long as the windows
    of the three laws meet, so a fraction of a standard deviation is near enough.
    """

    def ahead(log_rate: float) -> float:
        rate = math.exp(log_rate)
        excess = _excess(rate, least)
        return arms * rate * (1 + excess) - mean(math.log1p(excess))

    low, high = math.log(LEAST_LAMBDA), math.log(most / arms + 1)
    if ahead(low) >= 0:  # every step must be random, nearly
        return LEAST_LAMBDA
    while ahead(high) < 0:
        high += 1.0
    return math.exp(brentq(ahead, low, high, xtol=0.02 / math.sqrt(most), rtol=1e-12))


def _combined(steps: Law, log_constant: float, rate: float, arms: int, least: int) -> float:
    """The identity above, once the law of N is tilted."""
    excess = _excess(rate, least)
    _, log_tail = tail_of_poisson(rate, least)
    log_front = log_constant + arms * log_tail - arms * rate * excess
    if log_front + math.log(len(steps.weights)) + 50 < UNDERFLOW:
        return 0.0
    last = steps.first + len(steps.weights) - 1
    together = power_of(truncated_poisson(rate, least, FLOOR), arms, FLOOR)
    centre = arms * rate * (1 + excess)
    total = poisson(centre, 1e-70).within(steps.first, last)
    enough = together.within(steps.first, last)
    ratio = np.divide(enough, total, out=np.zeros_like(total), where=total > 0)
    summed = float(steps.weights @ ratio)
    if summed <= 0:  # no λ brings the laws together: P is below e^-640
        return 0.0
    logarithm = log_front + math.log(summed)
    return min(math.exp(logarithm), 1.0) if logarithm > UNDERFLOW else 0.0
