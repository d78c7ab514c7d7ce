"""A real scheduler and real workers on this machine, of which some are killed at their work."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_faults import KILLING, ON_WORKER, RAISING
from test_cpu import KERNELS

from bandits import __version__, mnist
from bandits.cli import main
from bandits.engine import cpu
from bandits.engine.compute import compute
from bandits.engine.jobs import Job
from bandits.engine.store import Store
from bandits.engine.task import Task
from bandits.experiments import LINEAR, LINUCB, RANDOM, SIMPLE_DEEP, RunSpec

pytest.importorskip("distributed", reason="the extra cluster is not installed")

from distributed import Client

from bandits.engine import cluster
from bandits.engine.by_value import by_value
from bandits.engine.cluster_check import ClusterError, check, difference, several, versions

HERE = Path(__file__).parent
ROOT = HERE.parent
LONG = RunSpec(LINUCB, 0, 12_000)
"""Nobody waits for its end; it has a training stage every few milliseconds at first."""


PATIENCE = 600.0
"""Seconds after which something is taken not to come about, on a machine with much else to do."""


def wait_for(what: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, "it does not come about"
        time.sleep(0.05)


class Dask:
    """A scheduler and workers as people start them, each worker with one thread."""

    def __init__(self, folder: Path, allowed_failures: int) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        file = folder / "scheduler.json"
        self.scheduler = self._start(
            *("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
            *("--scheduler-file", str(file)),
            DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES=str(allowed_failures),
        )
        wait_for(file.exists)
        wait_for(lambda: file.read_text().endswith("}"))
        self.client = Client(scheduler_file=str(file), set_as_default=False)
        self.address: str = self.client.scheduler.address

    def _start(self, *words: str, **variables: str) -> subprocess.Popen[bytes]:
        paths = os.pathsep.join([variables.pop("TREE", str(ROOT)), str(HERE)])
        variables |= {ON_WORKER: "1", "PYTHONPATH": paths, "DASK_LOGGING__DISTRIBUTED": "error"}
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words],
            env=os.environ | variables,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def hire(self, name: str, *, threads: int = 1, **variables: str) -> None:
        self.workers[name] = self._start(
            *("worker", self.address, "--host", "127.0.0.1", "--no-dashboard", "--no-nanny"),
            *("--nthreads", str(threads), "--name", name),
            **variables,
        )

    def need(self, *names: str) -> None:
        """Let workers of these names and no others be there."""
        for name in names:
            if name not in self.workers or self.workers[name].poll() is not None:
                self.hire(name)
        for name in self.workers.keys() - set(names):
            self.workers.pop(name).kill()
        wait_for(lambda: sorted(self.there()) == sorted(names))

    def there(self) -> dict[str, str]:
        """The names of the workers that the scheduler sees, and their addresses."""
        workers = self.client.scheduler_info()["workers"]
        return {worker["name"]: address for address, worker in workers.items()}

    def close(self) -> None:
        self.client.close(timeout=1)
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    dask = Dask(tmp_path_factory.mktemp("dask"), allowed_failures=3)
    yield dask
    dask.close()


@pytest.fixture
def store(tmp_path: Path, sample: mnist.Mnist) -> Store:
    return Store(tmp_path / "runs", sample.digest)


def jobs(*specs: RunSpec) -> list[Job]:
    return [Job("low_noise", spec) for spec in specs]


def when_saved(
    number: int, action: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> list[Path]:
    """Act as soon as so many runs are stored, before any other is; gives all that are stored."""
    saved: list[Path] = []
    save = Store.save

    def save_and_act(store: Store, *run: Any) -> Path:
        saved.append(save(store, *run))
        if len(saved) == number:
            action()
        return saved[-1]

    monkeypatch.setattr(Store, "save", save_and_act)
    return saved


def same(stored: Any, computed: Any) -> bool:
    return all(
        np.array_equal(getattr(stored, f.name), getattr(computed, f.name)) for f in fields(computed)
    )


def test_killed_worker_and_a_run_that_raises_leave_every_other_run_as_it_is_here(
    dask: Dask, sample: mnist.Mnist, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    dask.need("one", "two")
    wanted = jobs(
        RunSpec(SIMPLE_DEEP, 0, 40),
        *(RunSpec(LINUCB, run, 200, noise=1.0) for run in range(4)),
        *(RunSpec(LINEAR, run, 200) for run in range(2)),
        RunSpec(RANDOM, 0, 100),
        RunSpec(RAISING, 0, 40),
    )
    saved = when_saved(4, dask.workers["one"].kill, monkeypatch)
    failures = cluster.complete(dask.address, wanted, sample, store, progress=False)
    (told,) = failures
    assert told.startswith("low_noise, method raising, run 0, seed 2022: OddError: no luck (clus")
    assert dask.workers["one"].poll() == -signal.SIGKILL
    assert list(dask.there()) == ["two"]
    assert len(saved) == len(wanted) - 1, "a run was stored twice"
    for job in wanted[:-1]:
        assert same(store.load(job.spec), compute(job.spec, sample)), job
    assert len(list(store.folder.iterdir())) == len(wanted) - 1, "something else is in the store"
    held = dask.client.run(lambda dask_worker: [n for n in dask_worker.plugins if "bandits" in n])
    assert list(held.values()) == [[]], "the data stays on the worker"


def test_local_and_sent_runs_share_one_store(
    dask: Dask, sample: mnist.Mnist, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    dask.need("two")
    words = ["run", "low_noise", "--methods", "random", "--steps", "40", "--quiet"]
    words += ["--mnist", "sample", "--out", str(store.folder.parent)]
    assert main([*words, "--runs", "1", "--workers", "1"]) == 0
    assert main([*words, "--runs", "3", "--cluster", dask.address]) == 0
    assert f"3 wanted, 2 missing, sent to {dask.address}" in capsys.readouterr().out
    assert main([*words, "--runs", "3", "--cluster", "tcp://127.0.0.1:1"]) == 0  # nothing to send
    assert len(list(store.folder.iterdir())) == 3


def test_a_run_names_the_cpu_of_its_worker(dask: Dask, sample: mnist.Mnist, store: Store) -> None:
    """Here a worker that is told to use other kernels than this process."""
    here = cpu.features(torch=False)
    if (here["machine"], here.get("blas")) not in KERNELS:
        pytest.skip("the BLAS is none whose kernels can be chosen")
    other = KERNELS[here["machine"], here.get("blas")]
    dask.hire("plain", OPENBLAS_CORETYPE=other)
    dask.need("plain")
    (job,) = jobs(RunSpec(RANDOM, 0, 40))
    assert cluster.complete(dask.address, [job], sample, store, progress=False) == []
    assert store.read(job.spec)[1].cpu == here | {"blas": other}


OWN_STUDY = """
from dataclasses import replace
import numpy as np
from beside_the_study import ARM
from bandits.experiments import RANDOM, Method, experiment
from bandits.policies import Choice

