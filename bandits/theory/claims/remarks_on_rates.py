"""Remarks in the paper on schedules, rates and what is trained when."""

import itertools
import math

import sympy as sp

from bandits.theory.claims.ledger import ASSUMES, FALSE, ILLUSTRATION, UNSUPPORTED, Ledger
from bandits.theory.corollaries import exponent_for_risk
from bandits.theory.exact import expected_random_pulls, probability_never_pulled

REMARKS_ON_RATES = Ledger()
THIRD = sp.Rational(1, 3)


@REMARKS_ON_RATES.claim(
    "Theorem 3, its assumptions",
    says="Theorem 3 assumes ε_t = t^-p and the assumptions of Theorem 2, which say ε_t = 1/t.",
    verdict=ASSUMES,
    note="Both cannot hold for p < 1; what is meant is everything but the schedule.",
    mutants={"for p = 1": {"p": sp.S.One}},
)
def _two_schedules(p: sp.Expr = THIRD) -> bool:
    return bool(sp.Integer(2) ** -p != sp.Rational(1, 2))


@REMARKS_ON_RATES.claim(
    "Remark, p ≤ 1 and p ≤ 0",
    says="“With p ≤ 1” takes in p ≤ 0.",
    verdict=ASSUMES,
    note="For p = 0 every step explores and the regret is D̄ for ever; for p < 0 t^-p is no "
    "probability. The statements want 0 < p ≤ 1.",
    mutants={"p = 1/2 would never do either": {"p": -0.5}},
)
def _no_exponent_below_zero(p: float = 0.5) -> bool:
    chance = [t ** float(-p) for t in (1, 2, 10, 10**6)]
    return bool(max(chance) <= 1 and chance[-1] < 0.01)


@REMARKS_ON_RATES.claim(
    "Corollary 2, proof, “ratio test”",
    says="The ratio test gives the limit of the ratio of the two bounds.",
    verdict=UNSUPPORTED,
    kind=ILLUSTRATION,
    note="The ratio test decides whether a series converges; here the quotient of two functions is "
    "taken to its limit.",
)
def _ratio_test() -> bool:
    k = sp.Symbol("k", integer=True, positive=True)
    return bool(sp.limit((k + 1) ** -2 / k**-2, k, sp.oo) == 1)  # and decides nothing there


@REMARKS_ON_RATES.claim(
    "Corollary 2, proof, the rates for other p",
    says="For p > 1/3 the rate is t^(-(1-p)/2); for p ≤ 1/3 it is t^-p.",
    verdict=FALSE,
    note="For p > 1/3 it is t^(-(1-p)/2)·√(ln t), for p < 1/3 indeed t^-p, without the logarithm.",
    mutants={"without √(ln t), as printed": {"logs": 0}, "with it below 1/3": {"below": 1}},
)
def _rates(logs: int = 1, below: int = 0) -> bool:
    u = sp.Symbol("u", positive=True)

    def squared(p: sp.Rational) -> sp.Expr:  # of the greedy term, up to constants, t = e^u
        return ((1 - p) * u - sp.log(10 * (1 - p))) * sp.exp(-(1 - p) * u)

    high, low = sp.Rational(1, 2), sp.Rational(1, 4)
    above = sp.limit(squared(high) * sp.exp((1 - high) * u) / u**logs, u, sp.oo)
    explored = sp.limit(squared(low) * sp.exp(2 * low * u), u, sp.oo) == 0  # t^-p dominates
    tempered = sp.limit(sp.exp(-2 * low * u) * sp.exp(2 * low * u) / u**below, u, sp.oo)
    return bool(above == sp.Rational(1, 2) and explored and tempered == 1)


@REMARKS_ON_RATES.claim(
    "Abstract and Summary, “fastest”, “minimized”",
    says="Cube-root exploration gives the fastest convergence bound.",
    verdict=ASSUMES,
    note="Among powers t^-p only: ε_t = (ln t/t)^(1/3) gives (ln t/t)^(1/3), faster by (ln "
    "t)^(1/6).",
    mutants={"among all schedules": {"other": sp.Rational(1, 2)}},
)
def _among_powers(other: sp.Rational = THIRD) -> bool:
    u = sp.Symbol("u", positive=True)
    return bool(sp.limit(u**other / sp.sqrt(u), u, sp.oo) == 0)


@REMARKS_ON_RATES.claim(
    "Summary, “other common predictive models”",
    says="Convergence is shown for generalisations to other common predictive models.",
    verdict=ASSUMES,
    note="For models whose risk falls as √(ln n/n). Least squares has risk n^-1 where the mean is "
    "linear and never falls to 0 where it is not; nearest neighbours in d dimensions have "
    "n^(-2/(d+2)), slower than n^(-1/2) from d = 3 on.",
    mutants={"nearest neighbours in 3 dimensions": {"size": 3}, "in 3,920": {"size": 3920}},
)
def _which_models(size: int = 2) -> bool:
    rate = 2 / (size + 2)
    return rate >= 0.5 and exponent_for_risk(rate) >= 1 / 3 - 1e-12


@REMARKS_ON_RATES.claim(
    "Algorithm 1, “Reward: ℕ → ℝ”",
    says="The reward is a function of the action alone.",
    verdict=ASSUMES,
    note="It has to depend on the state and on chance: in the digit task the same action pays 0 "
    "to 9.",
    mutants={"with one digit only": {"digits": 1}},
)
def _reward_of_the_action(digits: int = 10) -> bool:
    paid = {state[0] for state in itertools.product(range(digits), repeat=2)}
    return len(paid) > 1


@REMARKS_ON_RATES.claim(
    "MNIST experiments, “training is every 20 time steps”",
    says="For all methods training is every 20 time steps.",
    verdict=ASSUMES,
    note="Algorithms 1, 4 and 5 train after every step, and Algorithm 3 never. With 20 the "
    "predictor at "
    "t knows the steps up to 20·⌊(t-1)/20⌋ only, so n in the theorems is the count then.",
    mutants={"with training at every step": {"every": 1}},
)
def _every_twenty(every: int = 20) -> bool:
    known = [every * ((t - 1) // every) for t in range(1, 100)]
    pulls = [expected_random_pulls(k + 1, arms=5, p=1) for k in known]
    now = [expected_random_pulls(t, arms=5, p=1) for t in range(1, 100)]
    return all(a <= b for a, b in zip(pulls, now, strict=True)) and pulls != now


@REMARKS_ON_RATES.claim(
    "Remark, “the optimal action is not sampled sufficiently”",
    says="For p > 1 starvation means that the optimal action is not sampled enough.",
    verdict=FALSE,
    note="It need not be the optimal one, and on most runs it is not so: in the two-armed example "
    "with "
    "p = 2 the better arm is drawn at random at least once with probability 0.642, and then mostly "
    "recognised.",
    mutants={"on most runs it is": {"most": -1}, "0.75 instead of 0.642": {"drawn": 0.75}},
)
def _mostly_sampled(most: int = 1, drawn: float = 0.642) -> bool:
    chance = 1 - probability_never_pulled(math.inf, arms=2, p=2)
    return round(chance, 3) == drawn and most * (chance - 0.5) > 0
