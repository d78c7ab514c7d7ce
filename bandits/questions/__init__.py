"""Five questions that the paper does not ask: each collected, drawn and read in its own module."""

from collections.abc import Callable, Mapping

from bandits.collect import Data, Kind
from bandits.questions import exponent, linear_failure, pixel_scale, predictors, random_branch
from bandits.verdicts import Reading

KINDS: dict[str, Kind] = {
    "exponent": Kind(exponent.collect, exponent.draw),
    "pixel_scale": Kind(pixel_scale.collect, pixel_scale.draw),
    "linear_failure": Kind(linear_failure.collect, linear_failure.draw),
    "random_branch_only": Kind(random_branch.collect, random_branch.draw),
    "predictors": Kind(predictors.collect, predictors.draw),
}
READ: dict[str, Callable[[Data], list[Reading]]] = {
    "exponent": exponent.read,
    "pixel_scale": pixel_scale.read,
    "linear_failure": linear_failure.read,
    "random_branch_only": random_branch.read,
    "predictors": predictors.read,
}


def read_all(found: Mapping[str, Data]) -> list[Reading]:
    """What each question's data say to what was expected, for the figures that are there."""
    return [
        reading for name, read in READ.items() if name in found for reading in read(found[name])
    ]