class Always:
    def __init__(self, arms): self.arm = ARM
    def choose(self, contexts, t, draws):
        return Choice(np.full(len(t), self.arm), None, np.zeros(len(t), bool))
    def record(self, contexts, choice, rewards): pass
    def train(self): pass

class Impatient(Always):
    def choose(self, contexts, t, draws):
        raise OSError("out of patience")

def study(name, *kinds):
    own = (Method(kind.__name__, kind.__name__, kind) for kind in kinds)
    return replace(experiment("low_noise"), name=name, methods=(RANDOM, *own))

MINE = study("mine", Always)
WRONG = study("wrong", Impatient, Always)
"""


def test_the_user_s_own_code_travels_with_the_runs(
    dask: Dask,
    sample: mnist.Mnist,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The workers have neither the file nor the one beside it."""
    dask.need("two")
    (tmp_path / "study_to_send.py").write_text(OWN_STUDY)
    (tmp_path / "beside_the_study.py").write_text("ARM = 3\n")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr("bandits.experiments.OWN", {})

    def run(name: str, *where: str) -> int:
        words = ["run", f"{tmp_path / 'study_to_send.py'}:{name}", "--steps", "60", "--runs", "2"]
        return main([*words, "--mnist", "sample", "--quiet", "--out", str(tmp_path), *where])

    sent = ("--cluster", dask.address)
    try:
        assert run("MINE", *sent) == 0
        assert run("MINE", "--workers", "1") == 0
        assert "runs: 4 wanted, 0 missing" in capsys.readouterr().out  # one store, one fingerprint
        runs = [*(tmp_path / "runs").glob("Always-*.npz")]
        assert len(runs) == 2
        assert all((np.load(path)["actions"] == 3).all() for path in runs)

        assert run("WRONG", *sent) == 1
        told = capsys.readouterr().err
        assert "wrong, method Impatient, run 0" in told
        line = 1 + OWN_STUDY.splitlines().index('        raise OSError("out of patience")')
        assert (
            f"OSError: out of patience, at the steps t = 1 to 20 (study_to_send.py, line {line})"
            in told
        )

        assert len([*(tmp_path / "runs").glob("*.npz")]) == 4
    finally:
        for name in ("study_to_send", "beside_the_study"):
            sys.modules.pop(name, None)


