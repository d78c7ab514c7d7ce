"""What values the package accepts; anything else is refused in one sentence."""

import math
from collections.abc import Sequence
from numbers import Real
from operator import index
from typing import TypeVar

Word = TypeVar("Word", bound=str)
HUGE = 10**40
"""Whole numbers from here on are shown by their size."""


class UsageError(ValueError):
    """Something asked for cannot be done; the message is one sentence."""


def whole(name: str, value: int, least: int) -> int:
    """The value as an int ≥ least.

    Raises:
        ValueError: for another value, or one that is no whole number.
    """
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None or number < least:
        raise ValueError(f"{name} must be a whole number >= {least}, not {shown(value)}")
    return number


def finite(name: str, value: float, *, positive: bool = False) -> float:
    """The value as a float, finite and ≥ 0, or > 0 if positive; −0 becomes 0.

    Raises:
        ValueError: for another value, or one that is no number.
    """
    try:
        number = float(value) if isinstance(value, Real) else math.nan
    except OverflowError:
        number = math.inf
    bad = isinstance(value, bool) or not math.isfinite(number) or number < 0
    if bad or (positive and number == 0):
        raise ValueError(
            f"{name} must be a finite number {'>' if positive else '>='} 0, not {shown(value)}"
        )
    return number + 0.0


def probability(name: str, value: float) -> float:
    """The value as a float, if it is from 0 to 1.

    Raises:
        ValueError: for another value, or one that is no number.
    """
    number = finite(name, value)
    if number > 1:
        raise ValueError(f"{name} must be from 0 to 1, not {value!r}")
    return number


def yes_or_no(name: str, value: bool) -> bool:
    """The value, if it is True or False.

    Raises:
        ValueError: for another value.
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, not {shown(value)}")
    return value


def one_of(name: str, value: Word, allowed: Sequence[str]) -> Word:
    """The value, if it is one of these words.

    Raises:
        ValueError: for another value.
    """
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {shown(value)}")
    return value


def file_safe(name: str, value: str) -> str:
    """The value, if it can be a part of a file's name everywhere.

    Raises:
        ValueError: for anything but letters a to z and A to Z, digits and underscores.
    """
    if not (isinstance(value, str) and value.isascii() and value.replace("_", "a").isalnum()):
        raise ValueError(f"{name} must be of letters, digits and _ only, not {shown(value)}")
    return value


def shown(value: object) -> str:
    """The value in a sentence: an array by its shape, a huge number by its size, cut if endless."""
    if (shape := getattr(value, "shape", ())) != ():
        return f"an array of shape {shape}"
    if isinstance(value, int) and abs(value) >= HUGE:  # Python writes out 4,300 digits at most
        return f"{'-' if value < 0 else ''}10^{math.log10(abs(value)):.10g}"
    text = repr(value)
    return text if len(text) <= 100 else text[:100] + " …"
