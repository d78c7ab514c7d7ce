"""What the paper claims about its figures, held against a figure's data by one rule.

The paper speaks of limits, and a run has an end. So each claim is read at the end of the runs, in
their last quarter, where the first clumsy steps no longer count, and "as good as" means: within a
margin that is stated. An interval inside what the claim allows agrees, one outside does not, and
one that reaches both ways leaves the claim undecided.
"""

import math
from dataclasses import dataclass
from typing import Literal

from bandits.results.data import Data
from bandits.results.statistics import Interval

Verdict = Literal["agrees", "does not agree", "undecided"]

MARGIN = 0.15
"""Digits per step that count as nothing: under 5 % of the 3.29 from uniform choice to Optimal."""


@dataclass(frozen=True)
class Reading:
    """One claim held against one number.

    Attributes:
        claim: of the paper, in our words.
        case: where it was looked for, such as "σ = 0".
        measured: what the number is.
        value: the number with its 95 % interval over runs.
        runs: how many independent runs gave it.
        low, high: what the claim allows.
    """

    claim: str
    case: str
    measured: str
    value: Interval
    runs: int
    low: float
    high: float

    @property
    def verdict(self) -> Verdict:
        """Whether the interval lies inside, outside or across what the claim allows."""
        return verdict(self.value, self.low, self.high)


def verdict(value: Interval, low: float, high: float) -> Verdict:
    """Hold an interval against the range low..high; one run has no interval and decides nothing.

    Raises:
        ValueError: if low > high.
    """
    if not low <= high:
        raise ValueError(f"low must be at most high, not {low} and {high}")
    if math.isnan(value.low) or math.isnan(value.high):
        return "undecided"
    if low <= value.low and value.high <= high:
        return "agrees"
    if value.high < low or high < value.low:
        return "does not agree"
    return "undecided"


def table(readings: list[Reading], *, heading: str = "the paper's claim") -> str:
    """The readings as a Markdown table; `heading` says whose claims they are."""
    lines = [
        f"| {heading} | looked for | measured | mean [95 % interval] | runs | verdict |",
        "| --- | --- | --- | ---: | ---: | --- |",
    ]
    for r in readings:
        lines.append(
            f"| {r.claim} | {r.case} | {r.measured} | {r.value} | {r.runs} | **{r.verdict}** |"
        )
    return "\n".join(lines)


def place_of(data: Data, method: str) -> int:
    """The row of a method in a figure's arrays.

    Raises:
        ValueError: if the figure has no such method.
    """
    names = [str(name) for name in data["methods"]]
    if method not in names:
        raise ValueError(f"the figure has the methods {', '.join(names)}, not {method!r}")
    return names.index(method)
