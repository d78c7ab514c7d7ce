"""From finished runs to a figure's data, and from that data alone to the picture."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bandits import plots, questions, supervised
from bandits.checks import one_of
from bandits.collect import Data, Kind, Runs, collect_regret, collect_reward_by_quarter
from bandits.experiments import EXPERIMENTS, RESULTS_VERSION, TUNING_SEED, Experiment, Scale
from bandits.files import there, write_together
from bandits.mnist import Mnist
from bandits.npz import StoreError, packed_bytes, read_arrays, unpacked_bytes
from bandits.questions import horizon, horizon_panels
from bandits.runs import Job, jobs
from bandits.store import Store, versions

REWARD = Kind(
    lambda shown, runs, mnist: collect_reward_by_quarter(shown, runs), plots.reward_figure
)
REGRET = Kind(lambda shown, runs, mnist: collect_regret(shown, runs), plots.regret_figure)
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
DRAW = {name: kind.draw for name, kind in KINDS.items()} | {supervised.NAME: plots.study_figure}


def load_runs(experiment: Experiment, scale: Scale, store: Store) -> Runs:
    """The finished runs of an experiment, by method.

    Raises:
        FileNotFoundError: if one is missing.
        StoreError: naming one that was damaged meanwhile.
        Unreadable: if one cannot be read now.
    """
    runs: Runs = {method.name: [] for method in experiment.methods}
    for job in jobs(experiment, scale):
        try:
            runs[job.spec.method.name].append(store.load(job.experiment, job.spec))
        except StoreError as error:
            path = store.path(job.experiment, job.spec)
            raise StoreError(f"{path.name} cannot be used: {error}") from error
    return runs


def mixed_versions(wanted: Sequence[Job], store: Store) -> list[str]:
    """The different sets of versions that made the runs, one text each; one is as it should be."""
    keys = ("bandits", "torch", "numpy", "scipy", "scikit-learn")
    found = {
        ", ".join(f"{key} {made[key]}" for key in keys if key in made)
        for made in (store.provenance(job.experiment, job.spec) for job in wanted)
    }
    return sorted(found)


def made_on(wanted: Sequence[Job], store: Store) -> list[str]:
    """The different CPUs that made the runs, one text each, as far as the runs tell.

    A mixture is no fault: it is told, since the last bits may differ.
    """
    each = (store.made_on(job.experiment, job.spec) for job in wanted)
    found = {", ".join(f"{key} {value}" for key, value in made.items()) for made in each}
    return sorted(found - {""})


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
    found = load_runs(experiment, scale, store)
    made_by = mixed_versions(wanted, store)
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
    caption += "".join(f", {change}" for change in changed) + _source(mnist)
    about = {
        "figure": experiment.name,
        "title": experiment.title,
        "caption": caption,
        "changes": changed,
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
    if machines := made_on(wanted, store):
        about["cpu"] = machines
    return _write(experiment.name, folder, data, about)


def make_study(
    scale_name: str, mnist: Mnist, folder: Path, *, command: str, say: Callable[[str], None] = print
) -> Path:
    """Do the architecture study's missing trials, and write its data, provenance and pictures.

    Raises:
        ValueError: for an unknown scale.
    """
    scale = supervised.STUDY_SCALES[one_of("scale", scale_name, tuple(supervised.STUDY_SCALES))]
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


def changes(experiment: Experiment) -> list[str]:
    """What differs from the experiment of this name as reported, for the figure's small print."""
    reported = EXPERIMENTS[experiment.name]
    values = {"noise σ": "noise", "arms K": "arms", "train every": "train_every", "seed": "seed"}
    texts = [
        f"{text} = {value}" if isinstance(value, int) else f"{text} = {value:g}"
        for text, field in values.items()
        if (value := getattr(experiment, field)) != getattr(reported, field)
    ]
    exponents = {method.name: method.p for method in reported.methods}
    other = {m.p for m in experiment.methods if m.p != exponents.get(m.name, m.p)}
    return texts + [f"p = {p:g}" for p in sorted(p for p in other if p is not None)]


def load_data(name: str, folder: Path) -> tuple[Data, str]:
    """A figure's data and its caption.

    Raises:
        ValueError: if there is no such data, or it is not whole.
        Unreadable: if it is there but cannot be read now.
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


def names_there(names: Iterable[str], folder: Path) -> list[str]:
    """Those figures whose data is in the folder.

    Raises:
        Unreadable: if the folder cannot be looked into.
    """
    return [name for name in names if there(folder / f"{name}.npz")]


def load_those_there(names: Iterable[str], folder: Path) -> tuple[dict[str, Data], dict[str, str]]:
    """Data and captions, by name, of those figures whose data is in the folder.

    Raises:
        ValueError: if one that is there is not whole.
        Unreadable: if one cannot be read now.
    """
    found = {name: load_data(name, folder) for name in names_there(names, folder)}
    return {n: data for n, (data, _) in found.items()}, {n: text for n, (_, text) in found.items()}


def other_settings(name: str, folder: Path) -> list[str]:
    """How a figure's data differs from what is reported; another seed asks the same question."""
    _, about = read_arrays(folder / f"{name}.npz")
    return [text for text in about.get("changes", []) if not text.startswith("seed")]


def check_drawable(experiment: Experiment, scale: Scale) -> None:
    """Refuse, before any run, what could not be drawn after all of them.

    Raises:
        ValueError: for one arm or one step, where a power law is to be fitted to the regret, and
            for one arm or no training stage, where the scores of the arms are to be compared.
    """
    if KINDS[experiment.name] is REGRET and (experiment.arms < 2 or scale.steps < 2):
        raise ValueError(
            f"{experiment.name} fits a power law to the regret, which needs arms (K) >= 2 and "
            f"steps >= 2, not {experiment.arms} and {scale.steps}"
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
