"""The ledger's rows on what the two theorems conclude, and under which assumptions."""

import math
from fractions import Fraction

import sympy as sp
from scipy.stats import binom

from bandits.theory import mnist_facts
from bandits.theory.attaining import bound_over_truth, risk_constant, unseen_after
from bandits.theory.claims.ledger import ASSUMES, EMPTY, FALSE, MNIST, TRUE, Ledger
from bandits.theory.exact import probability_never_pulled, random_pull_pmf
from bandits.theory.lemma import Version, exploration
from bandits.theory.symbols import K, q, u
from bandits.theory.theorems import start_of_validity, theorem_bounds

CONCLUSIONS = Ledger()


@CONCLUSIONS.claim(
    "Theorems 2 and 3, proof, “Recall that we are in the case”",
    says="Theorem 1 applies to all T_i(t) samples of arm i, greedily chosen ones included.",
    verdict=ASSUMES,
    note="Greedy samples are drawn where the arm looks good, so the sample is not i.i.d. Three "
    "ways out: train on random-branch samples only; weight by 1/P(D = j) ≤ K/ε (unbiased, but "
    "a theorem for adaptive data is needed); a density ratio, which gives something for "
    "p < 1/2 only.",
    mutants={"no bias, with random steps only": {"greedy": 0}},
)
def _greedy_samples_are_biased(greedy: int = 1) -> bool:
    eps, share = Fraction(1, 10), Fraction(1, 2)  # K = 2; state 0 or 1; arm 1 greedy in state 1
    chosen = {0: eps / 2, 1: eps / 2 + (1 - eps) * greedy}  # P(D = 1 | state)
    total = sum(share * chosen[state] for state in chosen)
    seen = share * chosen[1] / total
    weighted = share * chosen[1] * (1 / chosen[1])
    heaviest = max(1 / chance for chance in chosen.values())
    # density ratio: about t samples, of which t^(1-p) are random, so the risk grows by t^p
    ratio = [sp.limit(sp.exp(p * u) * sp.sqrt(u * sp.exp(-u)), u, sp.oo)
             for p in (sp.Rational(2, 5), sp.Rational(3, 5))]  # fmt: skip
    return (
        seen == Fraction(19, 20)
        and weighted == share
        and heaviest == 2 / eps
        and ratio == [0, sp.oo]
    )


@CONCLUSIONS.claim(
    "Theorems 2 and 3, t_0",
    says="The bounds hold from t_0 = exp(2K·m0), or (2qK·m0)^(1/q), on, with m0 = max(e, max n_i).",
    verdict=EMPTY,
    note="The algebra is right and the size forgotten. K = 5: 6.39e11 for n_i ≤ 2, 2.69e43 for "
    "n_i = 10. For p = 1/3: 77.14, corrected (1 + 2qK·m0)^(1/q) = 83.62. At t_0 the stated "
    "probability is 1 - K·exp(-3m0/14), positive only if m0 > (14/3) ln K.",
    mutants={"exp(K·m0)": {"factor": 1}, "positive from (7/3) ln K on": {"edge": 7}},
)
def _size_of_t_0(factor: int = 2, edge: int = 14) -> bool:
    quoted: tuple[tuple[float, int, Version, float, float], ...] = (
        (1.0, 2, "printed", 6.3878e11, 1e-4),
        (1.0, 10, "printed", 2.688e43, 1e-3),
        (1 / 3, 1, "printed", 77.14, 1e-4),
        (1 / 3, 1, "corrected", 83.617, 1e-5),
    )
    sizes = all(
        math.isclose(start_of_validity(arms=5, p=p, n_min=least, version=version), value,
                     rel_tol=digits)
        for p, least, version, value, digits in quoted
    )  # fmt: skip
    first = math.ceil(start_of_validity(arms=5, p=1, version="printed"))
    stated = theorem_bounds(first, p=1, version="printed", **MNIST).probability
    size = sp.Symbol("m0", positive=True)
    turning = sp.solve(1 - K * sp.exp(-3 * size / 14), size)
    return (
        sizes
        and math.isclose(math.exp(factor * 5 * math.e), 6.3878e11, rel_tol=1e-4)
        and math.isclose(stated, 1 - 5 * math.exp(-3 * math.e / 14), rel_tol=1e-9)
        and sp.simplify(turning[0] - edge * sp.log(K) / 3) == 0
        and start_of_validity(arms=5, p=0.99, version="printed") < 1
    )


