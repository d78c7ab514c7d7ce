"""LinUCB against the scale of the pixels: when the width drowns the predicted reward."""

import math
from collections.abc import Sequence
from functools import partial

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bandits.engine.task import Arrays, Task, check_finite
from bandits.engine.threads import one_thread
from bandits.experiments import Experiment, RunSpec, Scale, build_policy, environment
from bandits.mnist import Mnist
from bandits.policies import LinUCB
from bandits.results.data import Data, Own, Runs
from bandits.results.marks import levels, mean_line, row
from bandits.results.plots import PALETTE
from bandits.results.reward import collect_reward
from bandits.results.statistics import interval, paired_difference
from bandits.results.verdicts import MARGIN, Reading
from bandits.simulate import Trajectory, restore
from bandits.streams import UNSEEN

FRESH_STATES = 200
"""States that no run met, on which the trained scores are taken apart."""

NAMES = ("over_blind", "mean_range", "width_range", "by_width", "by_mean")


def tasks(experiment: Experiment, scale: Scale) -> list[Task]:
    """What the scores of each run are made of when it is over.

    The run's LinUCB is trained again on its own history, and asked for the predicted mean and the
    width of every arm in FRESH_STATES states.
    """
    return [
        Task(
            f"scores-{spec.method.name}-run{spec.run:02d}",
            {"fresh_states": FRESH_STATES},
            partial(_scores, spec),
            partial(check_finite, names=NAMES),
            run=spec,
        )
        for spec in experiment.specs(scale)
    ]


def _scores(spec: RunSpec, mnist: Mnist, run: Trajectory) -> Arrays:
    uniform = environment(spec, mnist).rounds(spec.seed, spec.run, len(run)).means.mean()
    mean, width = scores_after(spec, run, mnist)
    taken = (mean + width).argmax(axis=1)
    values = (
        run.means.mean() - uniform,
        np.ptp(mean, axis=1).mean(),
        np.ptp(width, axis=1).mean(),
        (taken == width.argmax(axis=1)).mean(),
        (taken == mean.argmax(axis=1)).mean(),
    )
    return {name: np.array(value) for name, value in zip(NAMES, values, strict=True)}


def check(experiment: Experiment, scale: Scale) -> None:
    """Refuse where no scores of arms can be compared.

    Raises:
        ValueError: for one arm, or no training stage.
    """
    if experiment.arms < 2 or scale.steps < experiment.train_every:
        raise ValueError(
            f"{experiment.name} compares the trained scores of the arms, which needs arms (K) >= 2 "
            f"and steps >= {experiment.train_every} (train_every), not {experiment.arms} and "
            f"{scale.steps}"
        )


def collect(experiment: Experiment, runs: Runs, own: Own) -> Data:
    """Rewards, and what the scores are made of when a run is over.

    Adds to `collect_reward`: `scale` (methods,);
    `over_blind` (methods, runs), reward per step minus what a uniform choice earns in these very
    states; `mean_range` and `width_range` (methods, runs), the largest minus the smallest over the
    arms, averaged over states; `by_width` (methods, runs), the share of states in which the arm of
    the largest width is taken, and `by_mean`, that of the largest mean.
    """
    data = collect_reward(experiment, runs)
    shape = (len(experiment.methods), data["late_mean"].shape[1])
    found = {name: np.zeros(shape) for name in NAMES}
    places = {method.name: k for k, method in enumerate(experiment.methods)}
    specs = [task.run for task, _ in own if task.run is not None]
    for spec, (_, arrays) in zip(specs, own, strict=True):
        for name in NAMES:
            found[name][places[spec.method.name], spec.run] = arrays[name]
    return data | found | {"scale": np.array([m.pixel_scale for m in experiment.methods])}


