"""What each command does, once its words are read: plan, refuse what cannot be done, do it."""

import argparse
import logging
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bandits.architecture import TRAINING
from bandits.checks import UsageError, one_of
from bandits.engine.places import check_device, check_writable, cores
from bandits.engine.terminal import Teller, complain
from bandits.experiments import (
    EXPERIMENTS,
    SCALES,
    SETTINGS,
    Experiment,
    Scale,
    experiment,
)
from bandits.experiments.plan import plan

if TYPE_CHECKING:
    from bandits.engine.store import Store
    from bandits.mnist import Mnist

PAPER_FOLDER = Path("figures")
RESULTS_FOLDER = Path("results")


def default_folder(options: argparse.Namespace) -> Path:
    """--out, else figures/ at paper scale, else results/."""
    return options.out or (PAPER_FOLDER if options.scale == "paper" else RESULTS_FOLDER)


def output_folder(options: argparse.Namespace, planned: list[tuple[Experiment, Scale]]) -> Path:
    """The default folder; but experiments that differ from what is reported go to results/."""
    as_reported = all(e == EXPERIMENTS.get(e.name) and s == e.paper for e, s in planned)
    return default_folder(options) if options.out or as_reported else RESULTS_FOLDER


def check_reported(options: argparse.Namespace, folder: Path, mnist: "Mnist") -> None:
    """Refuse to mix stand-in data into the folder of the reported figures."""
    if options.out is None and folder == PAPER_FOLDER and mnist.source != "full":
        raise UsageError(
            f"{PAPER_FOLDER}/ holds figures of full MNIST, but there is only the "
            f"{mnist.description}; name a folder with --mnist, or another place with --out"
        )


def on_cluster(options: argparse.Namespace) -> Callable[..., list[str]]:
    """What does runs on the cluster of --cluster; refuses what cannot be done there."""
    if options.workers is not None:
        raise UsageError("--workers is of this machine; a --cluster brings its own")
    if options.device not in ("cpu", "cuda"):
        raise UsageError(f"--device must be cpu or cuda with --cluster, not {options.device!r}")
    if find_spec("distributed") is None:
        raise UsageError("--cluster needs the package distributed, of this package's extra cluster")
    from bandits.engine import cluster

    return partial(cluster.complete, options.cluster)


def do_runs(options: argparse.Namespace) -> int:
    """`bandits run`."""
    planned, tell = plan(options), Teller()
    folder = output_folder(options, planned)
    status = _complete(options, planned, folder, tell, options.run)[0]
    tell.end()
    return status


def make_figures(options: argparse.Namespace) -> int:
    """`bandits figures`."""
    from bandits.results import figures, reward, saved

    one_of("scale", options.scale, SCALES)
    if options.from_data:
        return _draw_from_data(options)
    planned = plan(options)
    for chosen, scale in planned:
        figures.kind_of(chosen).check(chosen, scale)
    folder = output_folder(options, planned)
    tell = Teller()
    status, mnist, store = _complete(options, planned, folder, tell)
    for chosen, scale in planned:
        try:
            picture = figures.make(
                chosen,
                scale,
                store,
                mnist,
                folder,
                scale_name=options.scale,
                command=options.command_line,
                allow_mixed_versions=options.allow_mixed_versions,
            )
        except FileNotFoundError:
            names = [method.name for method in chosen.methods]
            whole = [n for n in names if all(map(store.has, chosen.select([n]).specs(scale)))]
            others = f"; --methods {','.join(whole)} draws the others" if whole else ""
            complain(f"{chosen.name}: not drawn, since a run is missing{others}")
            continue
        except (ValueError, OSError) as error:
            complain(f"bandits: {chosen.name} is not drawn: {error}")
            status = 2
            continue
        tell(f"{chosen.name}: {picture}")
        if chosen.name not in EXPERIMENTS:  # ours have the page of results
            data, _ = saved.load_data(chosen.name, folder)
            if {"labels", "late_mean", "late_best"} <= set(data):
                tell(reward.late_table(data))
    tell.end()
    return status


