"""Least squares near the rank of the contexts, where the fit passes through every reward."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from bandits.engine.task import Arrays, Task, check_finite
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
    mnist: Mnist, run: None = None, *, seed: int, arms: int, sizes: Sequence[int], repeat: int
) -> Arrays:
    """Fit every arm to the same n random states, without noise, and try it on other images.

    As if each arm had been tried in all n states: how many samples are needed, apart from the
    question of how the algorithm comes by them.

    Returns:
        `error` (ridges, sizes), the mean squared error of the predicted reward in unseen states;
        `greedy` (ridges, sizes), the mean reward of taking the largest prediction there; and
        `rank` (sizes,), of the contexts.
    """
    train, test = split(mnist)
    error, greedy = np.zeros((2, len(RIDGES), len(sizes)))
    rank = np.zeros(len(sizes), dtype=np.int64)
    with one_thread():
        table = MnistBandit(train, arms).rounds(seed, repeat, max(sizes))
        unseen = MnistBandit(test, arms).rounds(seed, repeat + UNSEEN, UNSEEN_STATES)
        states = unseen.contexts(slice(None)).astype(np.float64)
        for place, n in enumerate(sizes):
            thetas, rank[place] = least_squares(
                table.contexts(slice(0, n)), table.means[:n], RIDGES
            )
            predicted = states @ thetas  # (ridges, states, arms)
            error[:, place] = ((predicted - unseen.means) ** 2).mean(axis=(1, 2))
            taken = predicted.argmax(axis=2)
            greedy[:, place] = unseen.means[np.arange(UNSEEN_STATES), taken].mean(axis=1)
    return {"error": error, "greedy": greedy, "rank": rank}


def task(seed: int, arms: int, sizes: Sequence[int], repeat: int) -> Task:
    """One repeat of `study`, as a part of a figure."""
    asked: dict[str, Any] = {"seed": seed, "arms": arms, "sizes": list(sizes), "repeat": repeat}
    return Task(
        f"least_squares-run{repeat:02d}",
        asked | {"ridges": list(RIDGES), "unseen_states": UNSEEN_STATES},
        partial(study, **asked),
        partial(check_finite, names=("error", "greedy", "rank")),
    )
