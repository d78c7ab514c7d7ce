# mypy: disable-error-code="no-untyped-call, type-arg"
"""Send the missing runs to an existing Dask cluster; its results come back into this store.

Needs the extra `cluster`. The workers share no disk with this process: the data is sent to each of
them once, also to those that join later, and this process writes every run to its own store as it
comes back. A run is the same as here, on the same kind of machine: it has one thread, and a worker
that computes several runs in one process, or that has other versions, is refused.

A run that was sent away keeps no checkpoint: if its worker dies, Dask restarts it on another,
as often as the scheduler's setting `allowed-failures` says (3 times unless it was changed). A run
given up after that may only have waited on the workers that another one took with it, so each of
these is sent a second time, alone. A run that raises is not repeated: it would raise again.
"""

import pickle
import time
import uuid
from collections.abc import Callable, MutableSequence, Sequence
from contextlib import suppress
from dataclasses import dataclass

from distributed import Client, Future, KilledWorker, WorkerPlugin, get_worker

from bandits.engine.by_value import by_value
from bandits.engine.cluster_check import (
    ClusterError,
    check,
    connected,
    difference,
    quiet,
    several,
    versions,
)
from bandits.engine.compute import compute, perform
from bandits.engine.failure import failure
from bandits.engine.jobs import Job
from bandits.engine.progress import progress_bar, relative_cost
from bandits.engine.runs import longest_first, missing, run_of
from bandits.engine.store import Store, features_used
from bandits.engine.task import Arrays, Task
from bandits.mnist import Mnist
from bandits.simulate import Trajectory

CONNECT_SECONDS = 10.0
WORKERLESS_SECONDS = 300.0
LOOK_SECONDS = 0.1
COUNT_SECONDS = 5.0


class Stopped(Exception):
    """Nobody waits for this run any more."""


class Data(WorkerPlugin):  # type: ignore[misc, unused-ignore]
    """Holds the data on a worker, whenever that one joins."""

    def __init__(self, mnist: Mnist) -> None:
        self.mnist = mnist


def complete(
    address: str,
    wanted: Sequence[Job],
    mnist: Mnist,
    store: Store,
    *,
    connect_seconds: float = CONNECT_SECONDS,
    workerless_seconds: float = WORKERLESS_SECONDS,
    progress: bool = True,
    say: Callable[[str], None] = print,
) -> list[str]:
    """Do every job that the store does not hold on the cluster whose scheduler has this address.

    Args:
        address: as the scheduler prints it, such as tcp://host:8786.
        wanted: the jobs.
        mnist: the data.
        store: where results are written, by this process.
        connect_seconds: how long the scheduler has to answer.
        workerless_seconds: how long to wait for a worker when none is left during the work.
        progress: show a bar, which moves as runs end.
        say: told about files that cannot be used.

    Returns:
        One line for each job that failed, and one if the scheduler or every worker was lost.

    Raises:
        ClusterError: before any work, if a job holds code that cannot be sent, if no scheduler
            answers, if there is no worker, or if one differs from this process or computes several
            runs at once.
    """
    left = longest_first(missing(wanted, store, say))
    if not left:
        return []
    sent = [by_value(job) for job in left]
    with quiet(), connected(address, connect_seconds) as client:
        name = f"bandits-data-{uuid.uuid4().hex}"
        try:
            check(client, address, store.device)
            client.register_plugin(Data(mnist), name=name)
        except ClusterError:
            raise
        except Exception as error:  # whatever a worker answered
            raise ClusterError(f"the cluster at {address} cannot be made ready: {error}") from error
        try:
            with progress_bar([relative_cost(job.spec) for job in left], progress) as fractions:
                cluster = _Cluster(client, address, store, name, workerless_seconds, sent)
                return cluster.do(left, fractions)
        finally:
            if client.status == "running":
                with suppress(Exception):  # the workers may be gone meanwhile
                    client.unregister_worker_plugin(name)


