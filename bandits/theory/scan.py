"""Many exact cases at once: the lemma's left side for every t up to a few hundred."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from bandits.theory.lemma import Version, lemma_bound

Floats = NDArray[np.float64]


class Case(NamedTuple):
    """One exact case: does P(every count ≥ threshold) reach what the lemma claims for it?"""

    t: int
    arms: int
    p: float
    claimed: float
    exact: float


def random_step_laws(longest: int, p: float) -> Floats:
    """Row t - 1 is the law of N, the random steps before t: (longest, longest) float64."""
    laws = np.zeros((longest, longest))
    laws[0, 0] = 1.0
    for t in range(1, longest):
        chance = float(t) ** -p
        laws[t] = laws[t - 1] * (1 - chance)
        laws[t, 1:] += laws[t - 1, :-1] * chance
    return laws


@cache
def every_arm_at_least(least: int, arms: int, longest: int) -> Floats:
    """M(n, least) for n < longest, by giving one arm its share and the rest to K - 1 arms."""
    counts = np.arange(longest)
    if arms == 1:
        return (counts >= least).astype(float)
    others = every_arm_at_least(least, arms - 1, longest)
    chances = np.zeros(longest)
    for total in range(arms * least, longest):
        own = np.arange(least, total + 1)
        chances[total] = binom.pmf(own, total, 1 / arms) @ others[total - own]
    return chances


def exact_cases(
    ps: Sequence[float], arms: Sequence[int], longest: int, version: Version
) -> Iterator[Case]:
    """Every case of p in ps, K in arms, t = 1..longest, with the lemma's claim and the truth.

    The truth is Σ_n P(N = n)·M(n, m) by the two plain recursions above, a second computation
    that shares nothing with `probability_all_pulled`.
    """
    for p in ps:
        laws = random_step_laws(longest, p)
        for number in arms:
            for t in range(1, longest + 1):
                bound = lemma_bound(t, arms=number, p=p, version=version)
                truth = laws[t - 1] @ every_arm_at_least(bound.at_least, number, longest)
                yield Case(t, number, p, bound.probability, float(truth))
