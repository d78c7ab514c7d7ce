"""Where our theorems meet the runs: each number again, by another way."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bandits.engine.compute import compute, perform
from bandits.experiments import EXPERIMENTS, RunSpec, Scale, environment
from bandits.experiments.paper import LINUCB, RANDOM
from bandits.mnist import Mnist
from bandits.results import bounds, undrawn
from bandits.results.figures import KINDS
from bandits.results.saved import load_data, load_runs
from bandits.simulate import Trajectory
from bandits.streams import Stream, seed_sequence

FIGURES = Path(__file__).resolve().parent.parent / "figures"
BOUNDS, UNDRAWN = EXPERIMENTS["bounds"], EXPERIMENTS["undrawn"]


def a_run(steps: int, arms: int = 5, seed: int = 0) -> Trajectory:
    """Random digits, with the propensities of ε_t = 1/t and a greedy arm that is never arm 0."""
    rng = np.random.default_rng(seed)
    table, epsilon = rng.integers(0, 10, (steps, arms)), 1 / np.arange(1, steps + 1)
    explored = rng.random(steps) < epsilon
    greedy = rng.integers(1, arms, steps)
    actions = np.where(explored, rng.integers(0, arms, steps), greedy)
    means = table[np.arange(steps), actions].astype(np.float64)
    return Trajectory(
        actions,
        means.astype(np.float32),
        means,
        table.max(axis=1).astype(np.float64),
        explored,
        (epsilon / arms + (1 - epsilon) * (actions == greedy)).astype(np.float32),
        (means + rng.normal(size=steps)).astype(np.float32),
    )


@pytest.mark.parametrize(("shown", "other"), [(BOUNDS, "long_low_noise"), (UNDRAWN, "low_noise")])
def test_the_runs_are_those_of_another_figure(shown, other) -> None:
    mine, theirs = (
        {spec.fingerprint("digest") for spec in e.specs(e.paper)}
        for e in (shown, EXPERIMENTS[other])
    )
    assert mine < theirs


def test_the_adaptive_bounds_are_the_theorem_s_sums_step_by_step() -> None:
    run, total, errors, sharp = a_run(400), 0.0, 0.0, 0.0
    data = bounds.collect(BOUNDS, {"deep": [run]}, [])
    both = np.stack([data["adaptive"][0, 0], data["sharper"][0, 0]], axis=1)
    found = dict(zip(data["t"].tolist(), both, strict=True))
    assert run.predictions is not None
    for step in range(1, 401):
        error = (float(run.predictions[step - 1]) - float(run.means[step - 1])) ** 2
        total += (7.79175 - 4.5) / step
        errors += error
        sharp += 2 * (1 - 1 / step) * error / float(run.propensities[step - 1])
        if step in found:
            assert found[step][0] == pytest.approx((total + 10 * step * errors) / step, rel=1e-9)
            assert found[step][1] == pytest.approx((total + sharp) / step, rel=1e-9)
    np.testing.assert_array_equal(
        data["normalized_regret"][0, 0], run.normalized_regret[data["t"] - 1]
    )


def test_the_curves_beside_the_runs_are_the_formulas() -> None:
    t, upper = bounds.unified(1.0, 5, 1e13)
    assert t[0] == pytest.approx(math.exp(10 * math.e), rel=0.01)
    for step, value in zip(t, upper, strict=True):
        n = math.log(step) / 10
        expected = 3.29175 / step + (1 - 1 / step) * 10 * math.sqrt(math.log(n) / n)
        assert value == pytest.approx(expected, rel=1e-12)
    rng, steps, games = np.random.default_rng(0), 60, 4000
    lost = np.zeros(steps)
    best = np.array([4.5] + [9 - sum((d / 10) ** k for d in range(1, 10)) for k in range(1, 6)])
    for _ in range(games):  # the learner that knows every arm a random step drew
        drawn: set[int] = set()
        for step in range(steps):
            lost[step] += best[5] - best[len(drawn)]
            if rng.random() < 1 / (step + 1):
                lost[step] += best[len(drawn)] - 4.5
                drawn.add(int(rng.integers(5)))
    played = np.cumsum(lost / games) / np.arange(1, steps + 1)
    np.testing.assert_allclose(bounds.price(steps, 1.0, 5), played, rtol=0.02)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"methods": (LINUCB,)}, "linucb has p = None"),
        ({"methods": tuple(replace(m, p=1.5) for m in BOUNDS.methods)}, "deep has p = 1.5"),
        ({"arms": 1}, "not arms = 1 and keep_predictions = True"),
        ({"keep_predictions": False}, "not arms = 5 and keep_predictions = False"),
    ],
)
def test_what_the_theorems_do_not_speak_of_is_refused_before_any_run(changes, words) -> None:
    with pytest.raises(ValueError, match=words):
        KINDS["bounds"].check(replace(BOUNDS, **changes), Scale(40, 1))


def test_a_method_without_networks_or_random_steps_is_refused_before_any_run() -> None:
    for method in (RANDOM, LINUCB, EXPERIMENTS["exponent"].methods[0]):
        shown = replace(UNDRAWN, methods=(method,))
        if method.p is None:
            with pytest.raises(ValueError, match=f"{method.name} has no networks, or no random"):
                KINDS["undrawn"].check(shown, Scale(40, 1))
        else:
            KINDS["undrawn"].check(shown, Scale(40, 1))


@pytest.mark.parametrize("steps", [2, 40])
def test_both_are_drawn_from_short_runs_too(sample: Mnist, steps: int) -> None:
    played = [a_run(steps, seed=seed) for seed in (1, 2)]
    KINDS["bounds"].draw(
        bounds.collect(BOUNDS, {"deep": played}, []), "caption"
    ).draw_without_rendering()
    tasks = undrawn.tasks(UNDRAWN, Scale(steps, 2))
    own = [(task, perform(task, sample, run)) for task, run in zip(tasks, played, strict=True)]
    for task, arrays in own:
        task.check(arrays)
    data = undrawn.collect(UNDRAWN, {"deep": played}, own)
    KINDS["undrawn"].draw(data, "caption").draw_without_rendering()
    for run, (taken, at) in enumerate(
        zip(data["first_taken"][0], data["untrained_at"][0], strict=True)
    ):
        for arm in range(5):
            there = np.flatnonzero(played[run].actions == arm)
            assert taken[arm] == (there[0] + 1 if len(there) else 0)
            assert np.isnan(at[arm]) == (not len(there))


def test_what_is_untrained_is_the_network_that_the_run_s_seed_draws(sample: Mnist) -> None:
    """Built here by hand; and before the first stage it decides the greedy steps of a real run."""
    from bandits.networks import Network, torch_generator

    (method,) = UNDRAWN.methods
    spec = RunSpec(method, 3, 20)
    predicted = undrawn.untrained(spec, sample)
    generator = torch_generator(seed_sequence(spec.seed, 3, Stream.WEIGHTS))
    import torch

    contexts = environment(spec, sample).rounds(spec.seed, 3, 20).contexts(slice(None))
    for arm in range(5):
        network = Network(method.predictor.architecture, 3920, generator=generator)  # type: ignore[union-attr]
        with torch.inference_mode():
            by_hand = network(network.arrange(torch.from_numpy(contexts))).numpy()
        np.testing.assert_allclose(predicted[:, arm], by_hand, rtol=1e-4, atol=1e-6)
    run = compute(spec, sample)
    greedy = ~run.explored
    assert (run.actions[greedy] == predicted.argmax(axis=1)[greedy]).all()


def test_the_committed_predictions_are_those_that_the_long_runs_kept() -> None:
    """Up to the first stage a run of one seed is the same, however it is trained later."""
    data, _ = load_data("undrawn", FIGURES)
    kept = load_runs("bounds", FIGURES)["deep"]
    checked = 0
    for run, long in enumerate(kept):
        assert long.predictions is not None
        for arm, t in enumerate(data["first_taken"][0, run]):
            if 0 < t <= 20:
                assert long.actions[t - 1] == arm
                at = data["untrained_at"][0, run, arm]
                assert long.predictions[t - 1] == pytest.approx(at, rel=1e-3, abs=1e-5)
                checked += 1
    assert checked > 10


def test_the_committed_figures_name_the_runs_of_the_others() -> None:
    for name, other in (("bounds", "long_low_noise"), ("undrawn", "low_noise")):
        told = [
            json.loads((FIGURES / f"{n}.json").read_text("utf-8"))["runs"] for n in (name, other)
        ]
        assert set(told[0]) < set(told[1])


def test_the_numbers_that_chapters_5_and_7_tell_are_those_of_the_runs() -> None:
    """Chapter 5 reads no committed run, since it also runs in the browser."""
    kept = load_runs("bounds", FIGURES)["deep"]
    stated, sharper = np.mean([bounds.adaptive(run, 1.0, 5) for run in kept], axis=0)
    lost = [np.mean([run.regret[:t].mean() for run in kept]) for t in (2000, 40_000)]
    least = [bounds.price(100_000, 1.0, 5)[t - 1] for t in (2000, 40_000, 100_000)]
    assert [round(x, 2) for x in (*lost, *least)] == [1.73, 0.60, 0.50, 0.24, 0.20]
    per_step = [
        sharper[1999] / 2000,
        sharper[-1] / 40_000,
        stated[1999] / 2000,
        stated[-1] / 40_000,
    ]
    assert [round(x) for x in per_step] == [99, 28, 95_450, 650_517]
    five, seven = (
        " ".join((FIGURES.parent / "notebooks" / f"{name}.py").read_text("utf-8").split("\n# "))
        for name in ("05_what_is_true", "07_the_paper_figures")
    )
    assert "lose 1.73 on average up to $t = 2{,}000$ and 0.60 up to 40,000" in five
    assert "the sharper form allows 99 and 28" in five
    assert "a uniform choice loses 3.29 per step" in five
    assert "averaged up to $t$ | 2,000 | 40,000 | 100,000 |" in five
    assert "| least in Theorem D's class | 0.50 | 0.24 | 0.20 |" in five
    assert "| Deep, five runs | 1.73 | 0.60 | |" in five
    (farther,) = load_runs("long_convergence", FIGURES)["deep"]
    one = " | ".join(f"{farther.normalized_regret[t - 1]:.2f}" for t in (2000, 40_000, 100_000))
    assert f"| Deep, one run of these, in the end with all arms in use | {one} |" in five
    assert np.array_equal(farther.actions[:40_000], kept[0].actions)  # "one run of these"
    assert np.bincount(farther.actions[20_000:], minlength=5).min() > 0.1 * 80_000
    assert f"has lost {farther.normalized_regret[-1]:.2f}; Theorem D says 0.20, and" in seven
    page = " ".join((FIGURES.parent / "book" / "results.md").read_text("utf-8").split())
    assert "Averaged over these 40,000 steps Deep loses 0.60 per step." in page
    assert "can lose less than 0.24" in page
    assert "99 in its sharper form and 95,450 as it is stated" in seven
    assert "these are 0.60, 3.29, 0.24, 28, 650,517 and nothing" in seven

    data, _ = load_data("undrawn", FIGURES)
    drawn, taken = data["first_drawn"][0], data["first_taken"][0]
    first_by_choice = (taken > 0) & ((drawn == 0) | (taken < drawn))
    assert drawn.size == 60
    assert (first_by_choice & (taken < 20)).sum() == 10
    assert (first_by_choice & (taken >= 20)).sum() == 1
    assert ((drawn == 0).sum(), (taken == 0).sum()) == (10, 7)
    assert ((taken == 0) <= (drawn == 0)).all()
