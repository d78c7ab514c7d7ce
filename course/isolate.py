"""One student's notebook in a process, a session and a throw-away folder of its own.

Where root grades, each notebook that is graded at the same time runs as a user of its own, who owns
nothing else: it can neither touch the marks nor another student's process. Otherwise it runs as the
user who grades, with the same limits.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import psutil

from course.assignments import ROOT
from course.child import Limits
from course.collect import read_file
from course.repair import parse

FIRST_USER = 61184
"""The first of the numbers that Linux keeps for users who are made for one job."""
KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "BANDITS_MNIST", "VIRTUAL_ENV")
"""What of the grader's environment the students' code sees; no tokens and no passwords."""
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Outcome:
    """What came back: the notebook with its outputs (None: nothing), and what was stopped."""

    notebook: Any = None
    stopped: dict[int, str] = field(default_factory=dict)
    failure: str = ""


class Cell:
    """A place to run notebooks in, one after the other."""

    def __init__(self, number: int, limits: Limits, seed: int, *, own_user: bool) -> None:
        self.limits, self.seed = limits, seed
        self.user = FIRST_USER + number if own_user else None

    def run(self, notebook: Any) -> Outcome:
        """Run a notebook under the limits. The outcome says what went wrong, if anything did."""
        with self.folder() as folder:
            nbformat.write(notebook, folder / "notebook.ipynb")  # type: ignore[no-untyped-call]
            (folder / "limits.json").write_text(json.dumps(asdict(self.limits)), encoding="utf-8")
            self.give(folder)
            status = self.wait([sys.executable, "-m", "course.child", str(folder)], folder)
            if status is None:
                return Outcome(failure="it did not end within its time, and was ended")
            if status:
                said = read_file(folder / "said.txt", "").content
                last = said.decode(errors="replace").strip().splitlines() or [f"status {status}"]
                why = last[-1][:100] if status > 0 else f"signal {-status}"
                return Outcome(failure=f"its grading was ended from inside ({why})")
            done, stopped = (read_file(folder / name, name) for name in ("done.ipynb", "done.json"))
            for file in (done, stopped):
                if file.wrong:
                    return Outcome(failure=f"its result {file.path} {file.wrong}")
            whys = {int(index): str(why) for index, why in json.loads(stopped.content).items()}
            return Outcome(parse(done.content), whys)

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        """A folder for one notebook. The path is short: the sockets in it need that.

        It lies in another of ours, so that who owns it can put nothing else in its place.
        """
        outer = Path(tempfile.mkdtemp(prefix="grade-"))
        outer.chmod(0o711)
        folder = outer / "w"
        try:
            folder.mkdir(mode=0o700)
            for name in ("home", "tmp", "runtime"):
                (folder / name).mkdir()
            if (cache := fonts()) is not None:
                shutil.copytree(cache, folder / "matplotlib")
            yield folder
        finally:
            shutil.rmtree(outer, ignore_errors=True)

    def give(self, folder: Path) -> None:
        """Make the folder the property of the cell's user."""
        if self.user is not None:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, self.user, self.user, follow_symlinks=False)

    def environment(self, folder: Path) -> dict[str, str]:
        """The environment variables for the student's code."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return {
            "BANDITS_MNIST": "sample",
            **kept,
            **dict.fromkeys(ONE_THREAD, "1"),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "IPYTHONDIR": str(folder / "home"),
            "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
            "MPLCONFIGDIR": str(folder / "matplotlib"),
            "HIDDEN_TEST_SEED": str(self.seed),
        }

    def wait(self, command: list[str], folder: Path) -> int | None:
        """Run a command to its end, and end all that it has started; None if time was up."""
        who: dict[str, Any] = {"user": self.user, "group": self.user, "extra_groups": []}
        rights = who if self.user is not None else {}
        kill(self.owned())
        with (folder / "said.txt").open("wb") as said, starting:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=self.environment(folder),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
                **rights,
            )
            running.add(process.pid)
        end = time.monotonic() + 2 * self.limits.notebook + 120  # a busy machine, and starting anew
        try:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return process.wait(timeout=1)
                if time.monotonic() > end:
                    return None
                self.watch(process.pid)
        finally:
            self.end(process)

    def watch(self, pid: int) -> None:
        """End processes that are too many, use too much memory, or keep the first from its work."""
        below, used = descendants(pid), 0
        with contextlib.suppress(psutil.Error):
            if psutil.Process(pid).status() == psutil.STATUS_STOPPED:
                os.kill(pid, signal.SIGKILL)
        for process in below:
            with contextlib.suppress(psutil.Error):
                used += process.memory_info().rss
        if len(below) > self.limits.processes or used > self.limits.memory << 20:
            kill(below)

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """Kill the process and whatever came from it, also what has tried to get away."""
        for _ in range(100):
            found = [*descendants(process.pid), *strays(), *self.owned()]
            if not found and process.poll() is not None:
                break
            process.kill()
            kill(found)
        process.wait()
        running.discard(process.pid)

    def owned(self) -> list[psutil.Process]:
        """The processes of the cell's user."""
        found = []
        for process in psutil.process_iter() if self.user is not None else ():
            with contextlib.suppress(psutil.Error):
                if process.uids().real == self.user and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found


running: set[int] = set()
"""The processes of the notebooks that are being run, and those that were there before."""
adopting = threading.Event()
"""Set where all other children of this process are what notebooks have left behind."""
starting = threading.Lock()
"""Held while a process is started and until it is in `running`."""


def adopt() -> None:
    """Become the parent of whatever the notebooks leave behind, so that it can be found (Linux)."""
    if sys.platform == "linux":
        child_subreaper = 36  # PR_SET_CHILD_SUBREAPER
        ctypes.CDLL(None).prctl(child_subreaper, 1, 0, 0, 0)
        running.update(process.pid for process in psutil.Process().children())
        adopting.set()


def descendants(pid: int) -> list[psutil.Process]:
    """All processes below one."""
    try:
        return list(psutil.Process(pid).children(recursive=True))
    except psutil.Error:
        return []


def strays() -> list[psutil.Process]:
    """Our own children that we did not start: what a notebook left behind when it ended."""
    if not adopting.is_set():
        return []
    with starting:
        mine = psutil.Process().children()
        return [process for process in mine if process.pid not in running]


def kill(processes: list[psutil.Process]) -> None:
    """Kill processes and wait until they are gone."""
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(processes, timeout=0.2)


def can_own_users() -> bool:
    """Whether notebooks can run as users of their own; needs root, and code that all can read."""
    if os.name != "posix" or os.geteuid() != 0:
        return False
    try:
        done = subprocess.run(
            [sys.executable, "-c", "import bandits, ipykernel"],
            cwd="/",
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            user=FIRST_USER,
            group=FIRST_USER,
            extra_groups=[],
            capture_output=True,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def fonts() -> Path | None:
    """The folder with matplotlib's list of fonts, which takes long to make."""
    import matplotlib
    import matplotlib.font_manager  # makes it, where there is none

    folder = Path(matplotlib.get_cachedir())
    return folder if any(folder.glob("fontlist*")) else None
