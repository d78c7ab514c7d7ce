"""Notebook 07: what its words say of the committed runs, counted anew from the runs themselves."""

import numpy as np
import pytest
from notebook_checks import ROOT

from bandits import theory
from bandits.environments import draw_exploration
from bandits.experiments import FIGURE_SEED
from bandits.results import paper, saved, verdicts
from bandits.results.statistics import fit_power_law
from bandits.simulate import Trajectory

FIGURES = ROOT / "figures"
NAMES = ("convergence", "convergence_repeats", "low_noise", "high_noise")


@pytest.fixture(scope="module")
def low() -> saved.SavedData:
    return saved.load_data("low_noise", FIGURES)[0]


@pytest.fixture(scope="module")
def deep() -> list[Trajectory]:
    return saved.load_runs("low_noise", FIGURES)["deep"]


def drawn(steps: int = 2000) -> np.ndarray:
    """Random pulls of each arm in the twelve runs, step by step."""
    pulls = np.zeros((12, 5), dtype=int)
    for run in range(12):
        dice = draw_exploration(FIGURE_SEED, run, steps, 5)
        for t in range(1, steps + 1):
            if dice.eta[t - 1] <= 1 / t:
                pulls[run, dice.rho[t - 1]] += 1
    return pulls


def test_the_arms_of_the_figure_are_those_of_its_runs(
    low: saved.SavedData, deep: list[Trajectory]
) -> None:
    counts = low["arm_counts"][verdicts.place_of(low, "deep")]
    for row, run in zip(counts, deep, strict=True):
        assert np.array_equal(np.bincount(run.actions, minlength=5), row)
    assert (counts.sum(axis=1) == 2000).all()


def test_random_pulls_are_as_many_as_the_law_says(deep: list[Trajectory]) -> None:
    pulls = drawn()
    for row, run in zip(pulls, deep, strict=True):
        assert np.array_equal(np.bincount(run.actions[run.explored], minlength=5), row)
    expected = theory.expected_random_pulls(2001, arms=5, p=1)
    assert abs(pulls.mean() - expected) < 4 * (expected / 60) ** 0.5
    chance = 1 - theory.probability_all_pulled(2001, arms=5, p=1, at_least=1)
    starved = (pulls == 0).any(axis=1).sum()
    assert abs(starved - 12 * chance) < 4 * (12 * chance * (1 - chance)) ** 0.5


def test_most_unused_arms_were_drawn_and_cost_nearly_half_of_the_regret(
    low: saved.SavedData,
) -> None:
    place = verdicts.place_of(low, "deep")
    counts = low["arm_counts"][place]
    unused = counts < 20
    assert (unused & (drawn() > 0)).sum() > (counts == 0).sum()
    best = np.array([sum(1 - (d / 10) ** k for d in range(1, 10)) for k in range(6)])
    cost = best[5] - best[5 - unused.sum(axis=1)]
    regret = low["late_best"][place] - low["late_mean"][place]
    assert 0.4 < cost.mean() / regret.mean() < 0.5


def test_one_seed_gives_one_run_and_the_fits_are_those_of_the_figures() -> None:
    curves = {}
    for name in NAMES[:2]:
        runs = saved.load_runs(name, FIGURES)["deep_wide"]
        curves[name] = [run.normalized_regret for run in runs]
        data, _ = saved.load_data(name, FIGURES)
        fits = [fit_power_law(c, first=int(data["fit_first"])).exponent for c in curves[name]]
        assert np.allclose(fits, data["exponents"])
    (one,), several = curves.values()
    assert np.array_equal(one[: len(several[0])], several[0])


def test_noise_changes_nothing_that_optimal_and_random_do() -> None:
    without, with_noise = (saved.load_runs(name, FIGURES) for name in NAMES[2:])
    for method in ("optimal", "random"):
        for one, other in zip(without[method], with_noise[method], strict=True):
            assert np.array_equal(one.actions, other.actions)
    added = np.concatenate(
        [
            other.rewards - one.rewards
            for one, other in zip(without["random"], with_noise["random"], strict=True)
        ]
    )
    assert abs(added.mean()) < 4 / len(added) ** 0.5
    assert added.std() == pytest.approx(1, abs=4 / (2 * len(added)) ** 0.5)


def test_one_run_decides_nothing() -> None:
    committed, _ = saved.load_those_there(NAMES, FIGURES)
    readings = paper.read_all(committed)
    assert {r.verdict for r in readings} == {"agrees", "does not agree", "undecided"}
    assert all(r.verdict == "undecided" for r in readings if r.runs == 1)
