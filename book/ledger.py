"""The ledger as a page a reader can link into, and the paper place by place with what we say of it.

Texts come from `bandits.theory.claims`; what the checks said when they last ran comes from the
committed page `notebooks/claims.md`, which a test of the study holds equal to a run.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path

from bandits.theory.claims import CLAIMS
from bandits.theory.claims.ledger import Claim
from bandits.theory.claims.places import NOTEBOOKS, PLACES

PAPER = "https://arxiv.org/abs/2112.03376"

ROW = r'\| <a id="claim-\d+"></a>\d+ \|'
"""How a row of the committed ledger begins; its rows are numbered from 1."""

GROUPS: dict[str, Callable[[str], bool]] = {
    "The lemma": lambda where: where.startswith("Lemma"),
    "The theorems": lambda where: where.startswith("Theorem"),
    "The corollaries and the remark": lambda where: where.startswith(("Corollary", "Remark")),
    "The experiments": lambda where: where.startswith("MNIST"),
    "Elsewhere in the paper": lambda where: where in PLACES and PLACES[where].section != "",
    "Theorems of our own": lambda where: True,
}
"""The page's sections; a row stands in the first that takes it."""


def slug(text: str) -> str:
    """A name for links: lower case, digits and hyphens, with Greek letters spelled out."""
    spelled = (unicodedata.name(c).split()[-1] if "GREEK" in _name(c) else c for c in text)
    return re.sub(r"[^a-z0-9]+", "-", "".join(spelled).lower()).strip("-")


def _name(character: str) -> str:
    return unicodedata.name(character, "")


def row(claim: Claim) -> str:
    """The name of a claim's row, for links."""
    return f"claim-{slug(claim.where)}"


def place(claim: Claim) -> str:
    """The name of the place in the paper where a claim stands, for links; "" where it is ours."""
    found = PLACES.get(claim.where)
    return f"paper-{slug(found.section)}" if found and found.section else ""


def shown_in(claim: Claim) -> tuple[str, str]:
    """The chapter and the section that show a claim, as in ("03", "5"); "" where there is none."""
    found = PLACES.get(claim.where)
    chapter, _, section = (found.notebook if found else "").partition(" §")
    return chapter, section


def chapter_link(chapter: str, section: str) -> str:
    """A link from the ledger to a chapter's section, or to the chapter, without a section."""
    name = f"chapter {int(chapter)}" + (f", section {section}" if section else "")
    anchor = f"#s{section}" if section else ""
    return f'<a href="{NOTEBOOKS[chapter]}.html{anchor}">{name}</a>'


def text(words: str) -> str:
    """Words of the ledger, which are plain text, as Markdown."""
    return re.sub(r"([\\`*_\[\]<>$|~#^])", r"\\\1", words)


def links(rows: Iterable[tuple[int, Claim]]) -> str:
    """Rows as links with their numbers and names."""
    return ", ".join(f"[{n} {text(claim.where)}](#{row(claim)})" for n, claim in rows)


def checked(page: str) -> dict[int, tuple[str, str]]:
    """What a committed ledger says of each row's check and of its mutants, by the row's number."""
    lines = (line for line in page.splitlines() if re.match(ROW, line))
    cells = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in lines)
    return {number: (found[-2], found[-1]) for number, found in enumerate(cells, start=1)}


def summary(page: str) -> str:
    """The line of a committed ledger that counts claims, verdicts, checks and mutants."""
    return next(line for line in page.splitlines() if line.startswith("**"))


def ledger_page(committed: Path) -> str:
    """The ledger: an overview of all rows, then each row with its places, finding and check."""
    page = committed.read_text(encoding="utf-8")
    results = checked(page)
    grouped: dict[str, list[tuple[int, Claim]]] = {name: [] for name in GROUPS}
    for number, claim in enumerate(CLAIMS, start=1):
        grouped[next(n for n, takes in GROUPS.items() if takes(claim.where))] += [(number, claim)]
    lines = ["---", "tocdepth: 2", "---", "# The ledger of claims", ""]
    lines += [INTRODUCTION, "", summary(page), "", "## All rows", ""]
    lines += ["| no. | claim | verdict |", "| ---: | --- | --- |"]
    lines += [
        f"| {number} | [{text(claim.where)}](#{row(claim)}) | {claim.verdict} |"
        for rows in grouped.values()
        for number, claim in rows
    ]
    for name, rows in grouped.items():
        lines += ["", f"## {name}", ""]
        for number, claim in rows:
            lines += _row(number, claim, *results[number])
    return "\n".join(lines) + "\n"


INTRODUCTION = f"""
Everything the paper asserts that can be wrong, in our words, with our verdict and what replaces it.
Theorems 1, 2 and 3 are the paper's 3.1, 3.2 and 3.3; Corollaries 1 and 2 are its 3.5 and 3.7. A
row marked "ours" replaces or sharpens a claim. Every check is also run on *mutants*: wrong claims
that differ in a constant, an exponent, a direction or a hypothesis, which it has to catch. The
check of an illustration shows something and is not said to be able to fail. `bandits claims` runs
all checks and prints the ledger. The paper itself is on [arXiv]({PAPER}); [its
places](../paper.md) lead here too.
""".strip()


def _row(number: int, claim: Claim, check: str, mutants: str) -> list[str]:
    found = PLACES.get(claim.where)
    about = [f"**{claim.verdict}**", claim.kind]
    if found and found.section:
        where = ", ".join(part for part in (found.section, found.equation) if part)
        about.append(f"[{text(where)}](#{place(claim)}): “{text(found.quote)}”")
    chapter, section = shown_in(claim)
    if chapter:
        about.append(f"shown in {chapter_link(chapter, section)}")
    return [
        f"(claim-{number})=",  # which the chapters link to
        f"({row(claim)})=",  # which stays when rows are added
        f"### {number}. {text(claim.where)}",
        "",
        " · ".join(about),
        "",
        f"Claim\n: {text(claim.says)}",
        "",
        f"What we found\n: {text(claim.note)}",
        "",
        f"Check\n: {check}; mutants caught: {mutants}",
        "",
    ]


def paper_page() -> str:
    """The paper, place by place: what it says there in its own words, and which rows judge it."""
    places: dict[str, list[tuple[int, Claim]]] = {}
    for number, claim in enumerate(CLAIMS, start=1):
        if place(claim):
            places.setdefault(PLACES[claim.where].section, []).append((number, claim))
    lines = ["---", "tocdepth: 2", "---", "# The paper, place by place", ""]
    lines += [
        f"What the paper {{cite:p}}`rawson2021` says where, and which rows of "
        f"[the ledger](notebooks/claims.md) judge it. Sections, statements and equations are "
        f"numbered as in the paper on [arXiv]({PAPER}).",
    ]
    for section in sorted(places, key=_order):
        lines += ["", f"(paper-{slug(section)})=", f"## {text(section)}", ""]
        for number, claim in places[section]:
            found = PLACES[claim.where]
            equation = f"{text(found.equation)}: " if found.equation else ""
            lines.append(
                f"- {equation}“{text(found.quote)}” → {links([(number, claim)])}, *{claim.verdict}*"
            )
    return "\n".join(lines) + "\n"


def _order(section: str) -> tuple[str, str]:
    """The paper's order: abstract, sections by number, appendix."""
    first = "0" if section.startswith("Abstract") else section
    return (first.replace("Appendix", "9"), re.sub(r"proof of \w+ ", "~", section))
