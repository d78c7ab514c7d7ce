"""The ranges that the theory asks for; unlike in `bandits.checks`, 10.0 is a whole number."""

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits import checks
from bandits.checks import Word, finite, shown, whole

LARGEST = 2**53  # up to here every whole number is a float, so that no formula overflows


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def whole_number(value: float, name: str, at_least: int, at_most: float = math.inf) -> int:
    """`value` as an int; ValueError unless it is a whole number in at_least..at_most."""
    is_whole = _is_number(value) and -math.inf < value < math.inf and value == int(value)
    if is_whole and value > at_most:
        raise ValueError(f"{name} must be a whole number <= {at_most}, not {shown(value)}")
    return whole(name, int(value) if is_whole else value, at_least)  # type: ignore[arg-type]


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
    """0 < p ≤ 1, the range of the lemma and of both theorems."""
    if not _is_number(p) or not 0 < p <= 1 or float(p) == 0:
        raise ValueError(f"p must lie in 0 < p <= 1 for the lemma and the theorems, not {shown(p)}")
    return float(p)


def positive(value: float, name: str) -> float:
    """A finite number above 0, as a float."""
    return finite(name, value, positive=True)


def not_negative(value: float, name: str) -> float:
    """A finite number of at least 0, as a float."""
    return finite(name, value)


def one_of(value: Word, name: str, allowed: tuple[str, ...]) -> Word:
    """`value` itself where it is one of the `allowed` words."""
    return checks.one_of(name, value, allowed)


def between(value: float, name: str, low: float, high: float) -> float:
    """A number strictly between low and high, as a float."""
    if not _is_number(value) or not low < value < high:
        raise ValueError(f"{name} must lie strictly between {low} and {high}, not {shown(value)}")
    return float(value)


def numbers(values: Any, name: str, low: float, high: float) -> NDArray[np.float64]:
    """A list or array of numbers in low..high, as (n,) float64 with n ≥ 1."""
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
