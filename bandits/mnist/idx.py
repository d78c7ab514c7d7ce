"""The four MNIST files: what they must be, how they are read, and what a reader gets.

Every file is held to its size, its MD5 and its header, and images and labels to each other:
torchvision checks the MD5 of the archives only, so altered pixels, or fewer labels than images,
would otherwise load without a word.
"""

import errno
import gzip
import hashlib
import io
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bandits.architecture import SIDE
from bandits.mnist.original import FILES, WHAT_TO_DO, IdxFile, MnistError

Pixels = npt.NDArray[np.uint8]

# An archive of what does not compress is a little larger than its content; never by this much.
SLACK = 1 << 16
NO_IMAGES: Pixels = np.zeros((0, SIDE, SIDE), np.uint8)
NO_LABELS: Pixels = np.zeros(0, np.uint8)


@dataclass(frozen=True, eq=False)
class Mnist:
    """Handwritten digits, kept as they were published and not writable.

    Attributes:
        images, labels: uint8 (N, 28, 28), 0 (paper) to 255 (ink), and (N,), 0 to 9: the bandit's.
        source: "full" or "sample".
        description: one line for figures and results, without any path.
        test_images, test_labels: the same of the test set; empty for the sample.
        origin: what `load` takes to read the same data again ("sample" or a folder).
        notes: what was tried and failed on the way, one sentence each.
        digest: SHA-256 (hex) of the bytes of images, then labels: the same wherever they came from.

    Raises:
        MnistError: for other shapes, dtypes, counts or labels.
    """

    images: Pixels
    labels: Pixels
    source: str
    description: str
    test_images: Pixels = field(default_factory=lambda: NO_IMAGES)
    test_labels: Pixels = field(default_factory=lambda: NO_LABELS)
    origin: str = ""
    notes: tuple[str, ...] = ()
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        if len(self.images) == 0:
            raise MnistError("a set of digits needs at least one image, and there is none")
        for images, labels in (("images", "labels"), ("test_images", "test_labels")):
            _check_pair(images, getattr(self, images), getattr(self, labels))
            for name in (images, labels):
                frozen = np.ascontiguousarray(getattr(self, name)).view()
                frozen.flags.writeable = False
                object.__setattr__(self, name, frozen)
        content = hashlib.sha256(self.images.data)
        content.update(self.labels.data)
        object.__setattr__(self, "digest", content.hexdigest())


def _check_pair(name: str, images: Pixels, labels: Pixels) -> None:
    if images.dtype != np.uint8 or labels.dtype != np.uint8:
        raise MnistError(f"{name} and labels must be uint8, not {images.dtype} and {labels.dtype}")
    if images.ndim != 3 or images.shape[1:] != (SIDE, SIDE) or labels.ndim != 1:
        raise MnistError(
            f"{name} must have shape (N, {SIDE}, {SIDE}) and labels (N,), "
            f"not {images.shape} and {labels.shape}"
        )
    if len(images) != len(labels):
        raise MnistError(f"{len(images)} {name} do not go with {len(labels)} labels")
    if labels.size and labels.max() > 9:
        raise MnistError(f"labels must be 0 to 9, and one is {labels.max()}")


def unit_pixels(images: Pixels) -> npt.NDArray[np.float32]:
    """Uint8 pixels of any shape as float32 in [0, 1]: 255 becomes exactly 1.0."""
    if images.dtype != np.uint8:
        raise MnistError(f"pixels must be uint8, not {images.dtype}")
    return np.divide(images, np.float32(255.0), dtype=np.float32)


