"""One run's independent streams of random numbers, each with a fixed place in the seed sequence."""

from enum import IntEnum
from operator import index

import numpy as np


class Stream(IntEnum):
    """What a stream of random numbers is for. The values are part of every stored result."""

    STATES = 0
    NOISE = 1
    EXPLORATION = 2
    TIES = 3
    WEIGHTS = 4
    BATCHES = 5


def seed_sequence(seed: int, run: int, stream: Stream) -> np.random.SeedSequence:
    """The seed of one stream of run number `run` (from 0) under `seed` (from 0).

    Raises:
        ValueError: if seed or run is negative.
    """
    if index(seed) < 0 or index(run) < 0:
        raise ValueError(f"seed and run must be whole numbers >= 0, not {seed} and {run}")
    return np.random.SeedSequence(index(seed), spawn_key=(index(run), int(stream)))


def generator(seed: int, run: int, stream: Stream) -> np.random.Generator:
    """NumPy generator of one stream."""
    return np.random.default_rng(seed_sequence(seed, run, stream))
