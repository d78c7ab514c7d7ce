"""The book as a reader meets it: its pages, their links, and how they look in a real browser."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pandas as pd
import pytest

from bandits.results import figures, paper, saved
from bandits.results.tables import Table
from bandits.theory.claims import CLAIMS
from book import chapters, ledger, pages
from book.__main__ import PDF, browser, main
from book.assemble import NPM, VENDORED

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = chapters.found(ROOT / "notebooks")
VIEWS = [(width, scheme) for width in (390, 800, 1400) for scheme in ("light", "dark")]


def unable(reason: str) -> None:
    """Skip, with a reason that says what was not tested; fail where a browser is required."""
    if os.environ.get("BANDITS_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def npm() -> None:
    """What npm brings is there."""
    if all((NPM / name).exists() for name in (*VENDORED, "axe-core", "playwright-core")):
        return
    if not (found := shutil.which("npm")):
        unable("the book is not tested: there is no npm")
    words = [str(found), "ci", "--prefix", str(NPM.parent), "--no-audit", "--no-fund"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    if done.returncode:
        unable("the book is not tested: npm could not fetch what it needs")


@pytest.fixture(scope="module")
def html(npm: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages: those that BANDITS_BOOK names, or made now, with every warning an error."""
    if made := os.environ.get("BANDITS_BOOK"):
        return (ROOT / made).resolve()
    needed = ("sphinx", "myst_nb", "furo", "sphinx_copybutton", "sphinx_proof", "pybtex")
    if missing := [name for name in needed if importlib.util.find_spec(name) is None]:
        unable(f"the book is not tested: {missing[0]} of the extra book is not installed")
    out = tmp_path_factory.mktemp("book")
    command("--out", str(out))
    return out / "html"


def command(*words: str) -> None:
    """Run `python -m book` as a reader does: in a process with warnings of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "book", *words],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


class Page(HTMLParser):
    """The links, names, pictures and words of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.names: set[str] = set()
        self.words: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.names |= {value for key in ("id", "name") if (value := found.get(key))}
        for key in ("href", "src"):
            if value := found.get(key):
                self.links.append((tag, value))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def found(html: Path) -> dict[Path, Page]:
    """Every page of the book."""
    paths = (path for path in html.rglob("*.html") if "lite" not in path.relative_to(html).parts)
    return {path: Page(path) for path in paths if "_static" not in path.parts}


# ── What the pages are made from ────────────────────────────────────────────────────────────────


def test_rows_of_the_ledger_have_names_of_their_own() -> None:
    names = [ledger.row(claim) for claim in CLAIMS]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"claim-[a-z0-9-]+", name) for name in names)
    assert ledger.slug("Σ l^-p ≥ t^(1-p)/(1-p), β_t") == "sigma-l-p-t-1-p-1-p-beta-t"


def test_what_is_said_of_a_check_is_what_the_committed_ledger_says() -> None:
    said = ledger.checked((ROOT / "notebooks" / "claims.md").read_text(encoding="utf-8"))
    assert list(said) == list(range(1, len(CLAIMS) + 1))
    for claim, (check, mutants) in zip(CLAIMS, said.values(), strict=True):
        assert check == "passes"
        assert mutants.startswith(f"{len(claim.mutants)} of " if claim.mutants else "–")


def test_a_written_page_may_only_ask_for_what_there_is() -> None:
    assert pages.fill("a @@citation@@ b") == f"a {pages.citation()} b"
    with pytest.raises(ValueError, match="asks for @@nothing@@; there are verdicts, "):
        pages.fill("@@nothing@@")


def test_columns_of_numbers_and_their_headings_are_marked() -> None:
    frame = pd.DataFrame({"method": ["Deep", "2 of them"], "loss": [0.5, -12], "in": ["", "3"]})
    table = chapters.aligned(Table(frame, "Two methods.")._repr_html_())
    cells = re.findall(r"<t[hd](.*?)>(.*?)</t[hd]>", table)
    number = ' class="number"'
    assert cells == [
        ("", "method"), (number, "loss"), (number, "in"),
        ("", "Deep"), (number, "0.5"), (number, ""),
        ("", "2 of them"), (number, "-12.0"), (number, "3"),
    ]  # fmt: skip


