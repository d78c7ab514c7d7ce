"""A figure's data as it lies in a folder."""

import json
from collections.abc import Iterable
from pathlib import Path

from bandits.engine.files import read_bytes, there
from bandits.engine.npz import StoreError, read_arrays
from bandits.engine.packed import unpack
from bandits.results.data import Data
from bandits.simulate import Trajectory


def load_data(name: str, folder: Path) -> tuple[Data, str]:
    """A figure's data and its caption.

    Raises:
        ValueError: if there is no such data, or it is not whole.
        Unreadable: if it is there but cannot be read now.
    """
    path = folder / f"{name}.npz"
    try:
        data, about = read_arrays(path)
    except FileNotFoundError as error:
        raise ValueError(f"{path} is not there, so {name} cannot be drawn from it") from error
    except StoreError as error:
        raise ValueError(f"{path} cannot be used: {error}") from error
    if "caption" not in about:
        raise ValueError(f"{path} cannot be used: it has no caption")
    return data, str(about["caption"])


def load_runs(name: str, folder: Path) -> dict[str, list[Trajectory]]:
    """The runs behind a finished figure: for each method's name its trajectories, run 0 first.

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
