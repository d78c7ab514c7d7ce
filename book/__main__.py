"""`python -m book` makes the book's pages; `make book` installs what it needs and calls it."""

import argparse
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from book.assemble import ROOT, BookError, assemble


def main(words: list[str] | None = None) -> int:
    """Assemble the sources and build the pages; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m book", description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=ROOT / "results/book", help="folder for source/ and html/"
    )
    out = parser.parse_args(words).out
    try:
        assemble(out / "source")
    except BookError as error:
        print(error, file=sys.stderr)
        return 2
    # Every warning is an error, and all of them are shown.
    folders = ("-d", str(out / "doctrees"), str(out / "source"), str(out / "html"))
    return build_main(["-b", "html", "-q", "-W", "--keep-going", *folders])


if __name__ == "__main__":
    sys.exit(main())
