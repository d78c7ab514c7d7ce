"""From a run's frozen description to the bandit and the fresh policy that play it."""

from typing import Any

from bandits.checks import one_of
from bandits.environments import MnistBandit, Rounds
from bandits.experiments.method import LeastSquaresSpec, NetworkSpec, RegressorSpec
from bandits.experiments.spec import RunSpec
from bandits.mnist import Mnist
from bandits.policies import EpsilonGreedy, LinUCB, Optimal, Policy, Random
from bandits.predictors import LeastSquares, Predictor, Regressor
from bandits.schedules import NeverExplore, PowerSchedule
from bandits.streams import Stream, seed_sequence


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
    return EpsilonGreedy(
        schedule,
        predictor,
        arms,
        ties=method.ties,
        train_on=method.train_on,
        recall=lambda t: rounds.contexts(t - 1),
    )


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
