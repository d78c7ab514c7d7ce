"""A figure's data as it lies in a folder."""

from collections.abc import Iterable
from pathlib import Path

from bandits.engine.files import there
from bandits.engine.npz import StoreError, read_arrays
from bandits.results.data import Data


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
