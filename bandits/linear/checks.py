"""What the linear models accept; everything else is refused by name before any work."""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LARGEST = 1e100  # squares and products of values up to here cannot overflow


def ridge(value: float) -> float:
    """A ridge of 0, or one whose inverse is as safe to square as `LARGEST`."""
    ridge = float(value)
    if not (ridge == 0 or 1 / LARGEST <= ridge <= LARGEST):
        raise ValueError(f"ridge must be 0, or from 1e-100 to 1e100, not {value!r}")
    return ridge


def require_ridge(ridge: float) -> None:
    """Refuse widths where B need not have an inverse."""
    if not ridge:
        raise ValueError("widths were asked for with ridge 0: they need a ridge above 0")


def contexts(values: npt.ArrayLike, context_size: int) -> Floats:
    """Contexts as float64 (n, context_size), contiguous."""
    block = _numbers("contexts", values)
    if block.ndim != 2 or block.shape[1] != context_size:
        raise ValueError(f"contexts have shape {block.shape}: it must be (n, {context_size})")
    return block


def rewards(values: npt.ArrayLike, count: int) -> Floats:
    """Rewards as float64 (count,); (count, 1) would broadcast unseen, so it is refused."""
    rewards = _numbers("rewards", values)
    if rewards.shape != (count,):
        raise ValueError(f"rewards have shape {rewards.shape}: it must be ({count},)")
    return rewards


def _numbers(name: str, values: npt.ArrayLike) -> Floats:
    given: npt.NDArray[Any] = np.asarray(values)
    if given.dtype.kind not in "buif":
        raise ValueError(f"{name} have dtype {given.dtype}: they must be real numbers")
    numbers: Floats = np.ascontiguousarray(given, dtype=np.float64)
    allowed = np.abs(numbers) <= LARGEST  # False for NaN as well
    if not allowed.all():
        at = tuple(int(i) for i in np.argwhere(~allowed)[0])
        raise ValueError(
            f"{name} hold {numbers[at]} at {at}: every value must be finite, 1e100 at most"
        )
    return numbers


def actions(values: npt.ArrayLike, count: int, arms: int) -> npt.NDArray[np.intp]:
    """Actions (count,), each from 0 to arms − 1."""
    given: npt.NDArray[Any] = np.asarray(values)
    if given.shape != (count,) or (given.size and given.dtype.kind not in "ui"):
        raise ValueError(
            f"actions have shape {given.shape} and dtype {given.dtype}: "
            f"they must be ({count},) whole numbers"
        )
    actions = given.astype(np.intp)
    outside = (actions < 0) | (actions >= arms)
    if outside.any():
        raise ValueError(f"actions hold {actions[outside][0]}: they must be 0 to {arms - 1}")
    return actions