def test_each_figure_that_may_be_committed_says_what_is_seen() -> None:
    assert set(pages.ALT) >= set(figures.KINDS)
    assert all(40 < len(text) < 250 for text in pages.ALT.values())
    committed = {path.stem for path in (ROOT / "figures").glob("*.png")}
    shown = re.findall(r"figures/(\w+)\.png", pages.gallery())
    assert sorted(shown) == sorted(committed)


# ── The pages ───────────────────────────────────────────────────────────────────────────────────


def test_every_link_and_anchor_resolves_and_nothing_is_fetched(found: dict[Path, Page]) -> None:
    wrong, links = [], 0
    for path, page in found.items():
        for tag, link in page.links:
            url = urlparse(link)
            if url.scheme or url.netloc:
                fetched = tag != "a" and url.scheme not in ("data", "") and tag != "link"
                wrong += [(path.name, link)] if fetched or url.scheme == "http" else []
                continue
            links += 1
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            target = target / "index.html" if target.is_dir() else target
            known = found[target].names if target in found else set()
            if not target.exists() or (
                target in found and url.fragment and unquote(url.fragment) not in known
            ):
                wrong.append((path.name, link))
    assert not wrong
    assert links > 1000


def test_each_notebook_is_a_chapter_to_read_and_to_download(
    html: Path, found: dict[Path, Page]
) -> None:
    for notebook in NOTEBOOKS:
        page = found[html / "notebooks" / f"{notebook.stem}.html"]
        files = {link for _, link in page.links if link.endswith(f"/{notebook.name}")}
        (file,) = files  # what runs in the page is named after a "?"
        downloaded = (html / "notebooks" / file).resolve()
        assert downloaded.read_bytes() == notebook.read_bytes()
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        drawn = sum("image/png" in output.get("data", {}) for output in outputs)
        assert sum(tag == "img" and "/_images/" in f"/{src}" for tag, src in page.links) >= drawn
        assert "Address of this repository" not in page.text
        assert not any(cell.get("output_type") == "error" for cell in outputs)


def test_chapters_and_ledger_lead_to_each_other(html: Path, found: dict[Path, Page]) -> None:
    rows = found[html / "notebooks" / "claims.html"]
    judged = found[html / "paper.html"]
    for number, claim in enumerate(CLAIMS, start=1):
        assert {ledger.row(claim), f"claim-{number}"} <= rows.names
        chapter, section = ledger.shown_in(claim)
        if section:
            (notebook,) = (path for path in NOTEBOOKS if path.name.startswith(chapter))
            assert ("a", f"{notebook.stem}.html#s{section}") in rows.links
            page = found[html / "notebooks" / f"{notebook.stem}.html"]
            assert f"s{section}" in page.names
            assert ("a", f"claims.html#claim-{number}") in page.links
        if ledger.place(claim):
            assert ("a", f"../paper.html#{ledger.place(claim)}") in rows.links
            assert ("a", f"notebooks/claims.html#{ledger.row(claim)}") in judged.links


def test_the_verdicts_are_those_of_the_data(html: Path, found: dict[Path, Page]) -> None:
    data, _ = saved.load_those_there(figures.KINDS, ROOT / "figures")
    readings = paper.read_all(data)
    assert len(readings) >= 20
    text = found[html / "results.html"].text.replace("’", "'")
    for reading in readings:
        value = str(reading.value)
        assert f"{reading.measured} {value} {reading.runs} {reading.verdict}" in text


def test_a_reader_finds_the_four_things_at_once(html: Path, found: dict[Path, Page]) -> None:
    """Does Deep converge, which lemma is false, how to cite it, how to run a chapter."""
    index = found[html / "index.html"]
    text = index.text
    assert text.index("has not converged") < text.index("Where to go")
    assert "part II of Lemma 3.4" in text
    assert "Run this chapter here" in text
    assert {"cite.html", "running.html"} <= {link for _, link in index.links}
    assert "@software" in found[html / "cite.html"].text
    assert "2112.03376" in found[html / "cite.html"].text


