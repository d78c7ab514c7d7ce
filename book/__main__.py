"""`python -m book` makes the book's pages; `make book` installs what it needs and calls it."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from book.assemble import ROOT, BookError, assemble

PDF = "deep-epsilon-greedy.pdf"


def main(words: list[str] | None = None) -> int:
    """Assemble the sources and build the pages; returns the exit status."""
    from sphinx.cmd.build import build_main

    parser = argparse.ArgumentParser(prog="python -m book", description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=ROOT / "results/book", help="folder for source/ and html/"
    )
    parser.add_argument(
        "--pdf", action="store_true", help="print the whole book as one PDF instead"
    )
    options = parser.parse_args(words)
    out, node, chromium = options.out, shutil.which("node"), browser()
    if options.pdf and not (node and chromium):
        print("a PDF needs node and Chromium (or Chrome) on the PATH", file=sys.stderr)
        return 2
    try:
        assemble(out / "source")
    except BookError as error:
        print(error, file=sys.stderr)
        return 2
    # Every warning is an error, and all of them are shown.
    common = ["-q", "-W", "--keep-going", "-d", str(out / "doctrees"), str(out / "source")]
    if not options.pdf:
        return build_main(["-b", "html", *common, str(out / "html")])
    # One page without the theme's columns, which a browser prints.
    status = build_main(
        ["-b", "singlehtml", "-D", "html_theme=basic", *common, str(out / "single")]
    )
    if status == 0:
        script, page = ROOT / "book/print.mjs", out / "single/index.html"
        status = subprocess.run([f"{node}", script, f"{chromium}", page, out / PDF]).returncode
    return status


def browser() -> str | None:
    """The path of Chromium or Chrome, if there is one."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)


if __name__ == "__main__":
    sys.exit(main())
