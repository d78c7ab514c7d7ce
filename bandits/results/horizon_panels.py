"""The pictures of the long horizon: regret over log t, its local slope, and its causes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from numpy.typing import NDArray

from bandits.results.data import Data
from bandits.results.horizon import CAUSES
from bandits.results.plots import (
    EXPECTED_UNIFORM,
    FEWEST_FOR_A_BAND,
    footer,
    label_ends,
    look,
    new_figure,
    runs_note,
    style,
)
from bandits.results.statistics import mean_interval
from bandits.theory.mnist_facts import expected_best

Look = Callable[[str, int], dict[str, Any]]
"""A method's name and its place among the others -> how its curve is drawn."""

WINDOW = 3.0
"""The local exponent at t is fitted from t/√3 to t·√3."""

FIRST_SHOWN = 100
"""Earlier the average is of few steps, and its slope is noise."""

CAUSE_COLORS = ("#E69F00", "#999999", "#0072B2")


def local_exponents(
    t: NDArray[np.int64], curves: NDArray[np.floating]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Slope of log regret against log t in a sliding window of a factor of 3 in t.

    Args:
        t: (times,), evenly spaced on a logarithmic axis.
        curves: (runs, times), positive.

    Returns:
        The times in the middle of a whole window that begins at FIRST_SHOWN or later, and the
        slopes (runs, those times).
    """
    t, curves = t[t >= FIRST_SHOWN], curves[:, t >= FIRST_SHOWN]
    x, y = np.log(t), np.log(curves.astype(np.float64))
    half = np.log(WINDOW) / 2
    middle = (t >= FIRST_SHOWN * WINDOW**0.5) & (t * WINDOW**0.5 <= t.max(initial=0) * 1.001)
    slopes = [
        np.polynomial.polynomial.polyfit(x[near], y[:, near].T, 1)[1]
        for near in (np.abs(x - at) <= half for at in x[middle])
    ]
    return t[middle], np.array(slopes).reshape(middle.sum(), len(curves)).T


def band(
    axes: Axes,
    t: NDArray[np.int64],
    curves: NDArray[np.floating],
    shown_as: dict[str, object],
    label: str | None = None,
) -> NDArray[np.float64]:
    """Mean over runs (runs, times) with its 95 % band, or the single runs; returns the mean."""
    mean, half = mean_interval(curves)
    axes.plot(t, mean, label=label, **shown_as)  # type: ignore[arg-type]
    color = str(shown_as["color"])
    if len(curves) >= FEWEST_FOR_A_BAND:
        axes.fill_between(t, mean - half, mean + half, color=color, alpha=0.16, linewidth=0)
    elif len(curves) > 1:
        axes.plot(t, curves.T, color=color, linewidth=0.4, alpha=0.7)
    return mean


def log_time(axes: Axes, first: float, last: float, *, narrow: bool = False) -> None:
    """A logarithmic axis of time, labelled in powers of ten and at its end.

    A narrow one leaves out the power of ten whose label would meet that of the end.
    """
    first = min(first, last / 2)  # of a run that is too short for the beginning to be left out
    axes.set_xscale("log")
    axes.set_xlim(first, last)
    ticks = [x for x in (100, 1000, 10_000, 100_000, 1_000_000) if first <= x <= last]
    if not ticks or last / ticks[-1] > 2.5:
        ticks = [x for x in ticks if not narrow or last / x > 5] + [round(last)]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    axes.set_xlabel("time step t")


def by_place(name: str, number: int) -> dict[str, Any]:
    """The look of a curve among others of the same method: by its place, not by its name."""
    return style("", number)


def regret_over_time(axes: Axes, data: Data, look: Look = style) -> None:
    """Normalized regret of every method on log-log axes, with a line of slope −1/2."""
    t = data["t"]
    shown = t >= min(FIRST_SHOWN, t[-1] // 4)
    ends, lowest, highest = [], np.inf, 0.0
    for number, (name, label) in enumerate(zip(data["methods"], data["labels"], strict=True)):
        curves = data["normalized_regret"][number][:, shown]
        if not (curves > 0).all():  # Optimal has none
            continue
        mean = band(axes, t[shown], curves, look(str(name), number))
        ends.append((float(mean[-1]), str(label), str(look(str(name), number)["color"])))
        lowest, highest = min(lowest, float(mean.min())), max(highest, float(mean.max()))
    uniform = float(expected_best(data["arm_counts"].shape[-1])) - EXPECTED_UNIFORM
    start = t[shown][0]
    span = np.geomspace(start, t[-1], 50)
    axes.plot(span, uniform * (span / start) ** -0.5, color="#000000",
              linestyle=(0, (1, 1.2)), linewidth=1.2)  # fmt: skip
    if np.isfinite(limit := data.get("linear_regret", np.nan)):
        axes.axhline(float(limit), color="#7F7F7F", linewidth=0.9, linestyle=(0, (5, 1.5)))
        axes.text(start * 1.1, float(limit) * 0.97, "least squares on the pixels",
                  fontsize=7, color="#595959", va="top")  # fmt: skip
    axes.set_yscale("log")
    low, high = min(lowest, uniform) * 0.7, max(uniform, highest) * 1.35
    axes.set_ylim(low, high)
    ticks = [y for y in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 4, 5) if low <= y <= high]
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    log_time(axes, start, t[-1])
    axes.set_ylabel("normalized regret")
    axes.set_title("dotted: slope −1/2", fontsize=9)
    label_ends(axes, ends)


def exploring_slopes(axes: Axes, t: NDArray[np.int64], p: float, color: str) -> None:
    """The local exponent that the normalized cost of exploring alone has, Σ_{l ≤ t} l^−p / t."""
    steps = np.arange(1, t[-1] + 1, dtype=np.float64)
    cost = np.cumsum(steps**-p)[t - 1] / t
    middle, slopes = local_exponents(t, cost[None])
    axes.plot(middle, slopes[0], color=color, linewidth=0.8, linestyle=(0, (2, 1.5)))


def slopes_over_time(axes: Axes, data: Data, names: Sequence[str], look: Look = style) -> None:
    """The local exponent of the normalized regret of some methods, against −1/2.

    For p < 1 the thin line is that of exploring alone, which decides in the end: its limit is −p.
    """
    there = [str(name) for name in data["methods"]]
    for name in (name for name in names if name in there):
        k = there.index(name)
        t, slopes = local_exponents(data["t"], data["normalized_regret"][k])
        if len(t):
            band(axes, t, slopes, look(name, k), label=str(data["labels"][k]))
            if 0 < (p := float(data["p"][k])) < 1:
                exploring_slopes(axes, data["t"], p, str(look(name, k)["color"]))
    axes.axhline(-0.5, color="#000000", linestyle=(0, (1, 1.2)), linewidth=1.2)
    log_time(axes, FIRST_SHOWN, data["t"][-1])
    axes.set_ylim(-1, 0.1)
    axes.set_ylabel("local exponent of the normalized regret")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=7.5, loc="lower left")


def causes_over_time(axes: Axes, data: Data, method: int) -> None:
    """Regret per step of one method, stacked by cause, over log t; mean over runs."""
    edges, parts = data["edges"], data["causes"][method].mean(axis=0)
    # A small negative rest, where luck is better than expected, is drawn as none.
    heights = np.maximum(parts, 0).repeat(2, axis=1)
    axes.stackplot(edges.repeat(2)[1:-1], heights, colors=CAUSE_COLORS, labels=CAUSES)
    p, t = float(data["p"][method]), data["t"]
    if np.isfinite(p):
        uniform = float(expected_best(data["arm_counts"].shape[-1])) - EXPECTED_UNIFORM
        axes.plot(t, uniform * t.astype(float) ** -p, color="#000000", linewidth=1)
    log_time(axes, max(FIRST_SHOWN, edges[0]), edges[-1], narrow=True)
    axes.set_title(str(data["labels"][method]), fontsize=9)


def compared(data: Data, caption: str) -> Figure:
    """Regret of every method over log t, and the local exponents of both networks."""
    figure = new_figure(9.6, 3.8)
    with look():
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        regret_over_time(left, data)
        slopes_over_time(right, data, ("deep", "simple"))
        footer(figure, caption + runs_note(data["late_mean"].shape[1]))
    return figure


def by_exponent(data: Data, caption: str) -> Figure:
    """Where the regret of each exponent comes from, and how each falls."""
    methods = len(data["methods"])
    figure = new_figure(10.4, 6.2)
    with look():
        grid = figure.add_gridspec(2, 2 * methods)
        for method in range(methods):
            axes = figure.add_subplot(grid[0, 2 * method : 2 * method + 2])
            causes_over_time(axes, data, method)
            axes.set_ylim(0, 3.3)
            if method == 0:
                axes.set_ylabel("regret per step")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=3)
        regret_over_time(figure.add_subplot(grid[1, :methods]), data, by_place)
        every = [str(name) for name in data["methods"]]
        slopes_over_time(figure.add_subplot(grid[1, methods:]), data, every, by_place)
        footer(
            figure,
            caption + ". Black lines above: 3.29 ε_t, the exact "
            "cost of random steps; thin dashes below: the slope of that cost alone",
        )
    return figure
