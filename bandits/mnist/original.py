"""The four original files of MNIST, and what is said where they are not available."""

from typing import NamedTuple


class MnistError(ValueError):
    """The data is not available, or not what it should be; the message is one sentence."""


class IdxFile(NamedTuple):
    """One of the four files: its name, its size in bytes, its MD5 and that of its archive."""

    name: str
    size: int
    md5: str
    gz_md5: str


# In this order everywhere: training images and labels, then test images and labels.
FILES = (
    IdxFile(
        "train-images-idx3-ubyte",
        47_040_016,
        "6bbc9ace898e44ae57da46a324031adb",
        "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    ),
    IdxFile(
        "train-labels-idx1-ubyte",
        60_008,
        "a25bea736e30d166cdddb491f175f624",
        "d53e105ee54ea40749a09fcbcd1e9432",
    ),
    IdxFile(
        "t10k-images-idx3-ubyte",
        7_840_016,
        "2646ac647ad5339dbf082846283269ea",
        "9fb629c4189551a2d022fa330f9573f3",
    ),
    IdxFile(
        "t10k-labels-idx1-ubyte",
        10_008,
        "27ae3e4e09519cfbb04c329615203637",
        "ec29112dd5afa0611ce80d1b7f02629c",
    ),
)


WHAT_TO_DO = (
    "put the original file there, name another folder, or set BANDITS_MNIST=sample "
    "to work with 5,000 digits"
)
