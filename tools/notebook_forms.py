"""The two forms of a notebook: reading them, writing them, and what they have in common."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
# JupyterLab's header differs from ours in names and versions, and may follow a coding line.
ANY_HEADER = re.compile(r"(?:#.*\n)*?# ---\n# jupyter:\n(?:#.*\n)*?# ---\n")
MARKER = re.compile(r"^# %%(?=\s|$)", re.MULTILINE)


class SyncError(Exception):
    """A pair that cannot be brought together; the message is one sentence."""


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Tell in one sentence what the system refuses to do with a file."""
    try:
        yield
    except OSError as error:
        raise SyncError(f"{path.name} cannot be read or written: {error.strerror}") from error


def read_text(path: Path) -> NotebookNode:
    """The notebook that a .py in the percent format holds, without outputs.

    Raises:
        SyncError: if the file cannot be read as one.
    """
    return _parsed(path, lambda text: jupytext.reads(text, fmt="py:percent"))


def read_notebook(path: Path) -> NotebookNode:
    """The notebook that an .ipynb holds, with its outputs.

    Raises:
        SyncError: if the file is no notebook.
    """
    return _parsed(path, _from_json)


def _from_json(text: str) -> NotebookNode:
    plain = json.loads(text)
    if not isinstance(plain, dict):
        raise ValueError("its JSON is not an object")
    if plain.get("nbformat") == 4:
        # Asked first, because nbformat takes the cells apart before it checks them.
        cells = plain.get("cells")
        if not (isinstance(cells, list) and all(isinstance(cell, dict) for cell in cells)):
            raise ValueError("its cells are not a list of objects")
        nbformat.validate(plain, relax_add_props=True)
    node: NotebookNode = nbformat.reads(text, as_version=4, capture_validation_error={})  # type: ignore[no-untyped-call]
    return node


def _parsed(path: Path, parse: Callable[[str], NotebookNode]) -> NotebookNode:
    text = _read(path)
    try:
        notebook = parse(text)
        nbformat.validate(notebook, relax_add_props=True)
    # jupytext and nbformat fail in as many ways as there are wrong shapes.
    except Exception as error:
        raise SyncError(f"{path.name} is not a notebook ({_detail(error)})") from error
    for number, cell in enumerate(notebook.cells, start=1):
        _encoded(json.dumps(cell, ensure_ascii=False), f"cell {number} of {path.name}")
    return minimal(notebook)


def _read(path: Path) -> str:
    try:
        with told(path):
            # Some editors on Windows put a byte order mark in front.
            return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SyncError(
            f"{path.name} is not in UTF-8 (see its byte {error.start + 1}); save it in UTF-8"
        ) from error


def _detail(error: Exception) -> str:
    message = str(getattr(error, "message", error)) or type(error).__name__
    where = "/".join(str(step) for step in getattr(error, "path", ()))
    return " ".join(f"{where}: {message}".removeprefix(": ").split())[:100]


def _encoded(text: str, where: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        half = f"U+{ord(text[error.start]):04X}"
        raise SyncError(
            f"{where} holds half a character ({half}), which no file in UTF-8 can store"
        ) from error


def write_text(path: Path, notebook: NotebookNode) -> bool:
    """Write the .py form, unless it would not read back as the same cells.

    Returns:
        Whether the file had to be changed.

    Raises:
        SyncError: naming the first cell that the percent format cannot hold.
    """
    body = _body(notebook)
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


def _body(notebook: NotebookNode) -> str:
    return str(jupytext.writes(notebook, fmt="py:percent").split("# ---\n", 2)[2])


def _write(path: Path, text: str) -> bool:
    data = _encoded(text, path.name)
    temporary = path.with_name(f".{path.name}.tmp")
    with told(path):
        if path.exists() and path.read_bytes().replace(b"\r\n", b"\n") == data:
            return False
        try:
            temporary.write_text(text, encoding="utf-8")
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    return True


def half_saved(path: Path, notebook: NotebookNode) -> str | None:
    """What makes a .py look like a half-saved file, in words, or None if nothing does.

    A cut at the border of two cells looks like cells deleted on purpose, and is not told.

    Args:
        path: of the .py.
        notebook: the cells that it had when both forms were last alike.
    """
    text = _read(path)
    header = ANY_HEADER.match(text)
    if header is None:
        return "lacks the header that jupytext writes"
    if _breaks_off(text[header.end() :], _body(notebook)):
        return "breaks off within what the .ipynb holds"
    return None


def _breaks_off(body: str, former: str) -> bool:
    """Whether the end of a text, its last two cells, continues in the former text alone."""
    # jupytext leaves one or two empty lines between cells, and editors what they like.
    body, former = (re.sub(r"\n{3,}(?=# %%)", "\n\n", form) for form in (body, former))
    starts = [match.start() for match in MARKER.finditer(body)][-2:]
    tail = body[starts[0] if starts else 0 :]
    rests = [former[match.end() :] for match in re.finditer(re.escape(tail), former)]
    return bool(rests) and all(_is_torn(tail, rest) for rest in rests)


def _is_torn(tail: str, rest: str) -> bool:
    within_a_line = not tail.endswith("\n") and bool(rest) and not rest.startswith("\n")
    # The last lines of the last cell may well be deleted on purpose; not with later cells.
    at_a_border = MARKER.match(rest.lstrip("\n")) is not None
    return within_a_line or (not at_a_border and MARKER.search(rest) is not None)


def shrinks(text: NotebookNode, notebook: NotebookNode) -> bool:
    """Whether cells go, or the end of the last one, as in a half-saved .py."""
    if len(text.cells) != len(notebook.cells) or not text.cells:
        return len(text.cells) < len(notebook.cells)
    ours, theirs = text.cells[-1].source, notebook.cells[-1].source
    return len(ours) < len(theirs) and theirs.startswith(ours)


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
    if isinstance(notebook.metadata.get("pair"), dict):
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
