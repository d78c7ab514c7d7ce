"""Keep the two forms of each notebook alike: the .py that is edited, the .ipynb that is read.

`python tools/sync.py` brings every pair in `notebooks/` together, whichever side was edited;
`--check` only tells which pairs differ; `--execute` also runs the notebooks and stores what they
show. Names restrict each of these to some notebooks.

Which side changed is decided by content. The .ipynb remembers, in its metadata, a digest of the
cells at the last time the two forms were alike. File times say nothing after a checkout, and the
last commit would misjudge a pair that was synced and then edited again before being committed;
the digest is right in both cases, and without git as well.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Literal

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from notebook_faults import KERNELSPEC, output_faults

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
PATTERN = "[0-9]*"
CELL_SECONDS = 300
# Stored outputs come from one data source and scale, whatever the reader's settings are.
FORCED = {"BANDITS_MNIST": "sample", "BANDITS_SCALE": "glance"}

HEADER = """\
# ---
# jupyter:
#   jupytext:
#     cell_metadata_filter: tags,jupyter,-all
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---
"""

Side = Literal["py", "ipynb"]


class SyncError(Exception):
    """A pair that cannot be brought together; the message is one sentence."""


def read_text(path: Path) -> NotebookNode:
    """The notebook that a .py in the percent format holds, without outputs."""
    return minimal(jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent"))


def read_notebook(path: Path) -> NotebookNode:
    """The notebook that an .ipynb holds, with its outputs.

    Raises:
        SyncError: if the file is no notebook.
    """
    try:
        return minimal(nbformat.read(path, as_version=4))  # type: ignore[no-untyped-call]
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, AttributeError) as error:
        raise SyncError(f"{path.name} is not a notebook ({str(error)[:100]})") from error


def write_text(path: Path, notebook: NotebookNode) -> None:
    """Write the .py form, unless it would not read back as the same cells.

    Raises:
        SyncError: naming the first cell that the percent format cannot hold.
    """
    body = jupytext.writes(notebook, fmt="py:percent").split("# ---\n", 2)[2]
    again = minimal(jupytext.reads(HEADER + body, fmt="py:percent"))
    both = zip(content(notebook), content(again), strict=False)
    for number, (ours, theirs) in enumerate(both, start=1):
        if ours != theirs:
            raise SyncError(f"cell {number} of {path.stem} cannot be written in the percent format")
    if len(again.cells) != len(notebook.cells):
        raise SyncError(f"{path.stem} cannot be written in the percent format: a cell is lost")
    _write(path, HEADER + body)


def write_notebook(path: Path, notebook: NotebookNode) -> None:
    """Write the .ipynb form, remembering its cells' digest."""
    notebook = minimal(notebook)
    notebook.metadata["pair"] = {"digest": digest(notebook)}
    nbformat.validate(notebook)
    _write(path, nbformat.writes(notebook) + "\n")  # type: ignore[no-untyped-call]


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


def minimal(notebook: NotebookNode) -> NotebookNode:
    """The same notebook with only what it means: cells, tags, outputs, and the last digest."""
    cells = []
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        metadata: dict[str, Any] = {}
        if cell.metadata.get("tags"):
            metadata["tags"] = sorted(cell.metadata["tags"])
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            metadata["jupyter"] = {"source_hidden": True}
        source = cell.source.strip("\n")
        # Ids that follow from the content do not change when a notebook is merely saved again.
        key = hashlib.sha256(f"{cell.cell_type}\n{source}".encode()).hexdigest()[:8]
        seen[key] = seen.get(key, 0) + 1
        kept: dict[str, Any] = {"id": f"{key}-{seen[key]}", "metadata": metadata, "source": source}
        if cell.cell_type == "code":
            kept |= {
                "execution_count": cell.get("execution_count"),
                "outputs": [_minimal_output(o) for o in cell.get("outputs", [])],
            }
        cells.append({"cell_type": cell.cell_type} | kept)
    about: dict[str, Any] = {
        "kernelspec": dict(KERNELSPEC),
        "language_info": {"file_extension": ".py", "name": "python"},
    }
    if "pair" in notebook.metadata:
        about["pair"] = {"digest": str(notebook.metadata["pair"].get("digest"))}
    return _node({"nbformat": 4, "nbformat_minor": 5, "metadata": about, "cells": cells})


def _minimal_output(output: NotebookNode) -> dict[str, Any]:
    return dict(output) | ({"metadata": {}} if "metadata" in output else {})


def _node(plain: dict[str, Any]) -> NotebookNode:
    node: NotebookNode = nbformat.from_dict(plain)  # type: ignore[no-untyped-call]
    return node


def content(notebook: NotebookNode) -> list[tuple[str, str, str]]:
    """What both forms share: the type, text and metadata of every cell."""
    return [(c.cell_type, c.source, json.dumps(c.metadata, sort_keys=True)) for c in notebook.cells]


def digest(notebook: NotebookNode) -> str:
    """16 hexadecimal digits of `content`."""
    return hashlib.sha256(json.dumps(content(notebook)).encode()).hexdigest()[:16]


def with_outputs(text: NotebookNode, executed: NotebookNode) -> NotebookNode:
    """The cells of `text`, each with the outputs of the same code in `executed`, in order."""
    merged = minimal(text)
    ours = [cell for cell in merged.cells if cell.cell_type == "code"]
    theirs = [cell for cell in executed.cells if cell.cell_type == "code"]
    match = SequenceMatcher(None, [c.source for c in ours], [c.source for c in theirs], False)
    for a, b, size in match.get_matching_blocks():
        for mine, other in zip(ours[a : a + size], theirs[b : b + size], strict=True):
            mine.outputs, mine.execution_count = other.outputs, other.execution_count
    return merged


