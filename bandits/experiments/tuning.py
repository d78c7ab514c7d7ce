"""How the training choices that the paper leaves open were made, on seeds no figure uses."""

from collections.abc import Iterator
from dataclasses import replace

from bandits.architecture import Training
from bandits.experiments.beyond import deep_with
from bandits.experiments.comparators import (
    BOOTSTRAPPED,
    DROPOUT,
    LINEAR_THOMPSON,
    NEURAL_THOMPSON,
    NEURAL_UCB,
    SQUARECB,
)
from bandits.experiments.long import bounded
from bandits.experiments.method import Method, NetworkSpec
from bandits.experiments.paper import DEEP, DEEP_ARCHITECTURE, SIMPLE_DEEP
from bandits.experiments.spec import TUNING_SEED, Experiment, Scale


def trained(name: str, label: str, training: Training) -> Method:
    """Deep, trained in another way."""
    return replace(DEEP, name=name, label=label, predictor=NetworkSpec(DEEP_ARCHITECTURE, training))


BOUNDS = tuple((batches, size) for size in (32, 128) for batches in (20, 50, 100))
"""Mini-batches of a stage at most, and samples in each."""


def with_bounds(method: Method) -> tuple[Method, ...]:
    """A method trained by the paper's rule, then with each bound."""
    return (
        method,
        *(
            replace(
                bounded(method, Training(max_batches=batches, batch_size=size)),
                name=f"{method.name}_{batches}x{size}",
                label=f"{method.label}, {batches} x {size}",
            )
            for batches, size in BOUNDS
        ),
    )


TRIED = (
    (SQUARECB, "gamma", (1.0, 3.0, 10.0, 30.0)),
    (BOOTSTRAPPED, "keep", (0.5, 0.8, 1.0)),
    (DROPOUT, "keep", (0.3, 0.5, 0.8, 0.95)),
    (NEURAL_UCB, "nu", (0.1, 1.0, 10.0, 30.0, 100.0)),
    (NEURAL_THOMPSON, "nu", (0.1, 1.0, 10.0)),
    (LINEAR_THOMPSON, "scale", (0.001, 0.01, 0.1, 1.0)),
)
"""Of each comparator the setting that decides how much it explores, and the values tried."""


def with_values(method: Method, name: str, values: tuple[float, ...]) -> Iterator[Method]:
    """A comparator with each value of one of its settings."""
    for value in values:
        yield replace(
            method,
            name=f"{method.name}_{name}_{value:g}".replace(".", "_"),
            label=f"{method.label}, {name} = {value:g}",
            parameters={**dict(method.parameters), name: value},
        )


TUNING = (
    Experiment(
        "comparators_study",
        "How much each comparator is to explore, on tuning seeds",
        tuple(method for tried in TRIED for method in with_values(*tried)),
        quick=Scale(600, 2),
        paper=Scale(2000, 2),
        seed=TUNING_SEED,
    ),
    Experiment(
        "bounded_training",
        "Stages of bounded cost against the paper's rule, on tuning seeds",
        (
            *with_bounds(replace(DEEP, label="Deep, p = 1")),
            *with_bounds(replace(deep_with("1/3"), label="Deep, p = 1/3")),
            *with_bounds(replace(SIMPLE_DEEP, label="Simple, p = 1")),
            *with_bounds(
                replace(SIMPLE_DEEP, name="simple_p1_3", label="Simple, p = 1/3", p=1 / 3)
            ),
        ),
        quick=Scale(400, 2),
        paper=Scale(2000, 12),
        seed=TUNING_SEED,
    ),
    Experiment(
        "training_study",
        "Batch size, decay of the rate and state of the optimiser, on tuning seeds",
        (
            trained("batch32", "chosen: 32, constant, kept", Training()),
            trained("batch16", "batches of 16", Training(batch_size=16)),
            trained("batch64", "batches of 64", Training(batch_size=64)),
            trained("decay", "rate falling to 0", Training(decay="linear")),
            trained("fresh", "fresh optimiser", Training(keep_optimizer=False)),
        ),
        glance=Scale(200, 1),
        quick=Scale(400, 2),
        paper=Scale(800, 3),
        seed=TUNING_SEED,
    ),
)