# ── In a browser ────────────────────────────────────────────────────────────────────────────────


def visit(html: Path, paths: list[Path]) -> Iterator[dict[str, Any]]:
    """What the driver saw of each page at each width, light and dark."""
    if not (chromium := browser()):
        unable("the pages are not tested in a browser: there is no Chromium")
    if not (node := shutil.which("node")):
        unable("the pages are not tested in a browser: there is no node")
    names = [path.relative_to(html).as_posix() for path in paths]
    words = [str(node), str(ROOT / "book" / "browse.mjs"), str(chromium), str(html), *names]
    patience = 120 + 60 * len(names)  # seconds; a page takes about two, alone on a machine
    done = subprocess.run(words, capture_output=True, text=True, timeout=patience)
    assert done.returncode == 0, done.stderr
    seen = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(seen) == len(VIEWS) * len(names)
    yield from seen


def check(seen: dict[str, Any]) -> None:
    where = f"{seen['page']} at {seen['width']} px, {seen['scheme']}"
    for what in ("outside", "missing", "errors", "raw", "wrong", "waiting", "broken", "silent"):
        assert seen[what] == [], f"{where}: {what}"
    assert seen["axe"] == [], where  # contrast of at least 4.5 : 1 is one of its rules
    assert seen["wide"] == 0, f"{where} is wider than the window"
    assert seen["title"], where


def test_one_page_of_each_kind_in_a_browser(html: Path) -> None:
    kinds = ("index", "results", "statements", "figures", "search")
    for seen in visit(html, [html / f"{name}.html" for name in kinds]):
        check(seen)
        if seen["page"] == "statements.html":
            assert seen["formulas"] > 30
        if seen["page"] == "figures.html":
            assert seen["pictures"] == len(list((ROOT / "figures").glob("*.png")))


@pytest.mark.slow
def test_the_whole_book_is_printed_as_one_pdf(npm: None, tmp_path: Path) -> None:
    """Every picture of the chapters is in it, and it has some hundred pages."""
    if not browser() or not shutil.which("node"):
        unable("the PDF is not made: there is no Chromium, or no node")
    command("--pdf", "--out", str(tmp_path))
    printed = (tmp_path / PDF).read_bytes()
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") > 150


def test_a_pdf_without_a_browser_is_one_sentence(monkeypatch, capsys, tmp_path) -> None:
    monkeypatch.setenv("PATH", "")
    assert main(["--pdf", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "a PDF needs node and Chromium (or Chrome) on the PATH\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_every_page_in_a_browser(html: Path, found: dict[Path, Page]) -> None:
    for seen in visit(html, sorted(found)):
        check(seen)


def test_the_driver_sees_what_is_wrong(npm: None, tmp_path: Path) -> None:
    """Each fault that it is there for, on a page that has them all."""
    bad = """<!doctype html><html lang="en"><title>Bad</title><article>
        <p style="color: #999; background: #fff">pale</p> <p>a formula \\(x\\) and $x + y$</p>
        <img src="nowhere.png"> <span class="math">x</span> <div style="width: 3000px">wide</div>
        <script src="https://example.org/script.js"></script>
        <script>console.error("said")</script></article></html>"""
    (tmp_path / "bad.html").write_text(bad, encoding="utf-8")
    for seen in visit(tmp_path, [tmp_path / "bad.html"]):
        assert seen["outside"] == ["https://example.org/script.js"]
        assert "nowhere.png" in seen["missing"]
        assert "said" in seen["errors"]
        assert len(seen["raw"]) == 1
        assert len(seen["waiting"]) == len(seen["broken"]) == len(seen["silent"]) == 1
        assert seen["wide"] > 1000
        rules = {one["rule"] for one in seen["axe"]}
        whole = (seen["width"], seen["scheme"]) in {(390, "light"), (1400, "dark")}
        assert rules >= {"color-contrast", "image-alt"} if whole else rules == set()
