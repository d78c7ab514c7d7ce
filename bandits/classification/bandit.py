"""The bandit of a classification task: the right class pays 1, every other 0."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bandits.checks import finite, whole
from bandits.classification.examples import Examples
from bandits.environments import Block, Rounds, draw_exploration
from bandits.mnist import unit_pixels
from bandits.streams import Stream, generator


@dataclass(frozen=True)
class ClassificationBandit:
    """The state is an example, drawn uniformly with replacement; arm j pays 1 if it is of class j.

    A uniform choice loses (K − 1) / K per step in expectation, whatever the classes' shares.

    Attributes:
        examples: what is drawn.
        noise: σ ≥ 0 of the Gaussian noise on the reward.

    Raises:
        ValueError: for a noise out of range.
    """

    examples: Examples
    noise: float = 0.0

    def __post_init__(self) -> None:
        finite("noise (sigma)", self.noise)

    def rounds(self, seed: int, run: int, steps: int) -> Rounds:
        """Draw run number `run` under `seed`, T = steps ≥ 1."""
        whole("steps", steps, 1)
        features, arms = self.examples.features, self.examples.classes
        uniform = generator(seed, run, Stream.STATES).random(steps)
        drawn = (uniform * len(features)).astype(np.int64)

        def gather(block: Block) -> NDArray[np.float32]:
            rows = features[drawn[block]]
            return unit_pixels(rows) if rows.dtype == np.uint8 else rows

        return Rounds(
            means=np.eye(arms)[self.examples.labels[drawn]],
            noise=generator(seed, run, Stream.NOISE).standard_normal((steps, arms)),
            sigma=self.noise,
            draws=draw_exploration(seed, run, steps, arms),
            context_size=features.shape[1],
            gather=gather,
        )
