"""The long horizon: what is read off a run, by hand and by slow transcriptions."""

import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from bandits.experiments import BOUNDED, EXPERIMENTS, LONG, Scale, bounded
from bandits.experiments.paper import DEEP, LINUCB, SIMPLE_DEEP
from bandits.results import bounded_training as question
from bandits.results import paper, reward
from bandits.results.data import squared_errors
from bandits.results.figures import KINDS
from bandits.results.horizon import (
    at_horizon,
    causes,
    collect,
    first_taken,
    horizons,
    log_times,
    stretches,
)
from bandits.results.horizon_panels import FIRST_SHOWN, exploring_slopes, local_exponents
from bandits.results.horizon_verdicts import changes, read_columns, table
from bandits.results.provenance import stage_note
from bandits.results.reward import collect_reward_by_quarter
from bandits.simulate import Trajectory


def run_of(actions, means, best, explored, predictions=None) -> Trajectory:
    n = len(actions)
    return Trajectory(
        actions=np.asarray(actions, np.int64),
        rewards=np.asarray(means, np.float32),
        means=np.asarray(means, np.float64),
        best_means=np.asarray(best, np.float64),
        explored=np.asarray(explored, np.bool_),
        propensities=np.full(n, 0.5, np.float32),
        predictions=None if predictions is None else np.asarray(predictions, np.float32),
    )


def random_run(steps: int, arms: int = 5, seed: int = 0) -> Trajectory:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 10, (steps, arms))
    actions = rng.integers(0, arms, steps)
    means = table[np.arange(steps), actions]
    return run_of(actions, means, table.max(axis=1), rng.random(steps) < 0.3, means + 0.5)


def test_causes_by_hand():
    # Steps 1 and 2 of the stretch explore; 3 to 6 are greedy and take arms 0, 0, 0, 1 of three.
    run = run_of(
        [2, 1, 0, 0, 0, 1], [3, 9, 5, 6, 7, 8], [9, 9, 9, 9, 9, 9], [True, True] + [False] * 4
    )
    # E max of 1, 2, 3 digits, counted over all pairs and triples.
    two = np.mean([max(a, b) for a in range(10) for b in range(10)])
    three = np.mean([max(a, b, c) for a in range(10) for b in range(10) for c in range(10)])
    parts = causes(run, np.array([0, 6]), arms=3)[:, 0]
    unused = 4 * (three - two) / 6
    np.testing.assert_allclose(parts, [(6 + 0) / 6, unused, (4 + 3 + 2 + 1) / 6 - unused])
    # An arm that one greedy step in 200 takes is not in use.
    rare = run_of([0] * 199 + [1], np.full(200, 5), np.full(200, 9), np.zeros(200, bool))
    parts = causes(rare, np.array([0, 200]), arms=2)[:, 0]
    np.testing.assert_allclose(parts, [0, two - 4.5, 4 - (two - 4.5)])


@given(steps=st.integers(2, 3000), seed=st.integers(0, 50))
def test_causes_add_up_to_the_regret_of_each_stretch(steps, seed):
    run, edges = random_run(steps, seed=seed), stretches(steps)
    assert edges[-1] == steps
    assert (np.diff(edges) > 0).all()
    parts = causes(run, edges, arms=5)
    for i in range(len(edges) - 1):
        assert parts[:, i].sum() == pytest.approx(run.regret[edges[i] : edges[i + 1]].mean())


@pytest.mark.parametrize(("steps", "expected"), [
    (3, [3]), (2000, [2000]), (9999, [2000]), (40_000, [2000, 10_000, 40_000]),
    (10**6, [2000, 10_000, 40_000, 100_000]),
])  # fmt: skip
def test_horizons_that_a_run_reaches(steps, expected):
    assert horizons(steps) == expected


@pytest.mark.parametrize("steps", [1, 2, 7, 2000, 40_000, 10**6])
def test_log_times_are_the_first_and_the_last_step_and_few(steps):
    t = log_times(steps)
    assert t[0] == 1
    assert t[-1] == steps
    assert len(t) <= 400
    assert (np.diff(t) > 0).all()


def test_first_taken_by_hand():
    run = run_of([1, 0, 1, 2], [1] * 4, [1] * 4, [True, False, True, True])
    assert first_taken(run, 4) == ([0, 1, 4, 0], [2, 1, 4, 0])


