"""The committed figures are what their runs and data say, and the book says the same."""

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from pictures import pdf_difference, png_difference

from bandits.engine.jobs import finished, jobs
from bandits.engine.store import Store
from bandits.experiments import EXPERIMENTS, PAPER_FIGURES, Scale
from bandits.results import figures, paper, plots, questions, ranks, saved, verdicts
from bandits.results.data import Data
from bandits.results.horizon_panels import local_exponents
from bandits.results.provenance import small_print
from bandits.results.reward import collect_reward
from bandits.results.statistics import Interval, fit_power_law, interval, paired_difference
from bandits.simulate import Trajectory
from bandits.theory.mnist_facts import expected_best

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "figures"
FOUND = sorted(path.stem for path in FOLDER.glob("*.npz"))
INK = 0.05
"""Other versions of matplotlib set letters a little wider: the share of ink may differ so much."""

LEARNERS = ("deep", "simple", "linucb", "linear")
every_figure = pytest.mark.parametrize("name", FOUND)


def about(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


@every_figure
def test_it_is_redrawn_from_its_data(name: str, tmp_path: Path) -> None:
    """The same to the eye with the matplotlib that drew it, on any CPU; else about the same."""
    for end in ("npz", "json"):
        (tmp_path / f"{name}.{end}").write_bytes((FOLDER / f"{name}.{end}").read_bytes())
    picture = figures.draw(name, tmp_path)
    if about(name)["drawn_with"]["matplotlib"] == mpl.__version__:
        assert png_difference(FOLDER / f"{name}.png", picture) == ""
        assert pdf_difference(FOLDER / f"{name}.pdf", picture.with_suffix(".pdf")) == ""
    first, second = imread(FOLDER / f"{name}.png"), imread(picture)
    assert np.abs(np.subtract(np.array(first.shape), second.shape)).max() <= 12
    inks = [(1 - picture[:, :, :3]).mean(axis=(0, 1)) for picture in (first, second)]
    np.testing.assert_allclose(inks[1], inks[0], rtol=INK)


@every_figure
def test_its_picture_names_the_noise_the_data_and_the_horizon(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, drawn = about(name), list[Figure]()
    monkeypatch.setattr(plots, "pictures", lambda figure: drawn.append(figure) or {})
    (tmp_path / f"{name}.npz").write_bytes((FOLDER / f"{name}.npz").read_bytes())
    figures.draw(name, tmp_path)
    said = drawn[0].get_supxlabel()
    if "over" not in told["settings"]:  # else the panels name the data
        assert told["data"]["description"] in said
    if "noise" in told["settings"]:  # else no bandit is played
        assert f"{told['scale']['steps']:,} steps" in said
        assert f"noise σ = {told['settings']['noise']:g}" in said


def test_the_small_print_keeps_what_a_caption_says() -> None:
    kept = "glance scale: 40 steps, 2 runs, noise σ = 0.5. Data: sample"
    assert small_print(EXPERIMENTS["high_noise"], kept) == kept
    said = small_print(EXPERIMENTS["high_noise"], "40 steps")
    assert said == "40 steps, noise σ = 1. Data: MNIST (60,000 training digits)"
    assert small_print(EXPERIMENTS["classify_letter"], "40 steps") == "40 steps, noise σ = 0"


@every_figure
def test_it_says_what_it_was_made_from(name: str) -> None:
    told = about(name)
    assert told["scale"]["name"] == "paper"
    assert told["data"]["source"] == "full"
    assert told["command"].startswith("bandits figures")
    assert len(told["versions"]) == 1, "the runs of one figure are of one set of versions"
    assert told["runs"], "a figure has runs"
    for run in told["runs"]:
        assert (FOLDER / "runs" / run).exists(), run
    _, caption = saved.load_data(name, FOLDER)
    assert caption == told["caption"]
    assert caption.startswith("paper scale")


@every_figure
def test_its_data_is_that_of_its_runs(name: str) -> None:
    """Collected again from the committed runs and trials."""
    told, shown = about(name), EXPERIMENTS[name]
    store = Store(FOLDER / "runs", told["data"]["digest"])
    if not shown.methods:
        again, _, by = figures.collected(shown, shown.paper, store)
        data, _ = saved.load_data(name, FOLDER)
        assert {key: values.tobytes() for key, values in again.items()} == {
            key: values.tobytes() for key, values in data.items()
        }
        assert len(by) == len(told["runs"])
        return
    data, _ = saved.load_data(name, FOLDER)
    shown = shown.select([str(method) for method in data["methods"]])  # of bounds, not all are run
    scale = Scale(told["scale"]["steps"], told["scale"]["runs"])
    assert [store.path(j.spec).name for j in jobs(shown, scale)] == told["runs"]
    try:
        again = figures.collected(shown, scale, store)[0]
    except FileNotFoundError:  # older figures' tasks need the images, or a clock
        again = collect_reward(shown, finished(shown, scale, store)[0])
    for key, values in again.items():
        if values.dtype.kind in "iufb":
            np.testing.assert_allclose(data[key], values, rtol=1e-6, err_msg=key)
        else:
            assert data[key].tolist() == values.tolist()


def test_the_paper_s_figures_are_there_and_at_least_as_large_as_agreed() -> None:
    assert set(PAPER_FIGURES) <= set(FOUND)
    assert set(questions.QUESTIONS) <= set(FOUND)
    steps = {name: about(name)["scale"]["steps"] for name in PAPER_FIGURES}
    assert steps["convergence"] >= 5000
    assert min(steps["low_noise"], steps["high_noise"]) >= 2000


def test_the_book_s_findings_give_the_numbers_of_the_runs() -> None:
    """Those of the verdicts' table have a test of their own, and the notebooks print the rest."""
    page = " ".join((ROOT / "book" / "results.md").read_text(encoding="utf-8").split())
    found, _ = saved.load_those_there(PAPER_FIGURES, FOLDER)
    low, high = found["low_noise"], found["high_noise"]

    def told(value: Interval) -> str:
        return str(value).replace("-", "−")

    def late(method: str, data: Data = low) -> Any:
        return data["late_mean"][verdicts.place_of(data, method)]

    def runs(name: str, method: str) -> list[Trajectory]:
        store = Store(FOLDER / "runs", about(name)["data"]["digest"])
        size = about(name)["scale"]
        shown = EXPERIMENTS[name].select([method])
        return finished(shown, Scale(size["steps"], size["runs"]), store)[0][method]

    def exponent(curves: list[Any], first: int) -> Interval:
        return interval([fit_power_law(curve, first=first).exponent for curve in curves])

    assert f"of Linear (by {told(paired_difference(late('deep'), late('linear')))})" in page
    rewards = {m: [r.rewards.mean(dtype=float) for r in runs("low_noise", m)] for m in LEARNERS}
    over_all = told(paired_difference(rewards["deep"], rewards["linucb"]))
    assert f"from LinUCB without noise ({over_all})" in page

    deep = runs("low_noise", "deep")
    in_use = [int((np.bincount(r.actions, minlength=5) >= len(r) / 100).sum()) for r in deep]
    cost = [float(expected_best(5) - expected_best(arms)) for arms in in_use]
    lost = interval([r.regret[1500:].mean() for r in deep])
    assert f"of the {told(lost)} per step that Deep still loses, {told(interval(cost))} is" in page

    wide = [r.normalized_regret for r in runs("convergence_repeats", "deep_wide")]
    above = [r.normalized_regret - floor for r, floor in zip(deep, cost, strict=True)]
    for value, said in (
        (exponent(wide, 100), "as t^(MEAN), [LOW] for the exponent, over four runs of 2,000"),
        (exponent(wide, 1000), "up to MEAN [LOW] from t = 1,000 on"),
        (exponent(above, 100), "Fig. 2's Deep falls as t^(MEAN), [LOW]"),
    ):
        mean, _, rest = told(value).partition(" [")
        assert said.replace("MEAN", mean).replace("LOW]", rest) in page, said
    (one,) = (r.normalized_regret for r in runs("convergence", "deep_wide"))
    mean = told(exponent([one], 250)).split()[0]
    assert f"which falls as t^({mean}) from t = 250 to 5,000" in page

    noise = [f"{(late(m) - late(m, high)).mean():.2f}" for m in LEARNERS]
    assert f"costs each learner {min(noise)} to {max(noise)} digits per step of the" in page


def test_the_long_horizon_s_findings_give_its_numbers() -> None:
    """Each number of the results page and of the README, read once more from the data."""
    data, _ = saved.load_data("long_low_noise", FOLDER)
    page = " ".join((FOLDER.parent / "book" / "results.md").read_text("utf-8").split())
    regret = data["late_best"] - data["late_mean"]
    lost = {str(m): regret[k] for k, m in enumerate(data["methods"])}
    assert data["horizons"].tolist() == [2000, 10_000, 40_000]
    early, middle, late = lost["deep"].T
    assert f"Deep loses {interval(late)} per step" in page
    assert f"after {early.mean():.2f} at 2,000 steps and {middle.mean():.2f} at 10,000" in page
    for method, name in (("simple", "Simple Deep"), ("linucb", "LinUCB"), ("linear", "Linear")):
        assert f"{name} {interval(lost[method][:, -1])}" in page
    assert f"least squared error loses {float(data['linear_regret']):.2f}." in page
    exponents = data["exponents"][list(data["methods"]).index("deep")]
    assert f"Deep about as t^(−{-exponents[:, -1].mean():.2f})" in page
    readme = (FOLDER.parent / "README.md").read_text("utf-8")
    assert f"it loses {late.mean():.2f} and still falls" in readme
    for method in ("deep", "simple"):  # "still falls", "falls too"
        quarters = data["quarter_regret"][list(data["methods"]).index(method), :, -1]
        assert interval(quarters[:, 2] - quarters[:, 3]).low > 0


def test_the_results_page_gives_the_numbers_of_the_exponents_and_of_the_errors() -> None:
    page = " ".join((FOLDER.parent / "book" / "results.md").read_text("utf-8").split())
    by_p, _ = saved.load_data("long_exponent", FOLDER)
    lost = (by_p["late_best"] - by_p["late_mean"])[..., -1]
    third, half, two_thirds, one = lost.mean(axis=1)
    assert f"Deep loses {half:.2f} per step of the last quarter up to 40,000 for p = 1/2" in page
    assert f"and {two_thirds:.2f} for p = 2/3, against {one:.2f} for p = 1 and {third:.2f}" in page
    assert lost.shape[1] == 2, "the page says two runs each"
    unused = by_p["causes"][:3, :, 1]
    assert (unused[..., by_p["edges"][:-1] >= 612] == 0).all()
    fits, _ = saved.load_data("error_causes", FOLDER)
    fitted = dict(zip(fits["variants"].tolist(), fits["regret"].mean(axis=1), strict=True))
    bandit = fits["bandit_regret"].mean()
    assert f"loses {fitted['own']:.2f} where the bandit's lose {bandit:.2f}; on uniform" in page
    assert (
        f"as many, {fitted['same']:.2f}, and on four times as many {fitted['fourfold']:.2f}" in page
    )
    assert fits["regret"].shape[1] == 2, "the page says two networks each"
    assert abs(fitted["decay"] - fitted["same"]) < 0.01  # "does not help"
    assert 0 < fitted["same"] - fitted["wide"] < 0.04  # "a little"


def test_the_readme_s_plain_sentences_hold() -> None:
    """What the README and the book's first page say without numbers."""
    found, _ = saved.load_those_there(PAPER_FIGURES, FOLDER)
    low = found["low_noise"]

    def late(method: str) -> Any:
        return low["late_mean"][verdicts.place_of(low, method)]

    for other in ("simple", "linucb", "linear"):
        assert paired_difference(late("deep"), late(other)).low > 0, "ahead of every other learner"
    seen = {r.measured: r.value for r in paper.read_all({"low_noise": low})}
    assert seen["Deep's regret, third quarter − last"].low > 0, "loses less and less"
    assert seen["late regret of Deep"].low > 1, "but still more than a digit at each step"
    for linear in ("LinUCB", "Linear"):
        assert seen[f"{linear} − Random, late reward"].low > 1, "far better than chance"


def test_the_results_page_gives_the_numbers_of_the_noisy_long_runs() -> None:
    page = " ".join((FOLDER.parent / "book" / "results.md").read_text("utf-8").split())
    calm, loud = (saved.load_data(f"long_{name}_noise", FOLDER)[0] for name in ("low", "high"))
    names = [str(name) for name in loud["methods"]]
    lost = dict(zip(names, (loud["late_best"] - loud["late_mean"])[..., -1].mean(1), strict=True))
    deep, simple, linucb, linear = (lost[n] for n in ("deep", "simple", "linucb", "linear"))
    assert f"Deep loses {deep:.2f} per step of the last quarter, Simple Deep {simple:.2f}," in page
    assert f"LinUCB {linucb:.2f}, Linear {linear:.2f}. Noise" in page
    k = [names.index(name) for name in ("deep", "simple", "linucb", "linear")]
    cost = (calm["late_mean"][k, :2] - loud["late_mean"][k]).mean(axis=1)
    deep, simple, linucb, linear = cost[:, -1]
    assert f"Noise costs Deep {deep:.2f} and Simple Deep {simple:.2f} there, LinUCB" in page
    assert f"LinUCB {linucb:.2f} and Linear {linear:.2f}; at 2,000" in page
    early = cost[:, 0]
    assert f"it costs the same runs {early.min():.2f} to {early.max():.2f}." in page
    with_noise, without = (d["causes"][names.index("deep"), :2, 2, -1].mean() for d in (loud, calm))
    assert f"lose {with_noise:.2f} where they lose {without:.2f} without." in page
    assert loud["late_mean"].shape[1] == 2, "the page says two runs"


def test_the_results_page_gives_the_numbers_of_the_longest_runs() -> None:
    page = " ".join((FOLDER.parent / "book" / "results.md").read_text("utf-8").split())
    data, _ = saved.load_data("long_convergence", FOLDER)
    lost = (data["late_best"] - data["late_mean"])[..., -1]
    assert lost.shape == (2, 1), "the page says one run of each"
    assert {f"{value:.2f}" for value in lost[:, 0]} == {"0.11"}
    assert "Deep loses 0.11 per step of the last quarter, and its" in page
    slopes = [local_exponents(data["t"], data["normalized_regret"][k])[1][0, -1] for k in range(2)]
    assert f"as t^(−{-slopes[0]:.2f}) and t^(−{-slopes[1]:.2f})." in page
    assert (data["causes"][:, :, 1, -1] == 0).all()  # "all arms in use"


def test_the_results_page_gives_the_numbers_of_the_comparators() -> None:
    page = " ".join((FOLDER.parent / "book" / "results.md").read_text("utf-8").split())
    data, _ = saved.load_data("comparators", FOLDER)
    assert data["late_regret"].shape[1] == 2, "the page says two runs each"
    lost = dict(zip(data["methods"].tolist(), data["late_regret"].mean(axis=1), strict=True))
    first = ("neural_linear", "neural_thompson", "squarecb", "neural_ucb", "epsilon_0_01")
    low, high = (bound(lost[name] for name in first) for bound in (min, max))
    assert max(lost[n] for n in first) < min(lost[n] for n in lost if n not in (*first, "optimal"))
    assert f"lose {low:.2f} to {high:.2f} per step of the last quarter" in page
    assert f"Deep's 1/t {lost['deep']:.2f}, which two runs" in page
    greedy, dropout = lost["greedy"], lost["dropout"]
    assert f"a greedy learner {greedy:.2f} and dropout {dropout:.2f}" in page
    assert f"ensemble {lost['bootstrapped']:.2f}" in page
    assert f"LinUCB {lost['linucb']:.2f}. With noise (one run)" in page
    found, _ = saved.load_data("ranks", FOLDER)
    assert found["regret"].shape[2] == 1, "the page says one run each"
    places, test = ranks.ranked(found)
    mean = dict(zip(found["methods"][places].tolist(), test.mean, strict=True))
    assert f"mean ranks of {test.mean[0]:.1f} to {test.mean[4]:.1f}" in page
    linear = f"{mean['linucb']:.1f} and {mean['linear_thompson']:.1f}, of {len(mean)}"
    assert f"and the linear methods {linear}" in page
    assert test.p_value < 0.001
    assert f"only ranks {test.critical:.1f} apart are told apart" in page
