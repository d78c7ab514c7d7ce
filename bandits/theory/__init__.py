"""The paper's mathematics, checked: exact laws, bounds, and a verdict on every claim."""

from bandits.theory.exact import (
    expected_random_pulls,
    probability_all_pulled,
    probability_never_pulled,
    random_pull_pmf,
)
from bandits.theory.lemma import LemmaBound, lemma_bound, vacuous_until

__all__ = [
    "LemmaBound",
    "expected_random_pulls",
    "lemma_bound",
    "probability_all_pulled",
    "probability_never_pulled",
    "random_pull_pmf",
    "vacuous_until",
]
