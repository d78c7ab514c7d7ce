"""Notebook 08: what the words around its short runs say, beyond what it asserts itself."""

from dataclasses import replace

import numpy as np
import pytest

from bandits import mnist, study
from bandits.experiments import FIGURE_SEED, Scale, experiment
from bandits.results import interpolation
from bandits.results.exponent import never_drawn


def test_the_width_grows_with_the_pixels_and_then_deals_the_arms_out(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BANDITS_MNIST", "sample")
    monkeypatch.setenv("BANDITS_RESULTS", str(tmp_path_factory.mktemp("results")))
    live = replace(experiment("pixel_scale"), glance=Scale(200, 1))
    names = ["linucb_s1_255", "linucb_s255"]
    small, large = range(2)
    found = study.collected(live.select(names), "glance")
    assert found["width_range"][large, 0] > 100 * found["width_range"][small, 0]
    assert found["arm_counts"][small, 0].max() == 200
    assert found["arm_counts"][large, 0].min() > 30
    assert found["by_width"][large, 0] > 0.9


def test_a_ridge_mends_the_error_of_least_squares(sample: mnist.Mnist) -> None:
    sizes = (50, 200, 400)
    few = interpolation.study(sample, seed=FIGURE_SEED, arms=5, sizes=sizes, repeat=0)
    assert (few["error"][2] < few["error"][0]).all()


def test_without_end_a_share_of_the_arms_stays_undrawn() -> None:
    """Euler's product for the sine, quoted in the first answer."""
    exact = np.sin(np.pi / np.sqrt(5)) / (np.pi / np.sqrt(5))
    assert round(exact, 3) == 0.702
    assert never_drawn(10**9, arms=5, p=2) == pytest.approx(exact, rel=1e-6)
