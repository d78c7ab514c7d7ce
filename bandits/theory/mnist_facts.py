"""Exact facts about the paper's task: choose the largest of K uniform digits 0..D-1.

All are rational numbers, for any number of arms K and of digits D, under the noiseless reward
(the digit of the chosen image). The paper has K = 5 and D = 10.
"""

from __future__ import annotations

from fractions import Fraction

from bandits.theory import checked

GAP = 1  # δ: different digits differ by at least 1, so a suboptimal arm loses at least 1


def expected_best(arms: int = 5, digits: int = 10) -> Fraction:
    """E max of `arms` digits: Σ_{d=1}^{D-1} P(max >= d) = Σ (1 - (d/D)^K). Paper: 31167/4000.

    arms >= 1 and digits >= 1, whole numbers; ValueError otherwise, here and below.
    """
    arms, digits = _task(arms, digits)
    return sum((1 - Fraction(d, digits) ** arms for d in range(1, digits)), Fraction(0))


def expected_choice_at_random(arms: int = 5, digits: int = 10) -> Fraction:
    """The mean digit (D - 1)/2, which uniform choice earns whatever K."""
    _, digits = _task(arms, digits)
    return Fraction(digits - 1, 2)


def expected_regret_of_an_arm(arms: int = 5, digits: int = 10) -> Fraction:
    """E Δ_i = E max - mean digit: the same for every arm, so it is both α and D̄ of the bounds."""
    return expected_best(arms, digits) - expected_choice_at_random(arms, digits)


def expected_range(arms: int = 5, digits: int = 10) -> Fraction:
    """E[max - min], the largest expected regret any policy can suffer in one step."""
    return 2 * expected_best(arms, digits) - (digits - 1)


def probability_of_tie(arms: int = 5, digits: int = 10) -> Fraction:
    """P(two or more arms share the largest digit): 1 - Σ_d K (1/D) (d/D)^(K-1)."""
    arms, digits = _task(arms, digits)
    alone = sum(
        (arms * Fraction(1, digits) * Fraction(d, digits) ** (arms - 1) for d in range(digits)),
        Fraction(0),
    )
    return 1 - alone


def probability_of_no_suboptimal_arm(arms: int = 5, digits: int = 10) -> Fraction:
    """P(all digits equal) = D^(1-K): then every arm is optimal."""
    arms, digits = _task(arms, digits)
    return Fraction(1, digits ** (arms - 1))


def _task(arms: int, digits: int) -> tuple[int, int]:
    return checked.number_of_arms(arms), checked.whole_number(digits, "digits", 1)
