"""What the book's `dask` commands for one machine listen to, once they are started as printed."""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra cluster is not installed")

import psutil  # distributed needs it

from bandits.cli import main

ROOT = Path(__file__).resolve().parent.parent
LINES = (ROOT / "book" / "cluster.md").read_text(encoding="utf-8").splitlines()
SCHEDULER, WORKER = (
    [line for line in LINES if line.startswith(f"dask {what} ") and "127.0.0.1" in line]
    for what in ("scheduler", "worker")
)


def wait_for(what: Callable[[], object], seconds: float = 600.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it does not come about"
        time.sleep(0.1)


def tree(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    root = psutil.Process(process.pid)
    return [root, *root.children(recursive=True)]


def listening(process: subprocess.Popen[bytes]) -> set[tuple[str, int]]:
    """The addresses and ports at which a process and its children take connections."""
    found = set()
    for one in tree(process):
        connections = getattr(one, "net_connections", None) or one.connections  # psutil before 6
        found |= {(c.laddr.ip, c.laddr.port) for c in connections("inet") if c.status == "LISTEN"}
    return found


@contextmanager
def started(line: str, folder: Path, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    words = [sys.executable, "-m", *shlex.split(line), *more]
    with open(folder / "log", "ab") as log:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=log,
            stderr=log,
        )
    try:
        yield process
    finally:
        for one in tree(process):
            one.kill()
        process.wait()


def pair(folder: Path, edit: Callable[[str], str]) -> tuple[set[tuple[str, int]], int]:
    """Start both, at a port that is free, and use them; gives where they listen, and the status."""
    file = folder / "scheduler.json"
    more = ("--port", "0", "--scheduler-file", str(file))
    with started(edit(SCHEDULER[0]), folder, *more) as scheduler:
        wait_for(lambda: file.exists() and file.read_text().endswith("}"))
        (address,) = {
            f"tcp://{ip}:{port}" for ip, port in listening(scheduler)
            if f"tcp://{ip}:{port}" in file.read_text()
        }  # fmt: skip
        line = edit(WORKER[0]).replace("tcp://127.0.0.1:8786", address)
        with started(line, folder) as worker:
            log = folder / "log"
            wait_for(lambda: log.read_text().count("Registered to") >= 2)
            words = ["run", "low_noise", "--methods", "random", "--steps", "40", "--runs", "1"]
            words += ["--quiet", "--mnist", "sample", "--out", str(folder / "out")]
            code = main([*words, "--cluster", address])
            return listening(scheduler) | listening(worker), code


def test_the_readme_has_one_command_of_each() -> None:
    assert (len(SCHEDULER), len(WORKER)) == (1, 1)
    assert "--nthreads 1" in WORKER[0]


@pytest.mark.slow
def test_as_printed_nothing_listens_to_another_machine(tmp_path: Path) -> None:
    places, code = pair(tmp_path, lambda line: line)
    assert code == 0
    assert {ip for ip, _ in places} == {"127.0.0.1"}, places
    assert len(places) >= 6  # scheduler, two workers, two nannies, and their pages


@pytest.mark.slow
def test_without_the_address_of_the_pages_something_would(tmp_path: Path) -> None:
    """Else the test above could not fail."""
    places, _ = pair(tmp_path, lambda line: line.replace("--dashboard-address 127.0.0.1:0", ""))
    assert {ip for ip, _ in places} - {"127.0.0.1"}, places
