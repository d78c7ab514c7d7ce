"""What it costs, exactly, that random steps draw some arms late or never (ours).

Let a learner take an arm greedily only after a random step has drawn it, and let M_t be the number
of arms not yet drawn. If the arms' rewards are exchangeable and v_k is the mean of the best of k,

    E regret_t ≥ ε_t·D̄ + (1 - ε_t) Σ_m P(M_t = m)·(v_K - v_{K-m}),

with equality for a learner that knows the drawn arms' rewards perfectly. P(M_t = m) follows by
inclusion and exclusion from P(j given arms undrawn) = Π_{l<t} (1 - jε_l/K). While no arm is drawn
the learner takes one without knowing anything, so v_0 means v_1.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from bandits.checks import shown
from bandits.theory import checked
from bandits.theory.anytime import Schedule
from bandits.theory.counting import poisson_binomial
from bandits.theory.exact import random_pull_pmf
from bandits.theory.exploration import Exploration, GivenExploration, exploration_of
from bandits.theory.mnist_facts import expected_best

Floats = NDArray[np.float64]
MOST_ARMS = 2000
MOST_STEPS = 100_000  # of a curve
MOST_WORK = 2 * 10**7  # random steps times arms
CANCELS = 30.0  # how much larger than their sum the terms may be; each has an error of about 1e-11
SMALLEST = 1e-90  # below this no accuracy is promised


def undrawn_law(t: int, *, arms: int, schedule: Schedule) -> Floats:
    """P(M_t = m) for m = 0..K: how many arms no random step before t has drawn, (K + 1,) float64.

    Relative error below 1e-9 for probabilities from 1e-90 on. By inclusion and exclusion where its
    terms do not cancel, else by drawing arm after arm given the number of random steps. t: whole,
    at least 1, of any size; arms: K, 1 to 2000; schedule: the exponent p > 0 of ε_l = l^-p, or at
    least t - 1 numbers in [0, 1]. Raises ValueError outside these ranges, and where neither way
    works: many arms, t above 2,097,152 and p < 1.
    """
    t = checked.time_step(t)
    arms = checked.whole_number(arms, "arms", 1, MOST_ARMS)
    explore = exploration_of(schedule, t - 1, "t - 1")
    logs = np.array([explore.log_product(-j / arms, t) for j in range(arms + 1)])
    law, cancelled = _by_inclusion(logs)
    return law if cancelled <= CANCELS else _by_occupancy(explore, t, arms)


def _by_inclusion(logs: Floats) -> tuple[Floats, float]:
    """Σ_{j≥m} (-1)^(j-m) C(j, m) C(K, j) e^logs[j], and the worst Σ|terms|/|Σ terms|."""
    arms, worst = len(logs) - 1, 0.0
    law = np.zeros(arms + 1)
    factorial = gammaln(np.arange(arms + 1) + 1.0)
    chosen = logs + factorial[arms] - factorial[::-1]  # log of K!/(K-j)!·e^logs[j]
    for m in range(arms + 1):
        rest = arms - m
        sizes = np.exp(np.minimum(chosen[m:] - factorial[m] - factorial[: rest + 1], 600.0))
        signs = 1.0 - 2.0 * (np.arange(rest + 1) % 2)
        law[m] = max(float(sizes @ signs), 0.0)
        if sizes.max() > SMALLEST:
            worst = max(worst, float(sizes.sum()) / law[m] if law[m] > 0 else math.inf)
            if worst > CANCELS:
                break
    return law, worst


def _by_occupancy(explore: Exploration, t: int, arms: int) -> Floats:
    """Σ_n P(N = n)·P(m of K arms undrawn by n draws): nothing is subtracted."""
    if isinstance(explore, GivenExploration):
        steps = poisson_binomial(*explore.steps(1, t), 1e-120)
    else:
        try:
            weights = random_pull_pmf(t, arms=1, p=explore.p)
        except ValueError as error:
            raise ValueError(
                f"the law of the undrawn arms of {arms} cannot be computed for this schedule at "
                f"t = {shown(t)}: inclusion and exclusion cancel, and {error}"
            ) from None
        steps = poisson_binomial(np.empty(0), np.empty(0), 0.0)._replace(weights=weights)
    last = steps.first + len(steps.weights) - 1
    if last * arms > MOST_WORK:
        raise ValueError(
            f"up to {last} random steps among {arms} arms are too many to follow one by one; "
            f"arms times random steps may be at most {MOST_WORK}"
        )
    undrawn, law = np.zeros(arms + 1), np.zeros(arms + 1)
    undrawn[arms] = 1.0
    new = np.arange(arms + 1) / arms  # P(the next draw is of an undrawn arm)
    for n in range(last + 1):
        if n >= steps.first:
            law += steps.weights[n - steps.first] * undrawn
        undrawn = _draw(undrawn, new)
    return law


def _draw(undrawn: Floats, new: Floats) -> Floats:
    following = undrawn * (1 - new)
    following[:-1] += (undrawn * new)[1:]
    return following


def best_of_digits(arms: int) -> Floats:
    """v_1, …, v_K of the paper's task: the mean of the largest of k digits, (K,) float64."""
    arms = checked.whole_number(arms, "arms", 1, MOST_ARMS)
    return np.array([float(expected_best(k)) for k in range(1, arms + 1)])


