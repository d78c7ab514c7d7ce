"""The paper's mathematics, checked: exact laws, bounds, and a verdict on every claim."""

from bandits.theory.corollaries import best_exponent, exponent_for_risk, two_armed_floor
from bandits.theory.exact import (
    expected_random_pulls,
    probability_all_pulled,
    probability_never_pulled,
    random_pull_pmf,
)
from bandits.theory.lemma import LemmaBound, lemma_bound, vacuous_until
from bandits.theory.theorems import TheoremBounds, theorem_bounds

__all__ = [
    "LemmaBound",
    "TheoremBounds",
    "best_exponent",
    "expected_random_pulls",
    "exponent_for_risk",
    "lemma_bound",
    "probability_all_pulled",
    "probability_never_pulled",
    "random_pull_pmf",
    "theorem_bounds",
    "two_armed_floor",
    "vacuous_until",
]
