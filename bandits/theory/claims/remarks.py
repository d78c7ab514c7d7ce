"""The ledger's rows on what the paper says in passing: related work, words, and its summary."""

from __future__ import annotations

import itertools
import math

import numpy as np
import sympy as sp

from bandits.theory.claims.ledger import ASSUMES, EMPTY, FALSE, ILLUSTRATION, UNSUPPORTED, Ledger
from bandits.theory.corollaries import exponent_for_risk
from bandits.theory.exact import expected_random_pulls, probability_never_pulled
from bandits.theory.theorems import start_of_validity

REMARKS = Ledger()
THIRD = sp.Rational(1, 3)


@REMARKS.claim(
    "Introduction, constant context",
    says="With one state, epsilon greedy is known to converge to the optimal policy.",
    verdict=ASSUMES,
    note="The source explores with ε_t = min(1, cK/(d²t)) for c > 5, not with 1/t. With ε_t = 1/t "
    "and "
    "K = 5 an arm is undrawn with probability about t^(-1/5)/Γ(4/5), where the source's schedule "
    "(d = 1) leaves t^(-5) and less.",
    mutants={"1/t leaves no more than its schedule": {"c": 0.2}, "t^(-1/2)": {"power": 0.5}},
)
def _constant_context(c: float = 5.0, power: float = 0.2) -> bool:
    t = 10**6
    ours = probability_never_pulled(t, arms=5, p=1)
    steps = np.arange(1, t, dtype=float)
    theirs = np.log1p(-np.minimum(1, c * 5 / steps) / 5).sum()
    return bool(
        math.isclose(ours, t**-power / math.gamma(0.8), rel_tol=1e-5)
        and theirs < -0.9 * 5 * math.log(t / 25)
    )


@REMARKS.claim(
    "Introduction, unconfoundedness",
    says="States drawn i.i.d. and independently of past actions are called unconfoundedness.",
    verdict=ASSUMES,
    kind=ILLUSTRATION,
    note="The word means something else: given the state, the action taken is independent of the "
    "potential rewards. Logged actions can be confounded though states are i.i.d.: here a hidden "
    "bit drives both, and the naive mean of an arm is off.",
)
def _unconfounded() -> bool:
    world = [(bit, bit, float(bit)) for bit in (0, 1)]  # hidden coin, arm taken, reward of any arm
    worth = sum(reward for _, _, reward in world) / len(world)
    seen = [reward for _, arm, reward in world if arm == 1]
    return sum(seen) / len(seen) == 1.0 and worth == 0.5


@REMARKS.claim(
    "Introduction, bounded weights and Lipschitz bounds",
    says="Bounding the weights is equivalent to a Lipschitz bound on the class of networks.",
    verdict=UNSUPPORTED,
    note="Bounded weights give a Lipschitz bound, not the other way: scaling one ReLU layer by c "
    "and "
    "the next by 1/c changes every weight and no value of the network.",
    mutants={"scaling one layer only": {"back": 1.0}},
)
def _weights_and_lipschitz(back: float | None = None) -> bool:
    rng = np.random.default_rng(0)
    inputs, first, second = rng.normal(size=(50, 3)), rng.normal(size=(3, 8)), rng.normal(size=8)
    scale = 1e6
    plain = np.maximum(inputs @ first, 0) @ second
    scaled = np.maximum(inputs @ (first * scale), 0) @ (second * (back or 1 / scale))
    return bool(np.allclose(plain, scaled, rtol=1e-9) and np.abs(first * scale).max() > 1e5)


@REMARKS.claim(
    "Theorem 1 (quoted), “optimized to minimize MSE”",
    says="The network has the parameters that minimise the mean squared error.",
    verdict=ASSUMES,
    note="A global minimiser, which 16 epochs of a descent method need not find. One ReLU unit "
    "with "
    "the wrong sign has gradient 0 and stays at the error it began with.",
    mutants={"with the right sign it learns nothing either": {"weight": 0.1}},
)
def _global_minimiser(weight: float = -1.0) -> bool:
    inputs = np.linspace(0.1, 1, 50)
    targets = 2 * inputs
    begun = weight
    for _ in range(16 * 50):
        active = inputs * weight > 0
        weight -= 0.1 * float((2 * (inputs * weight * active - targets) * inputs * active).mean())
    return weight == begun


