"""Worker processes that outlive no parent, and of which one may die without harm to the others."""

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Protocol, TypeVar, cast

from bandits.engine.signals import ENDING, Terminated, end, end_forks

GRACE_SECONDS = 9.0
"""A little less than what container runtimes grant between SIGTERM and SIGKILL."""

Job = TypeVar("Job")
JobIn = TypeVar("JobIn", contravariant=True)


class Work(Protocol[JobIn]):
    """Does a job, and reports from time to time which fraction of it is done."""

    def __call__(self, job: JobIn, report: Callable[[float], None]) -> None:
        """Do the job."""


def _serve(
    channel: Connection,
    work: Work[Job],
    failure: Callable[[Job, BaseException], str],
    fractions: MutableSequence[float],
) -> None:
    """A worker process: do the jobs that come through the channel, and answer each.

    The answer is None, or the line that names the failed job, since not every error can travel.
    A SIGTERM ends it; a job that catches the KeyboardInterrupt which this raises can keep how far
    it has come.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends us
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # likewise
    _end_with_parent()
    with suppress(Terminated):
        signal.signal(signal.SIGTERM, end)
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        _take_jobs(channel, work, failure, fractions)


def _take_jobs(
    channel: Connection,
    work: Work[Job],
    failure: Callable[[Job, BaseException], str],
    fractions: MutableSequence[float],
) -> None:
    born = os.getpid()
    while True:
        try:
            number, job = channel.recv()
        except EOFError:
            return
        end_forks(born)  # the user's file, which may be imported here, can have forked

        def report(fraction: float, number: int = number) -> None:
            fractions[number] = fraction

        line = None
        try:
            work(job, report)
        except (Exception, SystemExit) as error:
            line = failure(job, error)
        channel.send(line)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is None:
        raise RuntimeError("a worker must be a child of the process that gives it jobs")
    sentinel = parent.sentinel

    def follow() -> None:
        connection.wait([sentinel])
        os._exit(1)  # the parent was killed; the store keeps what is finished

    threading.Thread(target=follow, daemon=True).start()


def in_processes(
    left: Sequence[Job],
    work: Work[Job],
    failure: Callable[[Job, BaseException], str],
    under_way: Callable[[Job, float], str],
    fractions: MutableSequence[float],
    workers: int,
) -> list[str]:
    """Do jobs in processes, each job twice at most.

    Every worker has a channel of its own, so that one that dies takes only its own job along.

    Args:
        left: the jobs, in the order in which they are started; str(job) names one.
        work: does a job and reports its fraction done; like the jobs, it is sent to the workers.
        failure: the line that names a job which raised.
        under_way: names a job and how far it had come, noted on a KeyboardInterrupt.
        fractions: as many shared numbers as there are jobs, for what is reported.
        workers: how many processes.

    Returns:
        One line for each job that failed.
    """
    context = get_context("spawn")  # never fork after torch has used threads
    failures: list[str] = []
    waiting = deque(range(len(left)))
    deaths = [0] * len(left)
    crew: dict[Connection, tuple[SpawnProcess, int]] = {}

    def hand(channel: Connection, process: SpawnProcess) -> None:
        number = waiting.popleft()
        crew[channel] = (process, number)
        with suppress(OSError):  # it died meanwhile: the end of its channel will tell
            channel.send((number, left[number]))

    def hire() -> None:
        ours, theirs = context.Pipe()
        process = context.Process(
            target=_serve, args=(theirs, work, failure, fractions), daemon=True
        )
        with _interrupts_wait(), suppress(BrokenPipeError):  # likewise
            process.start()
        theirs.close()
        hand(ours, process)

    try:
        while waiting or crew:
            while waiting and len(crew) < workers:
                hire()
            for channel in cast(list[Connection], connection.wait(list(crew))):
                process, number = crew[channel]
                try:
                    line = channel.recv()
                except (EOFError, OSError):
                    del crew[channel]
                    process.join()
                    fractions[number] = 0.0
                    deaths[number] += 1
                    if deaths[number] == 1:
                        waiting.append(number)
                    else:
                        code = process.exitcode
                        failures.append(f"{left[number]}: its worker died twice (exit {code})")
                    continue
                if line is not None:
                    failures.append(line)
                if waiting:
                    hand(channel, process)
                else:
                    del crew[channel]
                    channel.close()
                    process.join()
    except KeyboardInterrupt as end:
        for _, number in crew.values():
            end.add_note(under_way(left[number], fractions[number]))
        raise
    finally:
        _dismiss(crew)
    return failures


def _dismiss(crew: dict[Connection, tuple[SpawnProcess, int]]) -> None:
    """End the workers that are left: they may keep how far they are, for some seconds."""
    try:
        for process, _ in crew.values():
            process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        for process, _ in crew.values():
            process.join(max(0.0, deadline - time.monotonic()))
    finally:  # at once, after another Ctrl-C
        for channel, (process, _) in crew.items():
            process.kill()
            process.join()
            channel.close()


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Let a Ctrl-C or SIGTERM wait while a worker is started, which inherits that.

    Otherwise it would meet the worker before that knows what to do about it.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *ENDING})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
