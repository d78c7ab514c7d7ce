"""Kill -9, Ctrl-C, a full disk and two commands at once cost at most the runs in progress."""

import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from faulty import FILLING, STANDSTILL

from bandits import mnist
from bandits.engine.compute import compute
from bandits.engine.jobs import Job
from bandits.engine.runs import complete
from bandits.engine.signals import Terminated, end, ended_by_signals
from bandits.engine.store import Store
from bandits.experiments import RANDOM, RunSpec
from bandits.simulate import Trajectory

HERE = Path(__file__).parent
ROOT = HERE.parent
pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc")


@pytest.fixture(scope="module")
def undisturbed(sample: mnist.Mnist) -> dict[Job, Trajectory]:
    return {job: compute(job.spec, sample) for job in FILLING}


def start(*words: object, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *map(str, words)],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        **options,  # type: ignore[call-overload]
    )


def filling(folder: Path, workers: int = 2) -> subprocess.Popen[str]:
    return start(HERE / "faulty.py", folder, workers)


def session(leader: int) -> list[int]:
    """The live processes of a session, by what /proc says."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            state, _, _, owner = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
        except (OSError, ValueError):
            continue
        if int(owner) == leader and state != "Z":
            found.append(int(entry.name))
    return found


PATIENCE = 600.0
"""Seconds after which something is taken not to come about, on a machine with much else to do."""


def wait_for(what: object) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if what():  # type: ignore[operator]
            return True
        time.sleep(0.005)
    return False


def kill_and_see_all_end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
    assert wait_for(lambda: not session(process.pid)), "a worker outlives its parent"


def finished(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        path.name: (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in folder.glob("*.npz")
        if ".partial" not in path.name
    }


def assert_undisturbed(
    folder: Path, sample: mnist.Mnist, undisturbed: dict[Job, Trajectory]
) -> None:
    store = Store(folder, sample.digest)
    for job, run in undisturbed.items():
        read = store.load(job.spec)
        for f in fields(Trajectory):
            np.testing.assert_array_equal(getattr(read, f.name), getattr(run, f.name), f.name)
    whole = {store.path(job.spec).name for job in undisturbed}
    assert {path.name for path in folder.iterdir()} == whole


def finish(folder: Path) -> None:
    process = filling(folder)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out.strip(), err) == (0, "", "")


def test_a_command_killed_three_times_ends_as_if_undisturbed(
    tmp_path: Path, sample: mnist.Mnist, undisturbed: dict[Job, Trajectory]
) -> None:
    """At its first checkpoint, while a temporary file is there, and after a finished run."""
    moments = {
        "checkpoint": lambda: any(tmp_path.glob("*.partial.npz")),
        "writing": lambda: any(tmp_path.glob(".*.tmp")),
        "finished": lambda: len(finished(tmp_path)) >= 3,
    }
    for moment in moments.values():
        process = filling(tmp_path)
        assert wait_for(lambda: moment() or process.poll() is not None)  # noqa: B023
        kill_and_see_all_end(process)
    whole = finished(tmp_path)
    assert len(whole) >= 3
    finish(tmp_path)
    assert finished(tmp_path).items() >= whole.items(), "a whole run was done again"
    assert_undisturbed(tmp_path, sample, undisturbed)


@pytest.mark.slow
def test_a_command_killed_fifty_times_at_random_ends_as_if_undisturbed(
    tmp_path: Path, sample: mnist.Mnist, undisturbed: dict[Job, Trajectory]
) -> None:
    began = time.monotonic()
    finish(tmp_path / "timed")
    whole_time = time.monotonic() - began
    moments = random.Random(7)
    kills = rounds = 0
    while kills < 50:
        rounds += 1
        folder = tmp_path / f"round{rounds}"
        while True:
            process = filling(folder)
            try:
                process.wait(moments.uniform(0.2, 1.1) * whole_time)
            except subprocess.TimeoutExpired:
                whole = finished(folder)
                kill_and_see_all_end(process)
                assert finished(folder).items() >= whole.items()
                kills += 1
            else:
                assert process.returncode == 0
                process.communicate()
                break
        assert_undisturbed(folder, sample, undisturbed)


def test_two_commands_fill_one_store_at_once(
    tmp_path: Path, sample: mnist.Mnist, undisturbed: dict[Job, Trajectory]
) -> None:
    both = [filling(tmp_path, workers) for workers in (1, 2)]
    for process in both:
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out.strip(), err) == (0, "", "")
    assert_undisturbed(tmp_path, sample, undisturbed)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_ended_keeps_what_is_finished_and_how_far_the_rest_is(
    tmp_path: Path, workers: int, number: signal.Signals, sample: mnist.Mnist
) -> None:
    """Ctrl-C reaches the whole group, and SIGTERM here the command only.

    Every run but the first stands still after its tenth stage, long before a checkpoint is due.
    """
    process = start(HERE / "faulty.py", tmp_path, workers, "standstill")
    reached = [tmp_path / f"standing-{number}" for number in range(1, 1 + workers)]
    assert wait_for(lambda: all(path.exists() for path in reached))
    whole = finished(tmp_path)
    assert len(whole) == 1
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    assert err == ""
    assert wait_for(lambda: not session(process.pid))
    assert finished(tmp_path) == whole
    assert not list(tmp_path.glob(".*.tmp"))
    store = Store(tmp_path, sample.digest)
    kept = [
        store.load_checkpoint(job.spec)[0]
        for job in STANDSTILL
        if store.checkpoint_path(job.spec).exists()
    ]
    assert [len(done) for done in kept] == [200] * workers


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_terminated_command_says_so_without_a_traceback(
    tmp_path: Path, number: signal.Signals
) -> None:
    words = ["-m", "bandits", "run", "low_noise", "--methods", "linear", "--steps", "200000"]
    words += ["--runs", "1", "--workers", "1", "--mnist", "sample", "--out"]
    process = start(*words, tmp_path)
    assert process.stdout is not None
    assert "data" in process.stdout.readline()
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    assert re.fullmatch(
        "bandits: terminated( in low_noise, method linear, run 0, seed 2022, after [0-9]+ of "
        "200000 steps)?; what is finished is kept\n",
        err,
    )


def test_signals_that_somebody_decided_about_are_left_alone() -> None:
    with ended_by_signals():
        assert signal.getsignal(signal.SIGTERM) is end
        with ended_by_signals():
            assert signal.getsignal(signal.SIGTERM) is end
        with pytest.raises(Terminated) as caught:
            signal.raise_signal(signal.SIGTERM)
        assert caught.value.number == signal.SIGTERM
        signal.raise_signal(signal.SIGTERM)  # once is enough
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with ended_by_signals():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


# A disk that is full

SMALL, LARGE = (Job("low_noise", RunSpec(RANDOM, 0, steps, noise=1.0)) for steps in (40, 20_000))


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB, most of it taken."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root may mount a small file system")
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_full_disk_fails_the_run_by_name_and_leaves_nothing_half_written(
    full_disk: Path, sample: mnist.Mnist
) -> None:
    store = Store(full_disk / "runs", sample.digest)
    failures = complete([LARGE, SMALL], sample, store, progress=False)
    assert len(failures) == 1
    assert failures[0].startswith("low_noise, method random, run 0, seed 2022: OSError: ")
    assert "No space left on device" in failures[0]
    kept = store.path(SMALL.spec)
    assert list(store.folder.iterdir()) == [kept]
    assert len(store.load(SMALL.spec)) == 40


LIMITED = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
from bandits import mnist
from bandits.engine.runs import complete
from bandits.engine.store import Store
from test_faults import LARGE, SMALL
data = mnist.load("sample")
print(*complete([LARGE, SMALL], data, Store(Path(sys.argv[1]), data.digest), progress=False))
"""


def test_a_file_too_large_fails_the_run_by_name(tmp_path: Path, sample: mnist.Mnist) -> None:
    assert resource.RLIMIT_FSIZE is not None
    environment = os.environ | {"PYTHONPATH": f"{HERE}{os.pathsep}{ROOT}"}
    process = start("-B", "-c", LIMITED, tmp_path / "runs", env=environment)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    assert out.startswith("low_noise, method random, run 0, seed 2022: OSError: ")
    assert "File too large" in out
    store = Store(tmp_path / "runs", sample.digest)
    assert [path.name for path in store.folder.iterdir()] == [store.path(replace(SMALL.spec)).name]
