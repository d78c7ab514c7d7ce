"""The runs of an experiment: what is wanted, and what a store has of it."""

import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from bandits.checks import UsageError
from bandits.classification import Classification
from bandits.engine.npz import StoreError
from bandits.engine.store import Made, Store
from bandits.engine.task import Arrays, Task
from bandits.experiments import Experiment, RunSpec, Scale, check_experiment
from bandits.experiments.code import Code
from bandits.mnist import Mnist
from bandits.simulate import Trajectory


@dataclass(frozen=True)
class Job:
    """One run of one experiment, or one task: the unit of work, independent of every other."""

    experiment: str
    spec: RunSpec | Task

    def __str__(self) -> str:
        s = self.spec
        if isinstance(s, Task):
            return f"{self.experiment}, {s.stem}"
        return f"{self.experiment}, method {s.method.name}, run {s.run}, seed {s.seed}"


def jobs(experiment: Experiment, scale: Scale) -> list[Job]:
    """Every run of an experiment at a scale.

    Raises:
        UsageError: for what cannot be built, or a setting that nothing reads.
    """
    check_experiment(experiment)
    return [Job(experiment.name, spec) for spec in experiment.specs(scale)]


def check_sendable(wanted: Sequence[Job]) -> None:
    """Refuse the user's code that a worker process could not import.

    Raises:
        UsageError: naming the method and the code.
    """
    for method, code in {
        (spec.method.name, code): None
        for job in wanted
        if isinstance(spec := job.spec, RunSpec)
        for code in (*spec.method.codes, spec.bandit)
        if isinstance(code, Code)
    }:
        try:
            pickle.loads(pickle.dumps(code))
        except Exception as error:
            raise UsageError(
                f"method {method}: {code!r} cannot be sent to a worker process; define it by name "
                "at the top level of its file, or take --workers 1"
            ) from error


def check_data(wanted: Sequence[Job], mnist: Mnist) -> None:
    """Refuse tasks whose examples cannot be had.

    Raises:
        UsageError: naming the data.
    """
    from bandits.classification import examples

    bandits = {job.spec.bandit for job in wanted if isinstance(job.spec, RunSpec)}
    for bandit in bandits:
        if isinstance(bandit, Classification):
            examples.load(bandit.data, mnist)


def finished(
    experiment: Experiment, scale: Scale, store: Store
) -> tuple[dict[str, list[Trajectory]], list[Made]]:
    """The finished runs of an experiment by method, run 0 first, and what made each of them.

    Of an experiment over others, those of each by its name and the method's, as in "letter/deep".

    Raises:
        FileNotFoundError: if one is missing.
        StoreError: naming one that was damaged meanwhile.
        Unreadable: if one cannot be read now.
    """
    runs: dict[str, list[Trajectory]] = {}
    made = []
    for part, size in experiment.parts(scale):
        for spec in part.specs(size):
            with naming(store, spec):
                trajectory, by = store.read(spec)
            name = f"{part.name}/{spec.method.name}" if experiment.over else spec.method.name
            runs.setdefault(name, []).append(trajectory)
            made.append(by)
    return runs, made


def performed(tasks: Sequence[Task], store: Store) -> tuple[list[tuple[Task, Arrays]], list[Made]]:
    """What tasks gave, in their order, and what made each; raises as `finished` does."""
    own, made = [], []
    for task in tasks:
        with naming(store, task):
            arrays, by = store.read(task)
        own.append((task, arrays))
        made.append(by)
    return own, made


@contextmanager
def naming(store: Store, spec: RunSpec | Task) -> Iterator[None]:
    """Let the error of a damaged file name it."""
    try:
        yield
    except StoreError as error:
        raise StoreError(f"{store.path(spec).name} cannot be used: {error}") from error
