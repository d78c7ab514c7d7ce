"""The ledger of claims: everything the paper asserts, our verdict, and a check that runs now.

Theorems 1, 2 and 3 are the paper's 3.1, 3.2 and 3.3, Corollaries 1 and 2 its 3.5 and 3.7.
Rows marked "ours" state what replaces or sharpens a claim.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from bandits.theory.claims.corollaries import COROLLARIES
from bandits.theory.claims.experiments import EXPERIMENTS
from bandits.theory.claims.ledger import VERDICTS, Claim, outcome
from bandits.theory.claims.lemma import LEMMA
from bandits.theory.claims.lemma_part_two import PART_TWO
from bandits.theory.claims.theorems import STEPS
from bandits.theory.claims.theorems_conclusions import CONCLUSIONS

CLAIMS: tuple[Claim, ...] = tuple(
    claim
    for ledger in (LEMMA, PART_TWO, STEPS, CONCLUSIONS, COROLLARIES, EXPERIMENTS)
    for claim in ledger.claims
)


def main(markdown: bool = False) -> int:
    """Check every claim, print the ledger as text or as a Markdown page; 0 if all checks pass."""
    outcomes = [outcome(claim) for claim in CLAIMS]
    print(as_markdown(CLAIMS, outcomes) if markdown else as_text(CLAIMS, outcomes))
    return 0 if all(result == "passes" for result in outcomes) else 1


def summary(claims: Sequence[Claim], outcomes: Sequence[str]) -> str:
    """One line: how many claims, how many of each verdict, how many checks fail."""
    counts = [f"{sum(c.verdict == verdict for c in claims)} {verdict}" for verdict in VERDICTS]
    failed = sum(result != "passes" for result in outcomes)
    checks = "every check passes" if failed == 0 else f"{failed} of {len(claims)} checks fail"
    return f"{len(claims)} claims: {'; '.join(counts)}. On this run {checks}."


def as_text(claims: Sequence[Claim], outcomes: Sequence[str], width: int = 100) -> str:
    """The ledger as a table for a terminal: number, check, verdict, place, then what and why."""
    lines = [f"{'no.':<5}{'check':<8}{'verdict':<29}where, what it says, and what we found"]
    for number, (claim, result) in enumerate(zip(claims, outcomes, strict=True), start=1):
        check = "passes" if result == "passes" else "FAILS"
        lines += ["", f"{number:<5}{check:<8}{claim.verdict:<29}{claim.where}"]
        paragraphs = [claim.says, "→ " + claim.note]
        if result != "passes":
            paragraphs.append("✗ the check " + result)
        for paragraph in paragraphs:
            lines += textwrap.wrap(
                paragraph, width, initial_indent=" " * 13, subsequent_indent=" " * 13
            )
    return "\n".join([*lines, "", summary(claims, outcomes)])


def as_markdown(claims: Sequence[Claim], outcomes: Sequence[str]) -> str:
    """The ledger as a page: an introduction and one table row for each claim."""
    lines = [
        "# The ledger of claims",
        "",
        "Everything the paper asserts that can be wrong, in our words, with the verdict and what "
        "replaces it. `bandits claims` runs every check and prints this table; "
        "`bandits claims --markdown` prints this page. Theorems 1, 2 and 3 are the paper's 3.1, "
        "3.2 and 3.3; Corollaries 1 and 2 its 3.5 and 3.7; rows marked “ours” replace or sharpen "
        "a claim. The proofs are in [03_the_lemma](03_the_lemma.ipynb) and "
        "[04_the_bounds](04_the_bounds.ipynb).",
        "",
        f"**{summary(claims, outcomes)}**",
        "",
        "| no. | where | what it says | verdict | what we found | check |",
        "| ---: | --- | --- | --- | --- | --- |",
    ]
    for number, (claim, result) in enumerate(zip(claims, outcomes, strict=True), start=1):
        cells = (claim.where, claim.says, f"**{claim.verdict}**", claim.note, result)
        texts = [cell.replace("|", "&#124;").replace("*", "\\*") for cell in cells]
        texts[2] = cells[2]
        lines.append(f"| {number} | " + " | ".join(texts) + " |")
    return "\n".join(lines)
