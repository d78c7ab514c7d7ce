"""From finished runs to a figure's data, and from that data alone to the picture."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bandits import plots, supervised
from bandits.analysis import fit_power_law, fit_start, mean_interval
from bandits.experiments import EXPERIMENTS, RESULTS_VERSION, TUNING_SEED, Experiment, Scale
from bandits.mnist import Mnist
from bandits.runs import Job, jobs
from bandits.simulate import Trajectory
from bandits.store import Store, StoreError, read_arrays, sweep, versions, write_arrays

Data = dict[str, NDArray[Any]]
Runs = dict[str, list[Trajectory]]

REWARD_POINTS = 400
"""Curves are kept at about this many steps: more cannot be seen, and the files stay small."""


def kept_steps(steps: int) -> NDArray[np.int64]:
    """About REWARD_POINTS values of t from 1 to steps, evenly spaced."""
    return np.unique(np.linspace(1, steps, min(steps, REWARD_POINTS)).round().astype(np.int64))


def collect_reward(experiment: Experiment, runs: Runs) -> Data:
    """Normalized reward of every method: its mean over runs, with a 95 % band (Figs 2 and 3)."""
    names = [method.name for method in experiment.methods]
    steps = len(runs[names[0]][0])
    t = kept_steps(steps)
    curves = np.array([[r.normalized_reward[t - 1] for r in runs[n]] for n in names])
    mean, half = mean_interval(curves, axis=1)
    late = slice(steps - max(1, steps // 4), None)
    return {
        "t": t,
        "methods": np.array(names),
        "labels": np.array([method.label for method in experiment.methods]),
        "curves": curves.astype(np.float32),
        "mean": mean,
        "half_width": half,
        "final_reward": np.array([[r.normalized_reward[-1] for r in runs[n]] for n in names]),
        "late_mean": np.array([[r.means[late].mean() for r in runs[n]] for n in names]),
        "late_best": np.array([[r.best_means[late].mean() for r in runs[n]] for n in names]),
        "arm_counts": np.array(
            [[np.bincount(r.actions, minlength=experiment.arms) for r in runs[n]] for n in names]
        ),
    }


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
        "methods": np.array([method.name]),
        "labels": np.array([method.label]),
        "normalized_regret": curves[:, t - 1],
        "fit_first": np.array(first),
        "fit_last": np.array(of_mean.last),
        "exponents": np.array([fit.exponent for fit in fits]),
        "constants": np.array([fit.constant for fit in fits]),
        "exponent_of_mean": np.array(of_mean.exponent),
        "constant_of_mean": np.array(of_mean.constant),
        "late_regret": np.array(
            [r.regret[-(len(r) // 4 or 1) :].mean() for r in runs[method.name]]
        ),
        "arm_counts": np.array(
            [np.bincount(r.actions, minlength=experiment.arms) for r in runs[method.name]]
        ),
    }


@dataclass(frozen=True)
class Kind:
    """How one kind of figure is collected from runs and drawn from data."""

    collect: Callable[[Experiment, Runs], Data]
    draw: Callable[[Data, str], Figure]


REWARD = Kind(collect_reward, plots.reward_figure)
REGRET = Kind(collect_regret, plots.regret_figure)
KINDS: dict[str, Kind] = {
    "convergence": REGRET,
    "low_noise": REWARD,
    "high_noise": REWARD,
    "convergence_repeats": REGRET,
    "training_study": REWARD,
}
DRAW = {name: kind.draw for name, kind in KINDS.items()} | {supervised.NAME: plots.study_figure}


def load_runs(experiment: Experiment, scale: Scale, store: Store) -> Runs:
    """The finished runs of an experiment, by method."""
    runs: Runs = {method.name: [] for method in experiment.methods}
    for job in jobs(experiment, scale):
        runs[job.spec.method.name].append(store.load(job.experiment, job.spec))
    return runs


def mixed_versions(wanted: Sequence[Job], store: Store) -> list[str]:
    """The different sets of versions that made the runs, one text each; one is as it should be."""
    keys = ("bandits", "torch", "numpy", "scipy", "scikit-learn")
    found = {
        ", ".join(f"{key} {made[key]}" for key in keys if key in made)
        for made in (store.provenance(job.experiment, job.spec) for job in wanted)
    }
    return sorted(found)


def make(
    experiment: Experiment,
    scale: Scale,
    store: Store,
    mnist: Mnist,
    folder: Path,
    *,
    scale_name: str,
    command: str,
    allow_mixed_versions: bool = False,
) -> Path:
    """Collect an experiment's finished runs, and write its data, provenance and pictures.

    Raises:
        ValueError: if different versions made the runs, unless that is allowed.
    """
    wanted = jobs(experiment, scale)
    made_by = mixed_versions(wanted, store)
    if len(made_by) > 1 and not allow_mixed_versions:
        raise ValueError(
            f"the runs of {experiment.name} were made by different versions "
            f"({' and '.join(made_by)}); --allow-mixed-versions draws them all the same"
        )
    data = KINDS[experiment.name].collect(experiment, load_runs(experiment, scale, store))
    caption = f"{scale_name} scale: {scale.steps:,} steps, {scale.runs} run" + "s" * (
        scale.runs > 1
    )
    caption += "".join(f", {change}" for change in changes(experiment)) + _source(mnist)
    about = {
        "figure": experiment.name,
        "title": experiment.title,
        "caption": caption,
        "scale": {"name": scale_name, "steps": scale.steps, "runs": scale.runs},
        "command": command,
        "data": _data(mnist),
        "device": store.device,
        "versions": made_by,
        "results_version": RESULTS_VERSION,
        "settings": {
            "noise": experiment.noise,
            "arms": experiment.arms,
            "train_every": experiment.train_every,
            "seed": experiment.seed,
            "methods": [asdict(method) for method in experiment.methods],
        },
        "runs": [store.path(job.experiment, job.spec).name for job in wanted],
    }
    return _write(experiment.name, folder, data, about)


def make_study(
    scale_name: str, mnist: Mnist, folder: Path, *, command: str, say: Callable[[str], None] = print
) -> Path:
    """Do the architecture study's missing trials, and write its data, provenance and pictures.

    Raises:
        ValueError: for an unknown scale.
    """
    if scale_name not in supervised.STUDY_SCALES:
        known = ", ".join(supervised.STUDY_SCALES)
        raise ValueError(f"scale must be one of {known}, not {scale_name!r}")
    scale = supervised.STUDY_SCALES[scale_name]
    data = supervised.run_study(scale, mnist, folder / "runs", say=say)
    caption = f"{scale_name} scale: {scale.epochs} epochs, runs: {scale.runs}"
    about = {
        "figure": supervised.NAME,
        "title": "What one arm's network learns from n samples, and its cost",
        "caption": caption + _source(mnist),
        "scale": {"name": scale_name} | asdict(scale),
        "command": command,
        "data": _data(mnist),
        "versions": [versions()],
        "results_version": RESULTS_VERSION,
        "settings": {
            "seed": TUNING_SEED,
            "candidates": {k: asdict(a) for k, (_, a) in supervised.CANDIDATES.items()},
        },
        "runs": [t.path(folder, mnist.digest).name for t in supervised.trials(scale)],
    }
    return _write(supervised.NAME, folder, data, about)


def _source(mnist: Mnist) -> str:
    return "" if mnist.source == "full" else f". Data: {mnist.description}"


def _data(mnist: Mnist) -> dict[str, str]:
    return {"description": mnist.description, "source": mnist.source, "digest": mnist.digest}


def _write(name: str, folder: Path, data: Data, about: dict[str, Any]) -> Path:
    path = folder / f"{name}.npz"
    write_arrays(path, data, {"caption": about["caption"]})
    sweep(path)
    text = json.dumps(about, indent=1, sort_keys=True, ensure_ascii=False)
    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    return draw(name, folder)


def changes(experiment: Experiment) -> list[str]:
    """What differs from the experiment of this name as reported, for the figure's small print."""
    reported = EXPERIMENTS[experiment.name]
    values = {"noise σ": "noise", "arms K": "arms", "train every": "train_every", "seed": "seed"}
    texts = [
        f"{text} = {getattr(experiment, field):g}"
        for text, field in values.items()
        if getattr(experiment, field) != getattr(reported, field)
    ]
    exponents = {method.name: method.p for method in reported.methods}
    other = {m.p for m in experiment.methods if m.p != exponents.get(m.name, m.p)}
    return texts + [f"p = {p:g}" for p in sorted(p for p in other if p is not None)]


def load_data(name: str, folder: Path) -> tuple[Data, str]:
    """A figure's data and its caption.

    Raises:
        ValueError: if there is no such data, or it is not whole.
    """
    path = folder / f"{name}.npz"
    try:
        data, about = read_arrays(path)
    except FileNotFoundError as error:
        raise ValueError(f"{path} is not there, so {name} cannot be drawn from it") from error
    except StoreError as error:
        raise ValueError(f"{path} cannot be used: {error}") from error
    if "caption" not in about:
        raise ValueError(f"{path} cannot be used: it has no caption")
    return data, str(about["caption"])


def draw(name: str, folder: Path) -> Path:
    """Draw a figure from its data alone, as PNG and PDF beside it."""
    data, caption = load_data(name, folder)
    try:
        figure = DRAW[name](data, caption)
    except KeyError as error:
        raise ValueError(f"{folder / name}.npz is not this figure's data: no {error}") from error
    return plots.save(figure, folder / name)
