"""What numbers the bandits and experiments accept; anything else is refused in one sentence."""

import math
from numbers import Real
from operator import index


def whole(name: str, value: int, least: int) -> int:
    """The value as an int ≥ least.

    Raises:
        ValueError: for another value, or one that is no whole number.
    """
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None:
        raise ValueError(f"{name} must be a whole number >= {least}, not {value!r}")
    if number < least:
        raise ValueError(f"{name} must be a whole number >= {least}, not {number}")
    return number


def finite(name: str, value: float, *, positive: bool = False) -> float:
    """The value, a finite number ≥ 0, or > 0 if positive.

    Raises:
        ValueError: for another value, or one that is no number.
    """
    real = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not real or value < 0 or (positive and value == 0):
        raise ValueError(
            f"{name} must be a finite number {'>' if positive else '>='} 0, not {value!r}"
        )
    return value
