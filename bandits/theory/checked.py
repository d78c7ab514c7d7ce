"""The ranges every public function of the theory asks for, refused in one sentence each."""

from __future__ import annotations

import math
from numbers import Real
from typing import TypeVar

Name = TypeVar("Name", bound=str)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def whole_number(value: float, name: str, at_least: int) -> int:
    """`value` as an int; ValueError unless it is a whole number of at least `at_least`."""
    whole = _is_number(value) and -math.inf < value < math.inf and value == int(value)
    if not whole or value < at_least:
        raise ValueError(f"{name} must be a whole number of at least {at_least}, not {value!r}")
    return int(value)


def time_step(t: float) -> int:
    """A time step: whole and at least 1, because the paper counts from t = 1."""
    return whole_number(t, "t", 1)


def time_or_forever(t: float, p: float) -> float:
    """A time step, or math.inf where the random pulls are finite in number (p > 1)."""
    if t == math.inf:
        if p > 1:
            return math.inf
        raise ValueError(f"t may be infinite only for p > 1, where pulls stop; p is {p!r}")
    return time_step(t)


def number_of_arms(arms: float) -> int:
    """The paper's K, at least 1."""
    return whole_number(arms, "arms", 1)


def exponent(p: float) -> float:
    """p > 0 in ε_t = 1/t^p; the exact law holds for every such p."""
    return positive(p, "p")


def exponent_up_to_one(p: float) -> float:
    """0 < p <= 1, the range of the lemma and of both theorems."""
    if not _is_number(p) or not 0 < p <= 1:
        raise ValueError(f"p must lie in 0 < p <= 1 for the lemma and the theorems, not {p!r}")
    return float(p)


def positive(value: float, name: str) -> float:
    """A finite number above 0."""
    if not _is_number(value) or not 0 < value < math.inf:
        raise ValueError(f"{name} must be a finite number above 0, not {value!r}")
    return float(value)


def not_negative(value: float, name: str) -> float:
    """A finite number of at least 0."""
    if not _is_number(value) or not 0 <= value < math.inf:
        raise ValueError(f"{name} must be a finite number of at least 0, not {value!r}")
    return float(value)


def one_of(value: Name, name: str, allowed: tuple[str, ...]) -> Name:
    """`value` itself where it is one of the `allowed` words."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value
