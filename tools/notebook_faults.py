"""What is wrong with a notebook as it is stored: the rules that pictures and nbval cannot check.

`make sync` refuses to store an output that breaks them, and the tests hold every notebook to them.
"""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from nbformat import NotebookNode

KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
LARGEST_OUTPUT = 500_000
IGNORED = "nbval-ignore-output"

FORBIDDEN = {
    "an address": r"\b0x[0-9a-fA-F]{6,}",
    "a warning": r"[Ww]arning\b",
    "a timing": r"Wall time|CPU times|per loop|[Ee]lapsed|\d\s?(?:ms|µs|seconds)\b|\d\.\d+ ?s\b",
    "a progress bar": r"\d%\||\bit/s|s/it\b|\r",
    "an absolute path": r"(?:^|[\s'\"(=:])(?:/[\w.~-]+){2,}|\b[A-Za-z]:\\\w",
}


def faults(notebook: NotebookNode) -> list[str]:
    """One sentence for each thing wrong with a stored notebook; none when all is well."""
    found = []
    if notebook.metadata.get("kernelspec") != KERNELSPEC:
        found.append(f"its kernelspec is {notebook.metadata.get('kernelspec')}, not {KERNELSPEC}")
    expected = 0
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "code":
            continue
        expected += 1
        if cell.execution_count is None:
            found.append(f"cell {number} was never executed")
        elif cell.execution_count != expected:
            found.append(
                f"cell {number} has the execution count {cell.execution_count}, not {expected}"
            )
        found += [f"cell {number} {fault}" for fault in _rules(cell)]
        found += [f"cell {number} {fault}" for fault in output_faults(cell.outputs)]
    return found


def output_faults(outputs: list[NotebookNode]) -> list[str]:
    """What may not be stored: errors, stderr, what differs from run to run, what is too large."""
    found = []
    for output in outputs:
        size = len(json.dumps(output))
        if size >= LARGEST_OUTPUT:
            found.append(f"has an output of {size:,} bytes; {LARGEST_OUTPUT:,} is too many")
        if output.output_type == "error":
            found.append(f"stores the error {output.ename}: {output.evalue}")
        if output.output_type == "stream" and output.name != "stdout":
            found.append(f"wrote to {output.name}: {output.text.strip()[:200]!r}")
        for text in _texts(output):
            for what, pattern in FORBIDDEN.items():
                if match := re.search(pattern, text, re.MULTILINE):
                    found.append(f"shows {what}: {match.group().strip()!r}")
    return found


def _rules(cell: NotebookNode) -> Iterator[str]:
    """How a cell may escape the comparison of its outputs, and what it owes for it."""
    tags = cell.metadata.get("tags", [])
    for tag in tags:
        if tag != IGNORED and ("nbval" in tag or "raises" in tag):
            yield f"has the tag {tag}; {IGNORED} is the only one allowed"
    if re.search(r"#\s*(?:NBVAL_|PYTEST_VALIDATE)", cell.source):
        yield f"steers nbval by a comment; only the tag {IGNORED} is allowed"
    if IGNORED in tags and not asserts(cell.source):
        yield f"has the tag {IGNORED} and asserts nothing"
    drawn = any("image/png" in output.get("data", {}) for output in cell.outputs)
    if drawn and not asserts(cell.source):
        yield "draws a picture and asserts nothing about what it shows"


def asserts(source: str) -> bool:
    """Whether a cell's code has an assertion that is not of a constant."""
    code = "\n".join(line for line in source.splitlines() if not line.startswith(("%", "!")))
    return any(
        isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant)
        for node in ast.walk(ast.parse(code))
    )


def _texts(output: NotebookNode) -> Iterator[str]:
    if output.output_type == "stream":
        yield output.text
    data: dict[str, Any] = output.get("data", {})
    for kind, text in data.items():
        if isinstance(text, str) and (kind.startswith("text/") or kind == "image/svg+xml"):
            yield text
