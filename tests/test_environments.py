"""The bandits' statistics against exact ones, and their tables bit by bit.

Statistical tests have fixed seeds: each was to fail with probability below 1e-4 when its seed was
chosen, and never changes its mind afterwards.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from bandits import mnist
from bandits.environments import MnistBandit, SyntheticBandit, draw_exploration
from bandits.mnist import Mnist

# E max of five uniform digits: Σ_{d<10} P(max > d) = Σ_{d=0}^{8} (1 − ((d+1)/10)^5).
BEST = sum(1 - ((d + 1) / 10) ** 5 for d in range(9))
ERROR_RATE = 1e-4


@pytest.fixture(scope="module")
def digits() -> Mnist:
    return mnist.load("sample")


def same_rounds(first, second, steps):
    """The first `steps` steps of both tables are the same, bit for bit."""
    block = slice(0, steps)
    np.testing.assert_array_equal(first.means[block], second.means[block])
    np.testing.assert_array_equal(first.noise[block], second.noise[block])
    np.testing.assert_array_equal(first.contexts(block), second.contexts(block))
    for name in ("eta", "rho", "tie"):
        np.testing.assert_array_equal(
            getattr(first.draws, name)[block], getattr(second.draws, name)[block]
        )


# ── What the paper's bandit pays ────────────────────────────────────────────────────────────────


def test_the_exact_value_of_the_best_arm():
    every = np.indices((10,) * 5).reshape(5, -1)
    assert every.max(axis=0).mean() == pytest.approx(BEST, abs=1e-12)
    assert pytest.approx(7.79175, abs=1e-12) == BEST


def test_the_mean_rewards_of_optimal_and_uniform_choice(digits):
    steps = 100_000
    rounds = MnistBandit(digits, noise=1).rounds(3, 0, steps)
    best = rounds.means.max(axis=1)
    uniform = rounds.means[np.arange(steps), rounds.draws.rho]
    for values, expected in ((best, BEST), (uniform, 4.5)):
        standard_error = values.std() / np.sqrt(steps)
        assert standard_error < 0.01
        # |z| < 3.89 with probability 1 − 1e-4.
        assert abs(values.mean() - expected) < stats.norm.isf(ERROR_RATE / 2) * standard_error


@pytest.mark.parametrize("arms", [1, 2, 5, 50])
def test_digits_are_equally_likely_on_every_arm(digits, arms):
    rounds = MnistBandit(digits, arms=arms).rounds(8, 1, 2000)
    counts = np.array([np.bincount(column, minlength=10) for column in rounds.means.astype(int).T])
    assert counts.shape == (arms, 10)
    assert stats.chisquare(counts, axis=1).pvalue.min() > ERROR_RATE / arms
    assert stats.chisquare(counts.sum(axis=0)).pvalue > ERROR_RATE


def test_images_are_uniform_within_their_digit(digits):
    few = Mnist(digits.images[::100], digits.labels[::100], "sample", "fifty digits")
    assert np.bincount(few.labels, minlength=10).min() > 1
    steps = 4000
    rounds = MnistBandit(few, arms=2).rounds(5, 0, steps)
    shown = np.round(rounds.contexts(slice(None)) * 255).astype(np.uint8).reshape(-1, 28 * 28)
    known = {image.tobytes(): number for number, image in enumerate(few.images)}
    assert len(known) == len(few.images)
    index = np.array([known[image.tobytes()] for image in shown])
    np.testing.assert_array_equal(few.labels[index], rounds.means.ravel())
    for digit in range(10):
        mine = np.flatnonzero(few.labels == digit)
        counts = np.bincount(index, minlength=len(few.labels))[mine]
        assert stats.chisquare(counts).pvalue > ERROR_RATE / 10


def test_the_state_shows_the_digits_that_the_arms_pay(digits):
    # Image j of the state, compared with the data's own bytes, carries the label μ_j.
    rounds = MnistBandit(digits, arms=3).rounds(0, 0, 50)
    labels: dict[bytes, int] = {
        image.tobytes(): int(label)
        for image, label in zip(digits.images, digits.labels, strict=True)
    }
    contexts = rounds.contexts(slice(0, 50))
    assert contexts.shape == (50, 3 * 784)
    for t in range(50):
        for arm in range(3):
            pixels = contexts[t, 784 * arm : 784 * (arm + 1)]
            assert labels[np.rint(pixels * 255).astype(np.uint8).tobytes()] == rounds.means[t, arm]


def test_pixels_lie_in_zero_to_one_and_white_is_exactly_one():
    ramp = np.arange(784, dtype=np.uint16).reshape(28, 28) % 256
    images = np.broadcast_to(ramp.astype(np.uint8), (10, 28, 28))
    made = Mnist(images, np.arange(10, dtype=np.uint8), "sample", "ramps")
    contexts = MnistBandit(made, arms=2).rounds(0, 0, 3).contexts(slice(0, 3))
    assert contexts.dtype == np.float32
    assert contexts.min() == 0.0
    assert contexts.max() == 1.0
    exact = (ramp.ravel() / 255).astype(np.float32)  # the correctly rounded quotient
    np.testing.assert_array_equal(contexts, np.tile(exact, (3, 2)))
    raw = MnistBandit(made, arms=2, pixel_scale=255).rounds(0, 0, 3).contexts(slice(0, 3))
    assert raw.max() == 255.0
    np.testing.assert_allclose(raw, np.tile(ramp.ravel(), (3, 2)), rtol=1e-7)


# ── One table, whatever is done with it ─────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["mnist", "synthetic"])
def test_the_same_seed_gives_the_same_table_and_a_longer_one_begins_with_it(digits, kind):
    bandit = MnistBandit(digits) if kind == "mnist" else SyntheticBandit(arms=4, size=3, noise=2)
    short = bandit.rounds(11, 2, 37)
    same_rounds(short, bandit.rounds(11, 2, 37), 37)
    same_rounds(short, bandit.rounds(11, 2, 120), 37)
    for other in (bandit.rounds(11, 3, 37), bandit.rounds(12, 2, 37)):
        assert np.any(other.means != short.means)
        assert np.all(other.noise != short.noise)
        assert np.all(other.draws.eta != short.draws.eta)
        assert np.all(other.draws.tie != short.draws.tie)


@given(cuts=st.lists(st.integers(0, 40), max_size=5))
@settings(max_examples=20)
def test_contexts_do_not_depend_on_how_they_are_read(digits_once, cuts):
    rounds = digits_once
    edges = [0, *sorted(cuts), 40]
    parts = [rounds.contexts(slice(a, b)) for a, b in pairwise(edges)]
    np.testing.assert_array_equal(np.concatenate(parts), rounds.contexts(slice(0, 40)))


@pytest.fixture(scope="module")
def digits_once(digits):
    return MnistBandit(digits, arms=2).rounds(1, 0, 40)


def test_noise_is_one_table_that_sigma_multiplies(digits):
    block, actions = slice(0, 60), np.arange(60) % 5
    rounds = {s: MnistBandit(digits, noise=s).rounds(4, 0, 60) for s in (0, 1, 10, 1e6)}
    for table in rounds.values():
        same_rounds(rounds[0], table, 60)
    mean = rounds[0].means[block][np.arange(60), actions]
    normals = rounds[0].noise[block][np.arange(60), actions]
    np.testing.assert_array_equal(rounds[0].rewards(block, actions), mean)
    for sigma in (1, 10, 1e6):
        exact = mean + sigma * normals
        got = rounds[sigma].rewards(block, actions)
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, exact, rtol=6e-8, atol=0)


def test_noise_is_standard_normal_and_independent_of_the_digits(digits):
    rounds = MnistBandit(digits, noise=1).rounds(6, 0, 5000)
    assert stats.kstest(rounds.noise.ravel(), "norm").pvalue > ERROR_RATE
    r = stats.pearsonr(rounds.noise.ravel(), rounds.means.ravel())
    assert r.pvalue > ERROR_RATE


def test_rewards_are_those_of_the_chosen_arms_only():
    rounds = SyntheticBandit(arms=3, noise=1).rounds(0, 0, 10)
    block = slice(4, 8)
    actions = np.array([2, 0, 1, 2])
    table = rounds.means + rounds.noise
    expected = [table[4, 2], table[5, 0], table[6, 1], table[7, 2]]
    np.testing.assert_allclose(rounds.rewards(block, actions), expected, rtol=1e-6)


def test_exploration_draws_are_uniform():
    draws = draw_exploration(seed=9, run=0, steps=50_000, arms=7)
    assert draws.eta.min() > 0  # so that ε = 0 never explores
    assert draws.eta.max() <= 1  # so that ε = 1 always does
    assert 0 <= draws.tie.min() <= draws.tie.max() < 1
    assert stats.kstest(draws.eta, "uniform").pvalue > ERROR_RATE
    assert stats.kstest(draws.tie, "uniform").pvalue > ERROR_RATE
    assert stats.chisquare(np.bincount(draws.rho, minlength=7)).pvalue > ERROR_RATE
    # ρ is independent of η: the arms of the steps that explore at ε = 1/10 are uniform too.
    exploring = draws.rho[draws.eta <= 0.1]
    assert stats.chisquare(np.bincount(exploring, minlength=7)).pvalue > ERROR_RATE
    part = draws[10:20]
    np.testing.assert_array_equal(part.rho, draws.rho[10:20])


@pytest.mark.parametrize("arms", [1, 2, 50])
def test_any_number_of_arms(digits, arms):
    bandit = MnistBandit(digits, arms=arms)
    rounds = bandit.rounds(0, 0, 4)
    assert rounds.arms == arms
    assert rounds.steps == 4
    assert rounds.context_size == bandit.context_size == 784 * arms
    assert rounds.contexts(slice(1, 4)).shape == (3, 784 * arms)
    assert rounds.draws.rho.min() >= 0
    assert rounds.draws.rho.max() < arms


# ── The synthetic bandit ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("arms", [1, 2, 3, 4, 7, 50])
def test_the_synthetic_bandits_exact_values_against_quadrature(arms):
    bandit = SyntheticBandit(arms=arms, size=2)

    def mean(x: float) -> np.ndarray:
        # From the class's formula, one arm at a time.
        return np.array([0.5 + 0.5 * np.cos(2 * np.pi * (x - j / arms)) for j in range(arms)])

    kinks = [(j + 0.5) / arms for j in range(arms)]
    best = integrate.quad(lambda x: mean(x).max(), 0, 1, points=kinks, limit=200)[0]
    assert bandit.best_mean == pytest.approx(best, abs=1e-9)
    if arms > 1:
        uniform = integrate.quad(lambda x: mean(x).mean(), 0, 1)[0]
        assert uniform == pytest.approx(0.5, abs=1e-9)
    x = np.array([[0.2, 0.9], [0.7, 0.1]], dtype=np.float32)
    np.testing.assert_allclose(
        bandit.mean_rewards(x), [mean(float(x[0, 0])), mean(float(x[1, 0]))], atol=1e-12
    )


def test_the_synthetic_bandits_average_agrees_with_its_exact_value():
    bandit = SyntheticBandit(arms=4, size=3)
    rounds = bandit.rounds(2, 0, 20_000)
    best = rounds.means.max(axis=1)
    error = best.std() / np.sqrt(len(best))
    assert abs(best.mean() - bandit.best_mean) < stats.norm.isf(ERROR_RATE / 2) * error
    contexts = rounds.contexts(slice(None))
    assert contexts.dtype == np.float32
    assert contexts.shape == (20_000, 3)
    assert contexts.min() >= 0
    assert contexts.max() <= 1
    np.testing.assert_array_equal(rounds.means, bandit.mean_rewards(contexts))


# ── What bad input gets ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"arms": 0}, r"arms \(K\) must be a whole number >= 1, not 0"),
        ({"arms": -2}, r"arms \(K\) must be a whole number >= 1, not -2"),
        ({"arms": 2.5}, r"arms \(K\) must be a whole number >= 1, not 2.5"),
        ({"arms": True}, r"arms \(K\) must be a whole number >= 1, not True"),
        ({"noise": "1"}, r"noise \(sigma\) must be a finite number >= 0, not '1'"),
        ({"noise": -0.5}, r"noise \(sigma\) must be a finite number >= 0, not -0.5"),
        ({"noise": float("nan")}, r"noise \(sigma\) must be a finite number >= 0, not nan"),
        ({"noise": float("inf")}, r"noise \(sigma\) must be a finite number >= 0, not inf"),
    ],
)
def test_settings_out_of_range_are_refused_by_both_bandits(digits, settings, message):
    with pytest.raises(ValueError, match=message):
        MnistBandit(digits, **settings)
    with pytest.raises(ValueError, match=message):
        SyntheticBandit(**settings)


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf")])
def test_a_pixel_scale_out_of_range_is_refused(digits, scale):
    with pytest.raises(ValueError, match=f"pixel_scale must be a finite number > 0, not {scale}"):
        MnistBandit(digits, pixel_scale=scale)


def test_a_state_of_size_zero_is_refused():
    with pytest.raises(ValueError, match=r"size \(m\) must be a whole number >= 1, not 0"):
        SyntheticBandit(size=0)


def test_no_steps_and_negative_seeds_are_refused(digits):
    for bandit in (MnistBandit(digits), SyntheticBandit()):
        with pytest.raises(ValueError, match="steps must be a whole number >= 1, not 0"):
            bandit.rounds(0, 0, 0)
        with pytest.raises(ValueError, match="seed must be a whole number >= 0, not -1"):
            bandit.rounds(-1, 0, 5)
        with pytest.raises(ValueError, match="run must be a whole number >= 0, not -1"):
            bandit.rounds(0, -1, 5)


def test_a_digit_without_an_image_is_refused(digits):
    keep = digits.labels != 7
    without = Mnist(digits.images[keep], digits.labels[keep], "sample", "no sevens")
    with pytest.raises(ValueError, match=r"every digit 0\.\.9 needs an image"):
        MnistBandit(without)
