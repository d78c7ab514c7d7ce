"""What is proved of the regret of ε-greedy runs, beside what they lost."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bandits import theory
from bandits.experiments import Experiment, Scale
from bandits.results.data import Data, Own, Runs, each_run, names_of, squared_errors
from bandits.results.horizon import log_times
from bandits.results.horizon_panels import band
from bandits.results.marks import row
from bandits.results.plots import PALETTE, runs_note, style
from bandits.simulate import Trajectory
from bandits.theory import mnist_facts
from bandits.theory.starvation import MOST_STEPS, best_of_digits
from bandits.theory.theorems import start_of_validity

FIRST_SHOWN = 20
BEYOND = 30.0
"""The picture ends this many times later than the unified theorem begins."""

Curve = NDArray[np.float64]


def exponents(experiment: Experiment) -> list[float]:
    """Each method's p.

    Raises:
        ValueError: for a method without 0 < p <= 1.
    """
    found = []
    for method in experiment.methods:
        if method.p is None or not 0 < method.p <= 1:
            raise ValueError(
                f"{experiment.name} needs methods that explore with 0 < p <= 1, and "
                f"{method.name} has p = {method.p}"
            )
        found.append(method.p)
    return found


def check(experiment: Experiment, scale: Scale) -> None:
    """Refuse what the theorems do not speak of.

    Raises:
        ValueError: for a method without 0 < p <= 1, one arm, or runs that keep no predictions.
    """
    exponents(experiment)
    if experiment.arms < 2 or not experiment.keep_predictions:
        raise ValueError(
            f"{experiment.name} needs arms (K) >= 2 and runs that keep their predictions, not "
            f"arms = {experiment.arms} and keep_predictions = {experiment.keep_predictions}"
        )


def task(arms: int) -> dict[str, Any]:
    """K, the gap δ and D̄ of the digits' task, as the theorems want them."""
    gap = float(mnist_facts.expected_regret_of_an_arm(arms))
    return {"arms": arms, "delta": float(mnist_facts.GAP), "mean_gap": gap}


def adaptive(run: Trajectory, p: float, arms: int) -> tuple[Curve, Curve]:
    """The adaptive theorem's bounds on the total regret up to t, from the run's own errors.

    Returns:
        As the theorem is stated, and by the probability of the arm taken, (n,) each.

    Raises:
        ValueError: if the run keeps no predictions.
    """
    if run.predictions is None:
        raise ValueError("the adaptive bound needs a run that keeps its predictions")
    squares, epsilon = squared_errors(run), run.t.astype(np.float64) ** -p
    return (
        theory.adaptive_bound(squares, epsilon, **task(arms)),
        theory.adaptive_bound(
            squares, epsilon, **task(arms), form="propensity", propensities=run.propensities
        ),
    )


def price(steps: int, p: float, arms: int) -> Curve:
    """What exploring by coin costs a perfect learner, averaged over the steps up to t, (steps,)."""
    least = theory.starvation_curve(steps, schedule=p, best=best_of_digits(arms))
    return np.asarray(np.cumsum(least) / np.arange(1, steps + 1))


def unified(p: float, arms: int, last: float) -> tuple[Curve, Curve]:
    """Steps from the unified theorem's t_0 up to `last`, and its bound on their regret, C = 1."""
    start = start_of_validity(arms=arms, p=p, version="corrected")
    t = [math.ceil(x) for x in np.geomspace(start * 1.001, max(last, 2 * start), 40)]
    alike = task(arms)
    upper = [
        theory.theorem_bounds(x, p=p, alpha=alike["mean_gap"], C=1.0, **alike).upper for x in t
    ]
    return np.array(t, dtype=np.float64), np.array(upper)


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """Regret and the adaptive theorem's bounds on it, each averaged over the steps up to t.

    Returns:
        `t` (times,); `normalized_regret`, `adaptive` and `sharper` (methods, runs, times), see
        `adaptive`; `p` (methods,); `arms` ().
    """
    methods, powers = experiment.methods, exponents(experiment)
    t = log_times(len(runs[methods[0].name][0]))
    bounds = np.array(
        [
            [[bound[t - 1] / t for bound in adaptive(r, p, experiment.arms)] for r in runs[m.name]]
            for m, p in zip(methods, powers, strict=True)
        ]
    )
    return {
        "t": t,
        **names_of(experiment),
        "p": np.array(powers),
        "arms": np.array(experiment.arms),
        "normalized_regret": each_run(experiment, runs, lambda run: run.normalized_regret[t - 1]),
        "adaptive": bounds[:, :, 0],
        "sharper": bounds[:, :, 1],
    }


def bounds_of(axes: Axes, data: Data, method: int) -> None:
    """One method's regret per step, and what the theorems say of it."""
    t, p, arms = data["t"], float(data["p"][method]), int(data["arms"])
    start = start_of_validity(arms=arms, p=p, version="corrected")
    last = max(float(t[-1]), MOST_STEPS, BEYOND * start)
    shown = t >= min(FIRST_SHOWN, t[-1] // 2)
    for name, color, label in (
        ("adaptive", PALETTE[1], "Theorem C, from the runs' own errors"),
        ("sharper", PALETTE[2], "Theorem C, by the probability of the arm taken"),
    ):
        mean = data[name][method].mean(axis=0)
        axes.plot(t[shown], mean[shown], color=color, label=label)
    axes.plot(*unified(p, arms, last), color=PALETTE[5], linewidth=2.4,
              label="the unified theorem, for step t, C = 1")  # fmt: skip
    uniform = task(arms)["mean_gap"]
    axes.axhline(uniform, color="#000000", linewidth=1, linestyle=(0, (5, 2)),
                 label=f"a uniform choice: {uniform:.2f}")  # fmt: skip
    look, label = style(str(data["methods"][method])), str(data["labels"][method])
    band(axes, t[shown], data["normalized_regret"][method][:, shown], look, f"{label}, measured")
    every = np.arange(FIRST_SHOWN, MOST_STEPS + 1)
    axes.plot(every, price(MOST_STEPS, p, arms)[every - 1], color=PALETTE[3],
              linestyle=(0, (5, 1.5)), label="Theorem D: a perfect learner")  # fmt: skip
    axes.axvspan(1, start, color="#000000", alpha=0.05, linewidth=0,
                 label="where the unified theorem claims nothing")  # fmt: skip
    axes.set(xscale="log", yscale="log", xlim=(t[shown][0], last), xlabel="time step t",
             ylabel="regret per step")  # fmt: skip
    axes.legend(frameon=False, fontsize=7.5, loc="center right")


def panels(axes: Sequence[Axes], data: Data) -> None:
    """One panel for each method."""
    for method, panel in enumerate(axes):
        bounds_of(panel, data, method)


def draw(data: Data, caption: str) -> Figure:
    """Measured regret, and every bound that speaks of it."""
    caption += runs_note(data["normalized_regret"].shape[1])
    caption += ".\nAll but the unified theorem are averages over the steps up to t"
    columns = len(data["methods"])
    return row(panels, data, caption, size=(1.0 + 6.6 * columns, 4.2), columns=columns)
