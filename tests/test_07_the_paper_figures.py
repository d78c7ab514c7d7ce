"""Notebook 07: what its words say of the committed runs, counted anew from the runs themselves."""

import numpy as np
import pytest
from notebook_checks import ROOT

from bandits import theory
from bandits.environments import draw_exploration
from bandits.experiments import FIGURE_SEED
from bandits.results import paper, saved, verdicts
from bandits.results.horizon_panels import local_exponents
from bandits.results.statistics import fit_power_law
from bandits.simulate import Trajectory

FIGURES = ROOT / "figures"
NAMES = ("convergence", "convergence_repeats", "low_noise", "high_noise")


@pytest.fixture(scope="module")
def low() -> saved.SavedData:
    return saved.load_data("low_noise", FIGURES)[0]


@pytest.fixture(scope="module")
def words() -> str:
    """The chapter's text, each run of white space as one blank."""
    text = (ROOT / "notebooks" / "07_the_paper_figures.py").read_text("utf-8")
    return " ".join(line.lstrip("# ") for line in text.splitlines())


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


def test_what_is_said_of_the_networks_errors_is_what_the_fits_lost(words: str) -> None:
    data, _ = saved.load_data("error_causes", FIGURES)
    lost = dict(zip(data["variants"].tolist(), data["regret"].mean(axis=1), strict=True))
    bandit = data["bandit_regret"].mean()
    assert f"costs {lost['quarter']:.2f}, four times as many {lost['fourfold']:.2f}." in words
    assert f"the network loses {lost['own']:.2f}, where the bandit's," in words
    assert f"bit by bit as they came, lose {bandit:.2f}, and" in words
    assert f"as many uniform ones leave {lost['same']:.2f}." in words
    assert f"does not help ({lost['decay']:.2f}); twice the channels" in words
    assert f"lose a little less ({lost['wide']:.2f})" in words
    run = saved.load_runs("error_causes", FIGURES)["deep"][0]
    arm = np.bincount(run.actions).argmax()
    assert (run.means[run.actions == arm] >= 7).mean() > 0.7  # "mostly large digits"


def test_what_is_said_of_the_exponents_is_what_they_lost(words: str) -> None:
    data, _ = saved.load_data("long_exponent", FIGURES)
    assert data["p"] == pytest.approx([1 / 3, 1 / 2, 2 / 3, 1])
    lost = (data["late_best"] - data["late_mean"])[..., -1]
    third, half, two_thirds, one = lost.mean(axis=1)
    assert f"is {half:.2f} and {two_thirds:.2f} for $p = 1/2$" in words
    assert f"against {one:.2f} for $p = 1$ and {third:.2f} for" in words
    assert (lost[1:3] < lost[3]).all()  # "in both runs 1/2 and 2/3 lose less than p = 1"
    five, _ = saved.load_data("long_low_noise", FIGURES)
    deep = (five["late_best"] - five["late_mean"])[verdicts.place_of(five, "deep"), :, -1]
    assert f"lose between {deep.min():.2f} and {deep.max():.2f}." in words
    random, unused, errors = np.moveaxis(data["causes"], 2, 0)
    assert f"the random steps still cost {random[0, :, -1].mean():.2f}" in words
    assert errors[..., -1] == pytest.approx(0.2, abs=0.05)
    first = data["edges"][:-1]
    assert (unused[:3, :, first >= 612] == 0).all()
    assert (unused[:3, :, first < 612].max(axis=(1, 2)) > 0).all()
    assert sorted(unused[3, :, -1]) == pytest.approx([0, 31167 / 4000 - 7.4667], abs=1e-3)
    for k in (1, 2):
        t, slopes = local_exponents(data["t"], data["normalized_regret"][k])
        assert slopes[:, -1] == pytest.approx(-0.48, abs=0.01)
        assert (slopes[:, -1] < slopes[:, np.searchsorted(t, 10_000)]).all()


