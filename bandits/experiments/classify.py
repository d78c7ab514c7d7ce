"""The comparators on classification tasks, with a network of one hidden layer for each arm."""

from dataclasses import replace

from bandits.architecture import SIMPLE, Training
from bandits.classification import Classification
from bandits.experiments.comparators import (
    BOOTSTRAPPED,
    DROPOUT,
    LINEAR_THOMPSON,
    NEURAL_LINEAR,
    NEURAL_THOMPSON,
    NEURAL_UCB,
    SQUARECB,
    constant,
)
from bandits.experiments.long import BOUNDED
from bandits.experiments.method import Method, NetworkSpec
from bandits.experiments.paper import LINUCB, OPTIMAL, RANDOM
from bandits.experiments.spec import Experiment, Scale

NETWORK = NetworkSpec(SIMPLE, BOUNDED)
"""Its width is 100, as that of Zhou, Li and Gu (2020)."""

UNIT = 1 / 9
"""The range of these rewards, 0 to 1, over that of the paper's, 0 to 9."""

IN_UNITS = {
    "squarecb": ("gamma", 1.0, -1),
    "neural_ucb": ("nu", 1.0, 2),
    "neural_thompson": ("nu", 1.0, 2),
    "neural_linear": ("rate", 6.0, 2),
    "linear_thompson": ("scale", 1.0, 1),
    "linucb": ("alpha", 1.0, 1),
}
"""By policy: its setting that has a unit, what it is if nothing is said, and which power of the
reward's unit it has."""


def rescaled(method: Method) -> Method:
    """A method of the paper's task as it is here: the same, in the reward's unit, on our network.

    A setting that was chosen for rewards of 0 to 9 is multiplied by UNIT to the power that it has,
    so that the rule would choose as there if all predictions were in the new unit. The networks'
    weights and training have no unit that could follow.
    """
    own = dict(method.parameters)
    if method.policy in IN_UNITS:
        name, default, power = IN_UNITS[str(method.policy)]
        own[name] = float(f"{own.get(name, default) * UNIT**power:.6g}")  # the same everywhere
    networks = isinstance(method.predictor, NetworkSpec)
    return replace(method, predictor=NETWORK if networks else method.predictor, parameters=own)


def decaying(name: str, p: str, number: float) -> Method:
    """ε-greedy with ε_t = 1/t^p."""
    return Method(name, f"ε-greedy, p = {p}", "epsilon_greedy", number, NETWORK)


METHODS = (
    OPTIMAL,
    decaying("decaying_p1", "1", 1.0),
    decaying("decaying_p1_3", "1/3", 1 / 3),
    *map(rescaled, (constant(0.1), constant(0.01))),
    Method("greedy", "greedy", "epsilon_greedy", predictor=NETWORK),
    *map(
        rescaled,
        (
            BOOTSTRAPPED,
            DROPOUT,
            SQUARECB,
            NEURAL_LINEAR,
            NEURAL_UCB,
            NEURAL_THOMPSON,
            LINUCB,
            LINEAR_THOMPSON,
        ),
    ),
    RANDOM,
)


def task(data: str, title: str, paper: Scale) -> Experiment:
    """The comparators on one data set."""
    bandit = Classification(data)
    return Experiment(
        f"classify_{data}",
        f"{title} told apart by a bandit, which learns only whether it was right",
        METHODS,
        bandit=bandit,
        arms=bandit.classes,
        paper=paper,
    )


CLASSIFY = (
    # As Zhou, Li and Gu (2020) have it, but for pixels from 0 to 1, images drawn with replacement,
    # a network for each arm, and training stages of bounded cost.
    task("mnist", "MNIST's ten digits", Scale(15_000, 6)),
    task("letter", "The 26 letters", Scale(5000, 6)),
    task("magic", "Gamma rays and hadrons", Scale(5000, 6)),
    task("penbased", "Ten digits written with a pen", Scale(5000, 6)),
    task("satimage", "Six kinds of ground from space", Scale(5000, 6)),
    task("optdigits", "Ten scanned digits", Scale(5000, 6)),
)
ONE_NETWORK = NetworkSpec(SIMPLE, Training(max_batches=200), shared=True)
"""As many mini-batches as ten networks have together, so that compute decides nothing."""

SHOWN = ("optimal", "epsilon_0_1", "epsilon_0_01", "neural_ucb", "neural_thompson", "random")
SHARED = replace(
    CLASSIFY[0],
    name="classify_mnist_shared",
    title="MNIST's ten digits, with one network for all arms as in Zhou, Li and Gu (2020)",
    methods=tuple(
        replace(method, predictor=ONE_NETWORK if method.training else method.predictor)
        for method in CLASSIFY[0].select(list(SHOWN)).methods
    ),
)
RANKS = Experiment(
    "ranks",
    "Regret and ranks of the comparators over six classification tasks",
    METHODS,
    paper=Scale(15_000, 6),
    over=CLASSIFY,
)
