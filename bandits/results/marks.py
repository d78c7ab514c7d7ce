"""Marks that several of the questions' figures share: dots of runs, and means with intervals."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from bandits.results.data import Data
from bandits.results.plots import (
    EXPECTED_UNIFORM,
    FEWEST_FOR_A_BAND,
    footer,
    look,
    new_figure,
)
from bandits.results.statistics import interval, mean_interval
from bandits.theory.mnist_facts import expected_best

Panels = Callable[[Any, Data], None]
"""Draws a figure's data on a row of axes."""


def row(
    panels: Panels,
    data: Data,
    caption: str,
    *,
    size: tuple[float, float],
    columns: int,
    ratios: tuple[float, ...] | None = None,
) -> Figure:
    """A figure of so many panels side by side, with the small print under them."""
    figure = new_figure(*size)
    with look():
        panels(figure.subplots(1, columns, width_ratios=ratios, squeeze=False)[0], data)
        footer(figure, caption)
    return figure


def run_dots(
    axes: Axes, x: float, values: NDArray[np.float64], color: str, label: str | None = None
) -> None:
    """A small dot per run at x, a large one at their mean, and its 95 % interval."""
    axes.plot(np.full(len(values), x), values, "o", color=color, markersize=3.5, alpha=0.5)
    if len(values) >= FEWEST_FOR_A_BAND:
        bounds = interval(values)
        axes.plot((x, x), (bounds.low, bounds.high), color=color, linewidth=2)
    axes.plot(x, values.mean(), "o", color=color, markersize=8, label=label)


def mean_line(
    axes: Axes,
    x: ArrayLike,
    values: NDArray[np.float64],
    color: str,
    label: str | None = None,
    *,
    log: bool = False,
) -> None:
    """The mean over runs of values (points, runs) against x, with 95 % bars, x logarithmic.

    With log=True the heights are logarithmic too: the geometric mean, with the interval of the
    logarithms, which cannot reach below 0. A point with a 0 among its values has none.
    """
    if log:
        values = np.where(values > 0, values, np.nan)
    mean, half = mean_interval(np.log(values) if log else values, axis=1)
    if values.shape[1] < FEWEST_FOR_A_BAND:
        half = np.zeros_like(mean)
    low, high = mean - half, mean + half
    if log:
        mean, low, high = np.exp(mean), np.exp(low), np.exp(high)
        axes.set_yscale("log")
    axes.plot(x, mean, color=color, marker="o", markersize=4, linewidth=1.3, label=label)
    # Not `errorbar`: on logarithmic axes matplotlib before 3.11 makes room for it down to 1.
    places = np.asarray(x, dtype=np.float64)
    axes.plot((places, places), (low, high), color=color, marker="_", markersize=4, linewidth=1.3)
    axes.set_xscale("log")


def levels(axes: Axes, arms: int) -> None:
    """Grey lines at what a uniform choice and the best one earn."""
    for level in (EXPECTED_UNIFORM, float(expected_best(arms))):
        axes.axhline(level, color="#7F7F7F", linewidth=0.8)