def test_what_is_said_of_the_noisy_long_runs_is_what_they_lost(words: str) -> None:
    calm, _ = saved.load_data("long_low_noise", FIGURES)
    loud, _ = saved.load_data("long_high_noise", FIGURES)

    def lost(data: saved.SavedData, name: str, horizon: int = -1) -> np.ndarray:
        return (data["late_best"] - data["late_mean"])[verdicts.place_of(data, name), :2, horizon]

    assert loud["late_mean"].shape[1] == 2, "the text says two runs"
    names = ("deep", "simple", "linucb", "linear")
    for data in (calm, loud):  # the order, in both runs
        assert (np.diff([lost(data, name) for name in names], axis=0) > 0).all()
    np.testing.assert_allclose(lost(calm, "random"), lost(loud, "random"))  # the same states
    late = [(lost(loud, name) - lost(calm, name)).mean() for name in names]
    assert "noise costs Deep {:.2f} and Simple {:.2f}, and LinUCB".format(*late) in words
    assert "LinUCB and Linear {2:.2f} and {3:.2f}. At 2,000 steps".format(*late) in words
    early = [(lost(loud, name, 0) - lost(calm, name, 0)).mean() for name in names]
    assert "same runs {:.2f}, {:.2f}, {:.2f} and {:.2f}; so".format(*early) in words
    assert late[0] > early[0]  # "the cost has grown for Deep only"
    assert all(b < a for a, b in zip(early[1:], late[1:], strict=True))
    place = verdicts.place_of(loud, "deep")
    errors = [data["causes"][place, :2, 2, -1] for data in (calm, loud)]
    told = " against ".join(f"{one:.2f} and {two:.2f}" for one, two in reversed(errors))
    without_an_arm = (calm["causes"][place, :2, 1, -1] > 0).sum()
    assert without_an_arm == 1  # "one of which does without an arm where there is no noise"
    assert f"its errors on them cost {told.replace(' against', ', against')} without noise" in words
    _, slopes = local_exponents(loud["t"], loud["normalized_regret"][place])
    assert f"about as $t^{{{slopes[:, -1].mean():.2f}}}$ at the end" in words


def test_what_is_said_of_the_longest_runs_is_what_they_lost(words: str) -> None:
    data, _ = saved.load_data("long_convergence", FIGURES)
    five, _ = saved.load_data("long_low_noise", FIGURES)
    lost = (data["late_best"] - data["late_mean"])[:, 0, -1]
    assert data["late_mean"].shape[1] == 1, "the text says one run of each"
    assert [f"{value:.2f}" for value in lost] == ["0.11", "0.11"]
    assert "lose 0.11 per step in their last quarter" in words
    ends = []
    for k in range(2):
        t, slopes = local_exponents(data["t"], data["normalized_regret"][k])
        assert (slopes[0, t > 31_000] < -0.5).all()  # "since about 30,000 steps"
        assert (slopes[0, (t > 5000) & (t < 26_000)] > -0.5).all()
        ends.append(f"{slopes[0, -1]:.2f}")
    assert f"a slope of ${ends[0]}$ and ${ends[1]}$ at the end" in words
    place = verdicts.place_of(five, "deep")
    at_40_000 = (five["late_best"] - five["late_mean"])[place, :, -1]
    without = five["causes"][place, :, 1, -1] > 0
    low, high = at_40_000[without].min(), at_40_000[without].max()
    assert without.sum() == 3
    assert f"three do without an arm at 40,000 steps, and lose {low:.2f} to {high:.2f}." in words
    for p, name in ((0, "long_low_noise"), (1, "long_exponent")):  # up to 40,000 the runs above
        method = str(data["methods"][p])
        (long,) = saved.load_runs("long_convergence", FIGURES)[method]
        assert np.array_equal(
            long.actions[:40_000], saved.load_runs(name, FIGURES)[method][0].actions
        )
