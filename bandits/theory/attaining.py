"""Bandits that attain the bound (ours): 1/3 is right for the regret, not only for a bound.

States k = 1, 2, … with p_k proportional to k^(-1/(1-a)), 0 < a < 1. Arm 1 always pays 1/2, arm 2
always 1, so K = 2, δ = 1/2 and D̄ = 1/4. The predictor says what the arm paid in this state, and 0
for an arm that was never tried there; ties go to arm 1. Its squared risk after n samples comes
close to κ(a)·n^-a, and never exceeds it at the paper's a = 1/2. Arm 2 is greedy in a state exactly
if a random step has drawn it there, whatever the predictor is trained on, so for every
deterministic schedule

    E regret_t = ε_t/4 + (1 - ε_t)·½ Σ_k p_k Π_{l<t} (1 - ε_l p_k/2).

The variant predicts 3/4 for an arm not yet seen in the state, and trains on random steps only. It
errs where no random step saw the state. There Σ_j e_j² = 1/8, so that (2/δ) Σ_j e_j² = Δ: the
unified theorem's inequality Δ ≤ (2/δ) Σ_j e_j² is an equality.
"""

import math
from typing import NamedTuple

from scipy.optimize import minimize_scalar
from scipy.special import gamma, zeta

from bandits.theory import checked
from bandits.theory.anytime import Schedule
from bandits.theory.exploration import exploration_of
from bandits.theory.missing_mass import ORDERS, Enclosed, missing_mass, power_of_states

RISK = 0.5  # a of the paper, up to its logarithm
LATEST = 10**30
GAP, MEAN_GAP, ARMS = 0.5, 0.25, 2


class Limit(NamedTuple):
    """regret_t · t^power · (ln t)^log_power tends to `constant`."""

    power: float
    log_power: float
    constant: float


def risk_exponent(risk: float) -> float:
    """a itself, strictly between 0.05 and 0.95: outside, the sums over states are not accurate."""
    return checked.between(risk, "risk", 0.05, 0.95)


def risk_constant(risk: float = RISK) -> float:
    """κ(a) = (1-a)Γ(a)ζ(1/(1-a))^(a-1): the missing mass after n samples is ~ κ n^-a.

    ½√(6/π) = 0.69099 at a = 1/2.
    """
    a = risk_exponent(risk)
    return float((1 - a) * gamma(a) * zeta(power_of_states(a)) ** (a - 1))


def unseen_after(n: int, *, risk: float = RISK) -> Enclosed:
    """Σ_k p_k (1 - p_k)^n, the mass of the states that n samples do not show.

    It is arm 2's squared risk, and four times arm 1's. n: whole, 0 to 10^30; 0.05 < risk < 0.95.
    """
    n = checked.whole_number(n, "n", 0, LATEST)
    return missing_mass(risk_exponent(risk), 1.0, [n] * ORDERS, lambda x: n * math.log1p(x))


def attained_regret(t: int, *, schedule: Schedule, risk: float = RISK) -> Enclosed:
    """E regret_t of the attaining bandit, exactly, and a bound on the error of the number.

    t: whole, 1 to 10^30. schedule: the exponent p > 0 of ε_l = l^-p, or a list of ε_1, …, ε_t in
    [0, 1]. 0.05 < risk < 0.95: the exponent a. The error is below 1e-9 of the value. Raises
    ValueError outside these ranges.
    """
    return _regret(t, schedule, 0.5, risk)


def variant_regret(t: int, *, schedule: Schedule, risk: float = RISK) -> Enclosed:
    """The same for the variant: ε_t/4 + (1 - ε_t)·½ Σ_k p_k Π_{l<t} (1 - ε_l p_k)."""
    return _regret(t, schedule, 1.0, risk)


def _regret(t: int, schedule: Schedule, share: float, risk: float) -> Enclosed:
    t = checked.whole_number(t, "t", 1, LATEST)
    explore = exploration_of(schedule, t, "t").at(t)
    return _unseen(t, schedule, share, risk).times((1 - explore) * GAP, explore * MEAN_GAP)


