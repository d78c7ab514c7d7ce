"""Run one student's notebook; this is the process that is not trusted.

    python -m course.child FOLDER

FOLDER holds notebook.ipynb and limits.json. The notebook with its outputs is written to
FOLDER/done.ipynb, and which cells were stopped, and why, to FOLDER/done.json.

A cell that ends its process, or that Python cannot interrupt, costs that cell and not the notebook:
the process is killed and the notebook is run again from the start without the cell.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import re
import resource
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import psutil
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionComplete, CellTimeoutError, DeadKernelError

TOO_LONG = "CellTimeoutError"
"""The name of the error in a cell that was stopped for running too long."""
EXHAUSTED = re.compile("MemoryError|start new thread|temporarily unavailable|Too many open files")
"""What an error says after which the process may have nothing left for the cells that follow."""
MOST_OUTPUT = 1_000_000
"""Characters of output of one cell that are kept."""


@dataclass(frozen=True)
class Limits:
    """What one notebook may use; UNITS in __main__.py says of what."""

    cell: int = 60
    notebook: int = 600
    grace: int = 10
    memory: int = 4096
    file: int = 256
    processes: int = 100

    def __post_init__(self) -> None:
        """Raise ValueError naming the limit, unless all are positive."""
        for name, value in vars(self).items():
            if value < 1:
                raise ValueError(f"the limit {name} must be >= 1, not {value}")


def impose(limits: Limits) -> None:
    """Put the limits that the system can keep on this process and on all that it starts."""
    lower = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: 2 * limits.notebook + 60,  # if nobody is left who looks at the clock
        resource.RLIMIT_FSIZE: limits.file << 20,
        resource.RLIMIT_DATA: limits.memory << 20,
    }
    if os.geteuid() != 0:  # this counts all threads of the user, and nobody stops root
        lower[resource.RLIMIT_NPROC] = threads_of_this_user() + 4 * limits.processes
    for what, value in lower.items():
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (value, value) if hard == -1 else (min(value, hard),) * 2)
    end_with_parent()


def end_with_parent() -> None:
    """Let the system kill this process when the one that started it ends (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG


def threads_of_this_user() -> int:
    """How many threads the user of this process has."""
    me, count = os.getuid(), 0
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.uids().real == me:
                count += process.num_threads()
    return count


class Client(NotebookClient):
    """Runs cells one at a time; knows how each one ended, and keeps only so much output."""

    def __init__(self, notebook: Any, folder: Path, limits: Limits, end: float) -> None:
        manager = AsyncKernelManager(  # sockets in the folder: no ports, no network
            kernel_name="python3",
            transport="ipc",
            connection_file=str(folder / f"k{time.monotonic_ns():x}.json"),
        )
        super().__init__(
            notebook,
            km=manager,
            allow_errors=True,
            startup_timeout=max(120, limits.notebook),  # on a busy machine; nobody's code runs yet
            timeout_func=lambda cell: max(1, min(limits.cell, int(end - time.monotonic()))),
            interrupt_on_timeout=True,
            error_on_timeout={"ename": TOO_LONG, "evalue": "", "traceback": [TOO_LONG]},
            iopub_timeout=limits.grace,
            raise_on_iopub_timeout=True,
            extra_arguments=["--log-level=ERROR"],
        )
        self.printed, self.reply = 0, dict[str, Any]()
        self.on_cell_executed = self.remember

    def remember(self, execute_reply: dict[str, Any], **_: Any) -> None:
        """Keep what the kernel answered."""
        self.reply = execute_reply["content"]

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
        """Take in what the kernel sends; a message that nobody can read costs nothing."""
        try:
            return super().process_message(msg, cell, cell_index)
        except CellExecutionComplete:
            raise
        except Exception:
            return None

    def output(self, outs: Any, msg: Any, display_id: Any, cell_index: int) -> Any:
        """Keep an output, unless the cell has written too much already."""
        self.printed += sum(len(str(value)) for value in msg["content"].values())
        fits = self.printed <= MOST_OUTPUT
        return super().output(outs, msg, display_id, cell_index) if fits else None

    async def run(self, index: int) -> str | None:
        """Execute a cell; says why, if it was stopped or used up all but the kernel lives.

        Raises DeadKernelError or CellTimeoutError if there is no kernel left to go on with.
        """
        cell, self.printed, self.reply = self.nb.cells[index], 0, {}
        await self.async_execute_cell(cell, index)
        cell.outputs = storable(cell.outputs)
        if any(p.get("source") == "ask_exit" for p in self.reply.get("payload", [])):
            raise DeadKernelError
        if self.reply.get("ename") == TOO_LONG:
            add_error(cell, TOO_LONG, "the cell ran too long and was interrupted")
            return "ran too long"
        # The kernel's answer tells whether a cell failed. What is displayed need not: the error may
        # have been dropped after too much output, or shown by a tool that formats errors.
        failed = self.reply.get("status") != "ok"
        name, text = (str(self.reply.get(key, "")) for key in ("ename", "evalue"))
        if failed and all(output.output_type != "error" for output in cell.outputs):
            add_error(cell, name or "Error", text[:1000])
        if failed and EXHAUSTED.search(f"{name}: {text}"):
            return "used up its memory, threads or files"
        return None


def storable(outputs: list[Any]) -> list[Any]:
    """The outputs that a notebook can hold, with ? for what UTF-8 has no bytes for."""
    kept = []
    for output in outputs:
        with contextlib.suppress(Exception):  # whatever a kernel may send
            text = json.dumps(output, ensure_ascii=False, allow_nan=False)
            clean = nbformat.from_dict(json.loads(text.encode("utf-8", "replace")))  # type: ignore[no-untyped-call]
            nbformat.v4.nbbase.validate(clean, clean.output_type)  # type: ignore[no-untyped-call]
            kept.append(clean)
    return kept


def add_error(cell: Any, name: str, text: str) -> None:
    """Append an error to a cell's outputs."""
    error = {"output_type": "error", "ename": name, "evalue": text, "traceback": [text]}
    cell.outputs.append(nbformat.from_dict(error))  # type: ignore[no-untyped-call]


async def attempt(client: Client, without: dict[int, str], end: float) -> tuple[int, str] | None:
    """Run all cells but those in `without`; add to these what was interrupted or used up all.

    Returns the cell that left no kernel to go on with, and why; None when all has been run.
    """
    assert client.km is not None
    await client.async_start_new_kernel(preexec_fn=end_with_parent)
    await client.async_start_new_kernel_client()
    try:
        for index, cell in enumerate(client.nb.cells):
            if cell.cell_type != "code" or index in without:
                continue
            if time.monotonic() >= end:
                without[index] = "was not run, as the notebook had used up its time"
                add_error(cell, TOO_LONG, without[index])
                continue
            try:
                stopped = await client.run(index)
            except DeadKernelError:
                return index, "ended its own process (exit, or no memory left?)"
            except CellTimeoutError:
                return index, "ran too long, and Python could not interrupt it"
            if stopped:
                without[index] = stopped
                if stopped != "ran too long":
                    return index, stopped  # what it used up the cells after it may lack
        return None
    finally:
        assert client.kc is not None
        client.kc.stop_channels()
        end_descendants()
        client.km.cleanup_resources()


def end_descendants() -> None:
    """Kill whatever this process has started, and what that has started."""
    while alive := psutil.Process().children(recursive=True):
        for process in alive:
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(alive, timeout=5)


def execute(notebook: Any, folder: Path, limits: Limits) -> dict[int, str]:
    """Run a notebook in place; returns the cells that were stopped, and why."""
    end, without = time.monotonic() + limits.notebook, dict[int, str]()
    while True:
        before = len(without)
        found = asyncio.run(attempt(Client(notebook, folder, limits, end), without, end))
        if found is None:
            return without
        if len(without) > before:
            continue  # what was stopped may have been the reason, by a flood of output say
        index, why = found
        without[index] = why
        add_error(notebook.cells[index], TOO_LONG if "long" in why else "DeadKernelError", why)


def main() -> None:
    """Run the notebook of the folder that is named on the command line."""
    folder = Path(sys.argv[1])
    limits = Limits(**json.loads((folder / "limits.json").read_text(encoding="utf-8")))
    impose(limits)
    notebook = nbformat.read(folder / "notebook.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    stopped = execute(notebook, folder, limits)
    for name in ("done.ipynb", "done.json"):
        (folder / name).unlink(missing_ok=True)  # a pipe of this name would never take the result
    nbformat.write(notebook, folder / "done.ipynb")  # type: ignore[no-untyped-call]
    (folder / "done.json").write_text(json.dumps(stopped), encoding="utf-8")


if __name__ == "__main__":
    main()
