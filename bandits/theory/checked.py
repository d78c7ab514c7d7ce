"""The ranges every public function of the theory asks for, refused in one sentence each."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Name = TypeVar("Name", bound=str)
LARGEST = 2**53  # up to here every whole number is a float, so that no formula overflows
LONG = 10**40  # whole numbers from here on are shown by their size


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def shown(value: object) -> str:
    """`value` as the messages show it: an array by its shape, a long whole number by its size.

    Python refuses to write out more than 4300 digits.
    """
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if not isinstance(value, int) or abs(value) < LONG:
        return repr(value)
    return f"{'-' if value < 0 else ''}10^{math.log10(abs(value)):.10g}"


def _as_float(value: float) -> float:
    """`value` as a float, inf where it is too large to be one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def whole_number(value: float, name: str, at_least: int, at_most: float = math.inf) -> int:
    """`value` as an int; ValueError unless it is a whole number in at_least..at_most."""
    whole = _is_number(value) and -math.inf < value < math.inf and value == int(value)
    if not whole or not at_least <= value <= at_most:
        above = f" and at most {at_most}" if whole and value > at_most else ""
        raise ValueError(
            f"{name} must be a whole number of at least {at_least}{above}, not {shown(value)}"
        )
    return int(value)


def time_step(t: float) -> int:
    """A time step: whole and at least 1, because the paper counts from t = 1."""
    return whole_number(t, "t", 1)


def time_or_forever(t: float, p: float) -> float:
    """A time step, or math.inf where the random pulls are finite in number (p > 1)."""
    if _is_number(t) and t == math.inf:
        if p > 1:
            return math.inf
        raise ValueError(f"t may be infinite only for p > 1, where pulls stop; p is {p!r}")
    return time_step(t)


def number_of_arms(arms: float) -> int:
    """The paper's K, at least 1 and at most 2^53."""
    return whole_number(arms, "arms", 1, LARGEST)


def fewest_samples(n_min: float) -> int:
    """The n_min from which on a risk is known, at least 1 and at most 2^53."""
    return whole_number(n_min, "n_min", 1, LARGEST)


def exponent(p: float) -> float:
    """p > 0 in ε_t = 1/t^p; the exact law holds for every such p."""
    return positive(p, "p")


def exponent_up_to_one(p: float) -> float:
    """0 < p <= 1, the range of the lemma and of both theorems."""
    if not _is_number(p) or not 0 < p <= 1 or _as_float(p) == 0:
        raise ValueError(f"p must lie in 0 < p <= 1 for the lemma and the theorems, not {shown(p)}")
    return float(p)


def positive(value: float, name: str) -> float:
    """A finite number above 0, as a float."""
    if not _is_number(value) or not 0 < _as_float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number above 0, not {shown(value)}")
    return float(value)


def not_negative(value: float, name: str) -> float:
    """A finite number of at least 0, as a float."""
    if not _is_number(value) or not 0 <= _as_float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number of at least 0, not {shown(value)}")
    return float(value)


def one_of(value: Name, name: str, allowed: tuple[str, ...]) -> Name:
    """`value` itself where it is one of the `allowed` words."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {shown(value)}")
    return value


def between(value: float, name: str, low: float, high: float) -> float:
    """A number strictly between low and high, as a float."""
    if not _is_number(value) or not low < _as_float(value) < high:
        raise ValueError(f"{name} must lie strictly between {low} and {high}, not {shown(value)}")
    return float(value)


def numbers(values: Any, name: str, low: float, high: float) -> NDArray[np.float64]:
    """A list or array of numbers in low..high, as (n,) float64 with n >= 1."""
    array = np.asarray(values)
    if array.ndim != 1 or len(array) == 0 or array.dtype.kind not in "iuf":
        raise ValueError(
            f"{name} must be a list of numbers, not {array.dtype} of shape {array.shape}"
        )
    array = array.astype(np.float64)
    bad = np.flatnonzero(~((array >= low) & (array <= high)))
    if len(bad):
        raise ValueError(
            f"{name} must hold numbers from {low:g} to {high:g}; number {bad[0] + 1} is "
            f"{float(array[bad[0]])!r}"
        )
    return array
