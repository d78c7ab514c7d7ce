"""Off-policy estimates against exact expectations and a case worked by hand."""

import numpy as np
import pytest

from bandits.environments import SyntheticBandit
from bandits.policies import Random
from bandits.results.off_policy import doubly_robust, inverse_propensity, self_normalized
from bandits.simulate import Trajectory, simulate


def run_of(actions: list[int], rewards: list[float], propensities: list[float]) -> Trajectory:
    n = len(actions)
    return Trajectory(
        np.array(actions), np.array(rewards, np.float32), np.zeros(n), np.zeros(n),
        np.zeros(n, bool), np.array(propensities, np.float32),
    )  # fmt: skip


def test_a_case_worked_by_hand() -> None:
    run = run_of([0, 1, 0, 1], [1.0, 2.0, 3.0, 6.0], [0.5, 0.25, 0.5, 1.0])
    target = np.array([[1.0, 0.0], [0.5, 0.5], [0.25, 0.75], [0.0, 1.0]])
    # Weights: 2, 2, 1/2, 1.
    estimate = inverse_propensity(run, target)
    assert estimate.mean == pytest.approx((2 + 4 + 1.5 + 6) / 4)
    deviation = np.std([2, 4, 1.5, 6], ddof=1)
    assert estimate.high - estimate.mean == pytest.approx(1.959964 * deviation / 2)
    assert self_normalized(run, target).mean == pytest.approx((2 + 4 + 1.5 + 6) / 5.5)
    predictions = np.tile([1.0, 4.0], (4, 1))
    # Predicted of the target: 1, 2.5, 3.25, 4; corrections: 0, 2·(−2), ½·2, 2.
    expected = (1 + 0 + 2.5 - 4 + 3.25 + 1 + 4 + 2) / 4
    assert doubly_robust(run, target, predictions).mean == pytest.approx(expected)


def test_the_estimates_cover_the_exact_value_of_another_policy() -> None:
    bandit = SyntheticBandit(3, noise=0.3)
    rounds = bandit.rounds(5, 0, 20_000)
    run = simulate(Random(3), rounds)
    target = np.eye(3)[rounds.means.argmax(axis=1)] * 0.9 + 0.1 / 3
    exact = 0.9 * bandit.best_mean + 0.1 * 0.5
    widths = {}
    for name, estimate in (
        ("ips", inverse_propensity(run, target)),
        ("snips", self_normalized(run, target)),
        ("dr", doubly_robust(run, target, rounds.means)),
    ):
        assert estimate.low < exact < estimate.high, name
        widths[name] = estimate.high - estimate.low
    assert widths["dr"] < widths["snips"] < widths["ips"]


def test_what_cannot_be_estimated_is_refused() -> None:
    known = run_of([0, 1], [1.0, 2.0], [0.5, 0.5])
    unknown = run_of([0, 1], [1.0, 2.0], [0.5, np.nan])
    uniform = np.full((2, 2), 0.5)
    for estimate in (inverse_propensity, self_normalized):
        with pytest.raises(ValueError, match="the propensity at t = 2 is unknown"):
            estimate(unknown, uniform)
        with pytest.raises(ValueError, match="each row with sum 1"):
            estimate(known, np.ones((2, 2)))
        with pytest.raises(ValueError, match=r"target must be \(2, K\), with K > 1"):
            estimate(known, np.ones((2, 1)))
    with pytest.raises(ValueError, match="takes none of the arms"):
        self_normalized(run_of([0, 0], [1.0, 1.0], [1.0, 1.0]), np.eye(2)[[1, 1]])
    with pytest.raises(ValueError, match=r"predictions must be \(2, 2\)"):
        doubly_robust(known, uniform, np.ones(2))
    with pytest.raises(ValueError, match="finite numbers, and have shape"):
        doubly_robust(known, uniform, np.full((2, 2), np.nan))
