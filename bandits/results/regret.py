"""Fig. 1: the normalized regret of Deep, and how fast it falls."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from bandits.experiments import Experiment
from bandits.results.data import Data, Runs, arm_counts, kept_steps, names_of, quarter
from bandits.results.plots import STYLES, footer, look, new_figure
from bandits.results.statistics import fit_power_law, fit_start, interval
from bandits.results.verdicts import Reading

EXPONENT_MARGIN = 0.1
"""A fitted exponent within this of −1/2 is "approximately t^(−1/2)"."""


def collect_regret(experiment: Experiment, runs: Runs) -> Data:
    """Normalized regret of every run of one method, with fitted power laws (Fig. 1)."""
    (method,) = experiment.methods
    curves = np.array([r.normalized_regret for r in runs[method.name]])
    first = fit_start(curves.shape[1])
    fits = [fit_power_law(curve, first=first) for curve in curves]
    of_mean = fit_power_law(curves.mean(axis=0), first=first)
    t = kept_steps(curves.shape[1])
    return {
        "t": t,
        **names_of(experiment),
        "normalized_regret": curves[:, t - 1],
        "fit_first": np.array(first),
        "fit_last": np.array(of_mean.last),
        "exponents": np.array([fit.exponent for fit in fits]),
        "constants": np.array([fit.constant for fit in fits]),
        "exponent_of_mean": np.array(of_mean.exponent),
        "constant_of_mean": np.array(of_mean.constant),
        "late_regret": np.array([r.regret[quarter(len(r), 4)].mean() for r in runs[method.name]]),
        "arm_counts": arm_counts(experiment, runs)[0],
    }


def regret_curves(axes: Axes, data: Data, *, log: bool) -> None:
    """Normalized regret of each run with the fitted power law and a line of slope −1/2."""
    t, curves = data["t"], data["normalized_regret"]
    first, last = int(data["fit_first"]), int(data["fit_last"])
    exponent, constant = float(data["exponent_of_mean"]), float(data["constant_of_mean"])
    color = STYLES["deep"]["color"]
    for curve in curves:
        axes.plot(t, curve, color=color, linewidth=1.4 if len(curves) == 1 else 0.7,
                  alpha=1.0 if len(curves) == 1 else 0.45)  # fmt: skip
    if len(curves) > 1:
        axes.plot(t, curves.mean(axis=0), color=color, linewidth=2.2)
    span = np.geomspace(first, last, 60)
    fitted = constant * span**exponent
    axes.plot(span, fitted, color="#D55E00", linestyle=(0, (4, 1.5)), linewidth=1.6)
    half = fitted[0] * (span / first) ** -0.5
    axes.plot(span, half, color="#000000", linestyle=(0, (1, 1.2)), linewidth=1.2)
    axes.set_xlabel("time step t")
    if log:
        axes.set_xscale("log")
        axes.set_yscale("log")
        shown = curves[:, t >= min(10, last // 4)]
        low, high = min(shown.min(), half.min()) * 0.85, shown.max() * 1.2
        axes.set_ylim(low, high)
        axes.set_xlim(min(10, last // 4), last)
        ticks = [x for x in (0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 6) if low <= x <= high]
        axes.yaxis.set_major_locator(FixedLocator(ticks))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    else:
        axes.set_xlim(0, last)
        axes.set_ylim(0, None)


def regret_figure(data: Data, caption: str) -> Figure:
    """Fig. 1: linear axes left, log-log right."""
    exponents = data["exponents"]
    figure = new_figure(6.8, 3.5)
    with look():
        left, right = figure.subplots(1, 2)
        regret_curves(left, data, log=False)
        regret_curves(right, data, log=True)
        left.set_ylabel("normalized regret")
        span = f"t = {int(data['fit_first'])} to {int(data['fit_last'])}"
        text = f"fitted: t$^{{{float(data['exponent_of_mean']):.2f}}}$, {span}"
        handles = [*right.lines[-2:]]
        names = [text, "slope −1/2 (the paper's rate)"]
        runs = right.lines[0] if len(exponents) == 1 else right.lines[-3]
        label = str(data["labels"][0]) + ("" if len(exponents) == 1 else ", mean")
        figure.legend(
            [runs, *handles],
            [label, *names],
            loc="outside upper center",
            ncols=3,
            frameon=False,
            fontsize=7.5,
        )
        left.set_title("linear axes", fontsize=9)
        right.set_title("log-log axes", fontsize=9)
        if len(exponents) > 1:
            caption += f". Exponent over runs: {interval(exponents)}"
        footer(figure, caption)
    return figure


def read_rate(data: Data, case: str) -> Reading:
    """Fig. 1: the exponent of the fitted power law of the normalized regret."""
    low, high = -0.5 - EXPONENT_MARGIN, -0.5 + EXPONENT_MARGIN
    exponents = data["exponents"]
    claim = "Deep's normalized regret falls about as t^(−1/2)"
    return Reading(claim, case, "fitted exponent", interval(exponents), len(exponents), low, high)
