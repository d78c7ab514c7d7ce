"""Notebook 02: what its words say beyond what it asserts itself."""

from typing import Any

import numpy as np
import pytest
from chapter import variables


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return variables("02", tmp_path_factory.mktemp("results"))


def test_optimal_earns_what_is_written(found: dict[str, Any]) -> None:
    assert found["bandit"].best_mean == pytest.approx(0.5 + 1.5 / np.pi * np.sin(np.pi / 3))
    assert round(found["bandit"].best_mean, 4) == 0.9135


def test_the_last_mistakes_cost_little(found: dict[str, Any]) -> None:
    best, rounds = found["best"], found["rounds"]
    assert best[-50:].mean() > best[:50].mean()
    gap = rounds.means.max(axis=1) - rounds.means[np.arange(200), found["D"]]
    mistaken = (~best & ~found["explored"])[-50:]
    assert mistaken.sum() == 3
    assert gap[-50:][mistaken].max() < 0.2


def test_the_studys_own_version_earns_and_explores_alike(found: dict[str, Any]) -> None:
    assert np.array_equal(found["played"].rewards, found["R"])
    assert np.array_equal(found["played"].explored, found["explored"])


def test_networks_learn_to_choose(found: dict[str, Any]) -> None:
    assert found["deep"].regret[-100:].mean() < 0.2  # Random's is 0.41


def test_the_schedules_differ_as_they_are_said_to(found: dict[str, Any]) -> None:
    lost, late, t = found["lost"], found["late"], found["t"]
    for name, p in found["powers"].items():
        exploring = (t ** -float(p)).mean() * (0.9135 - 0.5)
        assert 0.8 * exploring < lost[name].mean() < 0.25
    assert np.median(late["1"]) < np.median(late["1/2"])  # the other runs of p = 1 lose least
    assert late["1/2"].mean() < min(late["1"].mean(), late["1/3"].mean())


def test_the_starved_run_is_the_worst_of_those_shown(found: dict[str, Any]) -> None:
    shown = found["results"]["1"][found["worst"]]
    assert np.array_equal(found["starved"].actions, shown.actions)
    assert found["times"][found["neglected"]] == 0


def test_the_steps_until_an_arm_is_reached_are_as_in_the_answer() -> None:
    """By bisection on the logarithm of the product, instead of the product itself."""
    for arms, steps in ((3, 3_222), (5, 1_496_086)):
        before = np.log1p(-1 / (arms * np.arange(1, steps))).sum()
        after = before + np.log1p(-1 / (arms * steps))
        assert after <= np.log(0.05) < before