def test_what_cannot_be_sent_is_named() -> None:
    task = Task("odd", {}, partial(print, threading.Lock()), print)
    with pytest.raises(ClusterError, match=r"a job's code cannot be sent: .*odd.*lock"):
        by_value(Job("low_noise", task))


def test_a_run_looks_at_its_worker_which_may_have_joined_late(dask: Dask) -> None:
    dask.need("two")
    where = dask.there()["two"]
    job = jobs(RunSpec(RANDOM, 0, 40))[0]
    answer = dask.client.submit(
        cluster._run, by_value(job), "cpu", "-", versions() | {"numpy": "0"}
    ).result()
    assert str(answer).startswith(f"{job}: ClusterError: worker {where} has numpy {np.__version__}")
    assert str(answer).endswith("this command has numpy 0")


def test_ctrl_c_takes_back_what_was_sent(dask: Dask, store: Store) -> None:
    dask.need("two")

    def busy() -> int:
        return sum(dask.client.run(lambda dask_worker: len(dask_worker.state.tasks)).values())

    # Else an earlier test's work would be taken for the command's.
    wait_for(lambda: busy() == 0)
    words = ["run", "low_noise", "--methods", "linucb", "--steps", str(LONG.steps), "--runs", "3"]
    words += ["--quiet", "--mnist", "sample", "--out", str(store.folder.parent)]
    command = subprocess.Popen(
        [sys.executable, "-m", "bandits", *words, "--cluster", dask.address],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with command:
        try:
            wait_for(busy)
            command.send_signal(signal.SIGINT)
            _, complaint = command.communicate(timeout=PATIENCE)
        finally:
            command.kill()  # if it did not end, it shall not trouble the tests that follow
    assert (command.returncode, complaint) == (
        130,
        "bandits: interrupted; what is finished is kept\n",
    )
    wait_for(lambda: busy() == 0)
    assert list(store.folder.iterdir()) == []


def test_worker_of_another_version_or_of_two_threads_is_refused_by_name(
    dask: Dask,
    sample: mnist.Mnist,
    store: Store,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = tmp_path / "other"
    shutil.copytree(
        ROOT / "bandits", other / "bandits", ignore=shutil.ignore_patterns("__pycache__")
    )
    init = other / "bandits" / "__init__.py"
    init.write_text(init.read_text().replace(__version__, "0.0.9"))
    if "old" not in dask.workers:
        dask.hire("old", TREE=str(other))
        dask.hire("wide", threads=2)
    dask.need("two", "old", "wide")
    words = ["run", "low_noise", "--methods", "random", "--steps", "40", "--runs", "1", "--quiet"]
    words += ["--mnist", "sample", "--out", str(store.folder.parent), "--cluster", dask.address]
    assert main(words) == 2
    assert capsys.readouterr().err == (
        f"bandits: worker {dask.there()['old']} has bandits 0.0.9, "
        f"and this command has bandits {__version__}\n"
    )
    dask.need("two", "wide")
    with pytest.raises(ClusterError, match=f"worker {dask.there()['wide']} computes 2 runs at"):
        cluster.complete(dask.address, jobs(RunSpec(RANDOM, 0, 40)), sample, store, progress=False)
    dask.need("two")
    with pytest.raises(ClusterError, match=f"worker {dask.there()['two']} has no cuda"):
        check(dask.client, dask.address, "cuda")
    assert list(store.folder.iterdir()) == []


def test_cluster_that_loses_every_worker_says_so(
    dask: Dask, sample: mnist.Mnist, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    dask.need("two")
    monkeypatch.setattr(cluster, "COUNT_SECONDS", 0.5)
    wanted = jobs(RunSpec(RANDOM, 0, 40), LONG, replace(LONG, run=1))
    when_saved(1, dask.workers["two"].kill, monkeypatch)
    failures = cluster.complete(
        dask.address, wanted, sample, store, progress=False, workerless_seconds=1.0
    )
    assert failures == [
        f"the cluster at {dask.address} has no workers left; 2 runs are not done, "
        "what is finished is kept"
    ]
    with pytest.raises(ClusterError, match=f"the cluster at {dask.address} has no workers; start"):
        cluster.complete(dask.address, wanted, sample, store, progress=False)
    store.load(wanted[0].spec)


def test_run_that_kills_its_workers_is_named_and_a_lost_scheduler_loses_nothing_finished(
    tmp_path: Path, sample: mnist.Mnist, store: Store
) -> None:
    dask = Dask(tmp_path, allowed_failures=0)
    try:
        dask.need("one", "two", "three")
        wanted = jobs(RunSpec(KILLING, 0, 40), *(RunSpec(LINUCB, run, 300) for run in range(4)))
        failures = cluster.complete(dask.address, wanted, sample, store, progress=False)
        assert failures == [f"{wanted[0]}: its worker died each time it was started"]
        assert len(dask.there()) == 1  # it was begun a second time, alone
        for job in wanted[1:]:
            store.load(job.spec)

        words = ["run", "low_noise", "--methods", "linucb", "--steps", "300", "--runs", "400"]
        words += ["--quiet", "--mnist", "sample", "--out", str(tmp_path / "lost")]
        command = subprocess.Popen(
            [sys.executable, "-m", "bandits", *words, "--cluster", dask.address],
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        wait_for(lambda: len(list((tmp_path / "lost" / "runs").glob("*.npz"))) >= 2)
        dask.scheduler.kill()
        _, complaint = command.communicate(timeout=PATIENCE)
        kept = Store(tmp_path / "lost" / "runs", sample.digest)
        finished = [run for run in range(400) if kept.path(spec(run)).exists()]
        assert command.returncode == 1
        assert complaint == (
            f"failed: the scheduler at {dask.address} was lost, or dropped what was sent to it; "
            f"{400 - len(finished)} runs are not done, what is finished is kept\n"
        )
        assert len(finished) == len(list(kept.folder.iterdir())) >= 2
        for run in finished:
            kept.load(spec(run))
    finally:
        dask.close()


def spec(run: int) -> RunSpec:
    return RunSpec(LINUCB, run, 300)


def test_address_where_no_scheduler_answers_is_refused_before_any_work(
    sample: mnist.Mnist, store: Store
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        mute = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        for address in (mute, "127.0.0.1:1", "nowhere.invalid:8786", "odd://x:1", "", "tcp://x:y"):
            began = time.monotonic()
            with pytest.raises(ClusterError) as caught:
                cluster.complete(
                    address,
                    jobs(RunSpec(RANDOM, 0, 40)),
                    sample,
                    store,
                    connect_seconds=0.5,
                    progress=False,
                )
            said = f"no Dask scheduler answers at {address!r} within 0.5 seconds"
            assert str(caught.value).startswith(said)
            assert time.monotonic() - began < 25  # Dask would go on for 30
    assert not store.folder.exists()


@pytest.mark.parametrize(
    ("name", "theirs"), [("python", "3.8.0"), ("numpy", "1.0"), ("torch", "2.0"), ("bandits", "0")]
)
def test_difference_names_both_versions(name: str, theirs: str) -> None:
    ours = versions()
    assert difference("worker w", ours, ours) is None
    assert difference("worker w", ours | {name: theirs}, ours) == (
        f"worker w has {name} {theirs}, and this command has {name} {ours[name]}"
    )
    lacking = {key: value for key, value in ours.items() if key != name}
    assert f"worker w has {name} none" in str(difference("worker w", lacking, ours))


def test_only_one_thread_per_worker() -> None:
    assert several("worker w", 1) is None
    assert str(several("worker w", 4)).startswith("worker w computes 4 runs at once")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["low_noise", "--workers", "2"], "--workers is of this machine; a --cluster brings"),
        (
            ["low_noise", "--device", "tpu"],
            "--device must be cpu or cuda with --cluster, not 'tpu'",
        ),
    ],
)
def test_what_cannot_be_done_on_a_cluster_is_refused(
    words: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "none"
    assert main(["run", *words, "--cluster", "tcp://127.0.0.1:1", "--out", str(folder)]) == 2
    assert capsys.readouterr().err.startswith(f"bandits: {complaint}")
    assert not folder.exists()
