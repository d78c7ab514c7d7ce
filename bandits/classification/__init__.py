"""Classification as a bandit: its tasks as frozen data, the examples they draw, and the bandit.

Every arm is a class, and the right one pays 1. None of the data is a part of this package: MNIST is
found as everywhere here, `digits` comes with scikit-learn, and the others are read from a wheel of
PyPI (`bandits.classification.examples`).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from bandits.checks import one_of


class Source(NamedTuple):
    """Where the examples of a task come from, and how many there must be.

    Attributes:
        classes: K.
        examples, features: in the file, without what is added to them here.
        sha256: of the file's bytes; for scikit-learn's, of features and labels as bytes; empty for
            MNIST, whose digest is in every run's fingerprint anyway.
        told: who made it, and its licence.
    """

    classes: int
    examples: int
    features: int
    sha256: str
    told: str


UCI = "UCI Machine Learning Repository, CC BY 4.0; this copy is KEEL's"
SOURCES = {
    "mnist": Source(10, 60_000, 784, "", "LeCun, Cortes and Burges"),
    "letter": Source(
        26,
        20_000,
        16,
        "8ff8ec650859678e78cf6c4c4cf5063a5fdf39b5b938bc0c1406116d1e23f4fa",
        f"Letter Recognition, Slate (1991), {UCI}",
    ),
    "magic": Source(
        2,
        19_020,
        10,
        "e9314b7ebd4b4b59a3b3d65f7316663963777b16a46786877651dbbaa640b36a",
        f"MAGIC Gamma Telescope, Bock (2004), {UCI}",
    ),
    "penbased": Source(
        10,
        10_992,
        16,
        "89641315452220aac9bcdc5a99476323fdb6fcb69ac45973fa6cc3e13e4ab663",
        f"Pen-Based Recognition of Handwritten Digits, Alpaydin and Alimoglu (1996), {UCI}",
    ),
    "satimage": Source(
        6,
        6_435,
        36,
        "8e7d5263e37bb14dbe49e1a7da24e38fbd0a91b3e9817d59af36852455202110",
        f"Statlog (Landsat Satellite), Srinivasan (1993), {UCI}",
    ),
    "optdigits": Source(
        10,
        5_620,
        64,
        "ff5bdca1a597fde4361854eeec741dc671a97633a1de46f1ac23fc173f95306b",
        f"Optical Recognition of Handwritten Digits, Alpaydin and Kaynak (1998), {UCI}",
    ),
    "digits": Source(
        10,
        1_797,
        64,
        "87ff0c9e40dc7e2c0e34e7257799c2e3f3aec1a016363bb11cad869ec428a826",
        "the test set of the UCI's Optical Recognition of Handwritten Digits, CC BY 4.0; "
        "this copy is scikit-learn's",
    ),
}


@dataclass(frozen=True)
class Classification:
    """An experiment's bandit: which data's examples are to be told apart.

    Its fingerprint is the name and the digest of the data. The arms of the experiment are its
    classes.

    Attributes:
        data: one of SOURCES.

    Raises:
        ValueError: for another name.
    """

    data: str

    def __post_init__(self) -> None:
        one_of("data", self.data, tuple(SOURCES))

    @property
    def classes(self) -> int:
        """K."""
        return SOURCES[self.data].classes

    @property
    def told(self) -> dict[str, Any]:
        """What fingerprints and provenance tell, as JSON values."""
        return {"classification": self.data, "sha256": SOURCES[self.data].sha256}