def sync(name: str, folder: Path = NOTEBOOKS, take: Side | None = None) -> str | None:
    """Bring one pair together, so that JupyterLab opens either form.

    Args:
        name: of the notebook, without its ending.
        folder: where both forms are.
        take: the side to take where both changed.

    Returns:
        What was done, in words, or None if the pair was alike already.

    Raises:
        SyncError: if both sides changed and none is to be taken, or a file cannot be read.
    """
    done = _sync(name, folder, take)
    _date(folder / name)
    return done


def _date(stem: Path) -> None:
    """Make the .py of a pair that is alike the later one: jupytext refuses to open it otherwise."""
    text, notebook = stem.with_name(f"{stem.name}.py"), stem.with_name(f"{stem.name}.ipynb")
    if text.stat().st_mtime_ns < notebook.stat().st_mtime_ns:
        os.utime(text, ns=(notebook.stat().st_mtime_ns,) * 2)


def _sync(name: str, folder: Path, take: Side | None) -> str | None:
    text_path, notebook_path = folder / f"{name}.py", folder / f"{name}.ipynb"
    if not notebook_path.exists():
        write_notebook(notebook_path, read_text(text_path))
        return f"{name}: .ipynb made from .py"
    notebook = read_notebook(notebook_path)
    if not text_path.exists():
        write_text(text_path, notebook)
        write_notebook(notebook_path, notebook)
        return f"{name}: .py made from .ipynb"
    text = read_text(text_path)
    last = notebook.metadata.get("pair", {}).get("digest")
    if content(text) == content(notebook):
        if last == digest(notebook):
            return None
        write_notebook(notebook_path, notebook)
        return f"{name}: alike, and noted as such"
    changed: Side | None = take
    if take is None and digest(notebook) == last:
        changed = "py"
    elif take is None and digest(text) == last:
        changed = "ipynb"
    if changed is None:
        raise SyncError(
            f"{name}: both the .py and the .ipynb changed since they were last alike; "
            f"choose one with --take py or --take ipynb (the other's edits are lost)"
        )
    if changed == "py":
        write_notebook(notebook_path, with_outputs(text, notebook))
        return f"{name}: .ipynb brought up to date with .py"
    write_text(text_path, notebook)
    write_notebook(notebook_path, notebook)
    return f"{name}: .py brought up to date with .ipynb"


def diverged(folder: Path = NOTEBOOKS) -> list[str]:
    """The names of the pairs that differ in content, or lack one form."""
    return [name for name in pairs(folder) if not alike(folder / name)]


def alike(stem: Path) -> bool:
    """Whether both forms of a notebook (its path without ending) exist and are the same."""
    text, notebook = stem.with_name(f"{stem.name}.py"), stem.with_name(f"{stem.name}.ipynb")
    if not (text.exists() and notebook.exists()):
        return False
    return content(read_text(text)) == content(read_notebook(notebook))


def pairs(folder: Path = NOTEBOOKS) -> list[str]:
    """The names of the notebooks that either form exists of, in reading order."""
    found = [*folder.glob(f"{PATTERN}.py"), *folder.glob(f"{PATTERN}.ipynb")]
    return sorted({path.stem for path in found})


def environment(results: str) -> dict[str, str]:
    """The environment in which stored outputs are made, and compared by the tests."""
    kept = {k: v for k, v in os.environ.items() if k not in ("MPLBACKEND", "PYTHONWARNINGS")}
    return kept | FORCED | {"BANDITS_RESULTS": results, "OMP_NUM_THREADS": "1"}


def execute(name: str, folder: Path = NOTEBOOKS, seconds: int = CELL_SECONDS) -> None:
    """Run a notebook and store its outputs.

    Raises:
        SyncError: if a cell fails, takes too long, or shows what may not be stored; nothing is
            written then.
    """
    path = folder / f"{name}.ipynb"
    notebook = read_notebook(path)
    with tempfile.TemporaryDirectory() as results:
        client = NotebookClient(
            notebook,
            timeout=seconds,
            kernel_name="python3",
            coalesce_streams=True,
            resources={"metadata": {"path": str(folder)}},
        )
        try:
            client.execute(env=environment(results))
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise SyncError(f"{name} cannot be executed: {error}") from error
    bad = list(_bad_outputs(notebook))
    if bad:
        raise SyncError(f"{name} is not stored, because {'; '.join(bad)}")
    write_notebook(path, notebook)
    _date(folder / name)


def _bad_outputs(notebook: NotebookNode) -> Iterator[str]:
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "code":
            yield from (f"cell {number} {fault}" for fault in output_faults(cell.outputs))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="sync", description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these notebooks")
    parser.add_argument("--check", action="store_true", help="only name the pairs that differ")
    parser.add_argument("--execute", action="store_true", help="run them and store what they show")
    parser.add_argument("--take", choices=("py", "ipynb"), help="the side to take if both changed")
    parser.add_argument("--folder", type=Path, default=NOTEBOOKS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    known = pairs(options.folder)
    wanted = [Path(name).stem for name in options.names] or known
    for name in wanted:
        if name not in known:
            parser.error(f"there is no notebook {name!r}; there are {', '.join(known)}")
    if options.check:
        names = [name for name in diverged(options.folder) if name in wanted]
        for name in names:
            print(f"{name}: the .py and the .ipynb differ")
        return 1 if names else 0
    failed = False
    for name in wanted:
        try:
            done = sync(name, options.folder, options.take)
            if done:
                print(done)
            if options.execute:
                execute(name, options.folder)
                print(f"{name}: executed")
        except SyncError as error:
            print(error, file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
