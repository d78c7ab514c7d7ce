"""Tell which notebooks differ from their scripts, before jupytext brings them together.

`jupytext --sync` takes the form that was saved later, and file times can mislead: `git checkout`
makes an old form the later one. With `--keep`, a copy is kept of each form that it will replace,
so that no edit is lost, whichever form it takes.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

import jupytext

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
PATTERN = "[0-9]*"
FORMS = (".py", ".ipynb")
SHARED = ("tags", "jupyter", "mystnb")
"""The cell metadata that both forms hold, as pyproject.toml asks of jupytext."""


def cells(path: Path) -> list[tuple[str, str, str]]:
    """The kind, source and shared metadata of each cell of a notebook, in either form.

    Raises:
        ValueError: if the file cannot be read as a notebook; the message names it.
    """
    try:
        found = []
        for cell in jupytext.read(path).cells:
            shared = {key: cell.metadata[key] for key in SHARED if key in cell.metadata}
            words = cell.source.strip("\n"), json.dumps(shared, sort_keys=True)
            found.append((cell.cell_type, *words))
        return found
    # jupytext and nbformat fail in as many ways as there are wrong shapes.
    except Exception as error:
        detail = (str(error) or type(error).__name__).splitlines()[0][:100]
        raise ValueError(f"{path.name} cannot be read as a notebook ({detail})") from error


def difference(stem: Path) -> str | None:
    """How the two forms of a notebook differ, in words, or None if they are alike.

    Args:
        stem: the notebook's path without its ending.

    Raises:
        ValueError: if a form cannot be read as a notebook.
    """
    found = {path: cells(path) for path in forms(stem) if path.exists()}
    for path in forms(stem):
        if path not in found:
            return f"there is no {path.name}"
    both = zip_longest(*found.values())
    first = next((number for number, (a, b) in enumerate(both, start=1) if a != b), None)
    return f"the .py and the .ipynb differ from cell {first} on" if first else None


def forms(stem: Path) -> tuple[Path, Path]:
    """The paths of the .py and of the .ipynb."""
    text, notebook = (stem.with_name(stem.name + ending) for ending in FORMS)
    return text, notebook


def pairs(folder: Path = NOTEBOOKS) -> list[Path]:
    """The stems of the notebooks that either form exists of, in reading order."""
    return sorted({path.with_suffix("") for e in FORMS for path in folder.glob(PATTERN + e)})


def keep(stem: Path) -> str:
    """Copy the form that jupytext will replace to where git does not look; tell so in words."""
    text, notebook = forms(stem)
    if not (text.exists() and notebook.exists()):
        return "jupytext makes it"
    # What jupytext decides by: of two that are equally old it takes the .py.
    later = notebook.stat().st_mtime > text.stat().st_mtime
    taken, replaced = (notebook, text) if later else (text, notebook)
    data = replaced.read_bytes()
    name = f"{stem.name}-{hashlib.sha256(data).hexdigest()[:8]}{replaced.suffix}"
    copy = stem.with_name(".ipynb_checkpoints") / name
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(data)
    return (
        f"jupytext takes the {taken.suffix}, which was saved later; "
        f"the {replaced.suffix} is kept as {copy.parent.name}/{name}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns 1 if forms differ that are not to be kept, or cannot be read."""
    parser = argparse.ArgumentParser(prog="pairs", description=__doc__.split("\n\n")[0])
    parser.add_argument("--keep", action="store_true", help="keep a copy of what is replaced")
    parser.add_argument("--folder", type=Path, default=NOTEBOOKS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    failed = False
    for stem in pairs(options.folder):
        try:
            said = difference(stem)
            if said:
                failed |= not options.keep
                print(f"{stem.name}: {said}" + (f"; {keep(stem)}" if options.keep else ""))
        except (ValueError, OSError) as error:
            print(f"{stem.name}: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