def md5(content: bytes) -> str:
    """MD5 in hex, as MNIST's checksums are published; it guards against accidents only."""
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def unpack(archive: bytes, size: int) -> bytes:
    """Decompress a .gz of `size` bytes, never more than one byte beyond; MnistError if broken."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(archive)) as stream:
            return stream.read(size + 1)
    except (OSError, EOFError, zlib.error):
        raise MnistError("is not a whole gzip file") from None


def decode(file: IdxFile, content: bytes) -> Pixels:
    """The images (N, 28, 28) or labels (N,) of one checked file, uint8.

    The array is a view of `content`, so it cannot be written to.

    Raises:
        MnistError: what is wrong with the file, in words that follow its name.
    """
    if not content:
        raise MnistError("is empty")
    if len(content) != file.size:
        found = "more than" if len(content) > file.size else f"only {len(content):,} of"
        raise MnistError(f"has {found} its {file.size:,} bytes")
    if md5(content) != file.md5:
        raise MnistError(f"was altered (its MD5 is {md5(content)} instead of {file.md5})")
    # idx: 0, 0, type (8 = unsigned byte), number of dimensions, then each as a big-endian int32.
    dimensions = 3 if "images" in file.name else 1
    shape = tuple(np.frombuffer(content[4 : 4 + 4 * dimensions], ">i4").tolist())
    if content[:4] != bytes((0, 0, 8, dimensions)) or shape[1:] != (SIDE, SIDE)[: dimensions - 1]:
        raise MnistError("does not begin as an idx file of this kind does")
    start = 4 + 4 * dimensions
    if start + int(np.prod(shape)) != len(content):
        raise MnistError(f"announces {shape[0]:,} items, which its length contradicts")
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


def raw_folder(folder: Path, files: Sequence[IdxFile] = FILES) -> Path | None:
    """Find where under `folder` the files lie: MNIST/raw (torchvision's layout), raw, or itself."""
    for place in (folder / "MNIST" / "raw", folder / "raw", folder):
        names = [file.name + end for file in files for end in ("", ".gz")]
        if any(lies(place / name) for name in names):
            return place
    return None


def lies(path: Path) -> bool:
    """Whether something lies at `path`; OSError if a folder on the way does not let us see."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def reason(error: OSError) -> str:
    """Why something cannot be read, and the remedy where it is not another folder or file."""
    remedies = {
        errno.EACCES: "ask its owner for the right to read it",
        errno.EPERM: "ask its owner for the right to read it",
        errno.EMFILE: "raise the limit of this shell with `ulimit -n 4096`",
        errno.ENFILE: "end other programs that hold many files open",
    }
    text = error.strerror or str(error)
    return f"{text}: {remedies[error.errno]}" if error.errno in remedies else text


def read_file(place: Path, file: IdxFile) -> Pixels:
    """Read one file in `place`, plain or else .gz (unpacked in memory); MnistError as `decode`."""
    plain, archive = place / file.name, place / (file.name + ".gz")
    path = plain
    try:
        path = plain if lies(plain) or not lies(archive) else archive
        if not lies(path):
            raise MnistError("is missing")
        if not path.is_file():
            raise MnistError("is not a file")
        with path.open("rb") as stream:
            content = stream.read(file.size + SLACK)
        return decode(file, unpack(content, file.size) if path is archive else content)
    except OSError as error:
        raise MnistError(f"{path} cannot be read ({reason(error)})") from None
    except MnistError as error:
        raise MnistError(f"{path} {error}") from None


def read_place(place: Path, files: Sequence[IdxFile], notes: tuple[str, ...] = ()) -> Mnist:
    """Read and verify all four files that lie directly in `place`; the result carries `notes`.

    Raises:
        MnistError: naming the file and what is wrong with it.
    """
    images, labels, test_images, test_labels = (read_file(place, file) for file in files)
    try:
        return Mnist(
            images,
            labels,
            source="full",
            description=f"MNIST ({len(images):,} training digits)",
            test_images=test_images,
            test_labels=test_labels,
            origin=os.path.abspath(place),
            notes=notes,
        )
    except MnistError as error:
        raise MnistError(f"the files in {place} do not fit together: {error}") from None


def read_folder(folder: Path, files: Sequence[IdxFile] = FILES) -> Mnist:
    """Read all four files below `folder` and verify them; nothing is ever written there.

    Raises:
        MnistError: naming the file, what is wrong with it and what to do.
    """
    try:
        os.listdir(folder)
        place = raw_folder(folder, files)
        if place is None:
            example = f"MNIST/raw/{files[0].name} (plain or .gz)"
            raise MnistError(f"MNIST folder {folder} holds none of the four files, as {example}")
        return read_place(place, files)
    except MnistError as error:
        raise MnistError(f"{error}; {WHAT_TO_DO}") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        why = reason(error) if isinstance(error, OSError) else error
        raise MnistError(f"MNIST folder {folder} cannot be read ({why}); {WHAT_TO_DO}") from None