def _run(
    sent: bytes, device: str, data: str, needed: dict[str, str], past: Trajectory | None = None
) -> tuple[Trajectory | Arrays, dict[str, str]] | str:
    """One run or task, `by_value`, on a worker, and its CPU; or a line that names what failed.

    Not every error can travel. The worker is looked at once more, since it may have joined after
    the first check.
    """
    worker, job = get_worker(), pickle.loads(sent)
    try:
        where = f"worker {worker.address}"
        wrong = difference(where, versions(), needed) or several(where, worker.state.nthreads)
        if wrong is not None:
            raise ClusterError(wrong)
        mnist: Mnist = worker.plugins[data].mnist  # type: ignore[attr-defined, unused-ignore]
        key = worker.get_current_task()

        def stop_if_unwanted(done: Trajectory, policy: object) -> None:
            task = worker.state.tasks.get(key)
            if task is None or task.state == "cancelled":
                raise Stopped("this run was cancelled")

        if isinstance(job.spec, Task):
            return perform(job.spec, mnist, past), features_used(job.spec)
        done = compute(job.spec, mnist, device=device, after_stage=stop_if_unwanted)
        return done, features_used(job.spec)
    except Exception as error:
        return failure(job, error)


@dataclass(frozen=True)
class _Cluster:
    """Where jobs are sent, and the store for what comes back."""

    client: Client
    address: str
    store: Store
    data: str
    workerless_seconds: float
    sent: Sequence[bytes]

    def do(self, left: Sequence[Job], fractions: MutableSequence[float]) -> list[str]:
        """Do the jobs; return one line for each that failed."""
        failures: list[str] = []
        given_up, lost = self._send(range(len(left)), left, fractions, failures)
        for number in given_up:
            if lost:
                lost.append(number)
                continue
            again, lost = self._send([number], left, fractions, failures)
            failures += [f"{left[n]}: its worker died each time it was started" for n in again]
        if lost:
            if self._workers() == 0:
                what = f"the cluster at {self.address} has no workers left"
            else:
                what = f"the scheduler at {self.address} was lost, or dropped what was sent to it"
            failures.append(f"{what}; {len(lost)} runs are not done, what is finished is kept")
        return failures

    def _workers(self) -> int | None:
        """How many there are; None if the scheduler does not say."""
        if self.client.status == "running":
            with suppress(Exception):
                return len(self.client.nthreads())
        return None

    def _send(
        self,
        numbers: Sequence[int],
        left: Sequence[Job],
        fractions: MutableSequence[float],
        failures: list[str],
    ) -> tuple[list[int], list[int]]:
        """Send jobs and store what comes back; return those that Dask gave up, and those lost."""
        given_up: list[int] = []
        lost: list[int] = []
        away: dict[Future, int] = {}
        needed = versions()
        try:
            for number in numbers:
                if self.client.status == "closed":
                    lost.append(number)
                    continue
                spec = left[number].spec
                past = run_of(spec, self.store) if isinstance(spec, Task) else None
                arguments = (self.sent[number], self.store.device, self.data, needed, past)
                future = self.client.submit(_run, *arguments, pure=False, retries=0)
                away[future] = number
            counted = with_workers = time.monotonic()
            while away:
                for future in [future for future in away if future.done()]:
                    number = away[future]
                    error = self._receive(future, left[number])
                    if error is None:
                        fractions[number] = 1.0
                    elif future.cancelled():
                        lost.append(number)
                    elif isinstance(error, KilledWorker):
                        given_up.append(number)
                    else:
                        failures.append(str(error))
                    del away[future]
                if self.client.status == "closed":  # it has tried to reconnect
                    lost += away.values()
                    break
                time.sleep(LOOK_SECONDS)
                now = time.monotonic()
                if now - counted < COUNT_SECONDS:
                    continue
                counted = now
                if self._workers() != 0:
                    with_workers = now
                elif now - with_workers >= self.workerless_seconds:
                    lost += away.values()
                    break
        finally:
            if away and self.client.status == "running":  # Ctrl-C, or no worker is left
                with suppress(Exception):
                    self.client.cancel(list(away), force=True)
        return given_up, lost

    def _receive(self, future: Future, job: Job) -> str | BaseException | None:
        """Store a run that came back, or return why that cannot be done."""
        try:
            answer = future.result()
            if isinstance(answer, str):
                return answer
            self.store.save(job.spec, *answer)
            self.store.drop_checkpoint(job.spec)
        except KilledWorker as error:
            return error
        except Exception as error:
            return failure(job, error)
        return None
