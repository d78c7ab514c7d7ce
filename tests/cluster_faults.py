"""Methods that raise, or kill their process, on a worker; workers import this module by its name.

The environment variable is set for the tests' workers only.
"""

import os
import signal
from typing import Any

from bandits.experiments import LeastSquaresSpec, Method

ON_WORKER = "BANDITS_TESTS_WORKER"


class OddError(Exception):
    """An error that can be pickled and not unpickled."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} {two}")


class RaisingSpec(LeastSquaresSpec):
    """Cannot be built on a worker."""

    def __post_init__(self) -> None:
        """Looks at nothing: workers make one when they import this module."""

    def __getattribute__(self, name: str) -> Any:
        if name == "ridge" and ON_WORKER in os.environ:
            raise OddError("no", "luck")
        return super().__getattribute__(name)


class KillingSpec(LeastSquaresSpec):
    """Takes its worker with it, as the kernel does when memory runs out."""

    def __post_init__(self) -> None:
        """Looks at nothing: workers make one when they import this module."""

    def __getattribute__(self, name: str) -> Any:
        if name == "ridge" and ON_WORKER in os.environ:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getattribute__(name)


RAISING = Method("raising", "Raising", "epsilon_greedy", predictor=RaisingSpec())
KILLING = Method("killing", "Killing", "epsilon_greedy", predictor=KillingSpec())
