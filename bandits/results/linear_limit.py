"""What the linear function of least squared error earns: where LinUCB and Linear can end."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from bandits.engine.task import Arrays, Task, check_finite
from bandits.engine.threads import one_thread
from bandits.environments import MnistBandit
from bandits.mnist import Mnist
from bandits.streams import UNSEEN

STATES = 20_000
BLOCK = 1000


def best_linear(mnist: Mnist, arms: int) -> NDArray[np.float64]:
    """The θ that predicts the digit of the first of K images with the least mean squared error.

    Over the bandit's own distribution: each image's digit is uniform, then the image is uniform
    among those of its digit, pixels from 0 to 1, and there is no intercept. The images are
    independent, so E[x xᵀ] has S = E[x₁x₁ᵀ] on its diagonal and μμᵀ elsewhere; the K − 1 other
    images are alike, so that two weights a pixel are enough.

    Returns:
        θ (K, 784), all rows after the first equal; of the least norm where several are best.
    """
    pixels = mnist.images.reshape(len(mnist.images), -1) / 255.0
    share = 1 / (10 * np.bincount(mnist.labels, minlength=10)[mnist.labels])
    mu = share @ pixels
    second = (pixels.T * share) @ pixels
    cross = np.outer(mu, mu)
    others = arms - 1
    # Unknown: the weights of the first image, and √(K − 1) times those of each other one, so that
    # the norm of the unknown is the norm of θ.
    system = np.block(
        [
            [second, np.sqrt(others) * cross],
            [np.sqrt(others) * cross, second + (others - 1) * cross if others else second],
        ]
    )
    mean_digit = share @ mnist.labels
    target = np.concatenate([(share * mnist.labels) @ pixels, np.sqrt(others) * mean_digit * mu])
    values, vectors = np.linalg.eigh(system)
    kept = values > 1e-12 * values[-1]
    solved = vectors[:, kept] @ ((vectors[:, kept].T @ target) / values[kept])
    first, rest = np.split(solved, 2)
    return np.vstack([first, *[rest / np.sqrt(others)] * others]) if others else first[None]


def linear_regret(mnist: Mnist, arms: int, *, seed: int, states: int = STATES) -> float:
    """Mean regret per step of the greedy choice by `best_linear`, in states that no run meets."""
    with one_thread():
        theta = best_linear(mnist, arms)
    # Arm j reads image j with the first row, and every other image with the common one.
    weights = np.where(np.eye(arms, dtype=bool)[:, :, None], theta[0], theta[-1])
    weights = weights.reshape(arms, -1).T
    table = MnistBandit(mnist, arms).rounds(seed, UNSEEN, states)
    taken = np.concatenate(
        [
            (table.contexts(slice(i, min(i + BLOCK, states))) @ weights).argmax(axis=1)
            for i in range(0, states, BLOCK)
        ]
    )
    return float((table.means.max(axis=1) - table.means[np.arange(states), taken]).mean())


def task(seed: int, arms: int) -> Task:
    """Its regret, computed once and kept."""
    return Task(
        f"linear_limit-k{arms}",
        {"what": "linear_limit", "seed": seed, "arms": arms, "states": STATES},
        partial(_limit, seed, arms),
        partial(check_finite, names=("regret",)),
    )


def _limit(seed: int, arms: int, mnist: Mnist, run: None) -> Arrays:
    return {"regret": np.array(linear_regret(mnist, arms, seed=seed))}
