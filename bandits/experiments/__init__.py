"""The experiments: which methods, noise, steps, runs and seeds make which figure."""

from bandits.checks import one_of
from bandits.experiments.beyond import BEYOND
from bandits.experiments.build import build_policy, environment, regressor
from bandits.experiments.long import BOUNDED, LONG, bounded
from bandits.experiments.paper import (
    COMPARED,
    DEEP,
    DEEP_ARCHITECTURE,
    DEEP_WIDE,
    LINEAR,
    LINUCB,
    OPTIMAL,
    PAPER,
    RANDOM,
    SIMPLE_DEEP,
)
from bandits.experiments.spec import (
    FIGURE_SEED,
    RESULTS_VERSION,
    SCALES,
    TUNING_SEED,
    Experiment,
    LeastSquaresSpec,
    Method,
    NetworkSpec,
    PredictorSpec,
    RegressorSpec,
    RunSpec,
    Scale,
    ScaleName,
)
from bandits.experiments.tuning import BOUNDS, TUNING

__all__ = [
    "BEYOND",
    "BOUNDED",
    "BOUNDS",
    "COMPARED",
    "DEEP",
    "DEEP_ARCHITECTURE",
    "DEEP_WIDE",
    "EXPERIMENTS",
    "FIGURE_SEED",
    "LINEAR",
    "LINUCB",
    "LONG",
    "OPTIMAL",
    "PAPER",
    "PAPER_FIGURES",
    "RANDOM",
    "RESULTS_VERSION",
    "SCALES",
    "SIMPLE_DEEP",
    "TUNING",
    "TUNING_SEED",
    "Experiment",
    "LeastSquaresSpec",
    "Method",
    "NetworkSpec",
    "PredictorSpec",
    "RegressorSpec",
    "RunSpec",
    "Scale",
    "ScaleName",
    "bounded",
    "build_policy",
    "environment",
    "experiment",
    "regressor",
]

PAPER_FIGURES = ("convergence", "low_noise", "high_noise")
EXPERIMENTS: dict[str, Experiment] = {item.name: item for item in (*PAPER, *BEYOND, *LONG, *TUNING)}


def experiment(name: str) -> Experiment:
    """An experiment by name.

    Raises:
        ValueError: for an unknown name, with the known ones.
    """
    return EXPERIMENTS[one_of("experiment", name, tuple(EXPERIMENTS))]
