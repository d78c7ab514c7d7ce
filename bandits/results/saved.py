"""A figure's data as it lies in a folder."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bandits.engine.files import read_bytes, there
from bandits.engine.npz import StoreError, read_arrays
from bandits.engine.packed import unpack
from bandits.engine.task import Arrays
from bandits.results.data import Data
from bandits.results.verdicts import place_of
from bandits.simulate import Trajectory

if TYPE_CHECKING:
    import pandas as pd


class SavedData(dict[str, NDArray[Any]]):
    """A figure's arrays by name, with a method's part of them in one line."""

    def of(self, array: str, method: str) -> NDArray[Any]:
        """A method's part of an array, such as `data.of("late_mean", "deep")`, (runs,).

        Raises:
            ValueError: if there is no such array, it has no row for each method, or the figure has
                no such method.
        """
        place, rows = place_of(self, method), len(self["methods"])
        fit = [n for n, values in self.items() if np.ndim(values) and len(values) == rows]
        if array not in fit:
            raise ValueError(
                f"the arrays with a row for each method are {', '.join(fit)}, not {array!r}"
            )
        return np.asarray(self[array][place])

    def frame(self) -> "pd.DataFrame":
        """The figure's curves and numbers, one row for each method, run and number of a run.

        The columns are method, run and every array of shape (methods, runs), such as late_mean.
        """
        import pandas as pd

        names = [str(name) for name in self["methods"]]
        tables = {
            name: values
            for name, values in self.items()
            if values.ndim == 2 and len(values) == len(names) and name not in PER_STEP
        }
        runs = {values.shape[1] for values in tables.values()}
        if len(runs) != 1:
            raise ValueError("the figure has no numbers by method and run")
        (count,) = runs
        index = {"method": np.repeat(names, count), "run": np.tile(np.arange(count), len(names))}
        return pd.DataFrame(index | {name: values.ravel() for name, values in tables.items()})


PER_STEP = ("mean", "half_width")
"""Arrays (methods, steps kept)."""


def run_frame(run: Trajectory) -> "pd.DataFrame":
    """A run as a table: one row for each step t, one column for each array, and the regret."""
    import pandas as pd

    return pd.DataFrame({"t": run.t, **run.arrays(), "regret": run.regret})


def csv_of(path: Path) -> str:
    """A stored run, or a figure's data, as comma-separated values.

    Raises:
        ValueError: if the file is not there, not whole, or neither of both.
        Unreadable: if it is there but cannot be read now.
    """
    arrays, _ = _read(path)
    frame = SavedData(arrays).frame() if "methods" in arrays else run_frame(unpack(arrays))
    return str(frame.to_csv(index=False))


def _read(path: Path, so: str = "") -> tuple[Arrays, dict[str, Any]]:
    try:
        return read_arrays(path)
    except FileNotFoundError as error:
        raise ValueError(f"{path} is not there{so}") from error
    except StoreError as error:
        raise ValueError(f"{path} cannot be used: {error}") from error


def load_data(name: str, folder: Path) -> tuple[SavedData, str]:
    """A figure's data and its caption.

    Raises:
        ValueError: if there is no such data, or it is not whole.
        Unreadable: if it is there but cannot be read now.
    """
    path = folder / f"{name}.npz"
    data, about = _read(path, f", so {name} cannot be drawn from it")
    if "caption" not in about:
        raise ValueError(f"{path} cannot be used: it has no caption")
    return SavedData(data), str(about["caption"])


def load_runs(name: str, folder: Path) -> dict[str, list[Trajectory]]:
    """The runs behind a finished figure: for each method's name its trajectories, run 0 first.

    Of a figure over several experiments, those of the first come before those of the next.

    Args:
        name: of the figure.
        folder: where the figure lies; the runs are in its folder `runs`.

    Raises:
        FileNotFoundError: if the figure or one of its runs is not there.
        StoreError: naming a run that is damaged.
        Unreadable: if a file is there but cannot be read now.
    """
    told = json.loads(read_bytes(folder / f"{name}.json"))
    found: dict[str, list[Trajectory]] = {m["name"]: [] for m in told["settings"]["methods"]}
    for run in told["runs"]:
        # Version 0.1 put the experiment's name before the method's.
        method = max((m for m in found if f"-{run}".rsplit("-", 2)[0].endswith(f"-{m}")), key=len)
        today = f"{method}-{run.rsplit('-', 2)[1]}-{run.rsplit('-', 2)[2]}"
        path = folder / "runs" / (run if there(folder / "runs" / run) else today)
        try:
            found[method].append(unpack(read_arrays(path)[0]))
        except StoreError as error:
            raise StoreError(f"{path.name} cannot be used: {error}") from error
    return found


def names_there(names: Iterable[str], folder: Path) -> list[str]:
    """Those figures whose data is in the folder.

    Raises:
        Unreadable: if the folder cannot be looked into.
    """
    return [name for name in names if there(folder / f"{name}.npz")]


def load_those_there(names: Iterable[str], folder: Path) -> tuple[dict[str, Data], dict[str, str]]:
    """Data and captions, by name, of those figures whose data is in the folder.

    Raises:
        ValueError: if one that is there is not whole.
        Unreadable: if one cannot be read now.
    """
    found = {name: load_data(name, folder) for name in names_there(names, folder)}
    return {n: data for n, (data, _) in found.items()}, {n: text for n, (_, text) in found.items()}


def other_settings(name: str, folder: Path) -> list[str]:
    """How a figure's data differs from what is reported; another seed asks the same question."""
    _, about = read_arrays(folder / f"{name}.npz")
    return [text for text in about.get("changes", []) if not text.startswith("seed")]
