"""What is told while work goes on: dropped where nobody can read it, so that the work goes on."""

import errno
import os
import sys
from contextlib import suppress
from typing import Any, TextIO

OF_A_STREAM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""Numbers of errors that, where no file is named, a standard stream gives."""


def open_closed_streams() -> None:
    """Connect to nothing the standard streams that the shell has closed.

    Otherwise the next file that is opened takes their place, and what a library says goes into it.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)  # the workers' streams too
    os.close(descriptor)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


class Teller:
    """Prints lines about work whose product lies elsewhere.

    Attributes:
        error: why the lines since then could not be printed; None while they can.
    """

    def __init__(self) -> None:
        self.error: OSError | None = None

    def __call__(self, line: str) -> None:
        """Print a line now, unless an earlier one could not be printed."""
        if self.error is None:
            try:
                print(line, flush=True)
            except OSError as error:
                self.error = error

    def end(self) -> None:
        """Say, when the work is done, that not all of it could be told.

        Raises:
            OSError: the first error of printing.
        """
        if self.error is not None:
            raise self.error


def complain(line: str) -> None:
    """Print a line to the standard error, if anybody can read it."""
    with suppress(OSError, ValueError, AttributeError):
        print(line, file=sys.stderr, flush=True)


def drop_unwritten(stream: TextIO) -> None:
    """Write what was printed, or drop it: Python's own flush at exit would change the status."""
    try:
        stream.flush()
    except (OSError, ValueError, AttributeError):
        with suppress(OSError, ValueError, AttributeError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)


def is_terminal(stream: Any) -> bool:
    """Whether a progress bar can move there; False for whatever is no open stream."""
    try:
        return bool(stream.isatty())
    except (AttributeError, OSError, ValueError):
        return False


class Droppable:
    """A terminal for a progress bar, which is silent from its first failure on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream: TextIO | None = stream
        self.encoding = getattr(stream, "encoding", None) or "ascii"

    def write(self, text: str) -> None:
        """Write, if it can be done."""
        self._do("write", text)

    def flush(self) -> None:
        """Flush, if it can be done."""
        self._do("flush")

    def fileno(self) -> int:
        """Of the terminal, whose width is asked."""
        return -1 if self._stream is None else self._stream.fileno()

    def _do(self, what: str, *arguments: str) -> None:
        if self._stream is not None:
            try:
                getattr(self._stream, what)(*arguments)
            except (OSError, ValueError, AttributeError):
                self._stream = None
