"""The commands that tell: what data, experiments, claims and verdicts there are."""

import argparse
from typing import Any

from bandits.checks import UsageError
from bandits.engine.terminal import complain
from bandits.experiments import EXPERIMENTS, SCALES, Experiment, experiment, size_told
from bandits.settings import plain


def show_data(options: argparse.Namespace) -> int:
    """`bandits data`."""
    from bandits import mnist

    print("\n".join(mnist.status(options.mnist)))
    return 0


def list_experiments(options: argparse.Namespace) -> int:
    """`bandits list`."""
    shown = [experiment(name) for name in options.names] or list(EXPERIMENTS.values())
    if options.json:
        import json

        print(json.dumps([_told(item) for item in shown], indent=1))
        return 0
    for item in shown:
        print(f"{item.name}: {item.title}")
        if item.methods:
            print(f"  methods: {', '.join(method.name for method in item.methods)}")
        for name in SCALES:
            print(f"  {name}: {size_told(item.scale(name))}")
    return 0


def _told(item: Experiment) -> dict[str, Any]:
    """An experiment as JSON values."""
    scales = {name: plain(item.scale(name)) for name in SCALES}
    settings, methods = plain(item.shared()) | item.bandit_told, plain(item.methods)
    return {"name": item.name, "title": item.title, "scales": scales, "settings": settings,
            "methods": methods}  # fmt: skip


def write_csv(options: argparse.Namespace) -> int:
    """`bandits csv`."""
    from bandits.results import saved

    print(saved.csv_of(options.file), end="")
    return 0


def check_claims(options: argparse.Namespace) -> int:
    """`bandits claims`."""
    from bandits.theory import claims

    return claims.main(markdown=options.markdown)


def show_verdicts(options: argparse.Namespace) -> int:
    """`bandits verdicts`."""
    from bandits.results import figures, horizon_verdicts, paper, questions, saved, verdicts

    found, _ = saved.load_those_there(figures.KINDS, options.folder)
    if not found:
        raise UsageError(f"{options.folder} holds no figure's data; name another folder")
    for name in list(found):
        if other := saved.other_settings(name, options.folder):
            complain(f"{name} is left out, as it has {', '.join(other)}")
            del found[name]
    try:
        papers, beyond = paper.read_all(found), questions.read_all(found)
        columns = horizon_verdicts.read_columns(found)
    except KeyError as error:  # data of an earlier version
        raise UsageError(
            f"a figure's data in {options.folder} lacks {error}; `bandits figures`, with the "
            "options it was made with, makes it again from the finished runs"
        ) from error
    tables = [verdicts.table(papers)] if papers else []
    tables += [verdicts.table(beyond, heading="expected, beyond the paper")] if beyond else []
    tables += [horizon_verdicts.table(columns)] if len(columns) > 1 else []
    print("\n\n".join(tables) or "no claim can be read from the figures there")
    return 0
