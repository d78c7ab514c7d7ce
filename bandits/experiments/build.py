"""From a run's frozen description to the bandit and the fresh policy that play it."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits.checks import UsageError, one_of
from bandits.classification import Classification
from bandits.environments import Bandit, MnistBandit, Rounds
from bandits.experiments.code import Code
from bandits.experiments.method import LeastSquaresSpec, Method, NetworkSpec, RegressorSpec
from bandits.experiments.spec import SETTINGS, Experiment, RunSpec
from bandits.experiments.supply import (
    BANDIT_GIVEN,
    POLICY_GIVEN,
    PREDICTOR_GIVEN,
    check_named,
    named,
    supply,
)
from bandits.mnist import Mnist
from bandits.policies import Policy
from bandits.predictors import LeastSquares, Predictor, Regressor
from bandits.schedules import NeverExplore, PowerSchedule, Schedule
from bandits.streams import Stream, seed_sequence

Given = Mapping[str, Callable[[], Any]]


def environment(spec: RunSpec, mnist: Mnist) -> Bandit:
    """The bandit that a run plays."""
    if isinstance(spec.bandit, Classification):
        from bandits.classification import bandit, examples

        drawn = examples.load(spec.bandit.data, mnist)
        return bandit.ClassificationBandit(drawn, spec.noise)
    if not isinstance(spec.bandit, Code):
        return MnistBandit(mnist, spec.arms, spec.noise, spec.method.pixel_scale)
    given = {"mnist": lambda: mnist, "arms": lambda: spec.arms, "noise": lambda: spec.noise}
    made: Bandit = supply(spec.bandit.value, given)
    return made


def build_policy(spec: RunSpec, rounds: Rounds, device: str = "cpu") -> Policy:
    """The fresh policy of a run; torch is loaded only where there are networks."""
    given = _given(spec, rounds, device)
    parameters = {
        name: part.value if isinstance(part, Code) else part
        for name, part in dict(spec.method.parameters).items()
    }
    policy: Policy = supply(spec.method.makes, given, parameters)
    return policy


def _given(spec: RunSpec, rounds: Rounds, device: str) -> Given:
    """What a run gives to its policy and predictor, each made when it is asked for."""
    method = spec.method

    def generator(t: int) -> np.random.Generator:
        return np.random.default_rng(seed_sequence(spec.seed, spec.run, Stream.POLICY, int(t)))

    given: dict[str, Callable[[], Any]] = {
        "arms": lambda: rounds.arms,
        "context_size": lambda: rounds.context_size,
        "steps": lambda: rounds.steps,
        "train_every": lambda: spec.train_every,
        "means": lambda: _to_read(rounds.means),
        "schedule": lambda: _schedule(method),
        "predictor": lambda: _predictor(method, given),
        "predictors": lambda: lambda count: _predictors(method, given, count),
        "ties": lambda: method.ties,
        "train_on": lambda: method.train_on,
        "recall": lambda: lambda t: rounds.contexts(t - 1),
        "generator": lambda: generator,
        "weights": lambda: seed_sequence(spec.seed, spec.run, Stream.WEIGHTS),
        "batches": lambda: seed_sequence(spec.seed, spec.run, Stream.BATCHES),
        "device": lambda: device,
    }
    return given


def _to_read(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A copy on which nobody can write: what a policy does must not change what it is paid."""
    copy = values.copy()
    copy.flags.writeable = False
    return copy


def _schedule(method: Method) -> Schedule:
    if isinstance(method.schedule, Code):
        schedule: Schedule = method.schedule.value
        return schedule
    return NeverExplore() if method.p is None else PowerSchedule(method.p)


