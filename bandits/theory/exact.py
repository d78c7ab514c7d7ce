"""The exact law of T_i^R(t), the number of random-branch pulls of arm i in steps 1..t-1.

Algorithm 1 takes the random branch at step l with probability ε_l = 1/l^p and then draws an
arm uniformly. So the number N of random steps is a sum of independent 0/1 variables with
probabilities l^-p, and given N the K counts are multinomial(N; 1/K, ..., 1/K):

    P(every T_i^R ≥ m) = Σ_n P(N = n) · M(n, m),

which is `all_pulled`. Everything follows from these two facts; nothing is simulated and nothing is
bounded.
"""

import math

import numpy as np
from numpy.typing import NDArray

from bandits.checks import shown
from bandits.theory import checked
from bandits.theory.counting import Law, poisson, poisson_binomial, sum_of
from bandits.theory.sums import log_one_plus_sum, power_sum, random_steps

LONGEST = 2**21  # steps multiplied one by one, in two seconds; later ones enter as power sums
SMALLEST = 1e-120  # entries of a returned law below this are dropped
MOST_LATER_PULLS = 1e5  # expected; the array that a Poisson law of more would need is too long
LOG_NEGLIGIBLE = math.log(1e-19)


def expected_random_pulls(t: float, *, arms: int, p: float) -> float:
    """B(t) = E T_i^R(t) = (1/K) Σ_{l<t} l^-p, the expected random pulls of one arm.

    t: whole, at least 1, or math.inf when p > 1. arms: K ≥ 1, at most 2^53. p > 0. Relative
    error below 1e-13 for t up to 10^100 and below 1e-12 for any; inf where the sum overflows.
    Raises ValueError outside these ranges. (Paper: first display of the lemma's proof.)
    """
    arms, p = checked.number_of_arms(arms), checked.exponent(p)
    t = checked.time_or_forever(t, p)
    return power_sum(p, 1, t) / arms


def probability_never_pulled(t: float, *, arms: int, p: float) -> float:
    """P(T_i^R(t) = 0) for one given arm: the product of 1 - l^-p/K over l < t.

    t: whole, at least 1, or math.inf when p > 1. arms: K ≥ 1, at most 2^53. p > 0. Relative
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
    `expected_random_pulls`; in addition ValueError where t exceeds 2,097,152 and p is so small
    that later steps cannot be summed. For p ≥ 1 that happens only where more than 100,000 pulls
    are expected of them: beyond t = e^100,000, and for t = math.inf where p - 1 < 1e-5.
    """
    arms, p = checked.number_of_arms(arms), checked.exponent(p)
    t = checked.time_or_forever(t, p)
    law = count_law(t, p, arms)
    return law.within(0, law.first + len(law.weights) - 1)


def count_law(t: float, p: float, arms: int, floor: float = SMALLEST) -> Law:
    """The law of a sum of independent 0/1 variables with probabilities l^-p/arms, l < t."""
    for head in (2**12, 2**17, LONGEST):
        if t <= head:
            return _law_of_first_steps(int(t), p, arms, floor)
        tail = _law_of_later_steps(head, t, p, arms, floor)
        if tail is not None:
            return sum_of(_law_of_first_steps(head, p, arms, floor), tail, floor)
    raise ValueError(
        f"t must be at most {LONGEST} for p = {p!r} (the later steps are random too "
        f"often to be summed in closed form), not {shown(t)}"
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
    # Where few pulls are expected the enlargement overflows and S_k nearly underflows; their
    # product does neither.
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
