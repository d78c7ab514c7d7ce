"""Notebook 09: its numbers are those of their sources, and its bibliography is the BibTeX file."""

import re

import numpy as np
from notebook_checks import ROOT, read

from bandits.results import saved
from bandits.results.statistics import paired_difference

TEXT = "\n".join(
    cell.source
    for cell in read(ROOT / "notebooks" / "10_what_holds.ipynb").cells
    if cell.cell_type == "markdown"
)
BIB = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")


def field(entry: str, name: str) -> str:
    """Its value, without the braces that keep capitals."""
    found = re.search(rf"^  {name} *= {{(.*)}}", entry, re.MULTILINE)
    return re.sub("[{}]", "", found[1]) if found else ""


def test_the_bibliography_is_the_file_of_bibtex() -> None:
    entries = dict(re.findall(r"^@\w+{(\w+),\n(.*?)^}", BIB, re.MULTILINE | re.DOTALL))
    listed = dict(re.findall(r'^\* <a id="(\w+)"></a>(.*?)(?=^\* |\n\n)', TEXT, re.M | re.S))
    assert list(listed) == sorted(entries)
    for key, entry in entries.items():
        words = " ".join(listed[key].split())
        for person in field(entry, "author").split(" and "):
            family, _, given = person.partition(", ")
            assert f"{given} {family}" in words
        for name in ("title", "year", "journal", "publisher", "volume", "doi", "eprint"):
            assert field(entry, name) in words, (key, name)
        assert field(entry, "pages").replace("--", "–") in words


def test_every_source_is_cited_by_a_link_somewhere() -> None:
    keys = set(re.findall(r"^@\w+{(\w+),", BIB, re.MULTILINE))
    scripts = sorted((ROOT / "notebooks").glob("[0-9]*.py"))
    whole = "".join(path.read_text(encoding="utf-8") for path in scripts)
    assert set(re.findall(r"10_what_holds\.ipynb#(\w+)", whole)) == keys


def test_the_quoted_intervals_are_those_of_the_figures() -> None:
    random_only, _ = saved.load_data("random_branch_only", ROOT / "figures")
    late = dict(zip(map(str, random_only["labels"]), random_only["late_mean"], strict=True))
    lost = paired_difference(late["p = 1/3, all steps"], late["p = 1/3, random steps only"])
    assert f"{lost} per step in 1,000 steps".replace("-", "−") in TEXT
    exponent, _ = saved.load_data("exponent", ROOT / "figures")
    half, one = (int(np.flatnonzero(exponent["p"] == p)[0]) for p in (1 / 2, 1))
    ahead = paired_difference(exponent["late_mean"][half], exponent["late_mean"][one])
    assert f"by {ahead} only".replace("-", "−") in TEXT
