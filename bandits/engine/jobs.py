"""The runs of an experiment: what is wanted, and what a store has of it."""

from dataclasses import dataclass

from bandits.engine.npz import StoreError
from bandits.engine.store import Made, Store
from bandits.experiments import Experiment, RunSpec, Scale, check_method
from bandits.simulate import Trajectory


@dataclass(frozen=True)
class Job:
    """One run of one experiment: the unit of work, independent of every other."""

    experiment: str
    spec: RunSpec

    def __str__(self) -> str:
        s = self.spec
        return f"{self.experiment}, method {s.method.name}, run {s.run}, seed {s.seed}"


def jobs(experiment: Experiment, scale: Scale) -> list[Job]:
    """Every run of an experiment at a scale.

    Raises:
        UsageError: for a method that cannot be built, or has a setting that nothing reads.
    """
    for method in experiment.methods:
        check_method(method)
    return [Job(experiment.name, spec) for spec in experiment.specs(scale)]


def finished(
    experiment: Experiment, scale: Scale, store: Store
) -> tuple[dict[str, list[Trajectory]], list[Made]]:
    """The finished runs of an experiment by method, run 0 first, and what made each of them.

    Raises:
        FileNotFoundError: if one is missing.
        StoreError: naming one that was damaged meanwhile.
        Unreadable: if one cannot be read now.
    """
    runs: dict[str, list[Trajectory]] = {method.name: [] for method in experiment.methods}
    made = []
    for job in jobs(experiment, scale):
        try:
            trajectory, by = store.read(job.spec)
        except StoreError as error:
            raise StoreError(f"{store.path(job.spec).name} cannot be used: {error}") from error
        runs[job.spec.method.name].append(trajectory)
        made.append(by)
    return runs, made
