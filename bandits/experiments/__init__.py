"""The experiments: which methods, noise, steps, runs and seeds make which figure."""

from typing import TYPE_CHECKING, Any

from bandits.checks import UsageError, one_of
from bandits.experiments.beyond import BEYOND
from bandits.experiments.classify import CLASSIFY, RANKS, SHARED
from bandits.experiments.comparators import COMPARATORS, COMPARATORS_NOISE
from bandits.experiments.long import BOUNDED, LONG, bounded
from bandits.experiments.method import (
    LeastSquaresSpec,
    Method,
    NetworkSpec,
    PredictorSpec,
    RegressorSpec,
)
from bandits.experiments.own import is_place, load
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
from bandits.experiments.proved import PROVED
from bandits.experiments.spec import (
    FIGURE_SEED,
    RESULTS_VERSION,
    SCALES,
    SETTINGS,
    TUNING_SEED,
    Experiment,
    RunSpec,
    Scale,
    ScaleName,
    Settings,
)
from bandits.experiments.study import STUDY, size_told
from bandits.experiments.tuning import BOUNDS, TUNING

__all__ = [
    "BEYOND",
    "BOUNDED",
    "BOUNDS",
    "CLASSIFY",
    "COMPARATORS",
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
    "RANKS",
    "RESULTS_VERSION",
    "SCALES",
    "SETTINGS",
    "SHARED",
    "SIMPLE_DEEP",
    "STUDY",
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
    "Settings",
    "as_defined",
    "bounded",
    "build_policy",
    "check_experiment",
    "check_method",
    "environment",
    "experiment",
    "regressor",
    "size_told",
]

if TYPE_CHECKING:
    from bandits.experiments.build import (
        build_policy,
        check_experiment,
        check_method,
        environment,
        regressor,
    )

PAPER_FIGURES = ("convergence", "low_noise", "high_noise")
EXPERIMENTS: dict[str, Experiment] = {
    item.name: item
    for item in (
        STUDY,
        *PAPER,
        *BEYOND,
        COMPARATORS,
        COMPARATORS_NOISE,
        *CLASSIFY,
        SHARED,
        RANKS,
        *LONG,
        *PROVED,
        *TUNING,
    )
}


OWN: dict[str, Experiment] = {}
"""Those of the user's own files that were asked for."""


def experiment(name: str) -> Experiment:
    """An experiment by name, or by its place in a file of the user's own: `my_study.py:MINE`.

    Raises:
        ValueError: for an unknown name, with the known ones, or a file or place that gives none.
    """
    if not is_place(name):
        return EXPERIMENTS[one_of("experiment", name, tuple(EXPERIMENTS))]
    found = load(name)
    if found.name in EXPERIMENTS or OWN.setdefault(found.name, found) != found:
        raise UsageError(
            f"{name} has the name of another experiment, {found.name!r}; give it one of its own"
        )
    return found


def as_defined(changed: Experiment) -> Experiment:
    """The experiment of this name before a command changed it."""
    return (EXPERIMENTS | OWN).get(changed.name, changed)


def __getattr__(name: str) -> Any:
    """What builds needs NumPy, and is loaded where it is first asked for."""
    if name in ("build_policy", "check_experiment", "check_method", "environment", "regressor"):
        from bandits.experiments import build

        return getattr(build, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
