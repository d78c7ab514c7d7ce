"""Why the networks still err: what is fitted to what, and how it is judged."""

import math
from dataclasses import replace

import numpy as np
import pytest

import bandits.networks
from bandits.environments import MnistBandit
from bandits.experiments import EXPERIMENTS, Scale
from bandits.results import error_causes as question
from bandits.results.error_causes import STATES, VARIANTS, Fit
from bandits.results.figures import KINDS
from bandits.simulate import Trajectory
from bandits.streams import UNSEEN

SHOWN = EXPERIMENTS["error_causes"]
STEPS, ARMS, SEED = 60, 5, 3


class InkOfOne:
    """Stands in for the networks: predicts how much ink one image has, and keeps what it is fed."""

    home = 0

    def __init__(self, architecture, context_size, arms, *, training, weights, batches):
        self.size, self.training = context_size, training
        InkOfOne.made = self

    def fit(self, history):
        rows = np.arange(len(history))
        self.fed = history.contexts_of(rows), history.rewards[rows]

    def predict(self, contexts):
        images = contexts.reshape(len(contexts), ARMS, -1)
        return images[:, self.home].mean(axis=1, keepdims=True)


@pytest.fixture
def ink(monkeypatch):
    monkeypatch.setattr(bandits.networks, "Networks", InkOfOne)


def played(actions) -> Trajectory:
    """A run of which only the arms taken matter."""
    n = len(actions)
    means = np.arange(n, dtype=np.float64) % 7
    return Trajectory(
        actions=np.asarray(actions, np.int64), rewards=means.astype(np.float32), means=means,
        best_means=means + 1, explored=np.zeros(n, np.bool_),
        propensities=np.ones(n, np.float32), predictions=None,
    )  # fmt: skip


def fit(variant: str) -> Fit:
    return Fit(variant, STEPS, ARMS, 1, SEED)


@pytest.mark.usefixtures("ink")
@pytest.mark.parametrize(("variant", "samples"), [("same", 12), ("quarter", 3), ("fourfold", 48)])
def test_uniform_samples_are_the_first_image_s_of_as_many_states(variant, samples, sample):
    question.measured(fit(variant), sample)
    table = MnistBandit(sample).rounds(SEED, 1, samples)
    contexts, rewards = InkOfOne.made.fed
    np.testing.assert_array_equal(contexts, table.contexts(slice(None)))
    np.testing.assert_array_equal(rewards, table.means[:, 0])


@pytest.mark.usefixtures("ink")
def test_an_arm_s_own_samples_are_the_steps_of_the_run_that_took_it(sample, monkeypatch):
    monkeypatch.setattr(InkOfOne, "home", 3)
    actions = np.arange(STEPS) % ARMS
    actions[::4] = 3  # so that it is taken most often
    question.measured(fit("own"), sample, played(actions))
    table = MnistBandit(sample).rounds(SEED, 1, STEPS)
    contexts, rewards = InkOfOne.made.fed
    taken = actions == 3
    np.testing.assert_array_equal(contexts, table.contexts(slice(None))[taken])
    np.testing.assert_array_equal(rewards, table.means[taken, 3])


@pytest.mark.usefixtures("ink")
def test_regret_and_error_are_those_of_the_arm_with_most_ink(sample):
    """The stand-in is known, so that both follow from the images."""
    error, regret = question.measured(fit("same"), sample)
    fresh = MnistBandit(sample).rounds(SEED, 1 + UNSEEN, STATES)
    images = fresh.contexts(slice(None)).reshape(STATES, ARMS, -1)
    said = images.mean(axis=2)
    lost = fresh.means.max(axis=1) - fresh.means[np.arange(STATES), said.argmax(axis=1)]
    assert regret == pytest.approx(lost.mean())
    assert error == pytest.approx(np.mean((said[:, 0] - fresh.means[:, 0]) ** 2))
    assert 1 < regret < 4.5  # ink tells next to nothing of the digit


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_has_as_many_mini_batches_as_an_arm_of_the_bandit(variant):
    fitted = Fit(variant, 40_000, ARMS, 0, SEED)
    training = fitted.training()
    n = fitted.samples() or 8768
    batches = min(training.epochs * math.ceil(n / training.batch_size), training.max_batches)
    stages = 40_000 // SHOWN.train_every
    assert batches == stages * SHOWN.methods[0].predictor.training.max_batches == 40_000


def test_data_and_picture_have_every_variant_and_the_bandit_s_own_loss():
    scale = Scale(40, 2)
    runs = {"deep": [played(np.arange(40) % ARMS), played(np.zeros(40))]}
    given = question.tasks(SHOWN, scale)
    own = [
        (task, {"error": np.array(float(k)), "regret": np.array(k / 10)})
        for k, task in enumerate(given)
    ]
    data = question.collect(SHOWN, runs, own)
    assert data["variants"].tolist() == list(VARIANTS)
    assert data["regret"][:, 0] == pytest.approx(np.arange(len(VARIANTS)) / 10)
    assert data["error"][:, 1] == pytest.approx(len(VARIANTS) + np.arange(len(VARIANTS)))
    assert data["samples"].tolist() == [40, 8, 8, 8, 2, 32]
    # One lost per step; the second run uses one arm of five, which alone costs 7.79175 - 4.5.
    assert data["bandit_regret"] == pytest.approx([1.0, 1 - (31167 / 4000 - 4.5)])
    figure = KINDS["error_causes"].draw(data, "caption")
    labels = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert labels == ["in the bandit", *(variant.label for variant in VARIANTS.values())]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (replace(SHOWN, noise=1.0), "not those of 1 with σ = 1"),
        (replace(SHOWN, methods=EXPERIMENTS["low_noise"].methods), "not those of 6 with σ = 0"),
    ],
)
def test_what_the_fits_do_not_have_is_refused(other, said):
    with pytest.raises(ValueError, match=said):
        KINDS["error_causes"].check(other, Scale(40, 2))
