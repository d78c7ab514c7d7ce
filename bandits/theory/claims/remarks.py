"""The ledger's rows on what the paper says in passing: related work, words, and its summary."""

import math

import numpy as np
import sympy as sp

from bandits.theory.claims.ledger import (
    ASSUMES,
    EMPTY,
    FALSE,
    ILLUSTRATION,
    UNSUPPORTED,
    Ledger,
)
from bandits.theory.exact import probability_never_pulled
from bandits.theory.theorems import start_of_validity

REMARKS = Ledger()
THIRD = sp.Rational(1, 3)


@REMARKS.claim(
    "Introduction, constant context",
    says="With one state, epsilon greedy is known to converge to the optimal policy.",
    verdict=ASSUMES,
    note="The source explores with ε_t = min(1, cK/(d²t)) for c > 5, not with 1/t. With ε_t = 1/t "
    "and K = 5 an arm is undrawn with probability about t^(-1/5)/Γ(4/5), where the source's "
    "schedule (d = 1) leaves one of order t^(-5) at most.",
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
