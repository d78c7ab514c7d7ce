"""Methods that raise, or kill their process, when they are built in a worker; and a command.

Workers import this module, so the faults need no hook in the package. As a program,
`faulty.py FOLDER WORKERS` fills a store with the runs of JOBS, keeping a checkpoint at every stage.
"""

import multiprocessing
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from bandits import mnist
from bandits.experiments import EXPERIMENTS, LINEAR, LINUCB, RANDOM, LeastSquaresSpec, Method, Scale
from bandits.runs import complete, jobs
from bandits.store import Store

FILLING = jobs(
    replace(EXPERIMENTS["low_noise"], methods=(LINUCB, LINEAR, RANDOM), noise=1.0), Scale(400, 2)
)


class RaisingSpec(LeastSquaresSpec):
    """Cannot be built in a worker."""

    def __getattribute__(self, name: str) -> Any:
        if name == "ridge" and multiprocessing.parent_process() is not None:
            raise OddError("no", "luck")
        return super().__getattribute__(name)


class KillingSpec(LeastSquaresSpec):
    """Takes its worker with it, as the kernel does when memory runs out."""

    def __getattribute__(self, name: str) -> Any:
        if name == "ridge" and multiprocessing.parent_process() is not None:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getattribute__(name)


class OddError(Exception):
    """An error that can be pickled and not unpickled."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} {two}")


def cannot_start(*arguments: object) -> None:
    """In place of a worker's function: ends before any job is taken."""
    os._exit(3)


RAISING = Method("raising", "Raising", "epsilon_greedy", predictor=RaisingSpec())
KILLING = Method("killing", "Killing", "epsilon_greedy", predictor=KillingSpec())


def fill(folder: Path, workers: int) -> list[str]:
    """Do what is missing of FILLING."""
    data = mnist.load("sample")
    store = Store(folder, data.digest)
    return complete(FILLING, data, store, workers=workers, checkpoint_seconds=0.0, progress=False)


if __name__ == "__main__":
    failures = fill(Path(sys.argv[1]), int(sys.argv[2]))
    print("\n".join(failures))
    sys.exit(bool(failures))
