"""Methods that raise, or kill their process, when they are built in a worker; and a command.

Workers import this module, so the faults need no hook in the package. As a program,
`faulty.py FOLDER WORKERS` fills a store with the runs of FILLING, keeping a checkpoint at every
stage; with the word `standstill` it does those of STANDSTILL, of which the second and third never
end, and keeps no checkpoint but where it is ended.
"""

import multiprocessing
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from bandits import mnist
from bandits.engine import runs
from bandits.engine import workers as workers_module
from bandits.engine.jobs import jobs
from bandits.engine.runs import complete
from bandits.engine.signals import Terminated, ended_by_signals
from bandits.engine.store import Store
from bandits.experiments import (
    EXPERIMENTS,
    LINEAR,
    LINUCB,
    RANDOM,
    LeastSquaresSpec,
    Method,
    RunSpec,
    Scale,
)
from bandits.simulate import Trajectory

FILLING = jobs(
    replace(EXPERIMENTS["low_noise"], methods=(LINUCB, LINEAR, RANDOM), noise=1.0), Scale(400, 2)
)


class RaisingSpec(LeastSquaresSpec):
    """Cannot be built in a worker."""

    def __post_init__(self) -> None:
        """Looks at nothing: workers make one when they import this module."""

    def __getattribute__(self, name: str) -> Any:
        if name == "ridge" and multiprocessing.parent_process() is not None:
            raise OddError("no", "luck")
        return super().__getattribute__(name)


class KillingSpec(LeastSquaresSpec):
    """Takes its worker with it, as the kernel does when memory runs out."""

    def __post_init__(self) -> None:
        """Looks at nothing: workers make one when they import this module."""

    def __getattribute__(self, name: str) -> Any:
        if name == "ridge" and multiprocessing.parent_process() is not None:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getattribute__(name)


STANDSTILL = jobs(replace(EXPERIMENTS["low_noise"], methods=(LINEAR,)), Scale(400, 3))


def stand_still(folder: Path) -> None:
    """Let every run but the first wait for ever once ten stages are done, and tell so by a file."""

    compute = runs.compute

    def standing(spec: RunSpec, *arguments: Any, after_stage: Any, **options: Any) -> Trajectory:
        def after(done: Trajectory, policy: Any) -> None:
            after_stage(done, policy)
            if spec.run and len(done) == 200:
                (folder / f"standing-{spec.run}").touch()
                while True:
                    time.sleep(0.01)

        return compute(spec, *arguments, after_stage=after, **options)

    runs.NOTE_SECONDS = 0.0
    workers_module.GRACE_SECONDS = 600.0  # however busy the machine is
    runs.compute = standing  # type: ignore[assignment]


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


if "standstill" in sys.argv:  # in the workers too, which import the program
    stand_still(Path(sys.argv[1]))


if __name__ == "__main__":
    place, count = Path(sys.argv[1]), int(sys.argv[2])
    if "standstill" in sys.argv:
        data = mnist.load("sample")
        try:
            with ended_by_signals():
                complete(STANDSTILL, data, Store(place, data.digest), workers=count, progress=False)
        except Terminated as ended:
            sys.exit(128 + ended.number)
        except KeyboardInterrupt:
            sys.exit(130)
    failures = fill(place, count)
    print("\n".join(failures))
    sys.exit(bool(failures))
