"""Least squares near the rank of the contexts, where the fit passes through every reward."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from bandits.engine.threads import one_thread
from bandits.environments import MnistBandit
from bandits.mnist import Mnist
from bandits.results.supervised import split
from bandits.streams import UNSEEN

Floats = NDArray[np.float64]

SIZES = (50, 100, 200, 400, 800, 1600, 2400, 3000, 3400, 3600, 4000, 5000)
"""Samples per arm. The training images use 717 of 784 pixels, so five have rank 3585 at most."""

RIDGES = (0.0, 1.0, 100.0)
UNSEEN_STATES = 1000


@dataclass(frozen=True)
class Interpolation:
    """What linear arms that saw n samples each do in unseen states.

    Attributes:
        error: (ridges, sizes, repeats) mean squared error of the predicted reward.
        greedy: (ridges, sizes, repeats) mean reward of taking the largest prediction.
        rank: (sizes, repeats) of the contexts.
    """

    error: Floats
    greedy: Floats
    rank: NDArray[np.int64]


def least_squares(
    contexts: ArrayLike, rewards: ArrayLike, ridges: tuple[float, ...]
) -> tuple[Floats, int]:
    """Ridge regression for several ridges and several rewards at once, from one decomposition.

    Args:
        contexts: X (n, m).
        rewards: (n, K).
        ridges: each ≥ 0; 0 gives the least-norm solution, squared singular values below
            max(n, m)·eps of the largest counting as 0.

    Returns:
        Θ (ridges, m, K) minimising ‖XΘ − R‖² + ridge·‖Θ‖², and the rank of X.
    """
    x, r = np.asarray(contexts, dtype=np.float64), np.asarray(rewards, dtype=np.float64)
    n, m = x.shape
    gram = x @ x.T if n <= m else x.T @ x
    # SciPy before 1.14 asks LAPACK for too little room for a 1 × 1 matrix with "evd".
    values, vectors = linalg.eigh(gram, driver="evd" if len(gram) > 1 else "ev")
    kept = values > max(n, m) * np.finfo(float).eps * values[-1]
    values, vectors = values[kept], vectors[:, kept]
    # Θ = Xᵀ U (Λ + ridge)⁻¹ Uᵀ R with X Xᵀ = U Λ Uᵀ; or V (Λ + ridge)⁻¹ Vᵀ Xᵀ R, XᵀX = V Λ Vᵀ.
    projected = vectors.T @ (r if n <= m else x.T @ r)
    thetas = [vectors @ (projected / (values + ridge)[:, None]) for ridge in ridges]
    return np.array([x.T @ theta if n <= m else theta for theta in thetas]), len(values)


def study(
    mnist: Mnist, *, seed: int, arms: int, sizes: tuple[int, ...], repeats: int
) -> Interpolation:
    """Fit every arm to the same n random states, without noise, and try it on other images.

    As if each arm had been tried in all n states: how many samples are needed, apart from the
    question of how the algorithm comes by them.
    """
    train, test = split(mnist)
    shape = (len(RIDGES), len(sizes), repeats)
    error, greedy = np.zeros(shape), np.zeros(shape)
    rank = np.zeros(shape[1:], dtype=np.int64)
    with one_thread():
        for repeat in range(repeats):
            table = MnistBandit(train, arms).rounds(seed, repeat, max(sizes))
            unseen = MnistBandit(test, arms).rounds(seed, repeat + UNSEEN, UNSEEN_STATES)
            states = unseen.contexts(slice(None)).astype(np.float64)
            for place, n in enumerate(sizes):
                thetas, rank[place, repeat] = least_squares(
                    table.contexts(slice(0, n)), table.means[:n], RIDGES
                )
                predicted = states @ thetas  # (ridges, states, arms)
                error[:, place, repeat] = ((predicted - unseen.means) ** 2).mean(axis=(1, 2))
                taken = predicted.argmax(axis=2)
                rows = np.arange(UNSEEN_STATES)
                greedy[:, place, repeat] = unseen.means[rows, taken].mean(axis=1)
    return Interpolation(error, greedy, rank)
