"""From finished runs to a figure's data, and from that data alone to the picture."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bandits.checks import one_of
from bandits.engine.files import write_together
from bandits.engine.jobs import Job, finished, performed
from bandits.engine.npz import packed_bytes, unpacked_bytes
from bandits.engine.store import Made, Store
from bandits.experiments import (
    CLASSIFY,
    RESULTS_VERSION,
    SHARED,
    Experiment,
    Scale,
    experiment,
    size_told,
)
from bandits.mnist import Mnist
from bandits.results import (
    architecture_study,
    bounds,
    error_causes,
    horizon,
    horizon_panels,
    plots,
    questions,
    ranks,
    regret,
    reward,
    undrawn,
)
from bandits.results.data import Data, Kind
from bandits.results.provenance import (
    changes,
    commit,
    data_told,
    made_on,
    mixed_versions,
    small_print,
    source_note,
    stage_note,
)
from bandits.results.regret import collect_regret
from bandits.results.reward import collect_reward_by_quarter
from bandits.results.saved import load_data
from bandits.settings import plain


def check_power_law(experiment: Experiment, scale: Scale) -> None:
    """Refuse where no power law can be fitted to the regret.

    Raises:
        ValueError: for one arm or one step, or if only the method without regret is there.
    """
    if experiment.arms < 2 or scale.steps < 2:
        raise ValueError(
            f"{experiment.name} fits a power law to the regret, which needs arms (K) >= 2 and "
            f"steps >= 2, not {experiment.arms} and {scale.steps}"
        )
    if [method.name for method in experiment.methods] == ["optimal"]:
        raise ValueError(f"{experiment.name} shows regret, of which the method optimal has none")


def check_regret(experiment: Experiment, scale: Scale) -> None:
    """Refuse several methods, as well as what `check_power_law` does.

    Raises:
        ValueError: naming them.
    """
    check_power_law(experiment, scale)
    if len(names := [method.name for method in experiment.methods]) != 1:
        raise ValueError(f"{experiment.name} shows the regret of one method, not {len(names)}")


REWARD = Kind(lambda shown, runs, own: collect_reward_by_quarter(shown, runs), reward.reward_figure)
REGRET = Kind(
    lambda shown, runs, own: collect_regret(shown, runs),
    regret.regret_figure,
    check=check_regret,
)
COMPARED = Kind(horizon.collect, horizon_panels.compared, horizon.tasks, check=check_power_law)
BY_EXPONENT = Kind(
    horizon.collect, horizon_panels.by_exponent, horizon.tasks, check=check_power_law
)
KINDS: dict[str, Kind] = {
    "convergence": REGRET,
    "low_noise": REWARD,
    "high_noise": REWARD,
    "convergence_repeats": REGRET,
    "training_study": REWARD,
    "comparators_study": questions.DOTS,
    "architecture_study": Kind.of(architecture_study),
    "error_causes": Kind.of(error_causes),
    "long_low_noise": COMPARED,
    "long_high_noise": COMPARED,
    "long_exponent": BY_EXPONENT,
    "long_convergence": BY_EXPONENT,
    "bounds": Kind.of(bounds),
    "undrawn": Kind.of(undrawn),
    "ranks": Kind.of(ranks),
} | questions.KINDS
KINDS |= {task.name: questions.DOTS for task in (*CLASSIFY, SHARED)}


def kind_of(experiment: Experiment) -> Kind:
    """How an experiment is drawn: as it says, else by its name, else as rewards are.

    Raises:
        ValueError: if it says neither a `Kind` nor the name of one of the package's figures.
    """
    said = experiment.drawn_as
    if isinstance(said, Kind):
        return said
    if said is None:
        return KINDS.get(experiment.name, REWARD)
    return KINDS[one_of("drawn_as", said, tuple(KINDS))]


def tasks(experiment: Experiment, scale: Scale) -> list[Job]:
    """What the figure computes beside its runs."""
    own = kind_of(experiment).tasks(experiment, scale)
    return [Job(experiment.name, task) for task in own]


def collected(
    experiment: Experiment, scale: Scale, store: Store
) -> tuple[Data, list[Made], list[Made]]:
    """An experiment's data from what the store holds, and what made the runs and the tasks.

    Raises:
        FileNotFoundError: if a run or a task is missing.
        ValueError: if this kind of figure cannot show these methods.
    """
    kind = kind_of(experiment)
    runs, made = finished(experiment, scale, store)
    own, made_own = performed(kind.tasks(experiment, scale), store)
    try:
        return kind.collect(experiment, runs, own), made, made_own
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"its kind of figure cannot show these methods ({error!r})") from error


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
    """Collect what an experiment's figure needs, and write its data, provenance and pictures.

    Raises:
        ValueError: if different versions made the runs, unless that is allowed.
    """
    data, made, made_own = collected(experiment, scale, store)
    made_by, own_by = mixed_versions(made), mixed_versions(made_own)
    mixed = max(made_by, own_by, key=len)
    if len(mixed) > 1 and not allow_mixed_versions:
        raise ValueError(
            f"the runs of {experiment.name} were made by different versions "
            f"({' and '.join(mixed)}); --allow-mixed-versions draws them all the same"
        )
    caption = f"{scale_name} scale: {size_told(scale)}"
    changed = changes(experiment)
    caption += "".join(f", {change}" for change in changed)
    caption += stage_note(experiment.methods) + source_note(mnist)
    about = {
        "figure": experiment.name,
        "title": experiment.title,
        "caption": caption,
        "changes": changed,
        "scale": {"name": scale_name} | asdict(scale),
        "command": command,
        "commit": commit(),
        "data": data_told(mnist),
        "device": store.device,
        "versions": made_by,
        "results_version": RESULTS_VERSION,
        "settings": plain(experiment.shared())
        | experiment.bandit_told
        | {"methods": plain(experiment.methods)},
        "runs": [store.path(spec).name for spec in experiment.specs(scale)],
    }
    if own := tasks(experiment, scale):
        about["tasks"] = [store.path(job.spec).name for job in own]
        about["tasks_by"] = own_by
    if machines := made_on([*made, *made_own]):
        about["cpu"] = machines
    return _write(experiment, folder, data, about)


def _write(experiment: Experiment, folder: Path, data: Data, about: dict[str, Any]) -> Path:
    """Write the data, where they come from, and the pictures drawn from them: all four or none."""
    told = {key: about[key] for key in ("caption", "changes") if about.get(key)}
    content = packed_bytes(data, told)
    about = about | {"drawn_with": plots.drawn_with()}
    text = json.dumps(about, indent=1, sort_keys=True, ensure_ascii=False)
    files = {".npz": content, ".json": (text + "\n").encode()}
    files |= _pictures(experiment, folder, unpacked_bytes(content)[0], about["caption"])
    return _place(experiment.name, folder, files)


def _pictures(shown: Experiment, folder: Path, data: Data, caption: str) -> dict[str, bytes]:
    try:
        return plots.pictures(kind_of(shown).draw(data, small_print(shown, caption)))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        why = f"no {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"{folder / shown.name}.npz is not this figure's data: {why}") from error


def _place(name: str, folder: Path, files: dict[str, bytes]) -> Path:
    write_together({folder / f"{name}{ending}": content for ending, content in files.items()})
    return folder / f"{name}.png"


def draw(shown: str | Experiment, folder: Path) -> Path:
    """Draw a figure from its data alone, as PNG and PDF beside it.

    Raises:
        ValueError: if the data is not there, not whole or not this figure's.
        OSError: if the data cannot be read now, or a picture cannot be written.
    """
    drawn = experiment(shown) if isinstance(shown, str) else shown
    data, caption = load_data(drawn.name, folder)
    return _place(drawn.name, folder, _pictures(drawn, folder, data, caption))