def _predictor(method: Method, given: Given) -> Predictor:
    wanted = method.predictor
    if isinstance(wanted, NetworkSpec):
        # One of the two: in a reader's browser another module stands for the first.
        if wanted.shared:
            from bandits.shared_network import SharedNetwork as Networks
        else:
            from bandits.networks import Networks  # type: ignore[assignment]

        own = {"architecture": wanted.architecture, "training": wanted.training}
        return supply(Networks, given, own)  # type: ignore[no-any-return]
    if isinstance(wanted, LeastSquaresSpec):
        return LeastSquares(given["context_size"](), given["arms"](), ridge=wanted.ridge)
    if isinstance(wanted, RegressorSpec):
        return Regressor(regressor(wanted.regressor), given["arms"](), seed=given["weights"]())
    if isinstance(wanted, Code):
        given = {name: given[name] for name in PREDICTOR_GIVEN}
        return supply(wanted.value, given)  # type: ignore[no-any-return]
    raise ValueError(f"method {method.name} needs a predictor")


def _predictors(method: Method, given: Given, count: int) -> list[Predictor]:
    """As many predictors of one kind, each with random numbers of its own."""
    seeds = zip(*(given[name]().spawn(count) for name in ("weights", "batches")), strict=True)
    return [
        _predictor(method, {**given, "weights": lambda w=w: w, "batches": lambda b=b: b})  # type: ignore[misc]
        for w, b in seeds
    ]


def check_experiment(experiment: Experiment) -> None:
    """Refuse, before any work, methods or a bandit that cannot be built or heed not all settings.

    Raises:
        UsageError: naming the method or experiment, and the setting.
    """
    who, task = f"experiment {experiment.name}", experiment.bandit
    if experiment.over:
        if experiment.arms != SETTINGS["arms"].default:
            raise UsageError(
                f"{who} has arms = {experiment.arms}, but each of its tasks has its own"
            )
        for part, _ in experiment.parts(experiment.paper):
            check_experiment(part)
        return
    for method in experiment.methods:
        check_method(method)
    if task is None:
        return
    if isinstance(task, Classification):
        if experiment.arms != task.classes:
            raise UsageError(
                f"{who} has arms = {experiment.arms}, and {task.data} has an arm for each of its "
                f"{task.classes} classes"
            )
    elif isinstance(task, Code):
        check_named(who, task.value, BANDIT_GIVEN)
        if experiment.noise and "noise" not in named(task.value):
            raise UsageError(
                f"{who} has noise = {experiment.noise:g}, which its bandit does not read"
            )
    for method in experiment.methods:
        if method.pixel_scale != 1:
            raise UsageError(f"{who}: method {method.name} has a pixel_scale, which is of MNIST's")


def check_method(method: Method) -> None:
    """Refuse, before any work, a method that cannot be built, or has a setting that nothing reads.

    Raises:
        UsageError: naming the method and the setting.
    """
    who, makes = f"method {method.name}", method.makes
    own = dict(method.parameters)
    check_named(who, makes, POLICY_GIVEN, own)
    reads = {name: needed for name, needed in named(makes).items() if name not in own}
    if "predictors" in reads:
        reads["predictor"] = reads["predictors"]
    for name, told, is_given in (
        ("schedule", "p" if method.schedule is None else "schedule", method.explores),
        ("predictor", "predictor", method.predictor is not None),
        ("ties", "ties", method.ties != "first"),
        ("train_on", "train_on", method.train_on != "all"),
    ):
        if is_given and name not in reads:
            raise UsageError(f"{who} has a setting {told}, which its policy does not read")
    if method.p is not None and method.schedule is not None:
        raise UsageError(f"{who} has p = {method.p:g} and a schedule; it can have one of them")
    if reads.get("predictor") and method.predictor is None:
        raise UsageError(f"{who} needs a predictor")
    if isinstance(method.predictor, Code):
        check_named(who, method.predictor.value, PREDICTOR_GIVEN)


def regressor(name: str) -> Any:
    """A scikit-learn regressor by its name here.

    Raises:
        ValueError: for a name not listed.
    """
    from sklearn.ensemble import GradientBoostingRegressor
    from sklearn.linear_model import Ridge
    from sklearn.neighbors import KNeighborsRegressor

    known = {
        "k_nearest": KNeighborsRegressor(n_neighbors=5),
        "ridge": Ridge(alpha=1.0),
        # Each split looks at √3920 pixels: as good as all of them here, and 20 times cheaper.
        "boosted_trees": GradientBoostingRegressor(n_estimators=100, max_features="sqrt"),
    }
    return known[one_of("regressor", name, tuple(known))]