def test_squared_errors_need_predictions():
    run = run_of([0, 0, 1], [1, 2, 3], [3, 3, 3], [False] * 3, [1.5, 2, 1])
    np.testing.assert_allclose(squared_errors(run), [0.25, 0, 4])
    without = run_of([0, 0, 1], [1, 2, 3], [3, 3, 3], [False] * 3)
    assert np.isnan(squared_errors(without)).all()


@pytest.mark.parametrize("exponent", [-0.5, -0.2, 0.0])
def test_local_exponents_of_a_power_law_are_its_exponent(exponent):
    t = log_times(40_000)
    curves = np.array([2.0, 3.0])[:, None] * t.astype(float) ** exponent
    at, slopes = local_exponents(t, curves)
    np.testing.assert_allclose(slopes, exponent, atol=1e-9)
    assert at[0] >= FIRST_SHOWN * 3**0.5
    assert 22_000 < at[-1] <= 40_000 / 3**0.5 * 1.001


def test_a_local_exponent_sees_its_window_only():
    t = log_times(40_000)
    curve = np.where(t < 3000, t**-0.1, 3000**0.4 * t**-0.5)
    at, slopes = local_exponents(t, curve[None])
    np.testing.assert_allclose(slopes[0, at < 1700], -0.1, atol=1e-9)
    np.testing.assert_allclose(slopes[0, at > 5300], -0.5, atol=1e-9)


@pytest.mark.parametrize("p", [1 / 3, 1 / 2, 2 / 3])
def test_the_slope_of_exploring_alone_is_that_of_its_exact_cost(p):
    figure = Figure()
    axes = figure.subplots()
    t = log_times(40_000)
    exploring_slopes(axes, t, p, "black")
    middle, slopes = axes.lines[0].get_data()

    def cost(end):  # by a direct sum
        return sum(step**-p for step in range(1, round(end) + 1)) / round(end)

    for at in (300, 3000, 20_000):
        by_hand = np.log(cost(at * 3**0.5) / cost(at / 3**0.5)) / np.log(3)
        assert np.interp(at, middle, slopes) == pytest.approx(by_hand, abs=0.01)
    assert slopes[0] > slopes[-1] > -p  # it comes to −p from above


def test_the_data_of_a_long_figure_is_what_its_runs_say():
    steps, shown = 12_000, EXPERIMENTS["long_low_noise"].select(["deep", "random"])
    runs = {name: [random_run(steps, seed=s + 9 * k) for s in range(2)]
            for k, name in enumerate(("deep", "random"))}  # fmt: skip
    data = collect(shown, runs, None)
    assert list(data["horizons"]) == [2000, 10_000]
    run = runs["random"][1]
    t = list(data["t"]).index(steps)
    assert data["normalized_regret"][1, 1, t] == pytest.approx(run.regret.mean(), rel=1e-6)
    assert data["normalized_reward"][1, 1, t] == pytest.approx(run.rewards.mean(), rel=1e-6)
    assert data["late_mean"][1, 1, 1] == pytest.approx(run.means[7500:10_000].mean())
    assert data["late_best"][1, 1, 1] == pytest.approx(run.best_means[7500:10_000].mean())
    quarters = [run.regret[i : i + 2500].mean() for i in range(0, 10_000, 2500)]
    np.testing.assert_allclose(data["quarter_regret"][1, 1, 1], quarters)
    assert data["squared_error"][1, 1, t] == pytest.approx(0.25 * steps)
    first, regret = 500, run.normalized_regret[:10_000]
    at = np.arange(first, 10_001)
    slope = np.polyfit(np.log(at), np.log(regret[first - 1 :]), 1, w=at**-0.5)[0]
    assert data["exponents"][1, 1, 1] == pytest.approx(slope)


def test_a_claim_is_read_at_a_horizon_as_of_runs_that_end_there():
    shown = EXPERIMENTS["long_low_noise"].select(["deep", "random"])
    runs = {
        name: [random_run(12_000, seed=s + 9 * k) for s in range(3)]
        for k, name in enumerate(("deep", "random"))
    }
    data = collect(shown, runs, None)
    for horizon in (2000, 10_000):
        cut = {name: [run[:horizon] for run in some] for name, some in runs.items()}
        whole = collect_reward_by_quarter(shown, cut)
        for wanted, found in zip(
            reward.read_reward(whole, "x"),
            reward.read_reward(at_horizon(data, horizon), "x"),
            strict=True,
        ):
            assert wanted == found
    with pytest.raises(ValueError, match=r"has the horizons \[2000, 10000\], not 500"):
        at_horizon(data, 500)


