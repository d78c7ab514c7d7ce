"""Notebook 03: what its words say beyond what it asserts and the ledger's checks hold."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from chapter import variables

from bandits import theory


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return variables("03", tmp_path_factory.mktemp("results"))


def test_the_table_of_the_law_has_the_sums_of_the_steps(found: dict[str, Any]) -> None:
    cases = itertools.product((100, 10_000, 1_000_000), (1, 1 / 3))
    for (t, p), (_, _, mean, variance) in zip(cases, found["rows"], strict=True):
        chances = np.arange(1.0, t) ** -p / 5
        assert mean == pytest.approx(math.fsum(chances), rel=1e-9)
        assert variance == pytest.approx(math.fsum(chances * (1 - chances)), rel=1e-9)


def test_only_seven_times_are_left_at_one_third(found: dict[str, Any]) -> None:
    assert list(found["left"]["t"]) == list(range(26, 33))


def test_the_map_ends_where_the_claim_fails_at_once(found: dict[str, Any]) -> None:
    assert found["settled"][3] == pytest.approx(0.8636, abs=1e-4)  # K = 5
    for arms, edge in zip(range(2, 21), found["at_once"], strict=True):
        for beyond in (-1e-6, 1e-6):
            bound = theory.lemma_bound(1, arms=arms, p=float(edge) + beyond, version="printed")
            assert (bound.probability > 0) == (beyond > 0)  # claimed at t = 1 from there on ...
            assert bound.threshold > 0  # ... though nothing has been pulled


def test_the_printed_lemma_is_violated_at_every_exponent_below_one(found: dict[str, Any]) -> None:
    assert {case.p for case in found["broken"]["printed"]} == set(found["ps"]) - {1.0}
    assert all(case.arms == 1 for case in found["broken"]["printed"] if case.p <= 1 / 3)
