"""Verdicts against hand-worked cases and against the trajectories that a figure is drawn from."""

import math

import numpy as np
import pytest

from bandits import verdicts
from bandits.analysis import Interval
from bandits.collect import collect_regret, collect_reward
from bandits.environments import MnistBandit
from bandits.experiments import experiment
from bandits.mnist import Mnist
from bandits.policies import Optimal, Random
from bandits.simulate import Trajectory, simulate
from bandits.verdicts import MARGIN, Reading, verdict

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


def figure(noise: float = 0.0, runs: int = 4) -> verdicts.Data:
    shown = experiment("low_noise" if noise == 0 else "high_noise")
    return collect_reward(shown, {name: trajectories(name, noise, runs) for name in METHODS})


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
    assert np.allclose(verdicts.late_regret(figure(), "random"), expected)
    assert not verdicts.late_regret(figure(), "deep").any()


@pytest.mark.parametrize("quarter", [1, 2, 3, 4])
def test_the_gap_of_a_quarter_is_that_of_the_runs(quarter: int) -> None:
    """Without noise the gap in reward is the regret; the curves keep 400 of the 800 steps."""
    part = slice(200 * (quarter - 1), 200 * quarter)
    expected = [run.regret[part].mean() for run in trajectories("deep", 0.0, 4)]
    assert np.allclose(verdicts.quarter_gap(figure(), "deep", quarter), expected, atol=0.1)


def test_known_stand_ins_get_the_verdicts_they_deserve() -> None:
    found = {(r.case, r.measured): r.verdict for r in verdicts.read_all(
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
    found = {r.measured: r for r in verdicts.read_reward(exchanged, "σ = 0")}
    assert found["Simple's regret, third quarter − last"].verdict == "does not agree"
    assert found["Deep's regret, third quarter − last"].verdict == "undecided"
    simple = found["Simple's regret, third quarter − last"].value
    deep = {r.measured: r.value for r in verdicts.read_reward(figure(), "σ = 0")}
    assert simple == deep["Deep's regret, third quarter − last"]


def test_one_run_decides_nothing() -> None:
    readings = verdicts.read_all({"low_noise": figure(runs=1)})
    assert {r.verdict for r in readings} == {"undecided"}
    assert "(no interval)" in verdicts.table(readings)
    assert "nan" not in verdicts.table(readings)


def test_runs_that_only_one_figure_has_are_left_out_of_the_comparison() -> None:
    readings = verdicts.read_noise(figure(runs=2), figure(1.0, runs=3))
    assert [r.runs for r in readings] == [2, 2, 2, 2]


@pytest.mark.parametrize(
    "exponents, expected",
    [([-0.52, -0.5, -0.48], "agrees"), ([-0.2, -0.21, -0.22], "does not agree"),
     ([-0.5], "undecided")],
)  # fmt: skip
def test_the_rate(exponents: list[float], expected: str) -> None:
    reading = verdicts.read_rate({"exponents": np.array(exponents)}, "Fig. 1")
    assert reading.verdict == expected


def test_the_rate_is_read_from_a_figures_data() -> None:
    data = collect_regret(experiment("convergence"), {"deep_wide": trajectories("random", 0.0, 3)})
    (reading,) = verdicts.read_all({"convergence_repeats": data})
    assert reading.verdict == "does not agree"
    assert abs(reading.value.mean) < 0.1  # the regret of uniform choice does not fall


def test_the_table_has_a_row_for_each_reading() -> None:
    reading = Reading("c", "σ = 0", "m", Interval(-0.001, -0.012, 0.0123), 12, -MARGIN, MARGIN)
    text = verdicts.table([reading])
    assert text.splitlines()[2] == "| c | σ = 0 | m | 0.00 [-0.01, 0.01] | 12 | **agrees** |"


def test_a_method_or_quarter_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="not 'greedy'"):
        verdicts.late_regret(figure(), "greedy")
    with pytest.raises(ValueError, match="quarter must be 1, 2, 3 or 4, not 5"):
        verdicts.quarter_gap(figure(), "deep", 5)