@CONCLUSIONS.claim(
    "Theorems 2 and 3, proof, lower bound for one arm",
    says="E Δ_i·P(I = i | X) ≥ δ·ε_t/K for an arm i that is not optimal.",
    verdict=FALSE,
    note="Whether i is optimal depends on X: an arm that always is contributes 0. For the sum "
    "the exact floor is ε_t·D̄ with D̄ = (1/K) Σ E Δ_i; it needs no event and no t_0.",
    mutants={"for an arm that is never optimal": {"first": 2}, "floor 2ε_t·D̄": {"floor": 2}},
)
def _lower_bound_for_one_arm(first: int = 0, floor: int = 1) -> bool:
    gaps, eps, gap = [Fraction(first), Fraction(2)], Fraction(1, 4), Fraction(2)
    greedy_is_right = [eps / 2 + 1 - eps, eps / 2]  # the smallest regret a policy can have
    terms = [lost * chance for lost, chance in zip(gaps, greedy_is_right, strict=True)]
    one_arm_fails = terms[0] < gap * eps / 2
    return one_arm_fails and sum(terms) == floor * eps * sum(gaps) / 2


@CONCLUSIONS.claim(
    "Theorems 2 and 3, lower bound δ·ε_t/K",
    says="If every state has a suboptimal arm, the regret at t is at least δ·ε_t/K.",
    verdict=TRUE,
    note="Since D̄ ≥ δ/K. In the digit task the assumption fails with probability 1e-4 (all five "
    "digits equal), and the floor D̄·ε_t = 3.29·ε_t holds all the same.",
    mutants={"2δ·ε_t/K": {"factor": 2}, "though a state has no suboptimal arm": {"least": 0}},
)
def _lower_bound(factor: int = 1, least: int = 1) -> bool:
    no_suboptimal = mnist_facts.probability_of_no_suboptimal_arm()
    mean_gap = mnist_facts.expected_regret_of_an_arm()
    assumed = all(
        Fraction(sum(gaps), 3) >= Fraction(factor, 3)
        for gaps in ((0, least, 0), (2, 0, 1), (0, 0, 3))  # a gap of 1, one suboptimal arm at least
    )
    return no_suboptimal == Fraction(1, 10_000) and mean_gap == Fraction(13167, 4000) and assumed


@CONCLUSIONS.claim(
    "Theorem 2 (p = 1), upper bound",
    says="The regret at t is at most α/t + K^(3/2)·(C_0/δ)·√((ln ln t - ln 2K)/ln t).",
    verdict=ASSUMES,
    note="Follows from Assumption A and random-branch training. It says nothing up to 6.39e11, "
    "and there it equals 24.26·C, where the largest possible regret is 6.58.",
    mutants={"the corrected constant, a quarter of it": {"factor": 2}},
)
def _theorem_two(factor: int = 8) -> bool:
    first = math.ceil(start_of_validity(arms=5, p=1, version="printed"))
    printed = theorem_bounds(first, p=1, version="printed", **MNIST)
    ours = theorem_bounds(first, p=1, **MNIST)
    value = factor * K / sp.sqrt(sp.E)  # ln n/n = 1/e at n = e
    return (
        round(printed.upper, 2) == 24.26
        and math.isclose(float(value.subs(K, 5)), printed.upper, rel_tol=1e-6)
        and mnist_facts.expected_range() == Fraction(65835, 10_000)
        and math.isclose(ours.upper, printed.upper / 4, rel_tol=1e-6)
    )


