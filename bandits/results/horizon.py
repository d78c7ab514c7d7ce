"""What a longer horizon shows: regret at each horizon, its local slope, and where it comes from."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits.engine.task import Task
from bandits.experiments import Experiment, LeastSquaresSpec, Scale
from bandits.results import linear_limit
from bandits.results.data import (
    Data,
    Own,
    Runs,
    arm_counts,
    each_run,
    first_step,
    names_of,
    quarter,
    quarter_regrets,
    squared_errors,
)
from bandits.results.statistics import fit_power_law, fit_start
from bandits.simulate import Trajectory
from bandits.theory.mnist_facts import expected_best

HORIZONS = (2000, 10_000, 40_000, 100_000)
"""Every claim is read at each of these that a figure's runs reach."""

POINTS_PER_DECADE = 60
IN_USE = 0.01
"""An arm is in use in a stretch of time if at least this share of its greedy steps took it."""

CAUSES = ("random steps", "arms not in use", "errors on the arms in use")


def log_times(steps: int) -> NDArray[np.int64]:
    """Values of t from 1 to steps, evenly spaced on a logarithmic axis."""
    number = 1 + round(POINTS_PER_DECADE * np.log10(max(steps, 2)))
    return np.unique(np.geomspace(1, steps, number).round().astype(np.int64))


def horizons(steps: int) -> list[int]:
    """The horizons that a run of so many steps reaches, or its own end where it reaches none."""
    return [h for h in HORIZONS if h <= steps] or [steps]


def stretches(steps: int) -> NDArray[np.int64]:
    """Edges of stretches of time, each 10^(1/6) times as long as the one before, from t = 20 on."""
    number = 1 + max(1, round(6 * np.log10(max(steps / 20, 2))))
    return np.unique(np.geomspace(min(20, steps / 2), steps, number).round().astype(np.int64))


def causes(run: Trajectory, edges: NDArray[np.int64], arms: int) -> NDArray[np.float64]:
    """Mean regret per step of each stretch (edges[i], edges[i + 1]] by cause, (3, stretches).

    The regret of the random steps is counted. On the greedy steps, k arms in use cost
    E max of K digits − E max of k digits per step, exactly; what is left of their regret is what
    the predictions get wrong on the arms in use. The three add up to the regret.
    """
    parts = np.zeros((3, len(edges) - 1))
    for i, (first, last) in enumerate(pairwise(edges)):
        stretch = run[slice(first, last)]
        n, greedy = len(stretch), ~stretch.explored
        taken = np.bincount(stretch.actions[greedy], minlength=arms)
        in_use = int((taken >= max(1, IN_USE * greedy.sum())).sum())
        unused = greedy.sum() * (float(expected_best(arms)) - float(expected_best(max(in_use, 1))))
        parts[0, i] = stretch.regret[stretch.explored].sum() / n
        parts[1, i] = unused / n
        parts[2, i] = (stretch.regret[greedy].sum() - unused) / n
    return parts


def first_taken(run: Trajectory, arms: int) -> tuple[list[int], list[int]]:
    """The steps t at which each arm was first drawn at random, and first taken at all; 0: never."""
    took = [run.actions == arm for arm in range(arms)]
    return [first_step(steps & run.explored) for steps in took], [first_step(s) for s in took]


def tasks(experiment: Experiment, scale: Scale) -> list[Task]:
    """The linear function of least squared error, where a linear method is held against it."""
    linear = any(
        m.policy == "linucb" or isinstance(m.predictor, LeastSquaresSpec)
        for m in experiment.methods
    )
    return [linear_limit.task(experiment.seed, experiment.arms)] if linear else []


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """Regret over time, by cause and at each horizon, of every method and run.

    Returns:
        `t` (times,), `normalized_regret` and `normalized_reward` (methods, runs, times), the first
        from means; `horizons` (h,), and for each of them `late_mean`, `late_best` and `exponents`
        (methods, runs, h), the last NaN where there is no regret, and `quarter_regret` (methods,
        runs, h, 4), as in a figure of runs that end there; `edges` (s + 1,) and `causes` (methods,
        runs, 3, s), see `causes`; `first_drawn`, `first_taken` (methods, runs, K); `squared_error`
        (methods, runs, times), the sum of (prediction − mean)² over the steps up to t, NaN without
        predictions; `linear_regret` (), what the linear function of least squared error loses
        per step, NaN without a linear method.
    """
    steps = len(runs[experiment.methods[0].name][0])
    t, edges, ends = log_times(steps), stretches(steps), horizons(steps)

    def table(read: Callable[[Trajectory], ArrayLike]) -> NDArray[np.float64]:
        return each_run(experiment, runs, read).astype(np.float64)

    firsts = table(lambda run: first_taken(run, experiment.arms))
    return {
        "linear_regret": own[0][1]["regret"] if own else np.array(np.nan),
        "t": t,
        **names_of(experiment),
        "p": np.array(
            [np.nan if m.p is None else m.p for m in experiment.methods], dtype=np.float64
        ),
        "normalized_regret": table(lambda run: run.normalized_regret[t - 1]).astype(np.float32),
        "normalized_reward": table(lambda run: run.normalized_reward[t - 1]).astype(np.float32),
        "horizons": np.array(ends),
        "late_mean": table(lambda run: [run.means[quarter(h, 4)].mean() for h in ends]),
        "late_best": table(lambda run: [run.best_means[quarter(h, 4)].mean() for h in ends]),
        "quarter_regret": table(lambda run: [quarter_regrets(run[slice(0, h)]) for h in ends]),
        "exponents": table(lambda run: [exponent(run.normalized_regret[:h]) for h in ends]),
        "edges": edges,
        "causes": table(lambda run: causes(run, edges, experiment.arms)),
        "first_drawn": firsts[:, :, 0].astype(np.int64),
        "first_taken": firsts[:, :, 1].astype(np.int64),
        "squared_error": table(lambda run: np.cumsum(squared_errors(run))[t - 1]),
        "arm_counts": arm_counts(experiment, runs),
    }


def exponent(normalized_regret: NDArray[np.float64]) -> float:
    """The fitted exponent of a curve, as in Fig. 1; NaN where there is no regret to fit."""
    first = fit_start(len(normalized_regret))
    if not (normalized_regret[first - 1 :] > 0).all():
        return float("nan")
    return fit_power_law(normalized_regret, first=first).exponent


def at_horizon(data: Data, horizon: int) -> Data:
    """What a figure whose runs end at this horizon would hold, as far as verdicts ask for it.

    Raises:
        ValueError: for a horizon that the data does not have.
    """
    there = [int(h) for h in data["horizons"]]
    if horizon not in there:
        raise ValueError(f"the data has the horizons {there}, not {horizon}")
    place = there.index(horizon)
    same = {name: data[name] for name in ("methods", "labels", "arm_counts")}
    same["t"] = np.array([horizon])
    read = ("late_mean", "late_best", "quarter_regret", "exponents")
    return same | {name: data[name][:, :, place] for name in read}
