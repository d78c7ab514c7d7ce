"""The paper's methods and its three figures, with the choices it leaves open frozen."""

from dataclasses import replace

from bandits.architecture import SIMPLE, Architecture
from bandits.experiments.method import LeastSquaresSpec, Method, NetworkSpec
from bandits.experiments.spec import Experiment, Scale

RANDOM = Method("random", "Random", "random")
OPTIMAL = Method("optimal", "Optimal", "optimal")
LINEAR = Method("linear", "Linear", "epsilon_greedy", predictor=LeastSquaresSpec())
LINUCB = Method("linucb", "LinUCB", "linucb")
# Our choices where the paper is silent: see the architecture study.
DEEP_ARCHITECTURE = Architecture(channels=(8, 16, 32), fold=2, pool=(2, 2, 2), padding=(0, 0, 1))
DEEP = Method("deep", "Deep ε-greedy", "epsilon_greedy", 1.0, NetworkSpec(DEEP_ARCHITECTURE))
DEEP_WIDE = Method(
    "deep_wide",
    "Deep ε-greedy, width 1000",
    "epsilon_greedy",
    1.0,
    NetworkSpec(replace(DEEP_ARCHITECTURE, width=1000)),
)
SIMPLE_DEEP = Method("simple", "Simple Deep ε-greedy", "epsilon_greedy", 1.0, NetworkSpec(SIMPLE))
COMPARED = (OPTIMAL, DEEP, SIMPLE_DEEP, LINUCB, LINEAR, RANDOM)

PAPER = (
    Experiment(
        "convergence",
        "Regret of Deep ε-greedy with 1000 neurons, one run without noise (Fig. 1)",
        (DEEP_WIDE,),
        glance=Scale(200, 1),
        quick=Scale(600, 1),
        paper=Scale(5000, 1),
    ),
    Experiment(
        "low_noise",
        "Normalized reward without noise (Fig. 2)",
        COMPARED,
        paper=Scale(2000, 12),
    ),
    Experiment(
        "high_noise",
        "Normalized reward with noise σ = 1 (Fig. 3)",
        COMPARED,
        paper=Scale(2000, 12),
        noise=1.0,
    ),
    Experiment(
        "convergence_repeats",
        "Regret of Deep ε-greedy with 1000 neurons over independent runs",
        (DEEP_WIDE,),
        quick=Scale(600, 3),
        paper=Scale(2000, 12),
    ),
)