@CONCLUSIONS.claim(
    "Theorem 3 (p < 1), upper bound",
    says="The same with t^q/q in the place of ln t, for 0 < p < 1.",
    verdict=FALSE,
    note="As p → 1 at fixed t the printed bound tends to α/t with probability 1, before anything "
    "is learned. Two arms, means 1/2 and 0.9, p = 1 - 1e-6, t = 2: it claims regret ≤ 0.229; "
    "with probability 1/2 arm 2 is untried and the regret is 0.3. With L_p it is true.",
    mutants={"with arm 2 at 0.6": {"gap": 0.1}, "though both arms were tried": {"tried": True}},
)
def _theorem_three(gap: float = 0.4, tried: bool = False) -> bool:
    near = 1 - 1e-6
    bound = theorem_bounds(
        2, arms=2, p=near, delta=0.4, alpha=0.4, mean_gap=0.2, C=0.1, n_min=2, version="printed"
    )
    untried = probability_never_pulled(2, arms=2, p=near)
    regret = gap * (
        1 - 2**-near / 2 if not tried else 2**-near / 2
    )  # arm 1 is greedy while arm 2 is untried
    assumption = all(0.09 / n <= 0.1 * math.sqrt(math.log(n) / n) for n in range(2, 2000))
    shape = sp.limit(sp.sqrt(q * sp.log(1 / q)), q, 0, "+") == 0  # √(ln(L/2K)/L) as L ~ 1/q
    corrected_stays = math.isclose(exploration(2, near), math.log(2), rel_tol=1e-5)
    return (
        assumption
        and shape
        and corrected_stays
        and untried == 0.5
        and bound.probability > 0.99
        and bound.upper < 0.229 < 0.299 < regret
    )


@CONCLUSIONS.claim(
    "Theorems 2 and 3 (unified, ours)",
    says="0 < p ≤ 1, Assumption A, random-branch training, L_p(t) ≥ 2K·m0: with probability "
    "≥ 1 - K·exp(-3L/(28K)), D̄ε ≤ regret ≤ D̄ε + (1-ε)(2K/δ)·C·√(ln n/n) at n = L/(2K).",
    verdict=TRUE,
    note="Exactly regret = ε·D̄ + (1-ε)·E Δ_Î given the exploration draws; then the corrected "
    "lemma and Δ_Î ≤ (2/δ) Σ e_j². Given η and ρ the states must be i.i.d. and independent of "
    "them, "
    "and nothing warm-started: it covers none of the study's network runs (“adaptive data” below "
    "does). On the attaining bandits' variant the bound is twice the truth in the limit.",
    mutants={
        "2e-6·K/δ for 2K/δ": {"factor": 2e-6},
        "1.9K/δ for 2K/δ": {"factor": 1.9},
        "n = L/K": {"share": 1.0},
        "n = L/(3K)": {"share": 3.0},
        "3L/K for 3L/(28K)": {"rate": 3.0},
        "without K·exp": {"rate": math.inf},
    },
)
def _unified_theorem(factor: float = 2.0, share: float = 2.0, rate: float = 3 / 28) -> bool:
    # The variant with C = κ/16, a risk C/√n: bound over truth, exactly, falls to 2.
    scale = factor / 2 * math.sqrt(share / 2)
    ratios = [scale * bound_over_truth(10**k, schedule=1 / 3) for k in (1, 2, 4, 8, 16, 30)]
    if min(ratios) < 1 or not math.isclose(ratios[-1], 2, rel_tol=1e-6):
        return False
    # Given the exploration draws the loss is ½Σp(1-p)^N, so the bound fails exactly when the
    # number N of random steps is too small: how likely is that?
    for t in (60, 120, 300, 1000):
        length = exploration(t, 1 / 3)
        steps = random_pull_pmf(t, arms=1, p=1 / 3)
        least = factor * 8 / 2 * risk_constant() / 16 / math.sqrt(length / 2 / share)
        few = 0
        while unseen_after(few).value / 2 > least:
            few += 1
        if steps[:few].sum() > 2 * math.exp(-rate * length / 2) + 1e-300:
            return False
    for power in (3, 4, 5, 6, 7):
        t = 10**power
        bound = theorem_bounds(
            t, arms=2, p=1 / 3, delta=0.4, alpha=0.4, mean_gap=0.2, C=0.0765, n_min=2
        )
        fewest = math.ceil(exploration(t, 1 / 3) / 4)
        wrong = max(float(binom.cdf(n // 2, n, 0.9)) for n in range(fewest, 2 * fewest))
        eps = t ** (-1 / 3)
        regret = eps * 0.2 + (1 - eps) * 0.4 * wrong  # of the worst history in the event
        if not bound.lower * (1 - 1e-12) <= regret <= bound.upper:
            return False
    return True
