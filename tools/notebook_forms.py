"""The two forms of a notebook: reading them, writing them, and what they have in common."""

import hashlib
import json
import os
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode
from notebook_faults import KERNELSPEC

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


def write_text(path: Path, notebook: NotebookNode) -> bool:
    """Write the .py form, unless it would not read back as the same cells.

    Returns:
        Whether the file had to be changed.

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
    return _write(path, HEADER + body)


def write_notebook(path: Path, notebook: NotebookNode) -> bool:
    """Write the .ipynb form, remembering its cells' digest; return whether the file changed."""
    notebook = minimal(notebook)
    notebook.metadata["pair"] = {"digest": digest(notebook)}
    nbformat.validate(notebook)
    return _write(path, nbformat.writes(notebook) + "\n")  # type: ignore[no-untyped-call]


def _write(path: Path, text: str) -> bool:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)
    return True


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
