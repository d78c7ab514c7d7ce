# mypy: disable-error-code="no-untyped-call, type-arg"
"""Meet a Dask cluster, and refuse one whose runs could differ from those of this process."""

import asyncio
import logging
import platform
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from importlib import metadata
from pkgutil import resolve_name

from distributed import Client, Security
from distributed.comm.core import connect
from distributed.versions import VersionMismatchWarning

PROBES: dict[str, Callable[[], object]] = {
    "bandits": partial(resolve_name, "bandits:__version__"),
    "python": platform.python_version,
    "numpy": partial(metadata.version, "numpy"),
    "scipy": partial(metadata.version, "scipy"),
    "scikit-learn": partial(metadata.version, "scikit-learn"),
    "torch": partial(metadata.version, "torch"),
    "RESULTS_VERSION": partial(resolve_name, "bandits.experiments:RESULTS_VERSION"),
}
"""How to ask a version: by functions of Python itself, which any worker has."""

SCHEDULER_PROBES = ("bandits", "python")
"""The scheduler reads what is sent through it, and computes nothing."""


class ClusterError(ValueError):
    """A cluster that cannot be used; the message is one sentence."""


@contextmanager
def connected(address: str, seconds: float) -> Iterator[Client]:
    """Connected to the scheduler, for a while.

    Raises:
        ClusterError: if no scheduler answers in time. It is asked first by a bare message, since
            a `Client` waits without end for something that takes the connection and is silent.
    """
    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook's own thread has a loop already
            thread.submit(asyncio.run, _ask(address, seconds)).result()
        client = Client(address, timeout=seconds, set_as_default=False)
    except Exception as error:  # whatever stands at the address, or is wrong with it
        why = f" ({error})" if isinstance(error, ValueError) else ""
        raise ClusterError(
            f"no Dask scheduler answers at {address!r} within {seconds:g} seconds{why}"
        ) from error
    try:
        yield client
    finally:
        with suppress(OSError):  # the scheduler may not answer any more
            client.close(timeout=seconds)


async def _ask(address: str, seconds: float) -> None:
    arguments = Security().get_connection_args("client")
    async with asyncio.timeout(seconds):
        comm = await connect(address, timeout=seconds, **arguments)
        try:
            await comm.write({"op": "identity", "reply": True})
            answer = await comm.read()
        finally:
            comm.abort()
    if answer["type"] != "Scheduler":
        raise ValueError(f"a {answer['type']} answers there")


@contextmanager
def quiet() -> Iterator[None]:
    """What Dask would log about a lost connection is said here in one sentence."""
    loggers = [
        logging.getLogger(name)
        for name in logging.root.manager.loggerDict
        if name.split(".")[0] in ("distributed", "tornado", "asyncio")
    ]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VersionMismatchWarning)  # `check` refuses what matters
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def check(client: Client, address: str, device: str) -> None:
    """Refuse a cluster whose runs could differ from those of this process.

    Raises:
        ClusterError: naming the scheduler or worker, what it has and what is needed.
    """
    threads: dict[str, int] = client.nthreads()
    if not threads:
        raise ClusterError(f"the cluster at {address} has no workers; start some, then try again")
    ours = versions()
    theirs: dict[str, dict[str, str]] = {worker: {} for worker in threads}
    scheduler: dict[str, str] = {}
    for name, probe in PROBES.items():
        for worker, answer in client.run(probe, on_error="return").items():
            theirs.setdefault(worker, {})[name] = _shown(answer)
        if name in SCHEDULER_PROBES:
            try:
                scheduler[name] = _shown(client.run_on_scheduler(probe))
            except Exception as error:
                scheduler[name] = _shown(error)
    needed = {name: ours[name] for name in SCHEDULER_PROBES}
    for line in (
        difference(f"the scheduler at {address}", scheduler, needed),
        *(difference(f"worker {worker}", found, ours) for worker, found in theirs.items()),
        *(several(f"worker {worker}", number) for worker, number in threads.items()),
    ):
        if line is not None:
            raise ClusterError(line)
    if device != "cpu":
        for worker, has in client.run(_has_cuda, on_error="return").items():
            if has is not True:
                raise ClusterError(f"worker {worker} has no {device}, which --device asks for")


def versions() -> dict[str, str]:
    """Of what decides results in this process."""
    return {name: str(probe()) for name, probe in PROBES.items()}


def _shown(answer: object) -> str:
    return f"none ({answer})" if isinstance(answer, BaseException) else str(answer)


def difference(who: str, theirs: dict[str, str], ours: dict[str, str]) -> str | None:
    """One sentence that names what has another version there than here, or None."""
    for name, version in ours.items():
        found = theirs.get(name, "none")
        if found != version:
            return f"{who} has {name} {found}, and this command has {name} {version}"
    return None


def several(who: str, threads: int) -> str | None:
    """One sentence about a worker of more than one thread, or None."""
    if threads == 1:
        return None
    return (
        f"{who} computes {threads} runs at once in one process, whose threads would "
        "disturb each other; start it with --nthreads 1"
    )


def _has_cuda() -> bool:
    import torch

    return bool(torch.cuda.is_available())
