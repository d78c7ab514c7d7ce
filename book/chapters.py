"""The notebooks as chapters: as committed, less what only a notebook needs, and to download."""

import itertools
import json
import re
import shutil
from pathlib import Path
from typing import Any

from book import ledger

FOLDED = {"hide-input", "hide-cell", "remove-cell"}
ANCHORED = re.compile(r"\[([^]]*)\]\((\w+)\.(?:ipynb|md)#([\w-]+)\)")
"""A link to an anchor of another page here: `[04 §2](04_the_bounds.ipynb#s2)`."""

CELL = re.compile(r"<(t[hd])>(.*?)</t[hd]>", re.DOTALL)


def found(notebooks: Path) -> list[Path]:
    """The chapters, in the order of their numbers."""
    return sorted(notebooks.glob("[0-9]*.ipynb"))


def write(notebooks: Path, source: Path) -> None:
    """Write each notebook as a page, and as the file that a reader downloads."""
    for name in ("notebooks", "downloads"):
        (source / name).mkdir()
    for path in found(notebooks):
        shutil.copy(path, source / "downloads")
        page = source / "notebooks" / path.name
        page.write_text(json.dumps(chapter(path), ensure_ascii=False), encoding="utf-8")
    rows = ledger.ledger_page(notebooks / "claims.md")
    (source / "notebooks" / "claims.md").write_text(rows, encoding="utf-8")


def chapter(path: Path) -> dict[str, Any]:
    """The notebook as a page: with its number, and folded where it is folded in Jupyter."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    cells = notebook["cells"]
    for cell in cells:
        if cell["metadata"].get("jupyter", {}).get("source_hidden"):
            tags = cell["metadata"].setdefault("tags", [])
            if not FOLDED & set(tags):
                tags.append("hide-input")
        if cell["cell_type"] == "markdown":
            cell["source"] = anchored("".join(cell["source"]))
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                output["data"]["text/html"] = aligned("".join(output["data"]["text/html"]))
    title, _, rest = "".join(cells[0]["source"]).partition("\n")
    title = f"# {int(path.name[:2])} · {title.removeprefix('# ')}"
    cells[0]["source"] = f"{title}\n\n{links(path)}\n{rest}"
    return notebook


def anchored(text: str) -> str:
    """The same with links to anchors as HTML: MyST knows no anchors but its own headings'.

    What lies in book/ lies above the chapters in the book.
    """
    return ANCHORED.sub(r'<a href="\2.html#\3">\1</a>', text.replace("](../book/", "](../"))


def aligned(table: str) -> str:
    """A table of pandas's with the class `number` on each cell of a column of numbers."""
    rows = [CELL.findall(row) for row in re.findall(r"<tr.*?</tr>", table, re.DOTALL)]
    numbers = [
        all(re.match(r"[-−+]?\d", text) for _, text in column if text)
        for column in zip(*rows[1:], strict=True)
    ]
    column = itertools.cycle(numbers)
    return re.sub(
        "<(t[hd])>", lambda cell: f'<{cell[1]} class="number">' if next(column) else cell[0], table
    )


def links(path: Path) -> str:
    """What a reader can do with a chapter, as a line under its title."""
    return f"{{download}}`Download this notebook <../downloads/{path.name}>`"
