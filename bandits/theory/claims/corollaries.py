"""The ledger's rows on the corollaries and the remark on starvation."""

import math

import sympy as sp

from bandits.theory.claims.ledger import ASSUMES, FALSE, TRUE, UNSUPPORTED, Ledger
from bandits.theory.corollaries import (
    exponent_for_risk,
    two_armed_floor,
)
from bandits.theory.exact import expected_random_pulls, probability_never_pulled
from bandits.theory.symbols import C, K, delta, u

COROLLARIES = Ledger()
THIRD = sp.Rational(1, 3)


def leading_greedy_squared(p: sp.Rational) -> sp.Expr:
    """The square of the printed greedy term with L = e^(qu)/q, whose limits sympy can find."""
    rest = 1 - p
    size = sp.exp(rest * u) / rest
    return 128 * K**3 * C**2 / delta**2 * (rest * u - sp.log(2 * rest * K)) / size


@COROLLARIES.claim(
    "Corollary 1, any predictor",
    says="Epsilon greedy with any predictor of risk c·√(ln n/n) or better has regret → 0.",
    verdict=ASSUMES,
    note="True with random-branch training, in the sense of the rows on “almost surely”. With a "
    "squared risk n^-a the best exponent of the bound is p = a/(1+a); without a gap a/(2+a).",
    mutants={"a/(1 + 2a)": {"factor": 2}, "without a gap a/(1 + a) too": {"without": 1}},
)
def _any_predictor(factor: int = 1, without: int = 2) -> bool:
    a, p = sp.symbols("a p", positive=True)
    gap = sp.solve(sp.Eq(p, a * (1 - p)), p)
    no_gap = sp.solve(sp.Eq(p, a * (1 - p) / 2), p)
    balanced = all(
        math.isclose(exponent_for_risk(value), float(gap[0].subs(a, value)))
        and math.isclose(exponent_for_risk(value, gap=False), float(no_gap[0].subs(a, value)))
        for value in (0.5, 1.0, 3.0)
    )
    return (
        sp.simplify(gap[0] - a / (1 + factor * a)) == 0
        and sp.simplify(no_gap[0] - a / (without + a)) == 0
        and gap[0].subs(a, sp.Rational(1, 2)) == THIRD
        and balanced
    )


@COROLLARIES.claim(
    "Remark, p ≤ 1",
    says="With p ≤ 1 every arm is sampled often enough for the predictors to converge.",
    verdict=TRUE,
    note="Σ l^-p diverges, so every T_i^R → ∞ almost surely. How late is another matter: for "
    "p = 1, K = 5 an arm is still never drawn at random by t = 2000 with probability 0.188.",
    mutants={"for p = 1.1": {"p": 1.1}},
)
def _enough_samples(p: float = 1.0) -> bool:
    never = [probability_never_pulled(10**k, arms=5, p=p) for k in (1, 10, 100)]
    k = sp.Symbol("k", integer=True, positive=True)
    diverges = [sp.Sum(k**-p, (k, 1, sp.oo)).is_convergent() for p in (THIRD, sp.Integer(1))]
    early = round(probability_never_pulled(2000, arms=5, p=1), 3) == 0.188
    return (
        early
        and never[0] > never[1] > never[2]
        and never[2] < 1e-15
        and [bool(d) for d in diverges] == [False] * 2
    )


@COROLLARIES.claim(
    "Remark, p > 1: finitely many samples",
    says="With p > 1 each arm is drawn at random only finitely often.",
    verdict=TRUE,
    note="ζ(p)/K times on average. Never at all with probability (K = 5) "
    "sin(π/√5)/(π/√5) = 0.70199796 for p = 2 and 0.577057722 for p = 1.5.",
    mutants={"for four arms": {"arms": 4}, "ζ(p) times": {"share": 1}},
)
def _finitely_many(arms: int = 5, share: int = 5) -> bool:
    k, m = sp.symbols("k m", integer=True, positive=True)
    z = 1 / sp.sqrt(5)
    finite = sp.gammasimp(
        sp.gamma(m + 1 - z) * sp.gamma(m + 1 + z)
        / (sp.gamma(1 - z) * sp.gamma(1 + z) * sp.gamma(m + 1) ** 2)
    )  # fmt: skip
    product = all(
        math.isclose(
            float(finite.subs(m, steps)),
            math.prod(1 - 1 / (5 * step**2) for step in range(1, steps + 1)),
            rel_tol=1e-12,
        )
        for steps in (1, 2, 7, 40)
    )
    sine = float(sp.sin(sp.pi * z) / (sp.pi * z))
    reflection = math.isclose(sine, 1 / (math.gamma(1 - z) * math.gamma(1 + z)), rel_tol=1e-13)
    limits = (
        round(probability_never_pulled(math.inf, arms=arms, p=2), 8),
        round(probability_never_pulled(math.inf, arms=5, p=1.5), 9),
    )
    mean = sp.summation(1 / k**2, (k, 1, sp.oo)) / share
    return (
        product
        and reflection
        and limits == (0.70199796, 0.577057722)
        and math.isclose(sine, probability_never_pulled(math.inf, arms=5, p=2), rel_tol=1e-12)
        and math.isclose(float(mean), expected_random_pulls(math.inf, arms=5, p=2))
    )


