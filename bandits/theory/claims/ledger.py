"""What a claim is, what may be said of it, and how its check is run within a time limit."""

import signal
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

TRUE = "true"
EMPTY = "true but empty"
FALSE = "false as printed, corrected"
ASSUMES = "needs an assumption"
UNSUPPORTED = "not supported"
VERDICTS = (TRUE, EMPTY, FALSE, ASSUMES, UNSUPPORTED)

PAPER = "of the paper"
OURS = "ours"
ILLUSTRATION = "illustration"  # its check shows something, and is not said to be able to fail
KINDS = (PAPER, OURS, ILLUSTRATION)

SECONDS = 60  # the longest a single check may take, also on a machine that is busy

MNIST: dict[str, Any] = {"arms": 5, "delta": 1.0, "alpha": 3.29175, "mean_gap": 3.29175, "C": 1.0}
"""The paper's task in the terms of the bounds, with C = 1: arguments of `theorem_bounds`."""


@dataclass(frozen=True)
class Claim:
    """One claim: where it stands, what it says in our words, our verdict, and its check.

    check() returns True when everything the verdict and the note assert was found just now. Its
    keywords are what the claim could have said otherwise: each mutant, in words, changes some of
    them to a claim that is wrong, and the check then returns False. `kind` is one of KINDS.
    """

    where: str
    says: str
    verdict: str
    note: str
    check: Callable[..., bool]
    kind: str = PAPER
    mutants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


class Ledger:
    """A list of claims, each written as a decorated check."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []

    def claim(
        self,
        where: str,
        *,
        says: str,
        verdict: str,
        note: str,
        kind: str = "",
        mutants: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Callable[[Callable[..., bool]], Callable[..., bool]]:
        """Enter the decorated check as the next claim. ValueError for an unknown verdict or kind.

        Without a kind it is one of the paper's, or ours where `where` says so.
        """
        kind = kind or (OURS if "ours)" in where else PAPER)
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
        if verdict not in VERDICTS:
            raise ValueError(f"verdict must be one of {', '.join(VERDICTS)}, not {verdict!r}")

        def enter(check: Callable[..., bool]) -> Callable[..., bool]:
            self.claims.append(Claim(where, says, verdict, note, check, kind, mutants or {}))
            return check

        return enter


def caught(claim: Claim, seconds: float = SECONDS) -> int:
    """How many mutants of the claim its check answers with False, running them now."""
    return sum(
        outcome(claim, seconds, changes) == "fails (gave False)"
        for changes in claim.mutants.values()
    )


def outcome(
    claim: Claim, seconds: float = SECONDS, changes: Mapping[str, Any] | None = None
) -> str:
    """Run the check now, with a mutant's changes or as it is: "passes", or what went wrong.

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
            result = claim.check(**(changes or {}))
        finally:
            if limited:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before)
    except TimeoutError:
        return f"no answer within {seconds:g} s"
    except Exception as error:  # a broken check is a finding to print, not a crash
        return f"{type(error).__name__}: {error}"
    if isinstance(result, np.bool_):
        result = bool(result)
    return "passes" if result is True else f"fails (gave {result!r})"
