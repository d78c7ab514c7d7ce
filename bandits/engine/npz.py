"""Arrays and a description of them in one .npz file, which is believed only if it is whole."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits.engine.files import read_bytes, unreadable, write_bytes


class StoreError(ValueError):
    """A stored file that is proved damaged or foreign; the message says what is wrong with it."""


def packed_bytes(arrays: dict[str, NDArray[Any]], about: dict[str, Any]) -> bytes:
    """Arrays and a JSON description as one .npz; the same content gives the same bytes."""
    packed = io.BytesIO()
    text = json.dumps(about, sort_keys=True)
    np.savez_compressed(packed, about=np.array(text), **arrays)  # type: ignore[arg-type]
    return packed.getvalue()


def write_arrays(path: Path, arrays: dict[str, NDArray[Any]], about: dict[str, Any]) -> None:
    """Write arrays and a JSON description to one .npz, whole or not at all."""
    try:
        write_bytes(path, packed_bytes(arrays, about))
    except FileNotFoundError:
        # Another command finished the same run and swept our file away: its content is ours.
        if not path.exists():
            raise


def read_arrays(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read what `write_arrays` wrote, without pickle.

    Raises:
        FileNotFoundError: if there is no such file.
        StoreError: if it is not whole.
        Unreadable: if it is there but cannot be read now.
    """
    try:
        content = read_bytes(path)
    except ValueError as error:
        raise StoreError(str(error)) from error
    try:
        return unpacked_bytes(content)
    except MemoryError as error:
        raise unreadable(path, error) from error


def unpacked_bytes(content: bytes) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the description that `packed_bytes` packed.

    Raises:
        StoreError: if the content is not whole.
        MemoryError: if it is, but takes more memory than there is.
    """
    try:
        # Every member's checksum first: a damaged size, too, may ask for more memory than there is.
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if (broken := archive.testzip()) is not None:
                raise zipfile.BadZipFile(f"the checksum of its {broken} is wrong")
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(str(arrays.pop("about")))
        for name, values in arrays.items():
            if not isinstance(values, np.ndarray):
                raise StoreError(f"its {name} is no array")
    except (MemoryError, StoreError):
        raise
    except Exception as error:  # it lies in memory: whatever is raised, its content is the cause
        raise StoreError(f"it is not a whole .npz file ({error})") from error
    if not isinstance(about, dict):
        raise StoreError("its description is not a JSON object")
    return arrays, about
