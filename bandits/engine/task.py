"""A computation that a figure needs beside its runs; it is kept in the same store as they."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits.experiments import RESULTS_VERSION, RunSpec
from bandits.mnist import Mnist
from bandits.settings import digits

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Task:
    """One computation of a figure's own, independent of every other.

    Attributes:
        stem: how its file's name begins; the fingerprint follows.
        decides: all that decides the result beside the data and the run, as plain JSON values.
        compute: gives the arrays, from the data and the run's `Trajectory` (None without a
            `run`); a worker process must be able to import it.
        check: raises ValueError for arrays that it cannot have given.
        run: the run that it starts from, if it needs one.
        networks: whether it trains any, so that torch's version and threads matter.
    """

    stem: str
    decides: dict[str, Any]
    compute: Callable[[Mnist, Any], Arrays]
    check: Callable[[Arrays], None]
    run: RunSpec | None = None
    networks: bool = False

    def fingerprint(self, digest: str, device: str = "cpu") -> str:
        """16 hexadecimal digits that change whenever the result may."""
        return digits(self.settings(digest, device))

    def settings(self, digest: str, device: str = "cpu") -> dict[str, Any]:
        """The fingerprinted settings as plain JSON values; the run counts by its fingerprint."""
        of = {} if self.run is None else {"of": self.run.fingerprint(digest, device)}
        return self.decides | of | {"data": digest, "results_version": RESULTS_VERSION}


def check_finite(arrays: Arrays, names: Sequence[str]) -> None:
    """Refuse arrays of other names, or with what is no finite number of 64 bits.

    Raises:
        ValueError: naming the array.
    """
    if set(arrays) != set(names):
        raise ValueError(f"it holds {', '.join(sorted(arrays))}, not {', '.join(sorted(names))}")
    for name, values in arrays.items():
        if values.dtype not in (np.float64, np.int64) or not np.isfinite(values).all():
            raise ValueError(f"its {name} is not all finite numbers of 64 bits")
