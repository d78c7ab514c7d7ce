"""The lemma's bound: its numbers by hand, and against the exact law."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bandits.theory import (
    expected_random_pulls,
    lemma_bound,
    probability_all_pulled,
    vacuous_until,
)
from bandits.theory.lemma import RATES, SHARPER, as_function, exploration
from bandits.theory.scan import exact_cases
from bandits.theory.symbols import q, u


@pytest.mark.parametrize("t", [1, 2, 64, 10**6, 10**33])
@pytest.mark.parametrize("p", [0.2, 1 / 3, 0.5, 0.95, 1.0])
@pytest.mark.parametrize("arms", [1, 2, 5])
def test_both_versions_by_hand(t, p, arms):
    if p == 1:
        printed = corrected = math.log(t)
    else:
        printed = float(t) ** (1 - p) / (1 - p)
        corrected = (float(t) ** (1 - p) - 1) / (1 - p)
    for version, length in (("printed", printed), ("corrected", corrected)):
        bound = lemma_bound(t, arms=arms, p=p, version=version)
        assert bound.threshold == pytest.approx(length / (2 * arms), rel=1e-11)
        claimed = 1 - arms * math.exp(-3 * length / (28 * arms))
        assert bound.probability == pytest.approx(claimed, rel=1e-9, abs=1e-11)
        assert bound.says_nothing == (claimed <= 0)


def test_times_beyond_the_floats():
    assert lemma_bound(10**400, arms=2, p=1).threshold == pytest.approx(100 * math.log(10))
    assert lemma_bound(10**1000, arms=2, p=0.5).probability == 1.0

    assert lemma_bound(10**400, arms=2, p=0.1).threshold == math.inf
    with pytest.raises(ValueError, match="threshold must be finite for at_least, not inf"):
        _ = lemma_bound(10**400, arms=2, p=0.1).at_least


def test_default_is_the_statement_that_holds():
    corrected = lemma_bound(50, arms=3, p=0.5, version="corrected")
    assert lemma_bound(50, arms=3, p=0.5) == corrected


def test_a_threshold_that_rounding_lifted_over_a_whole_number_is_that_number():
    assert lemma_bound(64, arms=2, p=0.5, version="printed").at_least == 4  # 8/(2·0.5·2) = 4
    assert lemma_bound(65, arms=2, p=0.5, version="printed").at_least == 5


def test_quoted_vacuity():
    assert vacuous_until(5, 1) == pytest.approx(4.155279e32, rel=1e-6)
    assert vacuous_until(2, 1) == pytest.approx(416127.66, abs=0.01)
    assert vacuous_until(200, 1) == math.inf
    assert vacuous_until(1, 1) == 1.0


@settings(deadline=None, max_examples=60)
@given(arms=st.integers(2, 8), p=st.floats(0.05, 1.0), version=st.sampled_from(
    ["printed", "corrected"]))  # fmt: skip
def test_the_bound_is_zero_exactly_at_the_vacuity_time(arms, p, version):
    end = vacuous_until(arms, p, version=version)
    if 2 < end < 1e300:
        before = lemma_bound(math.floor(end * (1 - 1e-9)), arms=arms, p=p, version=version)
        after = lemma_bound(math.ceil(end * (1 + 1e-9)), arms=arms, p=p, version=version)
        assert before.probability <= 1e-9
        assert after.probability >= -1e-9


def test_rates_order():
    printed, one_sided, chernoff = (float(rate) for rate in RATES.values())
    assert printed == pytest.approx(3 / 28)
    assert (one_sided, chernoff) == (0.125, pytest.approx(0.1534, abs=5e-5))
    assert printed < one_sided < chernoff


@given(t=st.integers(1, 10**7), p=st.floats(0.01, 0.99))
@settings(deadline=None)
def test_integral_comparison_printed_fails_and_corrected_holds(t, p):
    total = expected_random_pulls(t, arms=1, p=p)
    sharper = as_function(SHARPER, u, q)(math.log(t), 1 - p)
    assert total < exploration(t, p, "printed")
    assert exploration(t, p) <= total * (1 + 1e-12)
    assert sharper <= total * (1 + 1e-10) + 1e-12


@settings(deadline=None, max_examples=150)
@given(t=st.integers(1, 5000), p=st.floats(0.02, 1.0), arms=st.integers(1, 12))
def test_corrected_lemma_is_never_violated(t, p, arms):
    bound = lemma_bound(t, arms=arms, p=p)
    exact = probability_all_pulled(t, arms=arms, p=p, at_least=bound.at_least)
    assert exact >= bound.probability - 1e-12


def test_scan_of_exact_cases():
    ps, arms = [k / 20 for k in range(1, 21)], range(1, 9)
    corrected = list(exact_cases(ps, arms, 100, "corrected"))
    printed = list(exact_cases(ps, arms, 100, "printed"))
    assert len(corrected) == len(printed) == 16000
    assert not [c for c in corrected if c.exact < c.claimed - 1e-12]
    broken = [c for c in printed if c.exact < c.claimed - 1e-12]
    assert {c.p for c in broken} == set(ps) - {1.0}
    for found in broken[::50]:
        at_least = lemma_bound(found.t, arms=found.arms, p=found.p, version="printed").at_least
        other = probability_all_pulled(found.t, arms=found.arms, p=found.p, at_least=at_least)
        assert other == pytest.approx(found.exact, rel=1e-10, abs=0)


def test_quoted_counterexamples_to_the_printed_part_two():
    early = lemma_bound(2, arms=5, p=0.99, version="printed")
    assert early.probability == pytest.approx(0.4221, abs=5e-5)
    assert early.threshold == pytest.approx(10.07, abs=5e-3)
    assert probability_all_pulled(2, arms=5, p=0.99, at_least=early.at_least) == 0
    late = lemma_bound(127483, arms=2, p=0.95, version="printed")
    assert late.probability == pytest.approx(0.7093, abs=5e-5)
    exact = probability_all_pulled(127483, arms=2, p=0.95, at_least=late.at_least)
    assert exact == pytest.approx(0.0932, abs=5e-5)


@pytest.mark.parametrize("call, words", [
    (lambda: lemma_bound(0, arms=5, p=1), "t must be a whole number"),
    (lambda: lemma_bound(math.inf, arms=5, p=1), "t must be a whole number"),
    (lambda: lemma_bound(5, arms=0, p=1), "arms must be a whole number"),
    (lambda: lemma_bound(5, arms=5, p=0), "0 < p <= 1"),
    (lambda: lemma_bound(5, arms=5, p=1.5), "0 < p <= 1"),
    (lambda: lemma_bound(5, arms=5, p=1, version="other"), "version must be one of printed"),
    (lambda: lemma_bound(5, arms=10**400, p=1), r"arms must be .* <= 9007199254740992, not"),
    (lambda: exploration(0, 0.5), "t must be a whole number"),
    (lambda: exploration(2.5, 0.5), "t must be a whole number"),
    (lambda: exploration(math.inf, 0.5), "t must be a whole number"),
    (lambda: exploration(5, 0), "0 < p <= 1"),
    (lambda: exploration(5, 1.5), "0 < p <= 1"),
    (lambda: exploration(5, math.nan), "0 < p <= 1"),
    (lambda: exploration(5, Fraction(1, 10**400)), "0 < p <= 1"),
    (lambda: exploration(5, 1, "other"), "version must be one of printed"),
    (lambda: vacuous_until(10**20, 1), r"arms must be .* <= 9007199254740992, not 1000"),
    (lambda: vacuous_until(0, 1), "arms must be a whole number"),
    (lambda: vacuous_until(5, 2), "0 < p <= 1"),
    (lambda: vacuous_until(5, 1, version="x"), "version must be one of"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()