@REMARKS.claim(
    "MNIST experiments, “necessary complexity”",
    says="Simple Deep lacks the complexity that Theorem 1 requires.",
    verdict=FALSE,
    note="Theorem 1 measures complexity by the number of parameters, and Simple has 392,201 of "
    "them "
    "(3,920 · 100 + 100 + 100 + 1), Deep, side by side, 31,905.",
    mutants={"one image of 28 × 28 only": {"inputs": 784}},
)
def _complexity(inputs: int = 3920) -> bool:
    simple = inputs * 100 + 100 + 100 + 1
    # squares of 2 × 2 folded (14 × 70 × 4), three 3 × 3 convolutions, each halved: 1 × 8 × 32
    folded = sum(9 * a * b + b for a, b in ((4, 8), (8, 16), (16, 32)))
    dense = (1 * 8 * 32) * 100 + 100 + 100 + 1
    return simple == 392_201 and folded + dense == 31_905 and simple > 10 * 31_905


@REMARKS.claim(
    "MNIST experiments, “Because the neural network does not converge”",
    says="Where the network does not converge, the regret does not tend to 0.",
    verdict=FALSE,
    note="Predictions μ_j + c for every arm j have squared risk c² for ever and greedy regret 0: "
    "only "
    "the order of the predictions counts.",
    mutants={"an error that differs between arms": {"tilt": 2.0}},
)
def _risk_without_regret(tilt: float = 0.0) -> bool:
    rng = np.random.default_rng(1)
    means = rng.integers(0, 10, size=(500, 5)).astype(float)
    guesses = means + 7.0 + tilt * np.arange(5)
    risk = float(((guesses - means) ** 2).mean())
    rows = np.arange(500)
    return risk >= 49 and bool((means[rows, guesses.argmax(axis=1)] == means.max(axis=1)).all())


@REMARKS.claim(
    "Abstract and Summary, “agrees with our proof”, “empirically confirmed”",
    says="The experiments agree with the theorems and confirm them.",
    verdict=EMPTY,
    note="Before t_0 = 6.39e11 Theorem 2 asserts nothing, so no run of any length that was ever "
    "made "
    "could have disagreed with it.",
    mutants={"t_0 within 10^10 steps": {"longest": 10**12}, "for p = 1/3": {"p": 1 / 3}},
)
def _cannot_disagree(longest: int = 10**11, p: float = 1.0) -> bool:
    return start_of_validity(arms=5, p=p, version="printed") > longest


@REMARKS.claim(
    "Theorems 2 and 3, “The probability refers to”",
    says="The probability refers to the policy's choices at the steps before t.",
    verdict=ASSUMES,
    note="It must refer to the exploration draws (η, ρ) alone: the choices depend on the data "
    "too, and "
    "then Assumption A, an average over the data, no longer applies. The lower bound holds surely.",
    mutants={"given the choices the data are as before": {"informed": 0.0}},
)
def _given_the_choices(informed: float = 1.0) -> bool:
    # One draw of a Bernoulli(1/2) reward of arm 2 against a certain 1/4: it is greedy at the next
    # step exactly when it paid. Given that choice the mean reward seen is 1, not 1/2.
    seen = {paid: 0.5 for paid in (0, 1)}
    greedy = {paid: 1.0 if informed and paid > 0.25 else 1.0 - informed for paid in seen}
    weight = sum(seen[paid] * greedy[paid] for paid in seen)
    mean = sum(paid * seen[paid] * greedy[paid] for paid in seen) / weight
    return mean != 0.5


@REMARKS.claim(
    "Theorem 3, its assumptions",
    says="Theorem 3 assumes ε_t = t^-p and the assumptions of Theorem 2, which say ε_t = 1/t.",
    verdict=ASSUMES,
    note="Both cannot hold for p < 1; what is meant is everything but the schedule.",
    mutants={"for p = 1": {"p": sp.S.One}},
)
def _two_schedules(p: sp.Expr = THIRD) -> bool:
    return bool(sp.Integer(2) ** -p != sp.Rational(1, 2))


@REMARKS.claim(
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


@REMARKS.claim(
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


@REMARKS.claim(
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


@REMARKS.claim(
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


@REMARKS.claim(
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


@REMARKS.claim(
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


@REMARKS.claim(
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


@REMARKS.claim(
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
