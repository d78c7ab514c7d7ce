"""The numbers of a figure are those of the runs, and the picture shows the numbers."""

from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from commands import python
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb
from scipy import stats

from bandits.engine.npz import write_arrays
from bandits.experiments import EXPERIMENTS, Experiment
from bandits.results import plots
from bandits.results.data import REWARD_POINTS, Data, kept_steps
from bandits.results.figures import changes
from bandits.results.figures import draw as draw_again
from bandits.results.regret import collect_regret, regret_figure
from bandits.results.reward import collect_reward, reward_figure
from bandits.simulate import Trajectory
from bandits.theory.mnist_facts import expected_best

STEPS, RUNS = 900, 4


def trajectory(seed: int, steps: int = STEPS) -> Trajectory:
    rng = np.random.default_rng(seed)
    digits = rng.integers(0, 10, (steps, 5))
    actions = rng.integers(0, 5, steps)
    means = digits[np.arange(steps), actions].astype(float)
    return Trajectory(
        actions=actions,
        rewards=(means + rng.normal(size=steps)).astype(np.float32),
        means=means,
        best_means=digits.max(axis=1).astype(float),
        explored=np.ones(steps, bool),
        propensities=np.full(steps, 0.2, np.float32),
    )


def runs_of(experiment: Experiment, runs: int = RUNS) -> dict[str, list[Trajectory]]:
    return {
        method.name: [trajectory(100 * place + run) for run in range(runs)]
        for place, method in enumerate(experiment.methods)
    }


LOW = EXPERIMENTS["low_noise"]
WIDE = EXPERIMENTS["convergence_repeats"]


def collected(experiment: Experiment, runs: int = RUNS) -> Data:
    collect = {LOW.name: collect_reward, WIDE.name: collect_regret}[experiment.name]
    return collect(experiment, runs_of(experiment, runs))


@pytest.fixture(scope="module")
def reward() -> Data:
    return collected(LOW)


@pytest.fixture(scope="module")
def regret() -> Data:
    return collected(WIDE)


# Numbers


def test_kept_steps_are_whole_distinct_and_reach_both_ends() -> None:
    for steps in (1, 2, 399, 400, 401, 5000):
        t = kept_steps(steps)
        assert (t[0], t[-1], len(t)) == (1, steps, min(steps, REWARD_POINTS))
        assert (np.diff(t) > 0).all()


def test_rewards_are_collected_as_a_loop_over_the_steps_gives_them(reward: Data) -> None:
    t = reward["t"]
    for row, (name, runs) in enumerate(runs_of(LOW).items()):
        assert reward["methods"][row] == name
        for column, run in enumerate(runs):
            total, curve = 0.0, []
            for step, value in enumerate(run.rewards.tolist(), start=1):
                total += value
                curve.append(total / step)
            direct = np.array(curve)[t - 1]
            np.testing.assert_allclose(reward["curves"][row, column], direct, rtol=1e-6)
            assert reward["final_reward"][row, column] == pytest.approx(curve[-1], rel=1e-12)
            assert reward["late_mean"][row, column] == pytest.approx(run.means[-225:].mean())
            assert reward["late_best"][row, column] == pytest.approx(run.best_means[-225:].mean())
            counts = [int((run.actions == arm).sum()) for arm in range(5)]
            assert reward["arm_counts"][row, column].tolist() == counts
    last = reward["final_reward"][0]
    low, high = stats.ttest_1samp(last, 0).confidence_interval(0.95)
    assert reward["mean"][0, -1] == pytest.approx(last.mean())
    assert reward["half_width"][0, -1] == pytest.approx((high - low) / 2)


def test_regrets_are_collected_with_the_power_law_of_each_run_and_of_the_mean(regret: Data) -> None:
    first, t = int(regret["fit_first"]), np.arange(1, STEPS + 1)
    runs = runs_of(WIDE)["deep_wide"]
    curves = [np.cumsum(run.best_means - run.means) / t for run in runs]
    assert (first, int(regret["fit_last"])) == (45, STEPS)
    for row, curve in enumerate([*curves, np.mean(curves, axis=0)]):
        x, y = np.log(t[first - 1 :]), np.log(curve[first - 1 :])
        w = 1 / t[first - 1 :]  # weighted least squares by its textbook formula
        x_mean, y_mean = np.average(x, weights=w), np.average(y, weights=w)
        slope = (w * (x - x_mean) * (y - y_mean)).sum() / (w * (x - x_mean) ** 2).sum()
        names = ("exponents", "constants") if row < RUNS else ("exponent_of_mean", "")
        found = regret[names[0]][row] if row < RUNS else regret[names[0]]
        assert float(found) == pytest.approx(slope, rel=1e-6)
        if row < RUNS:
            np.testing.assert_allclose(regret["normalized_regret"][row], curve[regret["t"] - 1])
            constant = np.exp(y_mean - slope * x_mean)
            assert float(regret["constants"][row]) == pytest.approx(constant, rel=1e-6)
            assert regret["late_regret"][row] == pytest.approx(runs[row].regret[-225:].mean())


