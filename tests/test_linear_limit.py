"""The linear function of least squared error: against least squares over every state there is."""

from itertools import product

import numpy as np
import pytest

from bandits.mnist import Mnist
from bandits.results.linear_limit import best_linear, linear_regret


def images(each: int, lit: int, seed: int) -> Mnist:
    """`each` made-up images of every digit, with only `lit` pixels that are not black."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(10, dtype=np.uint8), each)
    pixels = np.zeros((len(labels), 28, 28), np.uint8)
    pixels[:, 0, :lit] = rng.integers(0, 256, (len(labels), lit))
    return Mnist(pixels, labels, "sample", "made-up images")


def every_state(mnist: Mnist, arms: int) -> tuple[np.ndarray, np.ndarray]:
    """All tuples of images as rows of pixels from 0 to 1, and their digits."""
    rows = np.array(list(product(range(len(mnist.labels)), repeat=arms)))
    pixels = mnist.images.reshape(len(mnist.labels), -1) / 255
    return pixels[rows].reshape(len(rows), -1), mnist.labels[rows].astype(float)


@pytest.mark.parametrize(("arms", "lit"), [(1, 3), (2, 4), (2, 12), (3, 2)])
def test_it_is_the_least_squares_solution_over_all_states(arms: int, lit: int) -> None:
    mnist = images(1, lit, seed=lit)
    states, digits = every_state(mnist, arms)
    slow = np.linalg.lstsq(states, digits[:, 0], rcond=1e-9)[0]  # of the least norm
    np.testing.assert_allclose(best_linear(mnist, arms).ravel(), slow, atol=1e-7)


def test_digits_count_alike_however_many_images_they_have() -> None:
    one = images(1, 3, seed=5)
    places = np.repeat(np.arange(10), np.arange(1, 11))  # digit d has d + 1 copies of its image
    many = Mnist(one.images[places], one.labels[places], "sample", "made-up images")
    np.testing.assert_allclose(best_linear(many, 2), best_linear(one, 2), atol=1e-9)


def test_its_regret_is_the_mean_over_all_states() -> None:
    mnist = images(1, 3, seed=7)
    states, digits = every_state(mnist, 2)
    theta = best_linear(mnist, 2)
    scores = np.stack([states @ theta.ravel(), states @ theta[::-1].ravel()], axis=1)
    lost = digits.max(axis=1) - digits[np.arange(len(digits)), scores.argmax(axis=1)]
    found = linear_regret(mnist, 2, seed=1, states=20_000)
    assert lost.mean() > 0.1
    assert found == pytest.approx(lost.mean(), abs=5 * lost.std() / 20_000**0.5)
