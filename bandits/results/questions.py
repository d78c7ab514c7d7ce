"""What the paper does not ask: each question collected, drawn and read in its own module."""

from collections.abc import Callable, Mapping
from types import ModuleType

from bandits.results import (
    bounded_training,
    comparators,
    exponent,
    linear_failure,
    pixel_scale,
    predictors,
    random_branch_only,
)
from bandits.results.data import Data, Kind
from bandits.results.verdicts import Reading

QUESTIONS: dict[str, ModuleType] = {
    "exponent": exponent,
    "pixel_scale": pixel_scale,
    "linear_failure": linear_failure,
    "random_branch_only": random_branch_only,
    "predictors": predictors,
}
"""Those of notebook 08."""

STUDIES = QUESTIONS | {
    "bounded_training": bounded_training,
    "comparators": comparators,
    "comparators_noise": comparators,
}
DOTS = Kind(comparators.collect, comparators.draw_dots)
"""Late regret alone, without what a step costs."""

# What a step costs is measured once, without noise.
KINDS: dict[str, Kind] = {name: Kind.of(module) for name, module in STUDIES.items()} | {
    "comparators_noise": DOTS
}
READ: dict[str, Callable[[Data], list[Reading]]] = {n: m.read for n, m in STUDIES.items()}


def read_all(found: Mapping[str, Data]) -> list[Reading]:
    """What each question's data say to what was expected, for the figures that are there."""
    return [
        reading for name, read in READ.items() if name in found for reading in read(found[name])
    ]
