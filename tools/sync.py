"""Keep the two forms of each notebook alike: the .py that is edited, the .ipynb that is read.

`python tools/sync.py` brings every pair in `notebooks/` together, whichever side was edited;
`--check` only tells which pairs differ; `--execute` also runs the notebooks and stores what they
show. Names restrict each of these to some notebooks.

Which side changed is decided by content. The .ipynb remembers, in its metadata, a digest of the
cells at the last time the two forms were alike. File times say nothing after a checkout, and the
last commit would misjudge a pair that was synced and then edited again before being committed;
the digest is right in both cases, and without git as well.

A .py that looks half-saved is refused. Not every one can be told from a .py whose last cells were
deleted on purpose, so the former .ipynb, with its outputs, is kept whenever cells go.
"""

import argparse
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from notebook_faults import output_faults
from notebook_forms import (
    SyncError,
    content,
    digest,
    half_saved,
    read_notebook,
    read_text,
    shrinks,
    told,
    with_outputs,
    write_notebook,
    write_text,
)

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
PATTERN = "[0-9]*"
CELL_SECONDS = 300
# Stored outputs come from one data source and scale, whatever the reader's settings are.
FORCED = {"BANDITS_MNIST": "sample", "BANDITS_SCALE": "glance"}

Side = Literal["py", "ipynb"]


def sync(name: str, folder: Path = NOTEBOOKS, take: Side | None = None) -> str | None:
    """Bring one pair together, so that JupyterLab opens either form.

    Args:
        name: of the notebook, without its ending.
        folder: where both forms are.
        take: the side to take where both changed, or where the .py looks half-saved.

    Returns:
        What was done, in words, or None if the pair was alike already.

    Raises:
        SyncError: if both sides changed or the .py looks half-saved, and none is to be taken; or
            if a file cannot be read or written.
    """
    done = _sync(name, folder, take)
    _date(folder / name)
    return done


def _date(stem: Path) -> None:
    """Make the .py of a pair that is alike the later one: jupytext refuses to open it otherwise."""
    text, notebook = stem.with_name(f"{stem.name}.py"), stem.with_name(f"{stem.name}.ipynb")
    with told(text):
        if text.stat().st_mtime_ns < notebook.stat().st_mtime_ns:
            os.utime(text, ns=(notebook.stat().st_mtime_ns,) * 2)


def _sync(name: str, folder: Path, take: Side | None) -> str | None:
    text_path, notebook_path = folder / f"{name}.py", folder / f"{name}.ipynb"
    if not notebook_path.exists():
        # The .py gets its header too, by which a half-saved one is told later.
        _store(text_path, notebook_path, _with_cells(name, read_text(text_path)))
        return f"{name}: .ipynb made from .py"
    notebook = read_notebook(notebook_path)
    if not text_path.exists():
        _store(text_path, notebook_path, notebook)
        return f"{name}: .py made from .ipynb"
    if take == "ipynb":
        # The .py is not read, so that one that cannot be read is made anew.
        done = _store(text_path, notebook_path, notebook)
        return f"{name}: .py brought up to date with .ipynb" if done else None
    text = read_text(text_path)
    last = notebook.metadata.get("pair", {}).get("digest")
    if content(text) == content(notebook):
        noted = last == digest(notebook)
        # JupyterLab saves a kernel's display name, versions and widths of its own.
        tidied = _store(text_path, notebook_path, notebook)
        if not noted:
            return f"{name}: alike, and noted as such"
        return f"{name}: what was saved beside the cells is put in order" if tidied else None
    if take is None and digest(text) == last:
        _store(text_path, notebook_path, notebook)
        return f"{name}: .py brought up to date with .ipynb"
    if take is None and digest(notebook) != last:
        raise SyncError(
            f"{name}: both the .py and the .ipynb changed since they were last alike; "
            f"choose one with --take py or --take ipynb (the other's edits are lost)"
        )
    return _take_text(folder / name, _with_cells(name, text), notebook, ask=take is None)


def _store(text_path: Path, notebook_path: Path, notebook: NotebookNode) -> bool:
    return any([write_text(text_path, notebook), write_notebook(notebook_path, notebook)])


def _with_cells(name: str, text: NotebookNode) -> NotebookNode:
    # jupytext makes an empty cell of an empty line.
    if not any(cell.source for cell in text.cells):
        raise SyncError(
            f"{name}.py has no cells, as after a failed save; write some, "
            f"or choose --take ipynb to make it anew from the .ipynb, if there is one"
        )
    return text


def _take_text(stem: Path, text: NotebookNode, notebook: NotebookNode, *, ask: bool) -> str:
    text_path = stem.with_name(f"{stem.name}.py")
    notebook_path = stem.with_name(f"{stem.name}.ipynb")
    if ask and (why := half_saved(text_path, notebook)):
        raise SyncError(
            f"{text_path.name} {why}, as a half-saved file does; mend it, or choose --take ipynb "
            f"to make it anew from the .ipynb, or --take py to take it as it is"
        )
    kept = f"; the former is kept as {_keep(notebook_path)}" if shrinks(text, notebook) else ""
    if not ask:
        write_text(text_path, text)  # with its header
    write_notebook(notebook_path, with_outputs(text, notebook))
    fewer = len(notebook.cells) - len(text.cells)
    which = f", which has {fewer} fewer cell{'s' * (fewer > 1)}" if fewer > 0 else ""
    return f"{stem.name}: .ipynb brought up to date with .py{which}{kept}"


def _keep(path: Path) -> str:
    """Keep a copy of an .ipynb where git and pytest do not look; returns its path, in words."""
    folder = path.with_name(".ipynb_checkpoints")
    with told(path):
        data = path.read_bytes()
        copy = folder / f"{path.stem}-{hashlib.sha256(data).hexdigest()[:8]}.ipynb"
        folder.mkdir(exist_ok=True)
        copy.write_bytes(data)
    return f"{folder.name}/{copy.name}"


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
    refused = ("MPLBACKEND", "PYTHONWARNINGS", "PYTHONOPTIMIZE")  # the last drops every assertion
    kept = {k: v for k, v in os.environ.items() if k not in refused}
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
    parser.add_argument(
        "--take",
        choices=("py", "ipynb"),
        help="the side to take if both changed, or if the .py looks half-saved",
    )
    parser.add_argument("--folder", type=Path, default=NOTEBOOKS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    known = pairs(options.folder)
    wanted = [Path(name).stem for name in options.names] or known
    for name in wanted:
        if name not in known:
            parser.error(f"there is no notebook {name!r}; there are {', '.join(known)}")
    if options.check:
        return _check(wanted, options.folder)
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


def _check(names: Sequence[str], folder: Path) -> int:
    failed = False
    for name in names:
        try:
            if alike(folder / name):
                continue
            print(f"{name}: the .py and the .ipynb differ")
        except SyncError as error:
            print(error, file=sys.stderr)
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
