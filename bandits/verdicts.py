"""What the paper claims about its figures, held against a figure's data by one rule.

The paper speaks of limits, and a run has an end. So each claim is read at the end of the runs, in
their last quarter, where the first clumsy steps no longer count, and "as good as" means: within a
margin that is stated. An interval inside what the claim allows agrees, one outside does not, and
one that reaches both ways leaves the claim undecided.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bandits.analysis import Interval, interval, paired_difference

Data = dict[str, NDArray[Any]]
Verdict = Literal["agrees", "does not agree", "undecided"]

MARGIN = 0.15
"""Digits per step that count as nothing: under 5 % of the 3.29 from uniform choice to Optimal."""

EXPONENT_MARGIN = 0.1
"""A fitted exponent within this of −1/2 is "approximately t^(−1/2)"."""


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


def late_regret(data: Data, method: str) -> NDArray[np.float64]:
    """Mean regret per step in the last quarter of each run, (runs,), from a reward figure's data.

    Raises:
        ValueError: if the figure has no such method.
    """
    place = place_of(data, method)
    return np.asarray(data["late_best"][place] - data["late_mean"][place], dtype=np.float64)


def quarter_regret(data: Data, method: str, quarter: int) -> NDArray[np.float64]:
    """Mean regret per step in a quarter (1 to 4) of each run, (runs,), from a reward figure's data.

    NaN where a run is too short to have that quarter.

    Raises:
        ValueError: for another quarter, or a method that the figure lacks.
    """
    if quarter not in (1, 2, 3, 4):
        raise ValueError(f"quarter must be 1, 2, 3 or 4, not {quarter}")
    place = place_of(data, method)
    return np.asarray(data["quarter_regret"][place, :, quarter - 1], dtype=np.float64)


LABELS = {
    "deep": "Deep",
    "simple": "Simple",
    "linucb": "LinUCB",
    "linear": "Linear",
    "random": "Random",
}


def read_reward(data: Data, case: str) -> list[Reading]:
    """Figs 2 and 3: who converges, and who does no better than chance.

    A figure of some methods only answers what those can.
    """
    there = {str(name) for name in data["methods"]}
    runs = data["late_mean"].shape[1]
    readings: list[Reading] = []

    def add(claim: str, measured: str, value: Interval, low: float, high: float) -> None:
        readings.append(Reading(claim, case, measured, value, runs, low, high))

    def compare(claim: str, one: str, other: str, low: float, high: float) -> None:
        if {one, other} <= there:
            first, second = (data["late_mean"][place_of(data, name)] for name in (one, other))
            what = f"{LABELS[one]} − {LABELS[other]}, late reward"
            add(claim, what, paired_difference(first, second), low, high)

    deep, simple = "Deep converges to the optimal", "Simple Deep does not converge to the optimal"
    for name, claim, late, falls in (
        ("deep", deep, (-math.inf, MARGIN), (0, math.inf)),
        ("simple", simple, (MARGIN, math.inf), (-math.inf, 0)),
    ):
        if name not in there:
            continue
        add(claim, f"late regret of {LABELS[name]}", interval(late_regret(data, name)), *late)
        third, last = (quarter_regret(data, name, quarter) for quarter in (3, 4))
        if np.isfinite(third).all():  # a single step has no third quarter
            what = f"{LABELS[name]}'s regret, third quarter − last"
            add(claim, what, paired_difference(third, last), *falls)
    compare(simple, "deep", "simple", 0, math.inf)
    compare("Deep is better than LinUCB", "deep", "linucb", 0, math.inf)
    for name in ("linucb", "linear"):
        claim = f"{LABELS[name]} does as well as random"
        compare(claim, name, "random", -MARGIN, MARGIN)
    return readings


def read_rate(data: Data, case: str) -> Reading:
    """Fig. 1: the exponent of the fitted power law of the normalized regret."""
    low, high = -0.5 - EXPONENT_MARGIN, -0.5 + EXPONENT_MARGIN
    exponents = data["exponents"]
    claim = "Deep's normalized regret falls about as t^(−1/2)"
    return Reading(claim, case, "fitted exponent", interval(exponents), len(exponents), low, high)


def read_noise(low_noise: Data, high_noise: Data) -> list[Reading]:
    """Fig. 2 against Fig. 3: their tables are paired, so each run is compared with itself.

    The runs and methods that both have are compared.
    """
    runs = min(low_noise["late_mean"].shape[1], high_noise["late_mean"].shape[1])
    readings = []
    both = set(map(str, low_noise["methods"])) & set(map(str, high_noise["methods"]))
    for name in (name for name in ("deep", "simple", "linucb", "linear") if name in both):
        without, with_noise = (
            data["late_mean"][place_of(data, name), :runs] for data in (low_noise, high_noise)
        )
        readings.append(
            Reading("Noise does not change the picture", "σ = 0 against 1",
                    f"{LABELS[name]}, late reward without noise − with",
                    paired_difference(without, with_noise), runs, -MARGIN, MARGIN)
        )  # fmt: skip
    return readings


def read_all(found: Mapping[str, Data]) -> list[Reading]:
    """Every claim that the figures at hand can be asked about, in the paper's order.

    Args:
        found: figures' data by name; convergence, convergence_repeats, low_noise and high_noise
            are looked at, and any of them may be missing.
    """
    readings = []
    for name, case in (("convergence", "Fig. 1"), ("convergence_repeats", "Fig. 1, repeated")):
        if name in found:
            readings.append(read_rate(found[name], case))
    for name, case in (("low_noise", "σ = 0"), ("high_noise", "σ = 1")):
        if name in found:
            readings += read_reward(found[name], case)
    if {"low_noise", "high_noise"} <= set(found):
        readings += read_noise(found["low_noise"], found["high_noise"])
    return readings


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