def test_what_differs_from_the_reported_experiment_is_told() -> None:
    assert changes(LOW) == changes(LOW.select(["deep", "random"])) == []
    other = replace(LOW, noise=0.5, methods=tuple(
        method if method.p is None else replace(method, p=0.25) for method in LOW.methods
    ))  # fmt: skip
    assert changes(other) == ["noise σ = 0.5", "p = 0.25"]


# Pictures


def test_both_levels_are_drawn_where_theory_puts_them(reward: Data) -> None:
    axes = reward_figure(reward, "caption").axes[0]
    levels = [line.get_ydata()[0] for line in axes.lines if len(set(line.get_ydata())) == 1]
    assert levels[:2] == [pytest.approx(7.79175, abs=1e-12), 4.5]
    texts = [text.get_text() for text in axes.texts]
    assert "best possible: 7.79175" in texts
    assert "uniform choice: 4.5" in texts
    low, high = axes.get_ylim()
    assert low < 4.5 < 7.79175 < high


@pytest.mark.parametrize("arms", range(1, 6))
def test_the_best_level_is_that_of_the_number_of_arms(arms: int) -> None:
    states = np.indices((10,) * arms).reshape(arms, -1)
    assert float(expected_best(arms)) == pytest.approx(states.max(axis=0).mean(), rel=1e-12)


def test_the_curves_drawn_are_the_data(reward: Data) -> None:
    axes = reward_figure(reward, "caption").axes[0]
    curves = axes.lines[2:]
    assert len(curves) == len(reward["methods"])
    for row, line in enumerate(curves):
        np.testing.assert_array_equal(line.get_xdata(), reward["t"])
        np.testing.assert_array_equal(line.get_ydata(), reward["mean"][row])
        (band,) = axes.collections[row].get_paths()
        edges = reward["mean"][row] + np.outer([-1, 1], reward["half_width"][row])
        inside = np.isfinite(edges).all(axis=0)
        assert band.vertices[:, 1].min() == pytest.approx(edges[:, inside].min())
        assert band.vertices[:, 1].max() == pytest.approx(edges[:, inside].max())
    labels = {text.get_text() for text in axes.texts}
    assert labels >= {method.label for method in LOW.methods}


def test_two_runs_are_drawn_as_lines_and_no_band_hides_them() -> None:
    data = collected(LOW, runs=2)
    axes = reward_figure(data, "caption").axes[0]
    assert len(axes.collections) == 0
    assert len(axes.lines) == 2 + 3 * len(data["methods"])


@pytest.mark.parametrize("runs", [1, 4])
def test_regret_is_drawn_on_linear_and_on_log_axes(runs: int) -> None:
    data = collected(WIDE, runs)
    figure = regret_figure(data, "caption")
    left, right = figure.axes
    assert (left.get_xscale(), left.get_yscale()) == ("linear", "linear")
    assert (right.get_xscale(), right.get_yscale()) == ("log", "log")
    for axes in (left, right):
        for row in range(runs):
            np.testing.assert_array_equal(
                axes.lines[row].get_ydata(), data["normalized_regret"][row]
            )
        fitted, half = axes.lines[-2:]
        t, y = fitted.get_xdata(), fitted.get_ydata()
        law = float(data["constant_of_mean"]) * t ** float(data["exponent_of_mean"])
        np.testing.assert_allclose(y, law)
        slope = np.polyfit(np.log(half.get_xdata()), np.log(half.get_ydata()), 1)[0]
        assert slope == pytest.approx(-0.5)
    legend = " ".join(text.get_text() for text in figure.legends[0].get_texts())
    assert "t = 45 to 900" in legend
    assert ("Exponent over runs" in figure.get_supxlabel()) == (runs > 1)


def test_the_caption_stands_on_the_figure(reward: Data) -> None:
    caption = "glance scale: 40 steps, 4 runs. Data: sample of 5,000 MNIST training digits"
    shown = reward_figure(reward, caption).get_supxlabel()
    assert "Glance scale: 40 steps, 4 runs" in shown
    assert "sample of 5,000 MNIST training digits" in shown
    assert "95 %" in shown


