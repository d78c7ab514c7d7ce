"""Every claim about the paper's figures, read at each horizon."""

from collections.abc import Mapping
from itertools import pairwise

from bandits.results.data import Data
from bandits.results.horizon import at_horizon
from bandits.results.paper import CASES, read_all
from bandits.results.verdicts import Reading, Verdict

SHORT: dict[Verdict, str] = {"agrees": "yes", "does not agree": "**no**", "undecided": "?"}

Columns = dict[str, list[Reading]]
"""The readings at each horizon, by its name in the table."""


def read_columns(found: Mapping[str, Data]) -> Columns:
    """The paper's rule at its horizon, then the bounded stage at each of its own."""
    columns = {}
    short = {name: found[name] for name in CASES if name in found}
    for steps in sorted({int(data["t"][-1]) for data in short.values()}):
        there = {name: data for name, data in short.items() if data["t"][-1] == steps}
        columns[f"{steps:,}, the paper's stages"] = read_all(there)
    long = {name: found[f"long_{name}"] for name in CASES if f"long_{name}" in found}
    for horizon in sorted({int(h) for data in long.values() for h in data["horizons"]}):
        there = {n: at_horizon(d, horizon) for n, d in long.items() if horizon in d["horizons"]}
        columns[f"{horizon:,}"] = read_all(there)
    return columns


def table(columns: Columns, at_least: int = 1) -> str:
    """One row for each claim and one column for each horizon, as Markdown.

    Args:
        columns: from `read_columns`.
        at_least: leave out what was read at fewer horizons.
    """
    rows: dict[tuple[str, str, str], dict[str, Reading]] = {}
    for name, readings in columns.items():
        for reading in readings:
            key = (reading.claim, reading.case, reading.measured)
            rows.setdefault(key, {})[name] = reading
    lines = [
        "| the paper's claim | looked for | measured | " + " | ".join(columns) + " |",
        "| --- " * 3 + "| ---: " * len(columns) + "|",
    ]
    for key, found in rows.items():
        if len(found) < at_least:
            continue
        cells = [
            f"{r.value}, {SHORT[r.verdict]}" if (r := found.get(name)) else "" for name in columns
        ]
        lines.append("| " + " | ".join([*key, *cells]) + " |")
    return "\n".join(lines)


def changes(columns: Columns) -> list[tuple[Reading, str, str]]:
    """Each claim whose verdict changes, with the two horizons between which it does."""
    names, found = list(columns), []
    for before, after in pairwise(names):
        earlier = {(r.claim, r.case, r.measured): r for r in columns[before]}
        for reading in columns[after]:
            was = earlier.get((reading.claim, reading.case, reading.measured))
            if was is not None and was.verdict != reading.verdict:
                found.append((reading, before, after))
    return found