def bound_over_truth(t: int, *, schedule: Schedule, risk: float = RISK) -> float:
    """The unified theorem's greedy term (2K/δ)·C·n^-a at n = Σ_{l<t} ε_l/(2K), over the variant's.

    C = κ(a)/16. It tends to 2 at a = 1/2 (to 4^a in general), so the theorem's constant cannot be
    improved by more than that factor. t from 2 on; otherwise as for `attained_regret`.
    """
    t = checked.whole_number(t, "t", 2, LATEST)
    total = exploration_of(schedule, t - 1, "t - 1").total(t)
    if total == 0:
        raise ValueError(f"the schedule must explore before t = {t}, but its ε_l are all 0")
    bound = 2 * ARMS / GAP * risk_constant(risk) / 16 * (total / (2 * ARMS)) ** -risk
    return float(bound / (GAP * _unseen(t, schedule, 1.0, risk).value))


def _unseen(t: int, schedule: Schedule, share: float, risk: float) -> Enclosed:
    explore = exploration_of(schedule, t - 1, "t - 1")
    sums = [explore.total(t, order) for order in range(1, ORDERS + 1)]
    return missing_mass(risk_exponent(risk), share, sums, lambda x: explore.log_product(x, t))


def attained_limit(p: float, *, risk: float = RISK) -> Limit:
    """How E regret_t of the attaining bandit falls for ε_t = t^-p, 0 < p ≤ 1.

    t^p·regret → 1/4 for p < a/(1+a); both terms at p = a/(1+a); t^(a(1-p))·regret →
    ½κ(2(1-p))^a above; (ln t)^a·regret → ½κ2^a at p = 1. Raises ValueError outside the ranges. p
    counts as a/(1+a) within 1e-12.
    """
    p, a = checked.exponent_up_to_one(p), risk_exponent(risk)
    best = a / (1 + a)
    if p == 1:
        return Limit(0.0, a, risk_constant(a) / 2 * 2**a)
    greedy = risk_constant(a) / 2 * (2 * (1 - p)) ** a
    if abs(p - best) < 1e-12:
        return Limit(best, 0.0, MEAN_GAP + greedy)
    return Limit(p, 0.0, MEAN_GAP) if p < best else Limit(a * (1 - p), 0.0, greedy)


def least_total_regret(steps: int, *, risk: float = RISK) -> float:
    """min over S of S/4 + ½(T - S) Σ_k p_k (1 - p_k/2)^S: no schedule's total regret is smaller.

    A schedule with Σ_{l≤T} ε_l = S leaves at least Σ_k p_k (1 - p_k/2)^S of the mass unseen at
    every step, since 1 - εx ≥ (1 - x)^ε; and Σ (1 - ε_t) = T - S. Exploring first and then never
    again attains it where S is whole. Relative error below 1e-8. steps: T, whole, 1 to 10^30;
    0.05 < risk < 0.95. ValueError outside.
    """
    steps, a = checked.whole_number(steps, "steps", 1, LATEST), risk_exponent(risk)

    def total(explored: float) -> float:
        unseen = missing_mass(a, 0.5, [explored] * ORDERS, lambda x: explored * math.log1p(x)).value
        return explored / 4 + (steps - explored) / 2 * unseen

    centre = min(least_total_law(steps, risk=a).explored, float(steps))
    ends = (math.log(max(centre / 30, 1e-6)), math.log(min(30 * centre + 30, steps)))
    if ends[0] >= ends[1]:
        return total(float(steps))
    found = minimize_scalar(
        lambda log: total(math.exp(log)), bounds=ends, method="bounded", options={"xatol": 1e-5}
    )
    return min(float(found.fun), total(float(steps)), steps / 2)


class TotalLaw(NamedTuple):
    """The leading terms: the least total regret, and the number of random steps it takes."""

    regret: float
    explored: float


def least_total_law(steps: int, *, risk: float = RISK) -> TotalLaw:
    """½(1 + 1/a)(aκT)^(1/(1+a)) = (3/2)(κT/2)^(2/3) at a = 1/2, reached at S = 2(aκT)^(1/(1+a)).

    `least_total_regret` divided by it tends to 1. Arguments as there.
    """
    steps, a = checked.whole_number(steps, "steps", 1, LATEST), risk_exponent(risk)
    size = (a * risk_constant(a) * steps) ** (1 / (1 + a))
    return TotalLaw((1 + 1 / a) / 2 * size, 2 * size)
