"""What a figure's small print and provenance tell of its runs."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bandits.architecture import TRAINING
from bandits.engine.store import Made
from bandits.experiments import SETTINGS, Experiment, Method, NetworkSpec, as_defined
from bandits.mnist import Mnist

FULL_SET = "MNIST (60,000 training digits)"
"""The description of all of it; a file with another number of digits is refused."""


def mixed_versions(made: Sequence[Made]) -> list[str]:
    """The different sets of versions that made them, one text each; one is as it should be.

    The first tasks do not tell, and count for none.
    """
    keys = ("bandits", "torch", "numpy", "scipy", "scikit-learn")
    found = {
        ", ".join(f"{key} {by.versions[key]}" for key in keys if key in by.versions) for by in made
    }
    return sorted(found - {""})


def made_on(made: Sequence[Made]) -> list[str]:
    """The different CPUs that made the runs, one text each, as far as the runs tell.

    A mixture is no fault: it is told, since the last bits may differ.
    """
    found = {", ".join(f"{key} {value}" for key, value in by.cpu.items()) for by in made}
    return sorted(found - {""})


def changes(experiment: Experiment) -> list[str]:
    """What differs from the experiment as it is defined, for the figure's small print."""
    reported = as_defined(experiment)
    texts = [
        f"{text} = {value:g}" if isinstance(value, float) else f"{text} = {value}"
        for name, field in SETTINGS.items()
        if (text := field.metadata["small_print"])
        and (value := getattr(experiment, name)) != getattr(reported, name)
    ]
    old, new = _of_methods(reported), _of_methods(experiment)
    others = {
        (place, text, value)
        for (name, place, text), value in new.items()
        if value is not None and value != old.get((name, place, text), value)
    }
    return texts + [f"{text} = {value:g}" for _, text, value in sorted(others)]


def _of_methods(experiment: Experiment) -> dict[tuple[str, int, str], Any]:
    """What a command may change of methods, by the method's name, a place and the small print."""
    found: dict[tuple[str, int, str], Any] = {}
    for method in experiment.methods:
        found[method.name, 0, "p"] = method.p
        for place, (name, field) in enumerate(TRAINING.items(), 1):
            key = method.name, place, field.metadata["small_print"]
            found[key] = getattr(method.training, name, None)
    return found


def commit() -> str | None:
    """The commit of the study that draws, "-dirty" where files differ from it; None elsewhere."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    words = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):  # no git here, or another user's checkout
        return None
    return done.stdout.strip()


def stage_note(methods: Sequence[Method]) -> str:
    """What the small print says of training stages: nothing where they are the paper's."""
    trained = {m.predictor.training for m in methods if isinstance(m.predictor, NetworkSpec)}
    bounds = {(training.max_batches, training.batch_size) for training in trained}
    if len(bounds) != 1 or None in (bound := bounds.pop()):
        return ""
    return f", each training stage at most {bound[0]} mini-batches of {bound[1]}"


def source_note(mnist: Mnist) -> str:
    """What the small print says of the data: nothing where it is the full set."""
    return "" if mnist.source == "full" else f". Data: {mnist.description}"


def small_print(experiment: Experiment, caption: str) -> str:
    """A figure's caption, with what it leaves out where that is as defined: σ, and all of MNIST.

    Of a bandit that is not the paper's, the experiment's title has to name the data.
    """
    runs, sampled, rest = caption.partition(". Data: ")
    if experiment.methods and "noise σ" not in runs:
        runs += f", noise σ = {as_defined(experiment).noise:g}"
    if not sampled and experiment.bandit is None and not experiment.over:
        sampled, rest = ". Data: ", FULL_SET
    return runs + sampled + rest


def data_told(mnist: Mnist) -> dict[str, str]:
    """The data as the provenance tells it."""
    return {"description": mnist.description, "source": mnist.source, "digest": mnist.digest}
