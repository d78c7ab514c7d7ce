"""How one curve of a figure is made: a policy, and what it believes, as frozen data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from bandits.architecture import Architecture, Training, check_shared
from bandits.checks import file_safe, finite, one_of, yes_or_no
from bandits.experiments.code import Code, as_code
from bandits.settings import ADDED_LATER, Ties, TrainOn

if TYPE_CHECKING:
    from bandits.schedules import Schedule


@dataclass(frozen=True)
class NetworkSpec:
    """One network per arm; or, if shared, one for all: see `bandits.shared_network`.

    Raises:
        ValueError: for a shared network with convolutions.
    """

    architecture: Architecture
    training: Training = field(default_factory=Training)
    shared: bool = field(default=False, metadata=ADDED_LATER)

    def __post_init__(self) -> None:
        if yes_or_no("shared", self.shared):
            check_shared(self.architecture)


@dataclass(frozen=True)
class LeastSquaresSpec:
    """Least squares per arm; ridge = 0 is the minimum-norm solution of Algorithm 4."""

    ridge: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ridge", finite("ridge", self.ridge))


@dataclass(frozen=True)
class RegressorSpec:
    """A scikit-learn regressor per arm, by name: see `bandits.experiments.build.regressor`."""

    regressor: str


PredictorSpec = NetworkSpec | LeastSquaresSpec | RegressorSpec


@cache
def policy_names() -> tuple[str, ...]:
    """The policies of this package: the modules of `bandits/policies/`, none of them loaded."""
    names = sorted(path.stem for path in (Path(__file__).parents[1] / "policies").glob("*.py"))
    return tuple(name for name in names if name not in NO_POLICY)


NO_POLICY = ("__init__", "choice", "learner")
"""Modules of `bandits/policies/` that policies share."""


@dataclass(frozen=True)
class Method:
    """How one curve of a figure is made.

    Attributes:
        name: short, of letters, digits and _; --methods takes it.
        label: what the figure says.
        policy: which algorithm: the name of a module in `bandits/policies/`, or a class or function
            of your own that makes a policy. It is given what its parameters name: see
            `bandits.experiments.supply.POLICY_GIVEN`.
        p: the exponent of ε_t = 1/t^p; None never explores, if there is no schedule either.
        predictor: what the policy believes; a class or function of your own is given what its
            parameters name, too.
        ties: how equal scores are decided.
        train_on: which steps epsilon greedy trains on.
        pixel_scale: the method sees pixels in [0, 1] times this number.
        schedule: ε_t in place of p: see `bandits.schedules`, or any function of t.
        parameters: of the policy, by name; given before what a run gives.

    Raises:
        ValueError: for a word or number out of range.
    """

    name: str
    label: str
    policy: str | Code | Callable[..., Any]
    p: float | None = None
    predictor: PredictorSpec | Code | Callable[..., Any] | None = None
    ties: Ties = "first"
    train_on: TrainOn = "all"
    pixel_scale: float = 1.0
    schedule: "Schedule | Code | None" = field(default=None, metadata=ADDED_LATER)
    parameters: Mapping[str, Any] | tuple[tuple[str, Any], ...] = field(
        default=(), metadata=ADDED_LATER
    )

    def __post_init__(self) -> None:
        file_safe("a method's name", self.name)
        if isinstance(self.policy, str):
            one_of("policy", self.policy, policy_names())
        else:
            object.__setattr__(self, "policy", as_code(self.policy))
        one_of("ties", self.ties, get_args(Ties))
        one_of("train_on", self.train_on, get_args(TrainOn))
        if self.p is not None:
            object.__setattr__(self, "p", finite("p", self.p))
        scale = finite("pixel_scale", self.pixel_scale, positive=True)
        object.__setattr__(self, "pixel_scale", scale)
        if self.predictor is not None and not isinstance(self.predictor, PredictorSpec):
            object.__setattr__(self, "predictor", as_code(self.predictor))
        if self.schedule is not None:
            object.__setattr__(self, "schedule", as_code(self.schedule))
        own = sorted(dict(self.parameters).items())
        object.__setattr__(self, "parameters", tuple((name, _known(part)) for name, part in own))

    @property
    def explores(self) -> bool:
        """Whether it has an ε_t."""
        return self.p is not None or self.schedule is not None

    @property
    def training(self) -> Training | None:
        """How its networks are trained, if it has any of the package's."""
        return self.predictor.training if isinstance(self.predictor, NetworkSpec) else None

    @property
    def makes(self) -> Callable[..., Any]:
        """What makes its policy; a module of this package is loaded for it."""
        if isinstance(self.policy, Code):
            made: Callable[..., Any] = self.policy.value
        else:
            made = import_module(f"bandits.policies.{self.policy}").POLICY
        return made

    @property
    def codes(self) -> tuple[Code, ...]:
        """All code of the user's that is in it."""
        parts = (self.policy, self.predictor, self.schedule, *dict(self.parameters).values())
        return tuple(part for part in parts if isinstance(part, Code))

    @property
    def torch(self) -> bool:
        """Whether its runs use torch."""
        return isinstance(self.predictor, NetworkSpec) or any(code.torch for code in self.codes)


def _known(value: Any) -> Any:
    """A parameter as it is, where JSON tells all of it; else as code."""
    return value if value is None or isinstance(value, bool | int | float | str) else as_code(value)
