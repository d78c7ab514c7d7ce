"""Which exponent p of ε_t = 1/t^p does best, and which arms it never tries."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bandits import theory
from bandits.environments import draw_exploration
from bandits.experiments import Experiment
from bandits.results.data import Data, Own, Runs, each_run, first_step, quarter
from bandits.results.marks import row
from bandits.results.plots import runs_note, style
from bandits.results.reward import collect_reward, reward_curves
from bandits.results.statistics import interval, paired_difference
from bandits.results.verdicts import MARGIN, Reading
from bandits.simulate import Trajectory

DRAWN_RUNS = 2000
"""Runs of which only the random steps are drawn: these do not depend on what is learned."""

SHARE_MARGIN = 0.02
"""A share of arms this near to the exact law follows it; some 5 standard errors of 2,000 runs."""

BEST = 1 / 3
"""The exponent that the paper proves best, for its bound (its first corollary)."""


def never_drawn(t: int, *, arms: int, p: float) -> float:
    """P(the random branch has not drawn a given arm in the steps 1..t), p ≥ 0."""
    if p == 0:
        return (1 - 1 / arms) ** t  # ε_t = 1: every step draws
    return theory.probability_never_pulled(t + 1, arms=arms, p=p)


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """Rewards, and the share of (run, arm) pairs that the random branch had not drawn by t.

    Adds to `collect_reward`: `p` (methods,); `never_t` (times,); `never_exact` (methods, times);
    `never_runs`, the same counted in the runs; `never_dice` (methods, DRAWN_RUNS), by the last
    step, each the share of arms in one run's random numbers; `untaken` (methods, runs), the share
    of arms that were never taken, at random or greedily; `late_greedy` (methods, runs), the reward
    of the last quarter's greedy steps alone, NaN where there are none.
    """
    data = collect_reward(experiment, runs)
    steps, arms = len(next(iter(runs.values()))[0]), experiment.arms
    t = np.unique(np.geomspace(1, steps, 60).round().astype(np.int64))
    exponents = np.array([m.p for m in experiment.methods], dtype=np.float64)
    drawn = [draw_exploration(experiment.seed, run, steps, arms) for run in range(DRAWN_RUNS)]
    never_runs, never_drawn_at_random = [], []
    for method, p in zip(experiment.methods, exponents, strict=True):
        first = np.array([_first_drawn(r.explored, r.actions, arms) for r in runs[method.name]])
        never_runs.append([(first > time).mean() for time in t])
        epsilon = np.arange(1, steps + 1) ** -p
        random = [_first_drawn(d.eta <= epsilon, d.rho, arms) for d in drawn]
        never_drawn_at_random.append((np.array(random) > steps).mean(axis=1))
    untaken = (data["arm_counts"] == 0).mean(axis=2)
    exact = [[never_drawn(int(time), arms=arms, p=p) for time in t] for p in exponents]
    return data | {
        "p": exponents,
        "never_t": t,
        "never_exact": np.array(exact),
        "never_runs": np.array(never_runs),
        "never_dice": np.array(never_drawn_at_random),
        "untaken": untaken,
        "late_greedy": each_run(experiment, runs, _late_greedy),
    }


def _late_greedy(run: Trajectory) -> float:
    late = run[quarter(len(run), 4)]
    greedy = late.means[~late.explored]
    return float(greedy.mean()) if len(greedy) else math.nan


def _first_drawn(explored: np.ndarray, arm: np.ndarray, arms: int) -> list[float]:
    """The first step 1, 2, … at which each arm was drawn at random; infinite if never."""
    return [first_step(explored & (arm == j)) or math.inf for j in range(arms)]


def never_curves(axes: Axes, data: Data) -> None:
    """The share of arms not yet drawn at random: counted in the runs, and the exact law."""
    for number, (name, label) in enumerate(zip(data["methods"], data["labels"], strict=True)):
        color = style(str(name), number)["color"]
        axes.plot(data["never_t"], data["never_exact"][number], color=color, linewidth=1.2,
                  label=str(label))  # fmt: skip
        axes.step(data["never_t"], data["never_runs"][number], color=color, linewidth=0.8,
                  alpha=0.7, linestyle=(0, (2, 1)), where="post")  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlim(1, data["never_t"][-1])
    axes.set_ylim(0, 1)
    axes.set_xlabel("time step t")
    axes.set_ylabel("share of arms never drawn at random")
    axes.set_title("lines: exact law; dashed: these runs", fontsize=9)
    axes.legend(frameon=False, fontsize=7.5, loc="lower left")


def panels(axes: Sequence[Axes], data: Data) -> None:
    """Two axes: reward by exponent, and arms never drawn at random."""
    reward_curves(axes[0], data)
    never_curves(axes[1], data)


def draw(data: Data, caption: str) -> Figure:
    """Reward by exponent, and arms never drawn at random."""
    caption += runs_note(data["late_mean"].shape[1])
    return row(panels, data, caption, size=(9.0, 3.6), columns=2)


def read(data: Data) -> list[Reading]:
    """p = 1/3 against every other exponent, and the exact law against the random numbers.

    The paper's corollary makes 1/3 the best exponent of its bound in the limit; that it also earns
    the most here does not follow, and is what is looked at.
    """
    p = data["p"]
    best = int(np.abs(p - BEST).argmin())
    runs = data["late_mean"].shape[1]
    readings = []
    for k, label in enumerate(data["labels"]):
        if k != best and math.isclose(p[best], BEST):
            value = paired_difference(data["late_mean"][best], data["late_mean"][k])
            case = f"{data['labels'][best]} − {label}, late reward"
            claim = "p = 1/3 earns at least as much as any other exponent"
            readings.append(Reading(claim, "exponent", case, value, runs, -MARGIN, math.inf))
    for k, label in enumerate(data["labels"]):
        value = interval(data["never_dice"][k] - data["never_exact"][k, -1])
        case = f"{label}: share never drawn − exact law"
        claim = "Arms are left untried as often as the exact law says"
        many = data["never_dice"].shape[1]
        allowed = (-SHARE_MARGIN, SHARE_MARGIN)
        readings.append(Reading(claim, "exponent", case, value, many, *allowed))
    return readings
