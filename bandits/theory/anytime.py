"""An any-time lemma (ours): from t_1 on, every arm keeps more than half its expected random pulls.

Let ε_l in [0, 1] be any deterministic schedule, B(t) = (1/K) Σ_{l<t} ε_l, 0 < θ < 1 and
c(θ) = 1 - θ + θ ln θ. Then for every t_1 ≥ 1

    P(T_i^R(t) > θ·B(t) for all t ≥ t_1 and all arms i) ≥ 1 - K·exp(-c(θ)·B(t_1)).

Proof. One step changes T_i by ξ, which is 1 with probability ε/K, and
E θ^ξ = 1 - (1-θ)ε/K ≤ exp(-(1-θ)ε/K). So M_t = θ^T_i(t)·exp((1-θ)B(t)) is a non-negative
supermartingale with M_1 = 1. Where T_i(t) ≤ θB(t), M_t ≥ exp(c(θ)B(t)) ≥ exp(c(θ)B(t_1)),
which by Ville's inequality happens at some t ≥ t_1 with probability at most
exp(-c(θ)B(t_1)). Add up over the arms.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from bandits.checks import shown
from bandits.theory import checked
from bandits.theory.counting import Law, poisson_binomial, sum_of
from bandits.theory.exploration import Exploration, exploration_of

Schedule = float | ArrayLike
FLOOR = 1e-60  # weights below this are dropped
LATEST = 2**20  # the exact law goes step by step
MOST_WORK = 2**20  # steps times expected rises of the threshold
ALMOST = 1e-12  # a threshold this close below a whole number is taken for that number


def anytime_rate(theta: float = 0.5) -> float:
    """c(θ) = 1 - θ + θ ln θ, for 0 < θ < 1; (1 - ln 2)/2 = 0.1534 at θ = 1/2."""
    theta = checked.between(theta, "theta", 0, 1)
    gap = 1 - theta
    return gap + theta * math.log1p(-gap)


def anytime_bound(t_1: int, *, arms: int, schedule: Schedule, theta: float = 0.5) -> float:
    """1 - K·exp(-c(θ)·B(t_1)) ≤ P(every T_i^R(t) > θ·B(t) from t_1 on); below 0 it is empty.

    t_1: whole, at least 1, of any size. arms: K ≥ 1. schedule: the exponent p > 0 of
    ε_l = l^-p, or ε_1, ε_2, … themselves, at least t_1 - 1 numbers in [0, 1]; the statement then
    covers the steps they reach. Raises ValueError outside these ranges.
    """
    t_1, arms = checked.whole_number(t_1, "t_1", 1), checked.number_of_arms(arms)
    explore = exploration_of(schedule, t_1 - 1, "t_1 - 1")
    return 1 - arms * math.exp(-anytime_rate(theta) * explore.total(t_1) / arms)


def anytime_start(level: float, *, arms: int, schedule: Schedule, theta: float = 0.5) -> int:
    """The first t_1 whose bound reaches `level`: from there on all arms keep up, that surely.

    0 < level < 1; the rest as for `anytime_bound`. Raises ValueError where no t_1 does: for p > 1,
    where B stays bounded, for lists that end before, and beyond t_1 = 10^300.
    """
    level, arms = checked.between(level, "level", 0, 1), checked.number_of_arms(arms)
    explore, rate = exploration_of(schedule), anytime_rate(theta)
    needed = math.log(arms / (1 - level)) / rate * arms  # of Σ ε_l
    latest = int(min(explore.length + 1, 10**300))
    if explore.total(latest) < needed:
        raise ValueError(
            f"level {level:g} asks for Σ ε_l = {needed:.6g} over l < t_1, which this schedule does "
            f"not reach by t_1 = {shown(latest)}"
        )
    before, after = 0, 1
    while explore.total(min(after, latest)) < needed:
        before, after = after, 2 * after
    after = min(after, latest)
    while after - before > 1:
        middle = (before + after) // 2
        before, after = (middle, after) if explore.total(middle) < needed else (before, middle)
    return after


def probability_ever_behind(
    t_1: int, t_2: int, *, arms: int, schedule: Schedule, theta: float = 0.5
) -> float:
    """P(T_i^R(t) ≤ θ·B(t) for some t in t_1..t_2), exactly, for one given arm.

    By dynamic programming: the law of T_i over the runs that have not yet fallen behind. T_i never
    falls, so only a t at which ⌊θB(t)⌋ has just risen can be the first. Absolute error below
    1e-12. 1 ≤ t_1 ≤ t_2 ≤ 1,048,576 whole; the rest as for `anytime_bound`, with t_2 - 1
    numbers where the schedule is a list. A count counts as behind where it exceeds θB by less
    than 1e-12 of it. Raises ValueError outside these ranges, and where so many random pulls are
    expected that the computation would take more than seconds.
    """
    t_1 = checked.whole_number(t_1, "t_1", 1)
    t_2 = checked.whole_number(t_2, "t_2", t_1, LATEST)
    arms, theta = checked.number_of_arms(arms), checked.between(theta, "theta", 0, 1)
    explore = exploration_of(schedule, t_2 - 1, "t_2 - 1")
    thresholds = _thresholds(explore, t_2, arms, theta)
    rises = 1 + t_1 + np.flatnonzero(np.diff(thresholds[t_1 - 1 :]))  # the t where it rose
    work = len(rises) * math.sqrt(t_2)
    if work > MOST_WORK:
        raise ValueError(
            f"t_2 = {t_2} is too late for this schedule: ⌊θB(t)⌋ rises {len(rises)} times on the "
            f"way, and at most {int(MOST_WORK / math.sqrt(t_2))} can be followed within seconds"
        )
    behind, law, now = 0.0, Law(0, np.ones(1)), 1
    for t in (t_1, *(int(rise) for rise in rises)):
        chance, miss = explore.steps(now, t)
        block = poisson_binomial(chance / arms, miss + chance * (1 - 1 / arms), FLOOR)
        law, now = sum_of(law, block, FLOOR), t
        lost = law.within(law.first, int(thresholds[t - 1]))
        behind += float(lost.sum())
        if len(lost) >= len(law.weights):
            return min(behind, 1.0)
        law = Law(law.first + len(lost), law.weights[len(lost) :])
    return min(behind, 1.0)


def _thresholds(explore: Exploration, t_2: int, arms: int, theta: float) -> np.ndarray:
    """⌊θB(t)⌋ for t = 1..t_2, (t_2,) float64."""
    chance, _ = explore.steps(1, t_2)
    totals = np.concatenate([[0.0], np.cumsum(chance)])
    return np.floor(theta * totals / arms * (1 + ALMOST))
