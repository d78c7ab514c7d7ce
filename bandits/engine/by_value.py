# mypy: disable-error-code="no-untyped-call"
"""Jobs as bytes that hold the user's own code, for workers which do not have its files."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import cloudpickle

from bandits.engine.cluster_check import ClusterError
from bandits.engine.failure import failure
from bandits.engine.jobs import Job
from bandits.experiments.source import is_own


def by_value(job: Job) -> bytes:
    """The job, with every definition of the user's own modules that it refers to.

    What is installed goes by its name, and must be there where the bytes are read with `pickle`.

    Raises:
        ClusterError: naming the job, if something of its code cannot be sent, such as an open file.
    """
    try:
        with _own_by_value():
            sent: bytes = cloudpickle.dumps(job)
    except Exception as error:
        raise ClusterError(f"a job's code cannot be sent: {failure(job, error)}") from error
    return sent


@contextmanager
def _own_by_value() -> Iterator[None]:
    """While this lasts cloudpickle takes the user's modules by value, as it does `__main__`."""
    there = cloudpickle.list_registry_pickle_by_value()
    own = [
        module
        for name, module in list(sys.modules.items())
        if is_own(module) and module.__name__ == name != "__main__" and name not in there
    ]
    for module in own:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in own:
            cloudpickle.unregister_pickle_by_value(module)
