"""What another policy would have earned, estimated from a stored run and its propensities.

The policy that is asked about must be fixed: its probabilities at a step depend on the context
alone, not on the rewards of the run. Then inverse propensity and doubly robust estimates are
unbiased, although the run's own policy learned (its propensities are of the step as it was taken).
References: Horvitz and Thompson (1952); Swaminathan and Joachims (2015) for the self-normalized
form; Dudík, Langford and Li (2011) for the doubly robust one.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from bandits.results.statistics import Interval
from bandits.simulate import Trajectory


def inverse_propensity(run: Trajectory, target: ArrayLike) -> Interval:
    """Mean reward a step of the target policy: the average of target / propensity · reward.

    Args:
        run: T steps, whose policy told its propensities.
        target: (T, K), the probability of each arm at each step; rows sum to 1.

    Returns:
        The estimate with its 95 % interval over steps (of a normal distribution).

    Raises:
        ValueError: if a propensity is unknown, or target is no table of probabilities.
    """
    return _normal(_weights(run, _table(run, target)) * run.rewards)


def self_normalized(run: Trajectory, target: ArrayLike) -> Interval:
    """As `inverse_propensity`, divided by the mean weight: a small bias, and often less variance.

    The interval is by the delta method.

    Raises:
        ValueError: as `inverse_propensity`, or if the target takes none of the arms taken.
    """
    weights = _weights(run, _table(run, target))
    if not weights.any():
        raise ValueError("the target policy takes none of the arms that the run took")
    estimate = float((weights * run.rewards).sum() / weights.sum())
    shifted = _normal(weights * (run.rewards - estimate) / weights.mean())
    return Interval(estimate, estimate + shifted.low, estimate + shifted.high)


def doubly_robust(run: Trajectory, target: ArrayLike, predictions: ArrayLike) -> Interval:
    """The predicted reward of the target, corrected on the arms taken; right if either part is.

    Args:
        run: as in `inverse_propensity`.
        target: likewise.
        predictions: (T, K), of each arm's reward, from a predictor that was not fitted to this run.

    Raises:
        ValueError: as `inverse_propensity`, or for predictions of another shape or not finite.
    """
    table, predicted = _table(run, target), np.asarray(predictions, dtype=np.float64)
    if predicted.shape != table.shape or not np.isfinite(predicted).all():
        raise ValueError(
            f"predictions must be {table.shape} finite numbers, and have shape {predicted.shape}"
        )
    taken = predicted[np.arange(len(run)), run.actions]
    return _normal((table * predicted).sum(axis=1) + _weights(run, table) * (run.rewards - taken))


def _table(run: Trajectory, target: ArrayLike) -> NDArray[np.float64]:
    table = np.asarray(target, dtype=np.float64)
    if table.ndim != 2 or len(table) != len(run) or table.shape[1] <= run.actions.max():
        raise ValueError(
            f"target must be ({len(run)}, K), with K > {run.actions.max()}, the probability of "
            f"each arm at each step, not of shape {table.shape}"
        )
    if not ((table >= 0).all() and np.allclose(table.sum(axis=1), 1, atol=1e-6)):
        raise ValueError("target must hold probabilities: none below 0, and each row with sum 1")
    return table


def _weights(run: Trajectory, table: NDArray[np.float64]) -> NDArray[np.float64]:
    unknown = np.isnan(run.propensities)
    if unknown.any():
        raise ValueError(
            f"the propensity at t = {int(unknown.argmax()) + 1} is unknown, since the policy told "
            "none; off-policy estimates need it at every step"
        )
    return table[np.arange(len(run)), run.actions] / run.propensities.astype(np.float64)


def _normal(terms: NDArray[np.float64]) -> Interval:
    mean = float(terms.mean())
    if len(terms) < 2:
        return Interval(mean, math.nan, math.nan)
    half = float(stats.norm.ppf(0.975) * terms.std(ddof=1) / math.sqrt(len(terms)))
    return Interval(mean, mean - half, mean + half)
