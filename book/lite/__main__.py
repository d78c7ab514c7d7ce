"""`python -m book.lite` makes the notebooks that run in the browser; `make book-lite` calls it."""

import argparse
import sys
from pathlib import Path

from book.assemble import ROOT, BookError
from book.lite.site import build


def main(words: list[str] | None = None) -> int:
    """Build the site; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m book.lite", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "results/book/html/lite")
    parser.add_argument("--cache", type=Path, default=ROOT / "results/book/wheels")
    parser.add_argument(
        "--from",
        dest="places",
        action="append",
        default=[],
        metavar="PLACE",
        help="folder, wheel or web address with Pyodide's own wheels (repeatable; default: pip)",
    )
    given = parser.parse_args(words)
    try:
        build(given.out, given.cache, given.places)
    except BookError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
