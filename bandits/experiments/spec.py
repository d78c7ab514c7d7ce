"""What an experiment is: methods, noise, steps, runs and seeds, as frozen data."""

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from bandits.architecture import Architecture, Training
from bandits.checks import finite, one_of, whole
from bandits.policies import Ties, TrainOn
from bandits.settings import ADDED_LATER, plain

RESULTS_VERSION = 1
"""Raised by hand when the same settings give other results; a golden run guards it."""

FIGURE_SEED = 2022
"""Every reported figure."""

TUNING_SEED = 77
"""Every choice that the paper leaves open; no reported figure uses it."""

ScaleName = Literal["glance", "quick", "paper"]
SCALES: tuple[ScaleName, ...] = ("glance", "quick", "paper")


@dataclass(frozen=True)
class NetworkSpec:
    """One network per arm."""

    architecture: Architecture
    training: Training = field(default_factory=Training)


@dataclass(frozen=True)
class LeastSquaresSpec:
    """Least squares per arm; ridge = 0 is the minimum-norm solution of Algorithm 4."""

    ridge: float = 0.0


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


@dataclass(frozen=True)
class RunSpec:
    """Everything that decides one run's result, beside the data and the kind of device.

    Attributes:
        method: the policy and how it learns.
        run: its number, from 0.
        steps: T.
        seed: of the run's table, weights and mini-batches.
        arms: K.
        noise: σ.
        train_every: steps between training stages.
        keep_predictions: whether the stored run holds what was predicted of each arm taken.

    Raises:
        ValueError: for a number out of range.
    """

    method: Method
    run: int
    steps: int
    seed: int = FIGURE_SEED
    arms: int = 5
    noise: float = 0.0
    train_every: int = 20
    keep_predictions: bool = field(default=False, metadata=ADDED_LATER)

    def __post_init__(self) -> None:
        # As plain numbers, so that 1, 1.0 and NumPy's 1 have one fingerprint.
        for name, said, least in (
            ("run", "run", 0),
            ("steps", "steps", 1),
            ("seed", "seed", 0),
            ("arms", "arms (K)", 1),
            ("train_every", "train_every", 1),
        ):
            object.__setattr__(self, name, whole(said, getattr(self, name), least))
        object.__setattr__(self, "noise", finite("noise (sigma)", self.noise))

    def fingerprint(self, digest: str, device: str = "cpu") -> str:
        """16 hexadecimal digits that change whenever the result may.

        The method's label does not count, and neither does the data's path: `digest` is of the
        images and labels themselves, `device` is "cpu" or "cuda".
        """
        text = json.dumps(self.settings(digest, device), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def settings(self, digest: str, device: str = "cpu") -> dict[str, Any]:
        """The fingerprinted settings as plain JSON values."""
        settings: dict[str, Any] = plain(self)
        del settings["method"]["label"]
        return settings | {"data": digest, "device": device, "results_version": RESULTS_VERSION}


@dataclass(frozen=True)
class Scale:
    """How large an experiment is run: T steps, and how many independent runs."""

    steps: int
    runs: int


@dataclass(frozen=True)
class Experiment:
    """One figure's experiment.

    Attributes:
        name: as on the command line, and of the figure's files.
        title: what the figure shows.
        methods: one per curve.
        glance, quick, paper: the three scales.
        noise: σ of the reward.
        seed: of the runs 0, 1, ….
        arms: K.
        train_every: steps between training stages (paper: 20).
        keep_predictions: whether the runs hold what was predicted of each arm taken.
    """

    name: str
    title: str
    methods: tuple[Method, ...]
    paper: Scale
    glance: Scale = Scale(200, 2)
    quick: Scale = Scale(600, 3)
    noise: float = 0.0
    seed: int = FIGURE_SEED
    arms: int = 5
    train_every: int = 20
    keep_predictions: bool = False

    def scale(self, name: ScaleName) -> Scale:
        """The steps and runs of a scale by its name.

        Raises:
            ValueError: for another name.
        """
        scale: Scale = getattr(self, one_of("scale", name, SCALES))
        return scale

    def select(self, methods: list[str] | None) -> "Experiment":
        """The same experiment with the named methods only.

        Raises:
            ValueError: for a name that this experiment does not have.
        """
        if methods is None:
            return self
        known = {method.name: method for method in self.methods}
        for name in methods:
            if name not in known:
                raise ValueError(
                    f"experiment {self.name} has the methods {', '.join(known)}, not {name!r}"
                )
        return replace(self, methods=tuple(known[name] for name in dict.fromkeys(methods)))

    def spec(self, method: Method, run: int, steps: int) -> RunSpec:
        """One run of one method under this experiment's settings."""
        return RunSpec(
            method,
            run,
            steps,
            self.seed,
            self.arms,
            self.noise,
            self.train_every,
            self.keep_predictions,
        )

    def specs(self, scale: Scale) -> list[RunSpec]:
        """Every run of the experiment, run by run, so that early results cover every method.

        Raises:
            ValueError: naming the value given and the values allowed, for a setting out of range,
                or two methods of one name.
        """
        names = [method.name for method in self.methods]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"experiment {self.name} has two methods of the name {name!r}")
        return [
            self.spec(method, run, scale.steps)
            for run in range(whole("runs", scale.runs, 1))
            for method in self.methods
        ]
