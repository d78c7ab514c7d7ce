"""One run's independent streams of random numbers, each with a fixed place in the seed sequence."""

from enum import IntEnum

import numpy as np

from bandits.checks import whole


class Stream(IntEnum):
    """What a stream of random numbers is for. The values are part of every stored result."""

    STATES = 0
    NOISE = 1
    EXPLORATION = 2
    TIES = 3
    WEIGHTS = 4
    BATCHES = 5
    POLICY = 6


UNSEEN = 1_000_000
"""Added to a run's number, it names a table of states that no run meets."""


def seed_sequence(
    seed: int, run: int, stream: Stream, t: int | None = None
) -> np.random.SeedSequence:
    """The seed of one stream of run number `run` (from 0) under `seed` (from 0).

    With t it is of that step alone, so that a resumed run meets the same random numbers.

    Raises:
        ValueError: if seed or run is negative or no whole number.
    """
    key = (whole("run", run, 0), int(stream), *(() if t is None else (whole("t", t, 1),)))
    return np.random.SeedSequence(whole("seed", seed, 0), spawn_key=key)


def generator(seed: int, run: int, stream: Stream) -> np.random.Generator:
    """NumPy generator of one stream."""
    return np.random.default_rng(seed_sequence(seed, run, stream))
