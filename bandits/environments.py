"""The bandits: each draws a whole run up front, independently of what will be chosen.

The state X_t and the rewards of all arms do not depend on the actions (the paper's
unconfoundedness), so one run is a table. Every method of a run reads the same table, which makes
comparisons between methods paired.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits.architecture import SIDE
from bandits.checks import finite, whole
from bandits.mnist import Mnist, unit_pixels
from bandits.streams import Stream, generator

IMAGE_PIXELS = SIDE**2
Block = slice | NDArray[np.int64]


@dataclass(frozen=True)
class Draws:
    """The policy's own randomness at n steps.

    Attributes:
        eta: (n,) float64 in (0, 1]; a step explores when η ≤ ε_t (Algorithm 1).
        rho: (n,) intp in 0..K−1, the arm of an exploring step, uniform.
        tie: (n,) float64 in [0, 1), picks among equal scores when ties are broken at random.
    """

    eta: NDArray[np.float64]
    rho: NDArray[np.intp]
    tie: NDArray[np.float64]

    def __getitem__(self, block: slice) -> "Draws":
        return Draws(self.eta[block], self.rho[block], self.tie[block])


@dataclass(frozen=True)
class Rounds:
    """One run's table of T steps and K arms.

    Attributes:
        means: (T, K) float64, the expected rewards μ_j(X_t); regret is measured with these.
        noise: (T, K) float64 standard normals; the reward of arm j is μ_j(X_t) + σ · noise.
        sigma: σ ≥ 0.
        draws: the policy's random numbers, T of each.
        context_size: m.
        gather: slice of steps, or their positions t − 1 (n,) -> contexts (n, m) float32.
    """

    means: NDArray[np.float64]
    noise: NDArray[np.float64]
    sigma: float
    draws: Draws
    context_size: int
    gather: Callable[[Block], NDArray[np.float32]]

    @property
    def steps(self) -> int:
        """T."""
        return len(self.means)

    @property
    def arms(self) -> int:
        """K."""
        return int(self.means.shape[1])

    def contexts(self, block: Block) -> NDArray[np.float32]:
        """The states X_t of a block of steps, or of single ones by position, (n, m) float32."""
        return self.gather(block)

    def rewards(self, block: slice, actions: NDArray[np.int64]) -> NDArray[np.float32]:
        """The rewards R_t of the chosen arms only, (n,) float32."""
        rows = np.arange(len(actions))
        mean = self.means[block][rows, actions]
        return (mean + self.sigma * self.noise[block][rows, actions]).astype(np.float32)


def table(contexts: ArrayLike, means: ArrayLike, *, noise: float, seed: int, run: int) -> Rounds:
    """A run's table of your own contexts (T, m) and expected rewards (T, K).

    The noise σ of the reward is `noise`; all random numbers are those of run number `run`.

    Raises:
        ValueError: if the two are no tables of as many steps.
    """
    states, expected = np.asarray(contexts, np.float32), np.asarray(means, np.float64)
    if states.ndim != 2 or expected.ndim != 2 or len(states) != len(expected):
        raise ValueError(
            "a table needs contexts (T, m) and means (T, K), not of shapes "
            f"{states.shape} and {expected.shape}"
        )
    steps, arms = expected.shape
    return Rounds(
        means=expected,
        noise=generator(seed, run, Stream.NOISE).standard_normal((steps, arms)),
        sigma=finite("noise (sigma)", noise),
        draws=draw_exploration(seed, run, steps, arms),
        context_size=states.shape[1],
        gather=lambda block: states[block].copy(),  # whoever is given them may write on them
    )


class Bandit(Protocol):
    """What a run plays."""

    def rounds(self, seed: int, run: int, steps: int, /) -> Rounds:
        """The table of run number `run` under `seed`, T = steps; the same whenever it is asked."""


def draw_exploration(seed: int, run: int, steps: int, arms: int) -> Draws:
    """η, ρ and tie-breaking numbers of a run; a longer run begins with the shorter one."""
    eta_rho = generator(seed, run, Stream.EXPLORATION).random((steps, 2))
    tie = generator(seed, run, Stream.TIES).random(steps)
    # 1 − u lies in (0, 1], so ε = 1 always explores and ε = 0 never does.
    return Draws(1.0 - eta_rho[:, 0], (eta_rho[:, 1] * arms).astype(np.intp), tie)


def _check(arms: int, noise: float) -> None:
    whole("arms (K)", arms, 1)
    finite("noise (sigma)", noise)


@dataclass(frozen=True)
class MnistBandit:
    """The paper's bandit: the state is K random images, the reward of arm j is the j-th digit.

    Each digit 0..9 is equally likely; then an image is uniform among those of that digit.

    Attributes:
        mnist: the images and labels.
        arms: K ≥ 1 (5 in the paper).
        noise: σ ≥ 0 of the Gaussian noise on the reward (0 and 1 in the paper).
        pixel_scale: the contexts are pixels in [0, 1] times this number (255 gives raw bytes).

    Raises:
        ValueError: for arms, noise or pixel_scale out of range, or a digit without an image.
    """

    mnist: Mnist
    arms: int = 5
    noise: float = 0.0
    pixel_scale: float = 1.0

    def __post_init__(self) -> None:
        _check(self.arms, self.noise)
        finite("pixel_scale", self.pixel_scale, positive=True)
        counts = np.bincount(self.mnist.labels, minlength=10)
        if np.any(counts[:10] == 0):
            raise ValueError(f"every digit 0..9 needs an image, but their counts are {counts}")

    @property
    def context_size(self) -> int:
        """m = 784 K."""
        return IMAGE_PIXELS * self.arms

    def rounds(self, seed: int, run: int, steps: int) -> Rounds:
        """Draw run number `run` under `seed`, T = steps ≥ 1."""
        whole("steps", steps, 1)
        uniform = generator(seed, run, Stream.STATES).random((steps, 2, self.arms))
        digits = (uniform[:, 0] * 10).astype(np.int64)
        by_digit = np.argsort(self.mnist.labels, kind="stable")
        counts = np.bincount(self.mnist.labels, minlength=10)
        first = np.cumsum(counts) - counts
        images = by_digit[first[digits] + (uniform[:, 1] * counts[digits]).astype(np.int64)]
        pixels = self.mnist.images.reshape(len(self.mnist.images), IMAGE_PIXELS)

        def gather(block: Block) -> NDArray[np.float32]:
            chosen = pixels[images[block]].reshape(-1, self.context_size)
            contexts = unit_pixels(chosen)
            if self.pixel_scale != 1:
                contexts *= np.float32(self.pixel_scale)
            return contexts

        return Rounds(
            means=digits.astype(np.float64),
            noise=generator(seed, run, Stream.NOISE).standard_normal((steps, self.arms)),
            sigma=self.noise,
            draws=draw_exploration(seed, run, steps, self.arms),
            context_size=self.context_size,
            gather=gather,
        )


@dataclass(frozen=True)
class SyntheticBandit:
    """A small bandit with known means, for teaching and tests.

    The state is uniform on [0, 1]^m and μ_j(x) = ½ + ½ cos(2π(x_1 − j/K)) for j = 0..K−1: each
    arm is best on one K-th of the circle. Exactly, E max_j μ_j = ½ + (K / 2π) sin(π / K), and a
    uniform choice earns ½ for K ≥ 2.

    Attributes:
        arms: K ≥ 1.
        size: m ≥ 1; coordinates after the first carry no information.
        noise: σ ≥ 0.

    Raises:
        ValueError: for a value out of range.
    """

    arms: int = 3
    size: int = 1
    noise: float = 0.0

    def __post_init__(self) -> None:
        _check(self.arms, self.noise)
        whole("size (m)", self.size, 1)

    @property
    def context_size(self) -> int:
        """m."""
        return self.size

    @property
    def best_mean(self) -> float:
        """E max_j μ_j(X), what Optimal earns per step."""
        if self.arms == 1:
            return 0.5
        return 0.5 + self.arms / (2 * math.pi) * math.sin(math.pi / self.arms)

    def mean_rewards(self, contexts: NDArray[np.float32]) -> NDArray[np.float64]:
        """μ_j(x) of every arm, (n, m) -> (n, K)."""
        phase = contexts[:, :1].astype(np.float64) - np.arange(self.arms) / self.arms
        return 0.5 + 0.5 * np.cos(2 * np.pi * phase)

    def rounds(self, seed: int, run: int, steps: int) -> Rounds:
        """Draw run number `run` under `seed`, T = steps ≥ 1."""
        whole("steps", steps, 1)
        states = generator(seed, run, Stream.STATES).random((steps, self.size), dtype=np.float32)
        return table(states, self.mean_rewards(states), noise=self.noise, seed=seed, run=run)