def scores_after(spec: RunSpec, run: Trajectory, mnist: Mnist) -> tuple[np.ndarray, np.ndarray]:
    """θ_jᵀx and √(xᵀB_j⁻¹x) of a finished LinUCB run in fresh states, (FRESH_STATES, K) each."""
    bandit = environment(spec, mnist)
    rounds = bandit.rounds(spec.seed, spec.run, len(run))
    fresh = bandit.rounds(spec.seed, spec.run + UNSEEN, FRESH_STATES)
    policy = build_policy(spec, rounds)
    if not isinstance(policy, LinUCB):
        raise ValueError(f"the scores of LinUCB are wanted, not of {spec.method.name!r}")
    with one_thread():
        restore(policy, rounds, run, spec.train_every, None)
        return policy.model.predict_with_width(fresh.contexts(slice(None)))


def panels(axes: Sequence[Axes], data: Data) -> None:
    """Three axes: the reward, the steps' shares among the arms, and the score's two parts."""
    scale = data["scale"]
    mean_line(axes[0], scale, data["late_mean"], PALETTE[2])
    levels(axes[0], data["arm_counts"].shape[2])
    axes[0].set_ylabel("mean digit per step, last quarter")
    share = np.sort(data["arm_counts"], axis=2)[:, :, ::-1] / data["arm_counts"].sum(
        axis=2, keepdims=True
    )
    bottom = np.zeros(len(scale))
    for rank in range(share.shape[2]):
        mean = share[:, :, rank].mean(axis=1)
        axes[1].bar(np.arange(len(scale)), mean, bottom=bottom, width=0.8,
                    color=mpl.colormaps["viridis"](rank / max(1, share.shape[2] - 1)))  # fmt: skip
        bottom += mean
    axes[1].set_xticks(
        np.arange(len(scale)), [f"{s:g}" if s >= 1 else f"1/{1 / s:.0f}" for s in scale], fontsize=7
    )
    axes[1].set_xlabel("largest pixel value s")
    axes[1].set_ylabel("share of steps, most taken arm first")
    mean_line(axes[2], scale, data["mean_range"], PALETTE[0], "of predicted rewards", log=True)
    mean_line(axes[2], scale, data["width_range"], PALETTE[1], "of widths", log=True)
    axes[2].set_ylabel("range over the arms, end of run")
    for side in (axes[0], axes[2]):
        side.set_xlabel("largest pixel value s")
        side.set_xticks([1 / 255, 1 / 16, 1, 16, 255], ["1/255", "1/16", "1", "16", "255"])
        side.minorticks_off()
    axes[2].legend(frameon=False, fontsize=7.5)


def draw(data: Data, caption: str) -> Figure:
    """LinUCB's reward, arms and scores against the scale of the pixels."""
    caption += ". Bars: 95 % over runs"
    return row(panels, data, caption, size=(9.6, 3.3), columns=3)


def read(data: Data) -> list[Reading]:
    """Raw bytes look random, because the width decides; pixels in [0, 1] do not."""
    scale = list(data["scale"])
    if not {1.0, 255.0} <= set(scale):
        return []
    bytes_, unit = scale.index(255.0), scale.index(1.0)
    runs = data["late_mean"].shape[1]
    gain = paired_difference(data["late_mean"][unit], data["late_mean"][bytes_])
    claim = "On raw bytes LinUCB is no better than a uniform choice"
    case = "pixel_scale"
    readings = [
        Reading(claim, case, "s = 255: reward − uniform choice, all steps",
                interval(data["over_blind"][bytes_]), runs, -MARGIN, MARGIN),
        Reading(claim, case, "s = 1 − s = 255, late reward", gain, runs, MARGIN, math.inf),
    ]  # fmt: skip
    for k, name, claim, low, high in (
        (bytes_, "255", "On raw bytes the width decides", 0.9, 1.0),
        (unit, "1", "On pixels up to 1 the prediction decides", 0.0, 0.5),
    ):
        what = f"s = {name}: share of states where the widest arm is taken"
        readings.append(Reading(claim, case, what, interval(data["by_width"][k]), runs, low, high))
    return readings
