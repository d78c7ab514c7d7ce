"""What a network looks like and how it is trained, as frozen data that needs no torch."""

import math
from collections.abc import Callable, Iterator
from dataclasses import Field, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from bandits.checks import finite, one_of, whole, yes_or_no
from bandits.settings import check_all, setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIDE = 28
"""Height and width of an MNIST image in pixels."""


@dataclass(frozen=True)
class Architecture:
    """One arm's network Φ_j: convolutions, one hidden layer, the predicted reward.

    Attributes:
        channels: output channels of each 3 × 3 convolution (the paper has three and does not
            state their channels); empty for the Simple network, which has the hidden layer only.
        width: neurons of the hidden layer (paper: 100, and 1000 in Fig. 1).
        arrangement: "side_by_side" joins the K images to one of 28 × 28K pixels, so that all share
            the same filters; "stacked" makes each image an input channel with filters of its own.
        fold: each fold × fold square of pixels becomes that many input channels of the first
            convolution, which then is a convolution of side 3 · fold and stride fold on the pixels.
        stride: of each convolution.
        pool: side of the max pooling after each convolution, 1 for none.
        padding: width of the border of zeros around each convolution's input.

    Raises:
        ValueError: for a value out of range.
    """

    channels: tuple[int, ...] = (8, 16, 32)
    width: int = 100
    arrangement: Literal["side_by_side", "stacked"] = "side_by_side"
    fold: int = 1
    stride: tuple[int, ...] = (1, 1, 1)
    pool: tuple[int, ...] = (2, 2, 2)
    padding: tuple[int, ...] = (1, 1, 1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", whole("width", self.width, 1))
        object.__setattr__(self, "fold", whole("fold", self.fold, 1))
        one_of("arrangement", self.arrangement, ("side_by_side", "stacked"))
        if SIDE % self.fold:
            raise ValueError(f"fold must divide {SIDE}, not {self.fold}")
        lengths = [len(self.channels), len(self.stride), len(self.pool), len(self.padding)]
        if len(set(lengths)) > 1:
            raise ValueError(
                f"channels, stride, pool and padding must be of one length, not {lengths}"
            )
        for name, least in (("channels", 1), ("stride", 1), ("pool", 1), ("padding", 0)):
            values = tuple(whole(f"each of {name}", v, least) for v in getattr(self, name))
            object.__setattr__(self, name, values)


def check_shared(architecture: Any) -> Architecture:
    """The architecture, if one network of it can serve all arms.

    Raises:
        ValueError: for one with convolutions, or of another kind.
    """
    if not isinstance(architecture, Architecture) or architecture.channels:
        raise ValueError(
            "a network that all arms share reads the context in a block for each arm, so it must "
            f"be an Architecture without channels, as SIMPLE is, not {architecture!r}"
        )
    return architecture


SIMPLE = Architecture(channels=(), stride=(), pool=(), padding=())


@dataclass(frozen=True)
class Training:
    """A training stage of one network: Adam on the mean squared error.

    Attributes:
        epochs: passes over S_j (paper: always 16).
        learning_rate: at the start of each stage (paper: 1e-3).
        batch_size: samples per step (the paper does not say).
        decay: "constant" rate, or "linear" to 0 over the stage (the paper says "initial" only).
        keep_optimizer: whether Adam's moments live on from stage to stage.
        max_batches: the stage ends after this many mini-batches, however many its epochs still
            hold, so that its cost does not grow with t (ours; None is the paper's rule). Within an
            epoch the samples of S_j are drawn without replacement.

    Raises:
        ValueError: for a value out of range.
    """

    epochs: int = setting(
        16,
        lambda value: whole("epochs", value, 1),
        "passes of a training stage over an arm's samples",
        small_print="epochs",
    )
    learning_rate: float = setting(
        1e-3,
        lambda value: finite("learning_rate", value, positive=True),
        "learning rate of Adam at the start of each training stage",
        small_print="learning rate",
        metavar="RATE",
    )
    batch_size: int = setting(
        32,
        lambda value: whole("batch_size", value, 1),
        "samples in a mini-batch",
        small_print="batch size",
        metavar="N",
    )
    decay: Literal["constant", "linear"] = "constant"
    keep_optimizer: bool = True
    max_batches: int | None = setting(
        None,
        lambda value: None if value is None else whole("max_batches", value, 1),
        "mini-batches in a training stage at most",
        small_print="mini-batches at most",
        metavar="N",
        added_later=True,
    )

    def __post_init__(self) -> None:
        # As plain numbers, so that 1, 1.0 and NumPy's 1 have one fingerprint.
        check_all(self, TRAINING)
        one_of("decay", self.decay, ("constant", "linear"))
        yes_or_no("keep_optimizer", self.keep_optimizer)

    def batches(
        self, rows: "NDArray[Any]", shuffled: Callable[[int], Any]
    ) -> Iterator[tuple[float, "NDArray[Any]"]]:
        """The rate and the rows of each mini-batch of a stage on S_j (n,), n ≥ 1.

        Args:
            rows: S_j.
            shuffled: gives a random order of 0..n−1, once an epoch.
        """
        per_epoch = math.ceil(len(rows) / self.batch_size)
        total = int(min(self.epochs * per_epoch, self.max_batches or math.inf))
        for number in range(total):
            first = number % per_epoch * self.batch_size
            if first == 0:
                order = rows[shuffled(len(rows))]
            left = 1 - number / total if self.decay == "linear" else 1
            yield self.learning_rate * left, order[first : first + self.batch_size]


TRAINING: dict[str, Field[Any]] = {f.name: f for f in fields(Training) if "check" in f.metadata}
"""Those that the command line takes, for all networks of an experiment."""
