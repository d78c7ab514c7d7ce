"""The exact law of T_i^R(t), the number of random-branch pulls of arm i in steps 1..t-1.

Algorithm 1 takes the random branch at step l with probability ε_l = 1/l^p and then draws an
arm uniformly. So the number N of random steps is a sum of independent 0/1 variables with
probabilities l^-p, and given N the K counts are multinomial(N; 1/K, ..., 1/K):

    P(every T_i^R >= m) = Σ_n P(N = n) · M(n, m).

Everything here follows from these two facts; nothing is simulated and nothing is bounded.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bandits.theory import checked
from bandits.theory.counting import Law, all_at_least, poisson, poisson_binomial, sum_of
from bandits.theory.sums import log_one_plus_sum, power_sum, random_steps

LONGEST = 2**22  # steps multiplied one by one; later steps enter through power sums
SMALLEST = 1e-120  # entries of a returned law below this are dropped
MOST_LATER_PULLS = 1e5  # expected; the array that a Poisson law of more would need is too long
LOG_NEGLIGIBLE = math.log(1e-19)
UNDERFLOW = -745.0  # exp of anything less is 0 in double precision


def expected_random_pulls(t: float, *, arms: int, p: float) -> float:
    """B(t) = E T_i^R(t) = (1/K) Σ_{l<t} l^-p, the expected random pulls of one arm.

    t: whole, at least 1, or math.inf when p > 1. arms: K >= 1, at most 2^53. p > 0. Relative
    error below 1e-13 for t up to 10^100 and below 1e-12 for any; inf where the sum leaves the
    floats. Raises ValueError outside these ranges. (Paper: first display of the lemma's proof.)
    """
    arms, p = checked.number_of_arms(arms), checked.exponent(p)
    t = checked.time_or_forever(t, p)
    return power_sum(p, 1, t) / arms


def probability_never_pulled(t: float, *, arms: int, p: float) -> float:
    """P(T_i^R(t) = 0) for one given arm: the product of 1 - l^-p/K over l < t.

    t: whole, at least 1, or math.inf when p > 1. arms: K >= 1, at most 2^53. p > 0. Relative
    error below 1e-12 down to 1e-300, below which the answer may be rounded down to 0 (the
    logarithm of the product is summed to full precision, for t of any size). Raises ValueError
    outside these ranges.
    """
    arms, p = checked.number_of_arms(arms), checked.exponent(p)
    t = checked.time_or_forever(t, p)
    if arms == 1:
        return 1.0 if t == 1 else 0.0  # the first step is always random, and there is one arm
    return math.exp(log_one_plus_sum(-1 / arms, p, t))


def random_pull_pmf(t: float, *, arms: int, p: float) -> NDArray[np.float64]:
    """The law of T_i^R(t) for one arm: an array (n,) float64, entry j = P(T_i^R(t) = j).

    It starts at j = 0 and ends where probabilities fall below 1e-120; entries of at least
    1e-100 have relative error below 1e-9. t, arms, p and errors as for
    `expected_random_pulls`; in addition ValueError where t exceeds 4,194,304 and p is so small
    that later steps cannot be summed. For p >= 1 that happens only where more than 100,000 pulls
    are expected of them: beyond t = e^100,000, and for t = math.inf where p - 1 < 1e-5.
    """
    arms, p = checked.number_of_arms(arms), checked.exponent(p)
    t = checked.time_or_forever(t, p)
    law = _count_law(t, p, arms)
    return law.within(0, law.first + len(law.weights) - 1)


def probability_all_pulled(t: float, *, arms: int, p: float, at_least: int) -> float:
    """P(T_i^R(t) >= at_least for every arm i), the left side of the paper's lemma, exactly.

    For a threshold that is not whole pass its ceiling. t, arms, p and errors as for
    `random_pull_pmf`; at_least: whole, at least 0. Relative error below 1e-9, in the tails too,
    down to 1e-280 (below that the answer may be rounded down to 0). Where steps are summed one
    by one (p < 1) the law of N is tilted so that its centre lies where the sum has its largest
    term; the answer is accepted only once that term is well inside the tilted window.
    """
    arms, p = checked.number_of_arms(arms), checked.exponent(p)
    t = checked.time_or_forever(t, p)
    least = checked.whole_number(at_least, "at_least", 0)
    if least == 0:
        return 1.0
    if least * arms > t - 1:
        return 0.0
    if p >= 1 or t > LONGEST:
        return _all_pulled_directly(t, p, arms, least)
    return _all_pulled_by_tilting(int(t), p, arms, least)


def _all_pulled_directly(t: float, p: float, arms: int, least: int) -> float:
    """Sum P(N = n)·M(n, least) with the law of N as it is; N is small here, so all of it fits."""
    steps = _count_law(t, p, 1, floor=1e-290)
    last = steps.first + len(steps.weights) - 1
    mean = power_sum(p, 1, t)
    # M is accurate some 15 standard deviations around a centre, so go through the range of n
    # in pieces, each with its own centre.
    total, first = [], arms * least
    while first <= last:
        end = min(last, first + int(4 * math.sqrt(first)) + 2)
        chances = all_at_least(least, arms, first, end, centre=(first + end) / 2)
        total.append(float(steps.within(first, end) @ chances))
        if first > mean and total[-1] < 1e-17 * math.fsum(total):
            break
        first = end + 1
    return math.fsum(total)


def _all_pulled_by_tilting(t: int, p: float, arms: int, least: int) -> float:
    """The same sum for laws of N too wide to keep whole: look only where its terms are large.

    Multiplying the odds of every step by r = e^θ gives a law P_θ with
    P(N = n) = P_θ(N = n) · Π(1 - ε_l + ε_l r) / r^n, exact for every n.
    """
    chance, miss = random_steps(t, p)
    mean = float(chance.sum())
    centre = min(max(mean, least * arms + math.sqrt(least * arms)), t - 1.25)
    for _ in range(8):
        tilt = 0.0 if centre <= mean else _tilt(chance, miss, centre)
        scale = miss + chance * math.exp(tilt)
        log_scale = float(np.log(scale).sum())
        if log_scale - tilt * least * arms < UNDERFLOW:  # Chernoff: N >= K·least is less likely
            return 0.0
        steps = poisson_binomial(chance * math.exp(tilt) / scale, miss / scale, 1e-40)
        first, last = steps.first, steps.first + len(steps.weights) - 1
        counts = np.arange(first, last + 1)
        chances = all_at_least(least, arms, first, last, max(centre, 0.5))
        log_terms = np.full(len(counts), -math.inf)
        some = (chances > 0) & (steps.weights > 0)
        log_terms[some] = (
            np.log(steps.weights[some]) + np.log(chances[some]) - tilt * (counts[some] - centre)
        )
        peak = int(np.argmax(log_terms))
        if steps.weights[peak] > 1e-15 * steps.weights.max():
            break
        centre = float(counts[peak])
    else:
        raise ArithmeticError(f"no centre found for t={t}, p={p}, arms={arms}, at_least={least}")
    sums = float(np.exp(log_terms - log_terms[peak]).sum())
    logarithm = math.log(sums) + log_terms[peak] + log_scale - tilt * centre
    return min(math.exp(logarithm), 1.0) if logarithm > UNDERFLOW else 0.0


def _tilt(chance: NDArray[np.float64], miss: NDArray[np.float64], wanted: float) -> float:
    """θ for which the tilted mean number of random steps is about `wanted` (within a half)."""
    low, high = 0.0, 1.0
    while high < 600 and _tilted_mean(chance, miss, high) < wanted:
        low, high = high, 2 * high
    while True:
        middle = (low + high) / 2
        mean = _tilted_mean(chance, miss, middle)
        if abs(mean - wanted) < 0.5 or high - low < 1e-9:
            return middle
        low, high = (middle, high) if mean < wanted else (low, middle)


def _tilted_mean(chance: NDArray[np.float64], miss: NDArray[np.float64], tilt: float) -> float:
    odds = chance * math.exp(tilt)
    return float((odds / (miss + odds)).sum())


def _count_law(t: float, p: float, arms: int, floor: float = SMALLEST) -> Law:
    """The law of a sum of independent 0/1 variables with probabilities l^-p/arms, l < t."""
    for head in (2**12, 2**17, LONGEST):
        if t <= head:
            return _law_of_first_steps(int(t), p, arms, floor)
        tail = _law_of_later_steps(head, t, p, arms, floor)
        if tail is not None:
            return sum_of(_law_of_first_steps(head, p, arms, floor), tail, floor)
    raise ValueError(
        f"t must be at most {LONGEST} for p = {p!r} (the later steps are random too "
        f"often to be summed in closed form), not {checked.shown(t)}"
    )


def _law_of_first_steps(t: int, p: float, arms: int, floor: float) -> Law:
    chance, miss = random_steps(t, p)
    return poisson_binomial(chance / arms, miss + chance * (1 - 1 / arms), floor)


def _law_of_later_steps(start: int, t: float, p: float, arms: int, floor: float) -> Law | None:
    """The law of the steps start..t-1, whose probabilities are small: a corrected Poisson law.

    With S_k = Σ (l^-p/K)^k the generating function is
    exp(S_1 (z-1)) · exp(-S_2 (z-1)²/2 + S_3 (z-1)³/3 - ...): a Poisson law on which the second
    factor acts through differences, (z-1)f = f(n-1) - f(n). None where the second factor is
    not small, so that its power series cannot be trusted.
    """
    mean = power_sum(p, start, t) / arms
    if mean > MOST_LATER_PULLS:
        return None
    law = poisson(mean, floor)
    weights = law.within(0, law.first + len(law.weights) - 1)
    if mean == 0:
        return Law(0, weights)
    sums = _later_sums(start, t, p, arms, math.log(len(weights)) - math.log(mean))
    if sums is None:
        return None
    term, result = weights, weights.copy()
    for order in range(1, 14):
        acted = np.zeros_like(term)
        difference = _difference(term)
        for coefficient in sums:
            difference = _difference(difference)
            acted += coefficient * difference
        term = acted / order
        result += term
    return Law(0, np.maximum(result, 0.0))


def _later_sums(start: int, t: float, p: float, arms: int, log_reach: float) -> list[float] | None:
    """(-1)^(k+1) S_k/k for k = 2, 3, ... up to the last that matters; None where they are large.

    log_reach: log of how much a difference can enlarge an entry.
    """
    # Where few pulls are expected the enlargement leaves the floats and S_k nearly does; their
    # product does not.
    log_reach = max(log_reach, 0.0)
    sums, size = [], 0.0
    for k in range(2, 60):
        power = power_sum(k * p, start, t) / arms**k / k
        sums.append((-1) ** (k + 1) * power)
        log_step = math.log(power) + k * log_reach if power > 0 else -math.inf
        size += math.exp(min(log_step, 0.0))
        if size > 0.25:
            return None
        if log_step < LOG_NEGLIGIBLE:
            return sums
    return None


def _difference(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([[0.0], weights[:-1]]) - weights
