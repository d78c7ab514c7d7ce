"""Verdicts against hand-worked cases and against the trajectories that a figure is drawn from."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bandits.environments import MnistBandit
from bandits.experiments import experiment
from bandits.mnist import Mnist
from bandits.policies import Optimal, Random
from bandits.results import paper, regret, reward, verdicts
from bandits.results.data import quarter
from bandits.results.regret import collect_regret
from bandits.results.reward import collect_reward_by_quarter
from bandits.results.statistics import Interval
from bandits.results.verdicts import MARGIN, Reading, verdict
from bandits.simulate import Trajectory, simulate

METHODS = ("optimal", "deep", "simple", "linucb", "linear", "random")


def trajectories(method: str, noise: float, runs: int, steps: int = 800) -> list[Trajectory]:
    """Stand-ins whose truth is known: Deep and Simple know the answer from a step on."""
    images = np.zeros((10, 28, 28), np.uint8)
    mnist = Mnist(images, np.arange(10, dtype=np.uint8), "sample", "ten blank images")
    knows_from = {"optimal": 0, "deep": 500, "simple": steps, "linucb": 0}.get(method, steps)
    found = []
    for run in range(runs):
        rounds = MnistBandit(mnist, noise=noise).rounds(3, run, steps)
        best = simulate(Optimal(rounds.means), rounds)
        chance = simulate(Random(5), rounds)
        late = np.arange(steps) >= knows_from
        found.append(
            Trajectory(*(np.where(late, getattr(best, f), getattr(chance, f)) for f in
                         ("actions", "rewards", "means", "best_means", "explored",
                          "propensities")))
        )  # fmt: skip
    return found


def figure(noise: float = 0.0, runs: int = 4, steps: int = 800) -> verdicts.Data:
    shown = experiment("low_noise" if noise == 0 else "high_noise")
    played = {name: trajectories(name, noise, runs, steps) for name in METHODS}
    return collect_reward_by_quarter(shown, played)


@pytest.mark.parametrize(
    "low, high, expected",
    [
        (-0.1, 0.1, "agrees"),
        (-0.15, 0.15, "agrees"),
        (0.16, 0.3, "does not agree"),
        (-0.3, -0.16, "does not agree"),
        (0.1, 0.2, "undecided"),
        (-1.0, 1.0, "undecided"),
        (math.nan, math.nan, "undecided"),
    ],
)
def test_an_interval_inside_outside_or_across(low: float, high: float, expected: str) -> None:
    assert verdict(Interval(0.0, low, high), -0.15, 0.15) == expected


def test_a_range_upside_down_is_refused() -> None:
    with pytest.raises(ValueError, match="low must be at most high, not 1 and 0"):
        verdict(Interval(0.0, 0.0, 0.0), 1, 0)


def test_late_regret_is_that_of_the_runs() -> None:
    expected = [run.regret[600:].mean() for run in trajectories("random", 0.0, 4)]
    assert np.allclose(reward.late_regret(figure(), "random"), expected)
    assert not reward.late_regret(figure(), "deep").any()


@pytest.mark.parametrize(
    "steps, expected",
    [
        (2000, [(0, 500), (500, 1000), (1000, 1500), (1500, 2000)]),
        (4, [(0, 1), (1, 2), (2, 3), (3, 4)]),
        (11, [(3, 5), (5, 7), (7, 9), (9, 11)]),
        (3, [(0, 0), (0, 1), (1, 2), (2, 3)]),
        (1, [(0, 0), (0, 0), (0, 0), (0, 1)]),
    ],
)
def test_quarters_are_equally_long_and_end_with_the_run(
    steps: int, expected: list[tuple[int, int]]
) -> None:
    parts = [quarter(steps, number) for number in (1, 2, 3, 4)]
    assert [(part.start, part.stop) for part in parts] == expected


@pytest.mark.parametrize("steps, noise", [(800, 0.0), (803, 1.0), (1200, 100.0)])
def test_a_quarter_s_regret_is_that_of_the_means_over_exactly_its_steps(
    steps: int, noise: float
) -> None:
    """Whatever the noise, and wherever the points lie that the curves are kept at."""
    data = figure(noise, runs=2, steps=steps)
    size = steps // 4
    for name in ("deep", "random"):
        for run, path in enumerate(trajectories(name, noise, 2, steps)):
            lost = [float(b) - float(m) for b, m in zip(path.best_means, path.means, strict=True)]
            for number in (1, 2, 3, 4):
                end = steps - (4 - number) * size
                expected = sum(lost[end - size : end]) / size
                found = reward.quarter_regret(data, name, number)[run]
                assert found == pytest.approx(expected, abs=1e-12)
    for name in METHODS:
        last = reward.quarter_regret(data, name, 4)
        np.testing.assert_allclose(last, reward.late_regret(data, name), atol=1e-12)


def test_no_verdict_is_read_off_the_noise() -> None:
    """Late reward, late regret, their fall and the exponent are of the means alone."""
    played = {name: trajectories(name, 1.0, 3) for name in METHODS}
    rng = np.random.default_rng(1)
    noisier = {
        name: [replace(r, rewards=rng.normal(50, 9, len(r)).astype(np.float32)) for r in runs]
        for name, runs in played.items()
    }

    def read(runs: dict[str, list[Trajectory]]) -> list[Reading]:
        data = collect_reward_by_quarter(experiment("high_noise"), runs)
        rate = collect_regret(experiment("convergence"), {"deep_wide": runs["random"]})
        return paper.read_all({"convergence": rate, "low_noise": data, "high_noise": data})

    readings = read(played)
    assert len(readings) == 1 + 2 * 8 + 4
    assert read(noisier) == readings


@pytest.mark.parametrize("steps", [1, 2, 3, 5])
def test_runs_too_short_for_quarters_give_no_number_that_is_none(steps: int) -> None:
    text = verdicts.table(reward.read_reward(figure(runs=3, steps=steps), "σ = 0"))
    assert "nan" not in text
    assert ("third quarter" in text) == (steps > 1)


def test_known_stand_ins_get_the_verdicts_they_deserve() -> None:
    found = {(r.case, r.measured): r.verdict for r in paper.read_all(
        {"low_noise": figure(), "high_noise": figure(1.0)})}  # fmt: skip
    for case in ("σ = 0", "σ = 1"):
        assert found[case, "late regret of Deep"] == "agrees"
        assert found[case, "Deep's regret, third quarter − last"] == "agrees"
        assert found[case, "late regret of Simple"] == "agrees"
        assert found[case, "Simple's regret, third quarter − last"] == "undecided"
        assert found[case, "Deep − Simple, late reward"] == "agrees"
        assert found[case, "LinUCB − Random, late reward"] == "does not agree"
        assert found[case, "Linear − Random, late reward"] == "agrees"
    same = "σ = 0 against 1", "Deep, late reward without noise − with"
    assert found[same] == "agrees"
    assert len(found) == 2 * 8 + 4


def test_simple_is_asked_what_deep_is_asked() -> None:
    """With the names exchanged it is Simple that learns late, and does not stop short."""
    exchanged = figure()
    exchanged["methods"][[1, 2]] = exchanged["methods"][[2, 1]]
    found = {r.measured: r for r in reward.read_reward(exchanged, "σ = 0")}
    assert found["Simple's regret, third quarter − last"].verdict == "does not agree"
    assert found["Deep's regret, third quarter − last"].verdict == "undecided"
    simple = found["Simple's regret, third quarter − last"].value
    deep = {r.measured: r.value for r in reward.read_reward(figure(), "σ = 0")}
    assert simple == deep["Deep's regret, third quarter − last"]


def test_one_run_decides_nothing() -> None:
    readings = paper.read_all({"low_noise": figure(runs=1)})
    assert {r.verdict for r in readings} == {"undecided"}
    assert "(no interval)" in verdicts.table(readings)
    assert "nan" not in verdicts.table(readings)


def test_runs_that_only_one_figure_has_are_left_out_of_the_comparison() -> None:
    readings = reward.read_noise(figure(runs=2), figure(1.0, runs=3))
    assert [r.runs for r in readings] == [2, 2, 2, 2]


@pytest.mark.parametrize(
    "exponents, expected",
    [([-0.52, -0.5, -0.48], "agrees"), ([-0.2, -0.21, -0.22], "does not agree"),
     ([-0.5], "undecided")],
)  # fmt: skip
def test_the_rate(exponents: list[float], expected: str) -> None:
    reading = regret.read_rate({"exponents": np.array(exponents)}, "Fig. 1")
    assert reading.verdict == expected


def test_the_rate_is_read_from_a_figures_data() -> None:
    data = collect_regret(experiment("convergence"), {"deep_wide": trajectories("random", 0.0, 3)})
    (reading,) = paper.read_all({"convergence_repeats": data})
    assert reading.verdict == "does not agree"
    assert abs(reading.value.mean) < 0.1  # the regret of uniform choice does not fall


def test_the_table_has_a_row_for_each_reading() -> None:
    reading = Reading("c", "σ = 0", "m", Interval(-0.001, -0.012, 0.0123), 12, -MARGIN, MARGIN)
    text = verdicts.table([reading])
    assert text.splitlines()[2] == "| c | σ = 0 | m | 0.00 [-0.01, 0.01] | 12 | **agrees** |"


def test_a_method_or_quarter_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="not 'greedy'"):
        reward.late_regret(figure(), "greedy")
    with pytest.raises(ValueError, match="quarter must be 1, 2, 3 or 4, not 5"):
        reward.quarter_regret(figure(), "deep", 5)