# ── The bound ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["simple", "simple_20x32", "simple_50x128"])
def test_passes_are_those_that_the_networks_make(name):
    (method,) = (m for m in EXPERIMENTS["bounded_training"].methods if m.name == name)
    actions = np.random.default_rng(0).choice(3, 400, p=[0.9, 0.09, 0.01])
    made = 0
    for stage in range(20, 401, 20):
        for arm in range(3):
            rows = np.flatnonzero(actions[:stage] == arm)
            made += sum(len(b) for _, b in method.predictor.training.batches(rows, np.arange))
    assert question.passes(method, actions, 20, 3) == made


def test_the_bound_is_chosen_from_those_that_were_tried():
    assert (BOUNDED.max_batches, BOUNDED.batch_size) in {(b, s) for b, s in question.BOUNDS}
    for e in LONG:
        for method in e.methods:
            if method.name.startswith(("deep", "simple")):
                assert method.predictor.training == BOUNDED
    assert bounded(LINUCB) == LINUCB
    assert bounded(DEEP).predictor.architecture == DEEP.predictor.architecture
    assert bounded(SIMPLE_DEEP).p == SIMPLE_DEEP.p


@pytest.mark.parametrize(("name", "methods", "steps", "arms", "words"), [
    ("long_low_noise", ["random"], 1, 5, r"arms \(K\) >= 2 and steps >= 2, not 5 and 1"),
    ("long_exponent", ["deep"], 40, 1, r"arms \(K\) >= 2 and steps >= 2, not 1 and 40"),
    ("long_high_noise", ["optimal"], 40, 5, "the method optimal has none"),
    ("bounded_training", ["simple_20x32"], 40, 5, "needs a method of deep, deep_p1_3, simple, "),
])  # fmt: skip
def test_what_could_not_be_drawn_is_refused_before_any_run(name, methods, steps, arms, words):
    shown = replace(EXPERIMENTS[name].select(methods), arms=arms)
    with pytest.raises(ValueError, match=words):
        KINDS[shown.name].check(shown, Scale(steps, 1))


@pytest.mark.parametrize("steps", [2, 19, 20, 100, 101, 2001])
@pytest.mark.parametrize("arms", [2, 5])
def test_long_figures_of_any_methods_and_lengths_are_drawn_without_a_warning(steps, arms):
    for name, methods in (("long_low_noise", ["random", "optimal"]), ("long_exponent", ["deep"])):
        shown = replace(EXPERIMENTS[name].select(methods), arms=arms)
        KINDS[shown.name].check(shown, Scale(steps, 2))
        runs = {m: [random_run(steps, arms, seed) for seed in (1, 2)] for m in methods}
        runs["optimal"] = [replace(run, means=run.best_means) for run in runs[methods[0]]]
        figure = KINDS[name].draw(collect(shown, runs, None), "caption")
        for axes in figure.axes:
            low, high = axes.get_xlim()
            assert low < high
        regret = figure.axes[-2]
        for line in regret.lines[:1]:
            assert max(line.get_ydata()) <= regret.get_ylim()[1]
        figure.savefig(io.BytesIO())


def test_a_figure_of_some_bounds_has_their_panels():
    shown = EXPERIMENTS["bounded_training"].select(["simple", "simple_20x32", "deep_20x32"])
    runs = {m.name: [random_run(40, seed=seed) for seed in (1, 2)] for m in shown.methods}
    KINDS[shown.name].check(shown, Scale(40, 2))
    figure = KINDS["bounded_training"].draw(question.collect(shown, runs, []), "caption")
    assert [axes.get_title() for axes in figure.axes] == ["Simple, p = 1"]


def test_the_small_print_names_the_bound_where_all_networks_of_a_figure_have_it():
    said = ", each training stage at most 20 mini-batches of 32"
    for name, expected in (("long_low_noise", said), ("low_noise", ""), ("bounded_training", "")):
        assert stage_note(EXPERIMENTS[name].methods) == expected
    assert stage_note([LINUCB]) == ""


