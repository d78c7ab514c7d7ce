"""The examples of experiments of one's own run, and do what their page says."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import load_wine

from bandits.engine.compute import compute
from bandits.engine.jobs import jobs
from bandits.experiments import Experiment, Scale, environment, experiment
from bandits.mnist import Mnist
from bandits.results.figures import kind_of
from bandits.simulate import Trajectory

EXTEND = Path(__file__).resolve().parent.parent / "book" / "extend"
GALLERY = EXTEND / "gallery.py"
NAMES = re.findall(r"^([A-Z]+(?:_[A-Z]+)*) = replace\((?:WINE|TWO|experiment)",
                   GALLERY.read_text(encoding="utf-8"), re.M)  # fmt: skip


@pytest.fixture(autouse=True)
def _paths_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])


def shown(name: str) -> Experiment:
    return experiment(f"{GALLERY}:{name}")


def runs_of(name: str, sample: Mnist, steps: int = 60) -> dict[str, Trajectory]:
    work = jobs(shown(name), Scale(steps, 1))
    return {job.spec.method.name: compute(job.spec, sample) for job in work}


def test_the_page_shows_every_example() -> None:
    page = (EXTEND / "examples.md").read_text(encoding="utf-8")
    parts = re.findall("# begin: (.*)", GALLERY.read_text(encoding="utf-8"))
    assert re.findall(':start-after: "# begin: (.*)"', page) == parts
    assert re.findall(':end-before: "# end: (.*)"', page) == parts
    assert len(NAMES) == len(parts) + 1  # one has two


@pytest.mark.parametrize("name", NAMES)
def test_an_example_runs_and_can_be_drawn(name: str, sample: Mnist) -> None:
    runs = runs_of(name, sample)
    drawn = kind_of(shown(name))
    data = drawn.collect(shown(name), {method: [run] for method, run in runs.items()}, [])
    assert drawn.draw(data, "caption").axes
    assert list(data["methods"]) == list(runs)


def test_ucb1_is_the_textbooks(sample: Mnist) -> None:
    run = runs_of("UCB", sample, 200)["ucb1"]
    for t in range(4, 201):
        taken, reward = run.actions[: t - 1], run.rewards[: t - 1]
        bounds = [
            reward[taken == arm].mean() + np.sqrt(2 * np.log(t) / (taken == arm).sum())
            for arm in range(3)
        ]
        assert bounds[run.actions[t - 1]] == pytest.approx(max(bounds), abs=1e-6)
    assert sorted(run.actions[:3]) == [0, 1, 2]


def test_softmax_tells_the_probabilities_of_its_rule(sample: Mnist) -> None:
    _, warm, _ = runs_of("SOFTMAX", sample).values()
    assert warm.propensities[:20] == pytest.approx(1 / 3)
    x = environment(jobs(shown("SOFTMAX"), Scale(60, 1))[1].spec, sample).rounds(2022, 0, 60)
    seen, next_ones = (x.contexts(slice(*ends)).astype(float) for ends in ((0, 20), (20, 40)))
    scores = []
    for arm in range(3):
        rows = warm.actions[:20] == arm
        gram = seen[rows].T @ seen[rows] + np.eye(13)
        theta = np.linalg.solve(gram, seen[rows].T @ warm.rewards[:20][rows])
        scores.append(next_ones @ theta)
    probability = softmax(np.array(scores) / 0.2, axis=0)
    told = probability[warm.actions[20:40], np.arange(20)]
    np.testing.assert_allclose(warm.propensities[20:40], told, rtol=1e-4)


def test_thompson_sampling_learns_and_tells_no_propensity(sample: Mnist) -> None:
    run = runs_of("LINEAR_THOMPSON", sample, 400)["thompson"]
    assert np.isnan(run.propensities).all()
    assert run.regret[300:].mean() < run.regret[:100].mean()


def test_the_schedules_explore_as_they_say(sample: Mnist) -> None:
    runs = runs_of("SCHEDULES", sample, 200)
    assert runs["commit"].explored.tolist() == [True] * 100 + [False] * 100
    assert runs["capped"].explored[:5].all()
    assert runs["capped"].explored[5:].mean() < 0.2


def test_a_network_of_ones_own_learns(sample: Mnist) -> None:
    first, again = (runs_of("TORCH", sample, 300)["tanh"] for _ in range(2))
    np.testing.assert_array_equal(first.actions, again.actions)
    greedy = ~first.explored
    assert first.regret[200:][greedy[200:]].mean() < 0.1  # a uniform choice loses 2/3


def test_delayed_rewards_are_learnt_from_later(sample: Mnist) -> None:
    late, prompt = runs_of("DELAYED", sample, 200).values()
    same = np.argmax(late.actions != prompt.actions)
    # Trained by the rewards of the first stage, the prompt one differs from step 21 on; the late
    # one has seen none before the sixth stage, and takes the first arm unless it explores.
    assert same >= 20
    assert (late.actions[:120][~late.explored[:120]] == 0).all()
    assert (late.actions[120:][~late.explored[120:]] != 0).any()


def test_the_drift_moves_the_best_arm(sample: Mnist) -> None:
    bandit = shown("DRIFTING").bandit.value(3, 0.0)  # type: ignore[union-attr]
    rounds = bandit.rounds(1, 0, 501)
    x = rounds.contexts(np.array([0, 500]))[:, 0].astype(float)
    for row, t in ((0, 0), (1, 500)):
        turned = x[row] + t / 500 - np.arange(3) / 3
        np.testing.assert_allclose(
            rounds.means[t], 0.5 + 0.5 * np.cos(2 * np.pi * turned), atol=1e-6
        )


def test_the_arms_are_two_and_ten(sample: Mnist) -> None:
    for name, arms in (("TWO", 2), ("TEN", 10)):
        run = runs_of(name, sample)["random"]
        assert set(run.actions) == set(range(arms))


def test_the_wines_are_those_of_the_table(sample: Mnist) -> None:
    x, kind = load_wine(return_X_y=True)
    rounds = shown("WINE").bandit.value(0.0).rounds(1, 0, 40)  # type: ignore[union-attr]
    standard = ((x - x.mean(0)) / x.std(0)).astype(np.float32)
    for t in range(40):
        (row,) = np.flatnonzero((standard == rounds.contexts(np.array([t]))).all(axis=1))
        assert rounds.means[t].tolist() == [float(kind[row] == arm) for arm in range(3)]
    run = runs_of("WINE", sample, 200)["ridge"]
    assert run.rewards[100:].mean() > 0.8
