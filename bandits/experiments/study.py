"""The architecture study: which networks are trained outside the bandit, and on how much."""

from dataclasses import dataclass

from bandits.architecture import SIMPLE, Architecture
from bandits.experiments.spec import TUNING_SEED, Experiment, Scale

CANDIDATES: dict[str, tuple[str, Architecture]] = {
    "simple": ("one hidden layer (Simple)", SIMPLE),
    "stacked_stride": (
        "stacked, 16-32-64, stride 2",
        Architecture((16, 32, 64), arrangement="stacked", stride=(2, 2, 2), pool=(1, 1, 1)),
    ),
    "stacked_pool": (
        "stacked, 16-32-64, pooling",
        Architecture((16, 32, 64), arrangement="stacked"),
    ),
    "side_stride": (
        "side by side, 8-16-32, stride 2",
        Architecture(stride=(2, 2, 2), pool=(1, 1, 1)),
    ),
    "side_pool": ("side by side, 8-16-32, pooling", Architecture()),
    "side_pool_bare": (
        "side by side, 8-16-32, pooling, no padding",
        Architecture(padding=(0, 0, 0)),
    ),
    "side_fold2": (
        "side by side, folded by 2, 8-16-32, pooling",
        Architecture(fold=2, padding=(0, 0, 1)),
    ),
    "side_fold2_wide": (
        "side by side, folded by 2, 16-16-32, pooling",
        Architecture((16, 16, 32), fold=2, padding=(0, 0, 1)),
    ),
    "side_fold4": (
        "side by side, folded by 4, 16-16-32",
        Architecture((16, 16, 32), fold=4, pool=(1, 2, 1)),
    ),
}


CHOSEN = "side_fold2"


@dataclass(frozen=True)
class StudyScale(Scale):
    """As `Scale`, where the steps are passes over each sample.

    Attributes:
        sizes: of the samples.
    """

    sizes: tuple[int, ...] = (200, 800)


STUDY = Experiment(
    "architecture_study",
    "What one arm's network learns from n samples, and its cost",
    (),
    glance=StudyScale(16, 1, (200,)),
    quick=StudyScale(32, 2),
    paper=StudyScale(64, 3),
    seed=TUNING_SEED,
)
"""It plays no bandit, and so has no methods; a setting other than its seed means nothing to it."""


def size_told(scale: Scale) -> str:
    """The size as captions tell it."""
    if isinstance(scale, StudyScale):
        return f"{scale.steps} epochs, runs: {scale.runs}"
    return f"{scale.steps:,} steps, {scale.runs} run" + "s" * (scale.runs > 1)
