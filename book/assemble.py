"""Puts together what Sphinx reads: written pages, notebooks, pictures, and what npm brought."""

import shutil
from pathlib import Path

from book import chapters, ledger, pages, play_data, replay_data

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "book"
NPM = HERE / "node_modules"

VENDORED = {
    "mathjax/es5/tex-chtml.js": "mathjax/tex-chtml.js",
    "mathjax/es5/output/chtml/fonts/woff-v2": "mathjax/output/chtml/fonts/woff-v2",
    "mathjax/LICENSE": "mathjax/LICENSE",
    "uplot/dist/uPlot.iife.min.js": "play/uplot/uPlot.iife.min.js",
    "uplot/dist/uPlot.min.css": "play/uplot/uPlot.min.css",
    "uplot/LICENSE": "play/uplot/LICENSE",
}
"""What the pages use of npm's packages, and where in `_static` it lies."""

ELSEWHERE = {
    "CONTRIBUTING.md": "contributing.md",
    "proofs/README.md": "proofs/README.md",
} | {f"course/{page.name}": f"course/{page.name}" for page in (ROOT / "course").glob("*.md")}
"""Pages that lie elsewhere in the repository, and where in the book."""


class BookError(Exception):
    """What keeps the book from being made, in one sentence."""


def assemble(source: Path) -> None:
    """Write everything that Sphinx reads into an empty folder `source`, replacing it.

    Raises:
        BookError: if npm's packages are not there.
    """
    if missing := [name for name in VENDORED if not (NPM / name).exists()]:
        raise BookError(f"{NPM / missing[0]} is not there; `make book` installs it with npm")
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(HERE, source, ignore=_not_pages)
    for name, place in VENDORED.items():
        _copy(NPM / name, source / "_static" / place)
    for file in sorted((ROOT / "figures").glob("*.*")):
        _copy(file, source / "figures" / file.name)
    for page in source.glob("*.md"):
        page.write_text(pages.fill(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name, place in ELSEWHERE.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        (source / place).parent.mkdir(exist_ok=True)
        (source / place).write_text(text.replace("```mermaid", "```text"), encoding="utf-8")
    (source / "paper.md").write_text(ledger.paper_page(), encoding="utf-8")
    pages.reference(source)
    play_data.write(ROOT / "figures", source)
    replay_data.write(ROOT / "figures", source)
    chapters.write(ROOT / "notebooks", source)


def _not_pages(folder: str, names: list[str]) -> set[str]:
    """What lies in book/ and is no part of the pages."""
    return {
        name
        for name in names
        if name in {"node_modules", "__pycache__", "package.json", "package-lock.json"}
        or (name.endswith(".py") and name not in {"conf.py", "gallery.py"})
        or name.endswith(".mjs")
    }


def _copy(old: Path, new: Path) -> None:
    """Copy a file or a folder, making the folders above it."""
    new.parent.mkdir(parents=True, exist_ok=True)
    if old.is_dir():
        shutil.copytree(old, new, dirs_exist_ok=True)
    else:
        shutil.copy(old, new)
