"""The questions beyond the paper: their numbers against direct computations, and their answers."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from bandits import mnist
from bandits.engine import runs
from bandits.engine.compute import compute, perform
from bandits.engine.jobs import Job, jobs
from bandits.engine.store import Store
from bandits.experiments import (
    EXPERIMENTS,
    LINEAR,
    LINUCB,
    RunSpec,
    Scale,
    build_policy,
    environment,
)
from bandits.results import (
    exponent,
    figures,
    interpolation,
    linear_failure,
    pixel_scale,
    predictors,
    questions,
    random_branch_only,
    saved,
)
from bandits.simulate import Trajectory
from bandits.theory import probability_never_pulled

STEPS = 60


def trajectory(actions: list[int], explored: list[bool]) -> Trajectory:
    n = len(actions)
    return Trajectory(
        actions=np.array(actions),
        rewards=np.ones(n, np.float32),
        means=np.ones(n),
        best_means=np.full(n, 2.0),
        explored=np.array(explored),
        propensities=np.ones(n, np.float32),
    )


# ── Exponents ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("p", [0.0, 0.25, 1.0, 2.0])
def test_never_drawn_is_the_product_over_the_steps(p: float) -> None:
    for t in (1, 2, 7, 40):
        direct = math.prod(1 - step**-p / 5 for step in range(1, t + 1))
        assert exponent.never_drawn(t, arms=5, p=p) == pytest.approx(direct, rel=1e-12)
    if p:
        assert exponent.never_drawn(6, arms=5, p=p) == probability_never_pulled(7, arms=5, p=p)


def test_arms_never_drawn_at_random_are_counted_by_hand() -> None:
    shown = replace(EXPERIMENTS["exponent"].select(["deep_p1"]), arms=3)
    # Arm 2 is taken greedily only; arms 0 and 1 are drawn at the steps 1 and 3, or only arm 0.
    first = trajectory([0, 2, 1, 2, 0, 1], [True, False, True, False, False, True])
    second = trajectory([0, 1, 1, 0, 0, 0], [True, False, False, True, False, True])
    data = exponent.collect(shown, {"deep_p1": [first, second]}, [])
    by_t = dict(zip(data["never_t"].tolist(), data["never_runs"][0].tolist(), strict=True))
    assert by_t[1] == pytest.approx(4 / 6)
    assert by_t[2] == pytest.approx(4 / 6)
    assert by_t[3] == pytest.approx(3 / 6)
    assert by_t[6] == pytest.approx(3 / 6)
    np.testing.assert_allclose(data["untaken"], [[0, 1 / 3]])
    assert np.isnan(data["late_greedy"]).all()  # the last quarter is one step, and it is random
    longer = trajectory([0] * 8, [True] * 7 + [False])
    longer.means[-2:] = 7, 5
    data = exponent.collect(shown, {"deep_p1": [longer]}, [])
    assert data["late_greedy"].tolist() == [[5.0]]
    assert data["late_mean"].tolist() == [[6.0]]


def test_the_dice_follow_the_exact_law() -> None:
    shown = EXPERIMENTS["exponent"].select(["deep_p0", "deep_p1_2", "deep_p1", "deep_p2"])
    played = {m.name: [trajectory([0] * STEPS, [True] * STEPS)] for m in shown.methods}
    data = exponent.collect(shown, played, [])
    counted, exact = data["never_dice"].mean(axis=1), data["never_exact"][:, -1]
    # Arms of one run exclude each other, so the variance is at most that of independent ones.
    spread = np.sqrt(exact * (1 - exact) / (5 * exponent.DRAWN_RUNS))
    assert (np.abs(counted - exact) <= 4.5 * spread + 1e-12).all(), (counted, exact)
    assert exact[0] < 1e-5 < 0.3 < exact[2] < exact[3]


# ── Pixel scales ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("scale", [0.25, 1.0])
def test_scores_after_a_run_are_those_of_the_normal_equations(
    scale: float, sample: mnist.Mnist
) -> None:
    spec = RunSpec(replace(LINUCB, pixel_scale=scale), 1, STEPS)
    run = compute(spec, sample)
    mean, width = pixel_scale.scores_after(spec, run, sample)
    bandit = environment(spec, sample)
    x = bandit.rounds(spec.seed, 1, STEPS).contexts(slice(None)).astype(float)
    fresh = bandit.rounds(spec.seed, 1_000_001, 200).contexts(slice(None)).astype(float)
    # B⁻¹ = I − Xᵀ(I + X Xᵀ)⁻¹X, so no 3920 × 3920 matrix is needed to check it.
    for arm in range(5):
        mine = x[run.actions == arm]
        small = np.linalg.inv(np.eye(len(mine)) + mine @ mine.T)
        theta = mine.T @ small @ run.rewards[run.actions == arm]
        np.testing.assert_allclose(mean[:, arm], fresh @ theta, rtol=1e-6, atol=1e-8)
        shadow = fresh @ mine.T
        squared = (fresh**2).sum(axis=1) - ((shadow @ small) * shadow).sum(axis=1)
        np.testing.assert_allclose(width[:, arm], np.sqrt(squared), rtol=1e-6)


def test_widths_grow_with_the_pixels_and_predictions_do_not(sample: mnist.Mnist) -> None:
    shown = EXPERIMENTS["pixel_scale"].select(["linucb_s1_16", "linucb_s255"])
    played = {m.name: [compute(RunSpec(m, 0, 100), sample)] for m in shown.methods}
    own = [
        (task, perform(task, sample, played[task.run.method.name][0]))
        for task in pixel_scale.tasks(shown, Scale(100, 1))
        if task.run is not None
    ]
    data = pixel_scale.collect(shown, played, own[::-1])  # each in its place, in whatever order
    small, large = data["width_range"][:, 0]
    assert large > 100 * small
    assert data["mean_range"][1, 0] < 10
    assert data["by_width"][1, 0] > 0.9
    assert data["by_mean"][0, 0] > 0.9
    # On raw bytes the widest arm is taken, so that all arms get the same number of steps, nearly.
    assert data["arm_counts"][1, 0].min() >= 15
    blind = environment(RunSpec(LINUCB, 0, 100), sample).rounds(2022, 0, 100).means.mean()
    got = played["linucb_s255"][0].means.mean() - blind
    assert data["over_blind"][1, 0] == pytest.approx(got, abs=1e-12)


def test_only_linucb_has_such_scores(sample: mnist.Mnist) -> None:
    spec = RunSpec(LINEAR, 0, 20)
    with pytest.raises(ValueError, match="scores of LinUCB are wanted, not of 'linear'"):
        pixel_scale.scores_after(spec, compute(spec, sample), sample)


# ── Least squares near the rank ─────────────────────────────────────────────────────────────────


@settings(max_examples=60)
@given(
    st.integers(1, 14),
    st.integers(1, 14),
    st.integers(0, 3),
    st.integers(0, 2**31),
)
def test_least_squares_for_many_ridges_is_that_of_other_libraries(
    n: int, m: int, copies: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    x, r = rng.normal(size=(n, m)), rng.normal(size=(n, 2))
    x[:, : min(copies, m)] = x[:, -1:]  # columns that depend on each other
    thetas, rank = interpolation.least_squares(x, r, (0.0, 1.0, 30.0))
    assert rank == np.linalg.matrix_rank(x)
    if np.linalg.cond(x) < 1e5 or rank < min(n, m):
        kept = np.linalg.svd(x, compute_uv=False)[rank - 1]
        error = 1e-11 / kept**3 + 1e-9
        np.testing.assert_allclose(thetas[0], np.linalg.pinv(x) @ r, rtol=1e-6, atol=error)
    for place, ridge in ((1, 1.0), (2, 30.0)):
        theirs = Ridge(alpha=ridge, fit_intercept=False).fit(x, r).coef_.T
        np.testing.assert_allclose(thetas[place], theirs.reshape(m, 2), rtol=1e-7, atol=1e-9)


def test_the_error_peaks_at_the_rank_and_a_ridge_takes_the_peak_away() -> None:
    rng = np.random.default_rng(5)
    truth, fresh = rng.normal(size=(40, 1)) / 6, rng.normal(size=(500, 40))
    errors = {}
    for n in (10, 40, 160):
        x = rng.normal(size=(n, 40))
        thetas, _ = interpolation.least_squares(x, x @ truth + rng.normal(size=(n, 1)), (0.0, 20.0))
        errors[n] = ((fresh @ thetas - fresh @ truth) ** 2).mean(axis=(1, 2))
    assert errors[40][0] > 3 * max(errors[10][0], errors[160][0])
    assert errors[40][1] < 1.5 * errors[10][1]


def test_the_study_reads_its_numbers_off_a_plain_fit(sample: mnist.Mnist) -> None:
    found = interpolation.study(sample, seed=3, arms=2, sizes=(30, 60), repeat=1)
    assert found["error"].shape == found["greedy"].shape == (3, 2)
    train, test = interpolation.split(sample)
    table = interpolation.MnistBandit(train, 2).rounds(3, 1, 60)
    unseen = interpolation.MnistBandit(test, 2).rounds(3, 1_000_001, 1000)
    x = table.contexts(slice(0, 30)).astype(float)
    model = Ridge(alpha=100.0, fit_intercept=False).fit(x, table.means[:30])
    predicted = model.predict(unseen.contexts(slice(None)).astype(float))
    error = ((predicted - unseen.means) ** 2).mean()
    assert found["error"][2, 0] == pytest.approx(error, rel=1e-6)
    greedy = unseen.means[np.arange(1000), predicted.argmax(axis=1)].mean()
    assert found["greedy"][2, 0] == pytest.approx(greedy, abs=0.02)  # a near-tie may fall elsewhere
    assert found["rank"].tolist() == [30, 60]


@pytest.mark.parametrize(("steps", "largest"), [(10, 50), (80, 200), (200, 400)])
def test_the_sizes_follow_the_length_of_the_runs(steps: int, largest: int) -> None:
    shown = EXPERIMENTS["linear_failure"]
    asked = [task.decides for task in linear_failure.tasks(shown, Scale(steps, 2))]
    assert [told["sizes"][-1] for told in asked] == [largest, largest]
    assert [told["repeat"] for told in asked] == [0, 1]


# ── Random steps only, and predictors ───────────────────────────────────────────────────────────


def test_what_each_method_trained_on_is_counted() -> None:
    """The seventh and eighth step come after the last stage, and train nothing."""
    shown = replace(EXPERIMENTS["random_branch_only"], train_every=3)
    explored = [True, True, False, True, False, False, True, False]
    played = {m.name: [trajectory([0, 1, 2, 3, 4, 0, 1, 2], explored)] * 2 for m in shown.methods}
    data = random_branch_only.collect(shown, played, [])
    assert data["trained"].tolist() == [[6, 6], [3, 3], [6, 6], [3, 3]]
    assert random_branch_only.pairs(data) == [(0, 1), (2, 3)]


@pytest.mark.parametrize("beyond", [0, 7])
def test_the_last_stage_is_timed_on_all_that_it_had_seen(
    beyond: int, sample: mnist.Mnist, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = RunSpec(EXPERIMENTS["predictors"].select(["ridge"]).methods[0], 0, STEPS + beyond)
    run = compute(spec, sample)
    lengths = []

    def watched(spec: RunSpec, rounds: object) -> object:
        policy = build_policy(spec, rounds)  # type: ignore[arg-type]
        fit = policy.predictor.fit  # type: ignore[attr-defined]

        def counted(history: object) -> None:
            lengths.append(len(history))  # type: ignore[arg-type]
            fit(history)

        policy.predictor.fit = counted  # type: ignore[attr-defined]
        return policy

    monkeypatch.setattr(predictors, "build_policy", watched)
    assert 0 < predictors.stage_seconds(spec, run, sample) < 60
    assert lengths == [STEPS]


# ── One run serves several experiments ──────────────────────────────────────────────────────────


def test_the_same_run_is_not_made_twice(
    sample: mnist.Mnist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scale, store = Scale(40, 1), Store(tmp_path, sample.digest)
    first = EXPERIMENTS["linear_failure"].select(["linear"])
    (made,) = jobs(first, scale)
    runs.do(made, sample, store)

    def never(*arguments: object, **options: object) -> None:
        raise AssertionError("this run is there already")

    monkeypatch.setattr(runs, "compute", never)
    again = Job("low_noise", replace(made.spec, method=replace(LINEAR, label="another label")))
    runs.do(again, sample, store)
    assert store.path(again.spec) == store.path(made.spec)
    assert runs.missing([again], store) == []
    other = replace(again.spec, seed=1)
    wanted = [Job("low_noise", other), Job("linear_failure", other)]
    assert runs.missing(wanted, store) == wanted[:1]
    with pytest.raises(AssertionError, match="there already"):
        runs.do(Job("low_noise", replace(made.spec, seed=1)), sample, store)


def test_experiments_that_share_methods_share_their_runs() -> None:
    def fingerprints(name: str) -> set[str]:
        return {s.fingerprint("digest") for s in EXPERIMENTS[name].specs(EXPERIMENTS[name].paper)}

    of_exponent = fingerprints("exponent")
    assert len(fingerprints("random_branch_only") & of_exponent) == 2 * 6  # p = 1/3 and p = 1/2
    assert len(fingerprints("predictors") & of_exponent) == 6  # p = 1/3


# ── Answers and pictures ────────────────────────────────────────────────────────────────────────


def rewards(experiment: str, late: dict[str, list[float]]) -> dict[str, np.ndarray]:
    shown = EXPERIMENTS[experiment].select(list(late))
    return {
        "methods": np.array([m.name for m in shown.methods]),
        "labels": np.array([m.label for m in shown.methods]),
        "late_mean": np.array(list(late.values())),
    }


def test_an_exponent_that_earns_more_speaks_against_one_third() -> None:
    late = {"deep_p1_3": [5.0, 5.1, 5.2], "deep_p1_2": [5.5, 5.7, 5.6], "deep_p1": [4.0, 4.1, 4.3]}
    data = rewards("exponent", late) | {"p": np.array([1 / 3, 1 / 2, 1.0])}
    data |= {"never_dice": np.full((3, 9), 0.5), "never_exact": np.array([[0.5], [0.45], [0.5]])}
    data["never_dice"] += np.linspace(-0.01, 0.01, 9)
    by_what = {r.measured: r for r in exponent.read(data)}
    against = by_what["p = 1/3 − p = 1/2, late reward"]
    assert against.value.mean == pytest.approx(-0.5)
    assert against.verdict == "does not agree"
    assert by_what["p = 1/3 − p = 1, late reward"].verdict == "agrees"
    assert by_what["p = 1/2: share never drawn − exact law"].verdict == "does not agree"
    assert by_what["p = 1: share never drawn − exact law"].verdict == "agrees"


def test_a_cause_is_believed_only_if_taking_it_away_helps() -> None:
    late = {"linear": [5.0, 5.2, 5.1], "linear_ties": [5.01, 5.19, 5.1],
            "linear_explore": [6.0, 6.3, 6.1]}  # fmt: skip
    data = rewards("linear_failure", late) | {
        "sizes": np.array([200]), "ridges": np.array(interpolation.RIDGES),
        "rank": np.array([[200]]), "greedy": np.zeros((3, 1, 3)),
    }  # fmt: skip
    verdicts = {r.claim: r.verdict for r in linear_failure.read(data)}
    assert verdicts["Ties make Linear bad"] == "does not agree"
    assert verdicts["Linear is bad for want of exploration"] == "agrees"
    assert verdicts["Interpolation costs reward"] == "does not agree"


def test_pairs_and_predictors_are_compared_run_by_run() -> None:
    late = {"deep_p1_3": [5.0, 6.0, 7.0], "deep_p1_3_random_branch": [4.5, 5.4, 6.6]}
    data = rewards("random_branch_only", late) | {
        "p": np.array([1 / 3, 1 / 3]), "all_steps": np.array([True, False]),
    }  # fmt: skip
    (reading,) = random_branch_only.read(data)
    assert reading.value.mean == pytest.approx(0.5)
    assert reading.verdict == "agrees"
    late = {"deep_p1_3": [5.0, 6.0, 7.0], "ridge": [5.5, 6.6, 7.4]}
    (reading,) = predictors.read(rewards("predictors", late))
    assert (reading.value.mean, reading.verdict) == (pytest.approx(-0.5), "does not agree")
    assert predictors.read(rewards("predictors", {"ridge": [5.0, 6.0]})) == []


CHEAP = {
    "pixel_scale": ["linucb_s1", "linucb_s255"],
    "linear_failure": ["linear", "linear_explore", "linear_ridge", "random"],
    "predictors": ["k_nearest", "ridge", "boosted_trees"],
}


@pytest.mark.parametrize("name", CHEAP)
def test_a_question_is_collected_read_and_drawn_from_its_data_alone(
    name: str, sample: mnist.Mnist, tmp_path: Path
) -> None:
    shown, scale = EXPERIMENTS[name].select(CHEAP[name]), Scale(STEPS, 3)
    store = Store(tmp_path / "runs", sample.digest)
    for work in (jobs(shown, scale), figures.tasks(shown, scale)):
        assert runs.complete(work, sample, store, progress=False) == []
    picture = figures.make(
        shown, scale, store, sample, tmp_path, scale_name="glance", command="a test"
    )
    before = picture.read_bytes()
    data, caption = saved.load_data(name, tmp_path)
    assert "60 steps, 3 runs" in caption
    assert figures.draw(name, tmp_path).read_bytes() == before
    readings = questions.read_all({name: data})
    assert all(r.runs == 3 and math.isfinite(r.value.mean) for r in readings)
    assert bool(readings) == (name != "predictors")  # without the network nothing is compared
    figure = questions.KINDS[name].draw(data, caption)
    words = " ".join(t.get_text() for axes in figure.axes for t in axes.texts)
    if name != "pixel_scale":
        assert all(str(label) in words for label in data["labels"])


def test_every_experiment_has_its_figure_and_every_question_its_answer() -> None:
    assert set(figures.KINDS) == set(EXPERIMENTS)
    assert set(questions.KINDS) == set(questions.READ) <= set(EXPERIMENTS)
