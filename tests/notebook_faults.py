"""What is wrong with a notebook as it is stored, and neither nbval nor jupytext would notice.

nbval compares what a cell prints, and so finds whatever differs from run to run. It does not
compare pictures, nor any output of a cell with the tag below; it accepts what every run shows on
one machine, such as a path, and skips cells where a tag or a comment says so.
"""

import ast
import json
import re
from collections.abc import Iterator

from nbformat import NotebookNode

# As JupyterLab writes it, so that an untouched notebook has nothing to save.
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LARGEST_OUTPUT = 500_000
IGNORED = "nbval-ignore-output"
FORBIDDEN = {
    "a timing": r"Wall time|CPU times|per loop|[Ee]lapsed|\d\s?(?:ms|µs|seconds)\b|\d\.\d+ ?s\b",
    "an absolute path": r"(?:^|[\s'\"(=:])(?:/[\w.~-]+){2,}|\b[A-Za-z]:\\\w",
}


def faults(notebook: NotebookNode) -> list[str]:
    """One sentence for each thing wrong with a stored notebook; none when all is well."""
    found = []
    if notebook.metadata.get("kernelspec") != KERNELSPEC:
        found.append(f"its kernelspec is {notebook.metadata.get('kernelspec')}, not {KERNELSPEC}")
    count = 0
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "code":
            count += 1
            if cell.execution_count != count:
                found.append(f"cell {number} has the count {cell.execution_count}, not {count}")
            found += [f"cell {number} {fault}" for fault in (*_rules(cell), *_outputs(cell))]
    return found


def _rules(cell: NotebookNode) -> Iterator[str]:
    """How a cell may escape the comparison of its outputs, and what it owes for it."""
    tags = cell.metadata.get("tags", [])
    for tag in tags:
        if tag != IGNORED and ("nbval" in tag or "raises" in tag):
            yield f"has the tag {tag}; {IGNORED} is the only one allowed"
    if re.search(r"#\s*(?:NBVAL_|PYTEST_VALIDATE)", cell.source):
        yield f"steers nbval by a comment; only the tag {IGNORED} is allowed"
    drawn = any("image/png" in output.get("data", {}) for output in cell.outputs)
    if (drawn or IGNORED in tags) and not asserts(cell.source):
        yield "shows what is not compared and asserts nothing about it"


def _outputs(cell: NotebookNode) -> Iterator[str]:
    for output in cell.outputs:
        if len(json.dumps(output)) >= LARGEST_OUTPUT:
            yield f"has an output of {LARGEST_OUTPUT:,} bytes or more"
        if output.output_type == "error":
            yield f"stores the error {output.ename}: {output.evalue}"
        if output.get("name") == "stderr":
            yield f"wrote to stderr: {output.text.strip()[:200]!r}"
        data = output.get("data", {}).items()
        texts = [text for kind, text in data if kind.startswith(("text/", "image/svg"))]
        for text in [*texts, output.get("text", "")]:
            for what, pattern in FORBIDDEN.items():
                if match := re.search(pattern, text, re.MULTILINE):
                    yield f"shows {what}: {match.group().strip()!r}"


def asserts(source: str) -> bool:
    """Whether a cell's code has an assertion that is not of a constant."""
    code = "\n".join(line for line in source.splitlines() if not line.startswith(("%", "!")))
    return any(
        isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant)
        for node in ast.walk(ast.parse(code))
    )
