"""What every notebook shares: the scale, the data, and the runs it shows."""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bandits import mnist
from bandits.engine.jobs import Job, finished, jobs
from bandits.engine.runs import complete
from bandits.engine.store import Store
from bandits.experiments import SCALES, Experiment, Scale, ScaleName, experiment, size_told
from bandits.mnist import Mnist
from bandits.simulate import Trajectory

if TYPE_CHECKING:
    from bandits.results.data import Data


def scale() -> ScaleName:
    """The scale that BANDITS_SCALE names: glance (the default), quick or paper.

    Raises:
        ValueError: for another name.
    """
    wanted = os.environ.get("BANDITS_SCALE") or "glance"
    for name in SCALES:
        if name == wanted:
            return name
    raise ValueError(f"BANDITS_SCALE must be one of {', '.join(SCALES)}, not {wanted!r}")


def results_folder() -> Path:
    """Where finished runs are kept: BANDITS_RESULTS, or results/ at the root of the study.

    Where the package is installed without its study, results/ in the current folder.
    """
    named = os.environ.get("BANDITS_RESULTS")
    root = Path(__file__).resolve().parent.parent
    at_home = (root / "pyproject.toml").exists()
    return Path(named) if named else (root if at_home else Path.cwd()) / "results"


def data() -> Mnist:
    """MNIST, or the sample of it, as BANDITS_MNIST asks; read once."""
    return _load(os.environ.get(mnist.VARIABLE) or None)


@cache
def _load(source: str | None) -> Mnist:
    return mnist.load(source)


def banner(shown: str | Experiment | Scale = "low_noise") -> str:
    """One sentence each on the scale and the data of an experiment, or of a notebook's own runs."""
    size = shown if isinstance(shown, Scale) else _experiment(shown).scale(scale())
    return f"Scale: {scale()} ({size_told(size)}). Data: {data().description}."


def run(shown: str | Experiment, size: ScaleName | None = None) -> dict[str, list[Trajectory]]:
    """Every run of an experiment at a scale (by default `scale()`), computed unless stored.

    Returns:
        For each method's name its trajectories, run 0 first.

    Raises:
        RuntimeError: naming each run that failed.
        ValueError: for an unknown experiment or scale.
    """
    wanted = _experiment(shown)
    store = _completed(jobs(wanted, wanted.scale(size or scale())))
    return finished(wanted, wanted.scale(size or scale()), store)[0]


def collected(shown: str | Experiment, size: ScaleName | None = None) -> "Data":
    """A figure's data, from the runs that `run` gives and what the figure computes beside them."""
    from bandits.results import figures

    run(shown, size)
    wanted = _experiment(shown)
    store = _completed(figures.tasks(wanted, wanted.scale(size or scale())))
    return figures.collected(wanted, wanted.scale(size or scale()), store)[0]


def _completed(work: list[Job]) -> Store:
    store = Store(results_folder() / "runs", data().digest)
    failures = complete(work, data(), store, workers=1, progress=False)
    if failures:
        raise RuntimeError("; ".join(failures))
    return store


def _experiment(shown: str | Experiment) -> Experiment:
    return experiment(shown) if isinstance(shown, str) else shown