def test_the_bounds_question_reads_what_is_lost():
    shown = EXPERIMENTS["bounded_training"].select(["simple", "simple_20x32"])
    rng = np.random.default_rng(5)
    runs = {"simple": [], "simple_20x32": []}
    for seed in range(3):
        best = np.full(400, 9.0)
        means = rng.integers(3, 8, 400).astype(float)
        for name, shift in (("simple", 0), ("simple_20x32", 1 + seed)):
            runs[name].append(run_of(np.zeros(400), means - shift, best, np.zeros(400, bool)))
    data = question.collect(shown, runs, [])
    (reading,) = question.read(data)
    assert reading.value.mean == pytest.approx(2)  # 1, 2 and 3 lost
    assert reading.value.high == pytest.approx(2 + 4.302652729911275 / 3**0.5)
    assert reading.verdict == "undecided"
    assert Scale(2000, 12) == EXPERIMENTS["bounded_training"].paper


# ── Verdicts at each horizon ────────────────────────────────────────────────────────────────────


def long_data(steps: int, late_steps: int) -> dict:
    """Deep errs by 1 until late_steps and never after; Random errs by 2; three runs."""
    shown = EXPERIMENTS["long_low_noise"].select(["deep", "random"])
    rng, runs = np.random.default_rng(2), {"deep": [], "random": []}
    for _ in range(3):
        best = np.full(steps, 9.0)
        for name, error in (("deep", 1.0 * (np.arange(steps) < late_steps)), ("random", 2.0)):
            means = best - error * rng.choice([0.9, 1.1], steps)
            runs[name].append(run_of(np.zeros(steps), means, best, np.zeros(steps, bool)))
    return collect(shown, runs, None)


def test_claims_are_read_at_every_horizon_and_changes_are_named():
    columns = read_columns({"long_low_noise": long_data(10_000, 5000)})
    assert list(columns) == ["2,000", "10,000"]
    found = {name: {r.measured: r for r in rs} for name, rs in columns.items()}
    assert found["2,000"]["late regret of Deep"].value.mean == pytest.approx(1, abs=0.02)
    assert found["2,000"]["late regret of Deep"].verdict == "does not agree"
    assert found["10,000"]["late regret of Deep"].value.mean == 0
    assert found["10,000"]["late regret of Deep"].verdict == "agrees"
    (change,) = [c for c in changes(columns) if c[0].measured == "late regret of Deep"]
    assert change[1:] == ("2,000", "10,000")
    lines = table(columns).splitlines()
    assert lines[0].endswith("| measured | 2,000 | 10,000 |")
    (row,) = [line for line in lines if "| late regret of Deep |" in line]
    assert row.endswith(", **no** | 0.00 [0.00, 0.00], yes |")
    assert {line.count("|") for line in lines} == {6}


def test_the_papers_own_rule_has_the_first_column():
    shown = EXPERIMENTS["low_noise"].select(["deep", "random"])
    runs = {name: [random_run(2000, seed=s) for s in range(2)] for name in ("deep", "random")}
    columns = read_columns(
        {
            "low_noise": collect_reward_by_quarter(shown, runs),
            "long_low_noise": long_data(10_000, 5000),
        }
    )
    assert list(columns) == ["2,000, the paper's stages", "2,000", "10,000"]
    (row,) = [line for line in table(columns).splitlines() if "| fitted exponent |" in line]
    assert row.split("|")[4].strip() == ""  # Fig. 1 has that for the paper's rule
    assert row.split("|")[5].strip() != ""
    assert read_columns({}) == {}


def test_figures_of_different_horizons_are_no_pair():
    shown = EXPERIMENTS["low_noise"].select(["deep", "random"])

    def data(steps):
        runs = {n: [random_run(steps, seed=s) for s in range(2)] for n in ("deep", "random")}
        return collect_reward_by_quarter(shown, runs)

    apart = {"low_noise": data(40), "high_noise": data(80)}
    assert list(read_columns(apart)) == ["40, the paper's stages", "80, the paper's stages"]
    assert {r.case for r in paper.read_all(apart)} == {"σ = 0", "σ = 1"}
    together = {"low_noise": data(40), "high_noise": data(40)}
    assert list(read_columns(together)) == ["40, the paper's stages"]
    assert "σ = 0 against 1" in {r.case for r in paper.read_all(together)}
