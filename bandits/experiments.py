"""The experiments as frozen data: which methods, noise, steps, runs and seeds make which figure."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from bandits.architecture import SIMPLE, Architecture, Training
from bandits.checks import finite, whole
from bandits.environments import MnistBandit, Rounds
from bandits.mnist import Mnist
from bandits.policies import EpsilonGreedy, LinUCB, Optimal, Policy, Random, Ties, TrainOn
from bandits.predictors import LeastSquares, Predictor, Regressor
from bandits.schedules import NeverExplore, PowerSchedule
from bandits.streams import Stream, seed_sequence

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
    """

    name: str
    label: str
    policy: Literal["random", "optimal", "linucb", "epsilon_greedy"]
    p: float | None = None
    predictor: PredictorSpec | None = None
    ties: Ties = "first"
    train_on: TrainOn = "all"
    pixel_scale: float = 1.0


@dataclass(frozen=True)
class RunSpec:
    """Everything that decides one run's result, beside the data and the kind of device."""

    method: Method
    run: int
    steps: int
    seed: int = FIGURE_SEED
    arms: int = 5
    noise: float = 0.0
    train_every: int = 20

    def fingerprint(self, digest: str, device: str = "cpu") -> str:
        """16 hexadecimal digits that change whenever the result may.

        The method's label does not count, and neither does the data's path: `digest` is of the
        images and labels themselves, `device` is "cpu" or "cuda".
        """
        text = json.dumps(self.settings(digest, device), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def settings(self, digest: str, device: str = "cpu") -> dict[str, Any]:
        """The fingerprinted settings as plain JSON values."""
        settings = asdict(self)
        del settings["method"]["label"]
        plain: dict[str, Any] = json.loads(json.dumps(settings))
        return plain | {"data": digest, "device": device, "results_version": RESULTS_VERSION}


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

    def scale(self, name: ScaleName) -> Scale:
        """The steps and runs of a scale by its name.

        Raises:
            ValueError: for another name.
        """
        if name not in SCALES:
            raise ValueError(f"scale must be one of {', '.join(SCALES)}, not {name!r}")
        scale: Scale = getattr(self, name)
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

    def specs(self, scale: Scale) -> list[RunSpec]:
        """Every run of the experiment, run by run, so that early results cover every method."""
        check_settings(scale.steps, scale.runs, self.arms, self.noise, self.train_every, self.seed)
        return [
            RunSpec(m, run, scale.steps, self.seed, self.arms, self.noise, self.train_every)
            for run in range(scale.runs)
            for m in self.methods
        ]


def check_settings(
    steps: int, runs: int, arms: int, noise: float, train_every: int, seed: int
) -> None:
    """Refuse settings out of range, in one sentence each, before any work.

    Raises:
        ValueError: naming the value given and the values allowed.
    """
    whole("steps", steps, 1)
    whole("runs", runs, 1)
    whole("arms (K)", arms, 1)
    whole("train_every", train_every, 1)
    whole("seed", seed, 0)
    finite("noise (sigma)", noise)


def environment(spec: RunSpec, mnist: Mnist) -> MnistBandit:
    """The bandit that a run plays."""
    return MnistBandit(mnist, spec.arms, spec.noise, spec.method.pixel_scale)


def build_policy(spec: RunSpec, rounds: Rounds, device: str = "cpu") -> Policy:
    """The fresh policy of a run; torch is loaded only where there are networks."""
    method, size, arms = spec.method, rounds.context_size, rounds.arms
    if method.policy == "random":
        return Random(arms)
    if method.policy == "optimal":
        return Optimal(rounds.means)
    if method.policy == "linucb":
        return LinUCB(size, arms, ties=method.ties)
    schedule = NeverExplore() if method.p is None else PowerSchedule(method.p)
    predictor = _predictor(spec, size, arms, device)
    return EpsilonGreedy(schedule, predictor, arms, ties=method.ties, train_on=method.train_on)


def _predictor(spec: RunSpec, size: int, arms: int, device: str) -> Predictor:
    wanted = spec.method.predictor
    weights = seed_sequence(spec.seed, spec.run, Stream.WEIGHTS)
    if isinstance(wanted, NetworkSpec):
        from bandits.networks import Networks

        return Networks(
            wanted.architecture,
            size,
            arms,
            training=wanted.training,
            weights=weights,
            batches=seed_sequence(spec.seed, spec.run, Stream.BATCHES),
            device=device,
        )
    if isinstance(wanted, LeastSquaresSpec):
        return LeastSquares(size, arms, ridge=wanted.ridge)
    if isinstance(wanted, RegressorSpec):
        return Regressor(regressor(wanted.regressor), arms, seed=weights)
    raise ValueError(f"method {spec.method.name} needs a predictor")


def regressor(name: str) -> Any:
    """A scikit-learn regressor by its name here.

    Raises:
        ValueError: for a name not listed.
    """
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.linear_model import Ridge
    from sklearn.neighbors import KNeighborsRegressor

    known = {
        "k_nearest": KNeighborsRegressor(n_neighbors=5),
        "ridge": Ridge(alpha=1.0),
        "gradient_boosting": HistGradientBoostingRegressor(max_iter=30, early_stopping=False),
    }
    if name not in known:
        raise ValueError(f"regressor must be one of {', '.join(known)}, not {name!r}")
    return known[name]


# ── The methods of the paper ────────────────────────────────────────────────────────────────────

RANDOM = Method("random", "Random", "random")
OPTIMAL = Method("optimal", "Optimal", "optimal")
LINEAR = Method("linear", "Linear", "epsilon_greedy", predictor=LeastSquaresSpec())
LINUCB = Method("linucb", "LinUCB", "linucb")
# Our choices where the paper is silent: see the architecture study.
DEEP_ARCHITECTURE = Architecture(channels=(8, 16, 32), fold=2, pool=(2, 2, 2), padding=(0, 0, 1))
DEEP = Method("deep", "Deep ε-greedy", "epsilon_greedy", 1.0, NetworkSpec(DEEP_ARCHITECTURE))
DEEP_WIDE = Method(
    "deep_wide",
    "Deep ε-greedy, width 1000",
    "epsilon_greedy",
    1.0,
    NetworkSpec(replace(DEEP_ARCHITECTURE, width=1000)),
)
SIMPLE_DEEP = Method("simple", "Simple Deep ε-greedy", "epsilon_greedy", 1.0, NetworkSpec(SIMPLE))
COMPARED = (OPTIMAL, DEEP, SIMPLE_DEEP, LINUCB, LINEAR, RANDOM)

_PAPER = (
    Experiment(
        "convergence",
        "Regret of Deep ε-greedy with 1000 neurons, one run without noise (Fig. 1)",
        (DEEP_WIDE,),
        glance=Scale(200, 1),
        quick=Scale(600, 1),
        paper=Scale(5000, 1),
    ),
    Experiment(
        "low_noise",
        "Normalized reward without noise (Fig. 2)",
        COMPARED,
        paper=Scale(2000, 12),
    ),
    Experiment(
        "high_noise",
        "Normalized reward with noise σ = 1 (Fig. 3)",
        COMPARED,
        paper=Scale(2000, 12),
        noise=1.0,
    ),
    Experiment(
        "convergence_repeats",
        "Regret of Deep ε-greedy with 1000 neurons over independent runs",
        (DEEP_WIDE,),
        quick=Scale(600, 3),
        paper=Scale(2000, 12),
    ),
)
PAPER_FIGURES = ("convergence", "low_noise", "high_noise")
EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in _PAPER}


def experiment(name: str) -> Experiment:
    """An experiment by name.

    Raises:
        ValueError: for an unknown name, with the known ones.
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"experiment must be one of {', '.join(EXPERIMENTS)}, not {name!r}")
    return EXPERIMENTS[name]
