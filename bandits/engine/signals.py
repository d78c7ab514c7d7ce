"""SIGTERM and SIGHUP end a command as Ctrl-C does: what is finished, and how far it is, is kept.

And a process that the user's code forked ends where it comes back.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""SIGHUP comes when a terminal is closed; Windows has none."""


class Terminated(KeyboardInterrupt):
    """A signal asked this process to end.

    Attributes:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by signal {number}")
        self.number = number


def end(number: int, frame: FrameType | None) -> NoReturn:
    """Raise `Terminated`, once: a second signal must not interrupt the saving."""
    for signal_number in ENDING:
        signal.signal(signal_number, signal.SIG_IGN)
    raise Terminated(number)


def end_forks(born: int) -> None:
    """End this process, unless its number is that of the one which began the work.

    Otherwise code that forks would have two processes finish one run, and answer for it.
    """
    if os.getpid() != born:
        os._exit(1)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let these signals raise `Terminated`, unless they are handled or ignored already."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` ignores SIGHUP
                before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