def starvation_regret(t: int, *, schedule: Schedule, best: Floats | None = None) -> float:
    """The least E regret_t of a learner that takes no undrawn arm greedily; see above.

    best: (K,), v_1 ≤ … ≤ v_K, by default of five digits; D̄ = v_K - v_1, as the arms are
    exchangeable. t and schedule as for `undrawn_law`, the list with ε_t too. Raises ValueError as
    there.
    """
    t, values = checked.time_step(t), _best(best)
    eps = exploration_of(schedule, t, "t").at(t)
    law = undrawn_law(t, arms=len(values), schedule=schedule)
    return float(eps * (values[-1] - values[0]) + (1 - eps) * (law @ _lost(values)))


def starvation_curve(steps: int, *, schedule: Schedule, best: Floats | None = None) -> Floats:
    """`starvation_regret` for t = 1..steps, (steps,) float64, arm after arm and step after step.

    steps: whole, 1 to 100,000. It uses no inclusion and exclusion, and serves any schedule.
    """
    steps = checked.whole_number(steps, "steps", 1, MOST_STEPS)
    values = _best(best)
    chance, _ = exploration_of(schedule, steps, "steps").steps(1, steps + 1)
    arms, lost = len(values), _lost(values)
    undrawn, new = np.zeros(arms + 1), np.arange(arms + 1) / arms
    undrawn[arms] = 1.0
    curve = np.empty(steps)
    for place, eps in enumerate(chance):
        curve[place] = eps * (values[-1] - values[0]) + (1 - eps) * (undrawn @ lost)
        undrawn = _draw(undrawn, eps * new)
    return curve


def starvation_tail(t: float, *, best: Floats | None = None) -> float:
    """K(v_K - v_{K-1}) t^(-1/K)/Γ(1 - 1/K), to which the regret for ε_t = 1/t comes close, K ≥ 2.

    So no such learner beats t^(-1/K). Raises ValueError for fewer than two arms or t < 1.
    """
    t, values = checked.time_step(t), _best(best)
    arms = len(values)
    if arms < 2:
        raise ValueError(f"best must hold v_1 to v_K for K >= 2, not {arms} number")
    scale = arms * (values[-1] - values[-2]) / math.gamma(1 - 1 / arms)
    return float(scale * math.exp(-math.log(t) / arms))


def _best(best: Floats | None) -> Floats:
    if best is None:
        return best_of_digits(5)
    values = checked.numbers(best, "best (v_1, …, v_K)", -1e300, 1e300)
    if (np.diff(values) < 0).any():
        raise ValueError("best must hold v_1 <= … <= v_K, means of ever more arms, and it falls")
    return values


def _lost(values: Floats) -> Floats:
    """v_K - v_{K-m} for m = 0..K, with v_0 = v_1: (K + 1,)."""
    return np.asarray(values[-1] - np.concatenate([values[::-1], values[:1]]))