@COROLLARIES.claim(
    "Remark and Summary, p > 1: failure “shown”",
    says="With p > 1 the method does not converge in general.",
    verdict=UNSUPPORTED,
    note="No proof is given. It is so: with arm 1 paying 1/2, arm 2 Bernoulli(0.9), sample means, "
    "E regret_t ≥ 0.4(1 - ε_t/2)·Π_{l<t}(1 - ε_l/2), whose limit is 0.14328 for p = 2.",
    mutants={"0.5 for 0.4": {"scale": 1.25}, "for p = 1 too": {"p": 1.0}},
)
def _starvation_example(scale: float = 1.0, p: float = 2.0) -> bool:
    z = 1 / sp.sqrt(2)
    limit = sp.Rational(2, 5) * sp.sin(sp.pi * z) / (sp.pi * z)
    floors = [two_armed_floor(t, p=p) for t in (2, 10, 100, 10**6)]
    states = {(0, 0, 0): 1.0}  # (pulls of arm 1, pulls of arm 2, successes): the exact law
    for step in range(1, 31):
        eps, regret, following = step**-2.0, 0.0, dict[tuple[int, int, int], float]()
        for (first, second, wins), weight in states.items():
            ahead = second > 0 and wins / second > (0.5 if first else 0.0)
            chance = eps / 2 + (1 - eps) * ahead
            regret += weight * 0.4 * (1 - chance)
            for state, share in (
                ((first + 1, second, wins), 1 - chance),
                ((first, second + 1, wins + 1), 0.9 * chance),
                ((first, second + 1, wins), 0.1 * chance),
            ):
                following[state] = following.get(state, 0.0) + weight * share
        if regret < scale * two_armed_floor(step, p=2) - 1e-12:
            return False
        states = following
    return (
        round(float(limit), 5) == 0.14328
        and math.isclose(two_armed_floor(math.inf, p=2), float(limit), rel_tol=1e-12)
        and min(floors) > 0.14
        and two_armed_floor(10**12, p=1) < 1e-5
    )


@COROLLARIES.claim(
    "Corollary 2, proof, ratio of the bounds",
    says="The bound for 0 < p < 1 divided by the bound for p = 1 tends to 0.",
    verdict=TRUE,
    note="Found term by term in u = log t. So any p < 1 beats p = 1 in the end.",
    mutants={"times t^(p/2) too": {"extra": sp.Rational(1, 2)}, "times t^(1-p)": {"other": 2}},
)
def _ratio_tends_to_zero(extra: sp.Rational = sp.S.Zero, other: int = 0) -> bool:
    at_one_squared = 128 * K**3 * C**2 / delta**2 * sp.log(u / (2 * K)) / u
    for p in (sp.Rational(1, 10), THIRD, sp.Rational(9, 10)):
        more = sp.exp(2 * extra * p * u + other * (1 - p) * u)
        greedy = sp.limit((more * leading_greedy_squared(p) / at_one_squared).subs(K, 5), u, sp.oo)
        explore = sp.limit((sp.exp(-2 * p * u) / at_one_squared).subs(K, 5), u, sp.oo)
        if greedy != 0 or explore != 0:
            return False
        ratios = [
            float((leading_greedy_squared(p) / at_one_squared).subs({K: 5, u: size}))
            for size in (400, 800, 1600)
        ]
        if not ratios[0] > ratios[1] > ratios[2] >= 0:
            return False
    return True


@COROLLARIES.claim(
    "Corollary 2, proof, last step of the ratio",
    says="The limit equals that of t^((p-1)/2)·√(ln t).",
    verdict=FALSE,
    note="It drops the α-terms and replaces γ_t/β_t by 1, but γ_t/β_t → ∞. Both sides do tend "
    "to 0, yet their quotient does not tend to 1.",
    mutants={"γ_t/β_t would tend to 1": {"limit": sp.S.One}},
)
def _last_step_of_the_ratio(limit: sp.Expr = sp.oo) -> bool:
    for p in (THIRD, sp.Rational(9, 10)):
        gamma_squared = (1 - p) * ((1 - p) * u - sp.log(2 * (1 - p) * 5))
        beta_squared = sp.log(u / 10)
        if sp.limit(gamma_squared / beta_squared, u, sp.oo) != limit:
            return False
        far = [float((gamma_squared / beta_squared).subs(u, size)) for size in (1e3, 1e6, 1e9)]
        if not far[0] < far[1] < far[2]:
            return False
    return True