def test_a_figure_drawn_twice_is_the_same_file(
    reward: Data, regret: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after someone changed the look of every figure; and neither display nor LaTeX is met."""
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("PATH", "")
    kinds = {"reward": (reward_figure, reward), "regret": (regret_figure, regret)}
    for name, (draw, data) in kinds.items():
        first = plots.save(draw(data, "caption"), tmp_path / "a" / name)
        with mpl.rc_context({"font.size": 20, "lines.linewidth": 5, "axes.grid": False}):
            second = plots.save(draw(data, "caption"), tmp_path / "b" / name)
        for end in (".png", ".pdf"):
            one, other = (path.with_suffix(end).read_bytes() for path in (first, second))
            assert len(one) > 5000
            assert one == other


HOSTILE = """
axes.facecolor: black
figure.facecolor: red
savefig.facecolor: green
savefig.bbox: tight
savefig.dpi: 30
savefig.transparent: True
axes.prop_cycle: cycler(color=["yellow"])
axes.formatter.use_locale: True
axes.spines.left: False
axes.xmargin: 0.4
lines.marker: s
lines.solid_capstyle: butt
font.sans-serif: no such font
mathtext.fontset: cm
legend.frameon: True
legend.fontsize: 20
text.usetex: True
text.hinting: none
path.simplify: False
patch.linewidth: 7
pdf.compression: 0
xtick.direction: in
figure.constrained_layout.h_pad: 0.5
"""


def test_a_user_s_matplotlibrc_changes_no_figure(
    reward: Data, regret: Data, tmp_path: Path
) -> None:
    """A matplotlibrc in the current folder, met by a fresh process and through both commands."""
    kinds = {"low_noise": reward, WIDE.name: regret, "pixel_scale": scales()}
    folders = [tmp_path / "here", tmp_path / "there"]
    for folder in folders:
        for name, data in kinds.items():
            write_arrays(folder / f"{name}.npz", data, {"caption": "caption"})
    for name in kinds:
        draw_again(name, folders[0])
    (folders[1] / "matplotlibrc").write_text(HOSTILE)
    words = ["-m", "bandits", "figures", "--from-data", "--out", "."]
    for name in kinds:
        done = python(*words, name, cwd=folders[1], MPLBACKEND="svg")
        assert (done.returncode, done.stderr) == (0, "")
        for end in ("png", "pdf"):
            one, other = ((folder / f"{name}.{end}").read_bytes() for folder in folders)
            assert one == other, (name, end)


def scales() -> Data:
    rng = np.random.default_rng(0)
    data = {"scale": np.array([1 / 255, 1.0, 255.0]), "arm_counts": rng.integers(1, 9, (3, 4, 5))}
    return data | {key: rng.random((3, 4)) for key in ("late_mean", "mean_range", "width_range")}


def test_the_notebooks_look_starts_from_matplotlibs_defaults_too() -> None:
    with mpl.rc_context():
        plots.use_style()
        wanted = dict(mpl.rcParams)
    with mpl.rc_context({"axes.facecolor": "black", "lines.marker": "s", "savefig.dpi": 30}):
        before = dict(mpl.rcParams)
        with plots.look():
            assert dict(mpl.rcParams) == wanted
        assert dict(mpl.rcParams) == before
        plots.use_style()
        assert dict(mpl.rcParams) == wanted
    assert wanted["axes.facecolor"] == "white"
    assert wanted.items() >= plots.RC.items() - {("font.family", "DejaVu Sans")}


def test_methods_of_one_figure_are_told_apart_in_grey() -> None:
    """By their dashes, or by a luminance that differs by a fifth of the whole range."""
    looks = [plots.style(method.name) for method in LOW.methods]
    for place, one in enumerate(looks):
        for other in looks[:place]:
            grey = [np.dot(to_rgb(look["color"]), (0.299, 0.587, 0.114)) for look in (one, other)]
            assert one["linestyle"] != other["linestyle"] or abs(grey[0] - grey[1]) > 0.2
            assert one["color"] != other["color"]


# Names beside the curves


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=9).map(sorted),
    st.floats(0.01, 0.2),
)
def test_spread_names_are_in_order_apart_and_near(heights: list[float], gap: float) -> None:
    places = plots.spread(heights, gap)
    assert len(places) == len(heights)
    distances = np.diff(places)
    assert (distances >= gap * (1 - 1e-9)).all()
    # As a whole they stay centred, and none moves further than the stack it may stand in.
    assert np.mean(places) == pytest.approx(np.mean(heights), abs=1e-9)
    assert np.abs(np.subtract(places, heights)).max() <= gap * (len(heights) - 1) + 1e-9


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8, unique=True).map(sorted))
def test_names_far_enough_apart_are_not_moved(places: list[int]) -> None:
    heights = [place / 10 for place in places]
    assert plots.spread(heights, 0.09) == heights


def test_three_names_at_one_height_stand_around_it() -> None:
    assert plots.spread([0.5, 0.5, 0.5], 0.1) == pytest.approx([0.4, 0.5, 0.6])
    assert plots.spread([0.1, 0.5, 0.52], 0.1) == pytest.approx([0.1, 0.46, 0.56])
