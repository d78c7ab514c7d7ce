"""What a claim is, what may be said of it, and how its check is run within a time limit."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass

TRUE = "true"
EMPTY = "true but empty"
FALSE = "false as printed, corrected"
ASSUMES = "needs an assumption"
UNSUPPORTED = "not supported"
VERDICTS = (TRUE, EMPTY, FALSE, ASSUMES, UNSUPPORTED)

SECONDS = 60  # the longest a single check may take, also on a machine that is busy


@dataclass(frozen=True)
class Claim:
    """One claim: where it stands, what it says in our words, our verdict, and its check.

    check() returns True when everything the verdict and the note assert was found just now.
    """

    where: str
    says: str
    verdict: str
    note: str
    check: Callable[[], bool]


class Ledger:
    """A list of claims, each written as a decorated check."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []

    def claim(
        self, where: str, *, says: str, verdict: str, note: str
    ) -> Callable[[Callable[[], bool]], Callable[[], bool]]:
        """Enter the decorated check as the next claim. ValueError for an unknown verdict."""
        if verdict not in VERDICTS:
            raise ValueError(f"verdict must be one of {', '.join(VERDICTS)}, not {verdict!r}")

        def enter(check: Callable[[], bool]) -> Callable[[], bool]:
            self.claims.append(Claim(where, says, verdict, note, check))
            return check

        return enter


def outcome(claim: Claim, seconds: float = SECONDS) -> str:
    """Run the check now: "passes", or what went wrong in a few words.

    Anything but True is a failure: sympy answers None when it does not know. The time limit
    needs the main thread of a Unix process; elsewhere the check runs without one.
    """
    limited = hasattr(signal, "setitimer") and (
        threading.current_thread() is threading.main_thread()
    )

    def give_up(*_: object) -> None:
        raise TimeoutError

    try:
        if limited:
            before = signal.signal(signal.SIGALRM, give_up)
            signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            result = claim.check()
        finally:
            if limited:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before)
    except TimeoutError:
        return f"no answer within {seconds:g} s"
    except Exception as error:  # a broken check is a finding to print, not a crash
        return f"{type(error).__name__}: {error}"
    return "passes" if result is True else f"fails (gave {result!r})"
