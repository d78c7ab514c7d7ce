"""The rhythm of a chapter: short cells between words, numbered pictures and tables, exercises.

Cells that are folded away when the chapter is read, and cells of imports, do not count as its code.
"""

import ast
import re
import statistics
from collections.abc import Iterator

from nbformat import NotebookNode

LONGEST, MEDIAN, WORDS = 15, 6, 15
LONGEST_FOLDED = 30
FOLDED = {"hide-input", "hide-cell", "remove-cell"}
LINK_ONWARD = r"\]\(\d\d_\w+\.ipynb\)"


def rhythm(notebook: NotebookNode, chapter: int) -> list[str]:
    """One sentence for each rule that a chapter breaks; none when all is well."""
    return [*_code(notebook), *_figures(notebook, chapter), *_words(notebook)]


def lines(source: str) -> int:
    """Lines of code: neither blank nor a comment."""
    return sum(bool(line.strip()) and not line.lstrip().startswith("#")
               for line in source.splitlines())  # fmt: skip


def _imports(source: str) -> bool:
    body = ast.parse(source).body
    return sum(isinstance(node, ast.Import | ast.ImportFrom) for node in body) > len(body) / 2


def _folded(cell: NotebookNode) -> bool:
    return bool(FOLDED & set(cell.metadata.get("tags", [])))


def _code(notebook: NotebookNode) -> Iterator[str]:
    shown = []
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "code":
            continue
        size, folded = lines(cell.source), _folded(cell)
        if folded and not cell.metadata.get("jupyter", {}).get("source_hidden"):
            yield f"cell {number} is folded in the book and not in JupyterLab"
        most = LONGEST_FOLDED if folded else LONGEST
        if not _imports(cell.source):
            if size > most:
                yield f"cell {number} has {size} lines, more than {most}"
            if not folded:
                shown.append(size)
        asserted = sum(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(cell.source)))
        if asserted > 1:
            yield f"cell {number} has {asserted} assertions"
    if shown and statistics.median(shown) > MEDIAN:
        yield f"the median cell has {statistics.median(shown):g} lines, more than {MEDIAN}"
    words = sum(len(c.source.split()) for c in notebook.cells if c.cell_type == "markdown")
    if words < WORDS * sum(shown):
        yield f"there are {words / sum(shown):.1f} words for a line of code, fewer than {WORDS}"


def _figures(notebook: NotebookNode, chapter: int) -> Iterator[str]:
    figures = tables = 0
    for number, (cell, after) in enumerate(
        zip(notebook.cells, [*notebook.cells[1:], None], strict=True), start=1
    ):
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                figures += 1
                alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
                if len(alt.split()) < 8:
                    yield f"the picture of cell {number} has no words for who cannot see it"
                caption = f"**Figure {chapter}.{figures}.** *"
                if after is None or not after.source.startswith(caption):
                    yield f"no caption {caption!r} follows cell {number}"
            html = output.get("data", {}).get("text/html", "")
            if "<table" in html:
                tables += 1
                if f"<caption>Table {chapter}.{tables}. " not in html:
                    yield f"the table of cell {number} has no caption Table {chapter}.{tables}"


def _words(notebook: NotebookNode) -> Iterator[str]:
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    if "?" not in texts[0]:
        yield "it does not open with a question"
    if re.search(r"^> ", "\n".join(texts), re.MULTILINE):
        yield "a quotation mark > at the start of a line leaks into formulas in JupyterLab"
    whole = "\n".join(texts)
    _, _, end = whole.partition("\n## What was seen\n")
    seen, _, exercises = end.partition("\n## Exercises\n")
    if not re.search(LINK_ONWARD, seen):
        yield "it does not close with what was seen and a link onward"
    asked = len(re.findall(r"^\*\*\d\.\*\* ", exercises, re.MULTILINE))
    if asked not in (2, 3) or exercises.count("<details>") != asked:
        yield f"it has {asked} exercises and {exercises.count('<details>')} folded answers"
    if not any("hide-cell" in cell.metadata.get("tags", []) for cell in notebook.cells):
        yield "no exercise has a solution in code"
