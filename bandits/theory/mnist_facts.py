"""Exact facts about the paper's task: choose the largest of K uniform digits 0..D-1.

All are rational numbers, for any number of arms K and of digits D, under the noiseless reward
(the digit of the chosen image). The paper has K = 5 and D = 10.
"""

import math
from fractions import Fraction

from bandits.theory import checked

MOST_BITS = 400_000  # of the exact fraction's denominator D^K
MOST_WORK = 2e8  # bits of all D powers together: some half a second

GAP = 1  # δ: different digits differ by at least 1, so a suboptimal arm loses at least 1


def expected_best(arms: int = 5, digits: int = 10) -> Fraction:
    """E max of `arms` digits: Σ_{d=1}^{D-1} P(max ≥ d) = Σ (1 - (d/D)^K). Paper: 31167/4000.

    arms ≥ 1 and digits ≥ 1, whole numbers; ValueError otherwise, here and below, and where the
    exact fraction would take more than seconds: log2(D^K) is at most 400,000, and D times it at
    most 2e8.
    """
    arms, digits = _task(arms, digits)
    return digits - 1 - Fraction(sum(d**arms for d in range(1, digits)), digits**arms)


def expected_choice_at_random(arms: int = 5, digits: int = 10) -> Fraction:
    """The mean digit (D - 1)/2, which uniform choice earns whatever K."""
    checked.number_of_arms(arms)
    return Fraction(checked.whole_number(digits, "digits", 1) - 1, 2)


def expected_regret_of_an_arm(arms: int = 5, digits: int = 10) -> Fraction:
    """E Δ_i = E max - mean digit: the same for every arm, so it is both α and D̄ of the bounds."""
    return expected_best(arms, digits) - expected_choice_at_random(arms, digits)


def expected_range(arms: int = 5, digits: int = 10) -> Fraction:
    """E[max - min], the largest expected regret any policy can suffer in one step."""
    return 2 * expected_best(arms, digits) - (digits - 1)


def probability_of_tie(arms: int = 5, digits: int = 10) -> Fraction:
    """P(two or more arms share the largest digit): 1 - Σ_d K (1/D) (d/D)^(K-1)."""
    arms, digits = _task(arms, digits)
    return 1 - Fraction(arms * sum(d ** (arms - 1) for d in range(digits)), digits**arms)


def probability_of_no_suboptimal_arm(arms: int = 5, digits: int = 10) -> Fraction:
    """P(all digits equal) = D^(1-K): then every arm is optimal."""
    arms, digits = _task(arms, digits)
    return Fraction(1, digits ** (arms - 1))


def _task(arms: int, digits: int) -> tuple[int, int]:
    arms, digits = checked.number_of_arms(arms), checked.whole_number(digits, "digits", 1)
    bits = arms * math.log2(digits)
    if bits > MOST_BITS or digits * bits > MOST_WORK:
        raise ValueError(
            f"arms = {arms} and digits = {digits} give an exact fraction too long to work out: "
            f"arms·log2(digits) must be at most {MOST_BITS}, and digits times that at most "
            f"{MOST_WORK:.0e}; E max is digits - 1 to within digits·(1 - 1/digits)^arms"
        )
    return arms, digits
