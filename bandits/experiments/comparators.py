"""What a researcher would pick instead: the same network, and other ways to explore."""

from dataclasses import replace

from bandits.experiments.long import bounded
from bandits.experiments.method import Method
from bandits.experiments.paper import DEEP, LINUCB, OPTIMAL, RANDOM
from bandits.experiments.spec import Experiment, Scale

NETWORK = bounded(DEEP).predictor
"""Deep's network, each stage of at most so many mini-batches, so that compute decides nothing."""


def constant(epsilon: float) -> Method:
    """ε-greedy with one ε at all steps."""
    name = f"epsilon_{epsilon:g}".replace(".", "_")
    own = {"epsilon": epsilon}
    return Method(name, f"ε = {epsilon:g}", "epsilon_greedy", None, NETWORK, parameters=own)


SQUARECB = Method("squarecb", "SquareCB", "squarecb", predictor=NETWORK)
NEURAL_LINEAR = Method(
    "neural_linear", "neural-linear Thompson", "neural_linear", predictor=NETWORK
)
AUTHORS = {"ridge": 0.001}
"""What the published code of NeuralTS, which has NeuralUCB too, takes if it is told nothing."""

NEURAL_UCB = Method("neural_ucb", "NeuralUCB", "neural_ucb", None, NETWORK, parameters=AUTHORS)
NEURAL_THOMPSON = Method(
    "neural_thompson", "NeuralTS", "neural_thompson", None, NETWORK, parameters=AUTHORS
)
BOOTSTRAPPED = Method("bootstrapped", "ensemble of five", "bootstrapped", predictor=NETWORK)
DROPOUT = Method("dropout", "dropout Thompson", "dropout", predictor=NETWORK)
LINEAR_THOMPSON = Method("linear_thompson", "linear Thompson", "linear_thompson")

COMPARATORS = Experiment(
    "comparators",
    "The same network with other ways to explore, and linear ones",
    (
        OPTIMAL,
        bounded(DEEP),
        *(constant(epsilon) for epsilon in (0.1, 0.05, 0.01)),
        replace(bounded(DEEP), name="greedy", label="greedy", p=None),
        BOOTSTRAPPED,
        DROPOUT,
        SQUARECB,
        NEURAL_LINEAR,
        NEURAL_UCB,
        NEURAL_THOMPSON,
        LINUCB,
        LINEAR_THOMPSON,
        RANDOM,
    ),
    paper=Scale(10_000, 12),
)
COMPARATORS_NOISE = replace(
    COMPARATORS,
    name="comparators_noise",
    title="The same network with other ways to explore, and linear ones, noise σ = 1",
    noise=1.0,
)
