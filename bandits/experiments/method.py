"""How one curve of a figure is made: a policy, and what it believes, as frozen data."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from bandits.architecture import Architecture, Training
from bandits.checks import finite, one_of
from bandits.settings import Ties, TrainOn


@dataclass(frozen=True)
class NetworkSpec:
    """One network per arm."""

    architecture: Architecture
    training: Training = field(default_factory=Training)


@dataclass(frozen=True)
class LeastSquaresSpec:
    """Least squares per arm; ridge = 0 is the minimum-norm solution of Algorithm 4."""

    ridge: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ridge", finite("ridge", self.ridge))


@dataclass(frozen=True)
class RegressorSpec:
    """A scikit-learn regressor per arm, by name: see REGRESSORS."""

    regressor: str


PredictorSpec = NetworkSpec | LeastSquaresSpec | RegressorSpec


PolicyName = Literal["random", "optimal", "linucb", "epsilon_greedy"]


@dataclass(frozen=True)
class Method:
    """How one curve of a figure is made.

    Attributes:
        name: short and file-safe; --methods takes it.
        label: what the figure says.
        policy: which algorithm.
        p: the exponent of ε_t = 1/t^p; None never explores.
        predictor: what epsilon greedy believes.
        ties: how equal scores are decided.
        train_on: which steps epsilon greedy trains on.
        pixel_scale: the method sees pixels in [0, 1] times this number.

    Raises:
        ValueError: for a word or number out of range.
    """

    name: str
    label: str
    policy: PolicyName
    p: float | None = None
    predictor: PredictorSpec | None = None
    ties: Ties = "first"
    train_on: TrainOn = "all"
    pixel_scale: float = 1.0

    def __post_init__(self) -> None:
        one_of("policy", self.policy, get_args(PolicyName))
        one_of("ties", self.ties, get_args(Ties))
        one_of("train_on", self.train_on, get_args(TrainOn))
        if self.p is not None:
            object.__setattr__(self, "p", finite("p", self.p))
        scale = finite("pixel_scale", self.pixel_scale, positive=True)
        object.__setattr__(self, "pixel_scale", scale)
