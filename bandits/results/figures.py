"""From finished runs to a figure's data, and from that data alone to the picture."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bandits.checks import one_of
from bandits.engine.files import write_together
from bandits.engine.jobs import finished
from bandits.engine.npz import packed_bytes, unpacked_bytes
from bandits.engine.store import Store, versions
from bandits.experiments import (
    RESULTS_VERSION,
    TUNING_SEED,
    Experiment,
    Scale,
)
from bandits.mnist import Mnist
from bandits.results import (
    architecture_study,
    bounded_training,
    horizon,
    horizon_panels,
    plots,
    questions,
    regret,
    reward,
    supervised,
)
from bandits.results.data import Data, Kind
from bandits.results.provenance import (
    changes,
    commit,
    data_told,
    made_on,
    mixed_versions,
    source_note,
    stage_note,
)
from bandits.results.regret import collect_regret
from bandits.results.reward import collect_reward_by_quarter
from bandits.results.saved import load_data
from bandits.settings import plain

REWARD = Kind(
    lambda shown, runs, mnist: collect_reward_by_quarter(shown, runs), reward.reward_figure
)
REGRET = Kind(lambda shown, runs, mnist: collect_regret(shown, runs), regret.regret_figure)
KINDS: dict[str, Kind] = {
    "convergence": REGRET,
    "low_noise": REWARD,
    "high_noise": REWARD,
    "convergence_repeats": REGRET,
    "training_study": REWARD,
    "long_low_noise": Kind(horizon.collect, horizon_panels.compared),
    "long_high_noise": Kind(horizon.collect, horizon_panels.compared),
    "long_exponent": Kind(horizon.collect, horizon_panels.by_exponent),
} | questions.KINDS
DRAW = {name: kind.draw for name, kind in KINDS.items()} | {
    supervised.NAME: architecture_study.study_figure
}


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
    found, made = finished(experiment, scale, store)
    made_by = mixed_versions(made)
    if len(made_by) > 1 and not allow_mixed_versions:
        raise ValueError(
            f"the runs of {experiment.name} were made by different versions "
            f"({' and '.join(made_by)}); --allow-mixed-versions draws them all the same"
        )
    data = KINDS[experiment.name].collect(experiment, found, mnist)
    caption = f"{scale_name} scale: {scale.steps:,} steps, {scale.runs} run" + "s" * (
        scale.runs > 1
    )
    changed = changes(experiment)
    caption += "".join(f", {change}" for change in changed)
    caption += stage_note(experiment.methods) + source_note(mnist)
    about = {
        "figure": experiment.name,
        "title": experiment.title,
        "caption": caption,
        "changes": changed,
        "scale": {"name": scale_name, "steps": scale.steps, "runs": scale.runs},
        "command": command,
        "commit": commit(),
        "data": data_told(mnist),
        "device": store.device,
        "versions": made_by,
        "results_version": RESULTS_VERSION,
        "settings": plain(experiment.shared()) | {"methods": plain(experiment.methods)},
        "runs": [store.path(spec).name for spec in experiment.specs(scale)],
    }
    if machines := made_on(made):
        about["cpu"] = machines
    return _write(experiment.name, folder, data, about)


def make_study(
    scale_name: str, mnist: Mnist, folder: Path, *, command: str, say: Callable[[str], None] = print
) -> Path:
    """Do the architecture study's missing trials, and write its data, provenance and pictures.

    Raises:
        ValueError: for an unknown scale.
    """
    scale = architecture_study.STUDY_SCALES[
        one_of("scale", scale_name, tuple(architecture_study.STUDY_SCALES))
    ]
    data = architecture_study.run_study(scale, mnist, folder / "runs", say=say)
    caption = f"{scale_name} scale: {scale.epochs} epochs, runs: {scale.runs}"
    about = {
        "figure": supervised.NAME,
        "title": "What one arm's network learns from n samples, and its cost",
        "caption": caption + source_note(mnist),
        "scale": {"name": scale_name} | asdict(scale),
        "command": command,
        "commit": commit(),
        "data": data_told(mnist),
        "versions": [versions()],
        "results_version": RESULTS_VERSION,
        "settings": {
            "seed": TUNING_SEED,
            "candidates": {k: asdict(a) for k, (_, a) in supervised.CANDIDATES.items()},
        },
        "runs": [t.path(folder, mnist.digest).name for t in architecture_study.trials(scale)],
    }
    return _write(supervised.NAME, folder, data, about)


def _write(name: str, folder: Path, data: Data, about: dict[str, Any]) -> Path:
    """Write the data, where they come from, and the pictures drawn from them: all four or none."""
    told = {key: about[key] for key in ("caption", "changes") if about.get(key)}
    content = packed_bytes(data, told)
    about = about | {"drawn_with": plots.drawn_with()}
    text = json.dumps(about, indent=1, sort_keys=True, ensure_ascii=False)
    files = {".npz": content, ".json": (text + "\n").encode()}
    files |= _pictures(name, folder, unpacked_bytes(content)[0], about["caption"])
    return _place(name, folder, files)


def _pictures(name: str, folder: Path, data: Data, caption: str) -> dict[str, bytes]:
    try:
        return plots.pictures(DRAW[name](data, caption))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        why = f"no {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"{folder / name}.npz is not this figure's data: {why}") from error


def _place(name: str, folder: Path, files: dict[str, bytes]) -> Path:
    write_together({folder / f"{name}{ending}": content for ending, content in files.items()})
    return folder / f"{name}.png"


def check_drawable(experiment: Experiment, scale: Scale) -> None:
    """Refuse, before any run, what could not be drawn after all of them.

    Raises:
        ValueError: for one arm or one step, where a power law is to be fitted to the regret; for
            one arm or no training stage, where the scores of the arms are to be compared; and
            without a method that the figure is about.
    """
    over_time = KINDS[experiment.name].collect is horizon.collect
    if (over_time or KINDS[experiment.name] is REGRET) and (experiment.arms < 2 or scale.steps < 2):
        raise ValueError(
            f"{experiment.name} fits a power law to the regret, which needs arms (K) >= 2 and "
            f"steps >= 2, not {experiment.arms} and {scale.steps}"
        )
    names = [method.name for method in experiment.methods]
    if over_time and names == ["optimal"]:
        raise ValueError(f"{experiment.name} shows regret, of which the method optimal has none")
    if experiment.name == "bounded_training" and not set(names) & set(bounded_training.BASES):
        raise ValueError(
            f"bounded_training compares with the paper's rule, which needs a method of "
            f"{', '.join(bounded_training.BASES)}, not {', '.join(names)} alone"
        )
    if experiment.name == "pixel_scale" and (
        experiment.arms < 2 or scale.steps < experiment.train_every
    ):
        raise ValueError(
            f"{experiment.name} compares the trained scores of the arms, which needs arms (K) >= 2 "
            f"and steps >= {experiment.train_every} (train_every), not {experiment.arms} and "
            f"{scale.steps}"
        )


def draw(name: str, folder: Path) -> Path:
    """Draw a figure from its data alone, as PNG and PDF beside it.

    Raises:
        ValueError: if the data is not there, not whole or not this figure's.
        OSError: if the data cannot be read now, or a picture cannot be written.
    """
    data, caption = load_data(name, folder)
    return _place(name, folder, _pictures(name, folder, data, caption))
