"""The facts about the digit task against plain enumeration of every draw."""

import itertools
from fractions import Fraction

import pytest

from bandits.theory import mnist_facts as facts


@pytest.mark.parametrize("arms, digits", [(1, 4), (2, 10), (3, 6), (4, 3), (5, 10), (6, 1)])
def test_every_fact_by_enumeration(arms, digits):
    draws = list(itertools.product(range(digits), repeat=arms))
    share = Fraction(1, len(draws))
    assert facts.expected_best(arms, digits) == sum(map(max, draws)) * share
    assert facts.expected_choice_at_random(arms, digits) == sum(d[0] for d in draws) * share
    lost = sum(max(d) - d[-1] for d in draws) * share
    assert facts.expected_regret_of_an_arm(arms, digits) == lost
    assert facts.expected_range(arms, digits) == sum(max(d) - min(d) for d in draws) * share
    ties = sum(d.count(max(d)) > 1 for d in draws) * share
    assert facts.probability_of_tie(arms, digits) == ties
    equal = sum(max(d) == min(d) for d in draws) * share
    assert facts.probability_of_no_suboptimal_arm(arms, digits) == equal


def test_the_numbers_of_the_paper_s_task():
    assert facts.expected_best() == Fraction(31167, 4000)
    assert facts.expected_regret_of_an_arm() == Fraction(13167, 4000)
    assert facts.expected_choice_at_random() == Fraction(9, 2)
    assert facts.probability_of_tie() == Fraction(23335, 100000)
    assert facts.probability_of_no_suboptimal_arm() == Fraction(1, 10000)
    assert facts.expected_range() == Fraction(65835, 10000)


@pytest.mark.parametrize("arms, digits", [(0, 10), (2.5, 10), (5, 0), (5, -3)])
def test_bad_input(arms, digits):
    with pytest.raises(ValueError, match="must be a whole number >= 1"):
        facts.expected_best(arms, digits)


@pytest.mark.parametrize("arms, digits", [(10**6, 10), (2**53, 2), (200, 10**6), (5, 10**8)])
def test_fractions_too_long_to_work_out_are_refused_at_once(arms, digits):
    for fact in (facts.expected_best, facts.expected_range, facts.probability_of_tie,
                 facts.expected_regret_of_an_arm,
                 facts.probability_of_no_suboptimal_arm):  # fmt: skip
        with pytest.raises(ValueError, match=r"an exact fraction too long to work out: arms·log2"):
            fact(arms, digits)
    assert facts.expected_choice_at_random(arms, digits) == Fraction(digits - 1, 2)


def test_many_arms_against_floats():
    value = facts.expected_best(100_000, 10)
    assert 9 - float(value) < 1e-15
    assert float(facts.expected_best(50, 10)) == pytest.approx(
        9 - sum((d / 10) ** 50 for d in range(1, 10)), rel=1e-15
    )