def _load(options: argparse.Namespace, tell: Teller) -> "Mnist":
    """The data, with a line on each place where it was looked for in vain."""
    from bandits import mnist

    log = logging.getLogger(mnist.__name__)
    level = log.level
    log.setLevel(logging.ERROR)  # the notes say the same
    try:
        data = mnist.load(options.mnist)
    finally:
        log.setLevel(level)
    for note in data.notes:
        tell(f"note: {note}")
    return data


def refuse_settings(options: argparse.Namespace, what: str, *others: str) -> None:
    """Refuse options that would change nothing, rather than take no notice of them."""
    for name in ("methods", "steps", "runs", "p", *SETTINGS, *TRAINING, *others):
        if getattr(options, name) is not None:
            raise UsageError(f"{what} takes no --{name.replace('_', '-')}")


def _draw_from_data(options: argparse.Namespace) -> int:
    from bandits.results import figures, saved

    refuse_settings(options, "--from-data", "cluster", "workers", "mnist")
    shown = [experiment(name) for name in options.names]
    folder = default_folder(options)
    if not options.out and any(chosen.name not in EXPERIMENTS for chosen in shown):
        folder = RESULTS_FOLDER
    shown = shown or [EXPERIMENTS[name] for name in saved.names_there(figures.KINDS, folder)]
    if not shown:
        raise UsageError(f"{folder} holds no figure's data; name another folder with --out")
    for chosen in shown:
        print(f"{chosen.name}: {figures.draw(chosen, folder)}")
    return 0


def _complete(
    options: argparse.Namespace,
    planned: list[tuple[Experiment, Scale]],
    folder: Path,
    tell: Teller,
    only: int | None = None,
) -> tuple[int, "Mnist", "Store"]:
    from bandits.engine import estimate, runs
    from bandits.engine.jobs import jobs
    from bandits.engine.store import Store
    from bandits.results import figures

    workers = cores() if options.workers is None else options.workers
    if workers < 1:
        raise UsageError(f"--workers needs a whole number >= 1, not {workers}")
    complete: Callable[..., list[str]] = partial(runs.complete, workers=workers)
    if options.cluster is not None:
        complete = on_cluster(options)
    else:
        check_device(options.device)
    check_writable(folder)
    check_writable(folder / "runs")
    mnist = _load(options, tell)
    check_reported(options, folder, mnist)
    tell(f"data: {mnist.description}")
    store = Store(folder / "runs", mnist.digest, options.device)
    wanted = [job for chosen, scale in planned for job in jobs(chosen, scale)]
    own = [job for chosen, scale in planned for job in figures.tasks(chosen, scale)]
    if only is not None:
        wanted, own = [job for job in wanted if job.spec.run == only], []
    left = runs.missing(wanted, store, tell)
    where = (
        f"{workers} worker{'s' * (workers > 1)}"
        if options.cluster is None
        else f"sent to {options.cluster}"
    )
    tell(f"runs: {len(wanted)} wanted, {len(left)} missing, {where}")
    if left and options.scale == "paper" and options.cluster is None:
        seconds = estimate.estimate_seconds(left, mnist, workers=workers, device=options.device)
        tell(
            f"estimate: {estimate.duration(seconds)} if nothing else runs here"
            + f" and {workers} workers do not slow each other; up to {workers} times that "
            "if they share a core" * (workers > 1)
        )
    failures = complete(left, mnist, store, progress=not options.quiet, say=tell)
    if own:
        own = [job for job in own if runs.can_begin(job.spec, store)]
        missing = runs.missing(own, store, tell)
        tell(f"other computations: {len(own)} wanted, {len(missing)} missing")
        failures += complete(missing, mnist, store, progress=not options.quiet, say=tell)
    for line in failures:
        complain(f"failed: {line}")
    return int(bool(failures)), mnist, store
