"""The paper's mathematics, checked: exact laws, bounds, and a verdict on every claim.

Four theorems of our own say what is true in the paper's place: `anytime`, `attaining`, `adaptive`
and `starvation`.
"""

from bandits.theory.adaptive import adaptive_bound, adaptive_exponents, table_error_bound
from bandits.theory.all_pulled import probability_all_pulled
from bandits.theory.anytime import anytime_bound, anytime_start, probability_ever_behind
from bandits.theory.attaining import (
    attained_limit,
    attained_regret,
    bound_over_truth,
    least_total_law,
    least_total_regret,
    risk_constant,
    unseen_after,
    variant_regret,
)
from bandits.theory.corollaries import best_exponent, exponent_for_risk, two_armed_floor
from bandits.theory.exact import (
    expected_random_pulls,
    probability_never_pulled,
    random_pull_pmf,
)
from bandits.theory.lemma import LemmaBound, lemma_bound, vacuous_until
from bandits.theory.starvation import (
    starvation_curve,
    starvation_regret,
    starvation_tail,
    undrawn_law,
)
from bandits.theory.theorems import TheoremBounds, theorem_bounds

__all__ = [
    "LemmaBound",
    "TheoremBounds",
    "adaptive_bound",
    "adaptive_exponents",
    "anytime_bound",
    "anytime_start",
    "attained_limit",
    "attained_regret",
    "best_exponent",
    "bound_over_truth",
    "expected_random_pulls",
    "exponent_for_risk",
    "least_total_law",
    "least_total_regret",
    "lemma_bound",
    "probability_all_pulled",
    "probability_ever_behind",
    "probability_never_pulled",
    "random_pull_pmf",
    "risk_constant",
    "starvation_curve",
    "starvation_regret",
    "starvation_tail",
    "table_error_bound",
    "theorem_bounds",
    "two_armed_floor",
    "undrawn_law",
    "unseen_after",
    "vacuous_until",
    "variant_regret",
]
