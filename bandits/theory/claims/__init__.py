"""The ledger of claims: everything the paper asserts, our verdict, and a check that runs now.

Theorems 1, 2 and 3 are the paper's 3.1, 3.2 and 3.3, Corollaries 1 and 2 its 3.5 and 3.7.
Rows marked "ours" state what replaces or sharpens a claim.
"""

import textwrap
from collections.abc import Sequence

from bandits.theory.claims.almost_surely import ALMOST_SURELY
from bandits.theory.claims.best_exponent import BEST_EXPONENT
from bandits.theory.claims.constants import CONSTANTS
from bandits.theory.claims.corollaries import COROLLARIES
from bandits.theory.claims.experiments import EXPERIMENTS
from bandits.theory.claims.ledger import ILLUSTRATION, KINDS, VERDICTS, Claim, caught, outcome
from bandits.theory.claims.lemma import LEMMA
from bandits.theory.claims.lemma_part_two import PART_TWO
from bandits.theory.claims.ours import THEOREMS
from bandits.theory.claims.places import NOTEBOOKS, PLACES
from bandits.theory.claims.remarks import REMARKS
from bandits.theory.claims.remarks_on_rates import REMARKS_ON_RATES
from bandits.theory.claims.theorems import STEPS
from bandits.theory.claims.theorems_conclusions import CONCLUSIONS

CLAIMS: tuple[Claim, ...] = tuple(
    claim
    for ledger in (
        LEMMA,
        PART_TWO,
        STEPS,
        CONSTANTS,
        CONCLUSIONS,
        ALMOST_SURELY,
        COROLLARIES,
        BEST_EXPONENT,
        EXPERIMENTS,
        REMARKS,
        REMARKS_ON_RATES,
        THEOREMS,
    )
    for claim in ledger.claims
)


def main(markdown: bool = False) -> int:
    """Check every claim and its mutants, print the ledger as text or as a Markdown page.

    Returns 0 if every check passes and catches all its mutants.
    """
    outcomes = [outcome(claim) for claim in CLAIMS]
    found = [caught(claim) for claim in CLAIMS]
    page = as_markdown if markdown else as_text
    print(page(CLAIMS, outcomes, found))
    return 0 if not failures(CLAIMS, outcomes, found) else 1


def failures(claims: Sequence[Claim], outcomes: Sequence[str], found: Sequence[int]) -> list[str]:
    """Where a check fails, lets a mutant pass, or has none though it is no illustration."""
    return [
        claim.where
        for claim, result, number in zip(claims, outcomes, found, strict=True)
        if result != "passes"
        or number < len(claim.mutants)
        or (claim.kind != ILLUSTRATION and not claim.mutants)
    ]


def summary(claims: Sequence[Claim], outcomes: Sequence[str], found: Sequence[int]) -> str:
    """One line: how many claims of each kind and verdict, how many checks fail, and the mutants."""
    kinds = [f"{sum(c.kind == kind for c in claims)} {kind}" for kind in KINDS]
    counts = [f"{sum(c.verdict == verdict for c in claims)} {verdict}" for verdict in VERDICTS]
    failed = sum(result != "passes" for result in outcomes)
    checks = "every check passes" if failed == 0 else f"{failed} of {len(claims)} checks fail"
    mutants = sum(len(claim.mutants) for claim in claims)
    return (
        f"{len(claims)} claims: {', '.join(kinds)}; {'; '.join(counts)}. On this run {checks}, and "
        f"{sum(found)} of {mutants} mutants are caught."
    )


def _mutants(claim: Claim, number: int) -> str:
    return f"{number} of {len(claim.mutants)}" if claim.mutants else "–"


def _place(claim: Claim) -> tuple[str, str]:
    """Where the paper says it and in which words, and the notebook section, as far as known."""
    place = PLACES.get(claim.where)
    if place is None:
        return "", ""
    paper = ", ".join(part for part in (place.section, place.equation) if part)
    return f"{paper}: “{place.quote}”" if paper else "", place.notebook


def _link(notebook: str) -> str:
    """A notebook section as a Markdown link from the ledger's page: [04 §2](…ipynb#s2)."""
    if not notebook:
        return ""
    number, _, section = notebook.partition(" §")
    anchor = f"#s{section}" if section else ""
    return f"[{notebook}]({NOTEBOOKS[number]}.ipynb{anchor})"


def as_text(
    claims: Sequence[Claim], outcomes: Sequence[str], found: Sequence[int], width: int = 100
) -> str:
    """The ledger as a table for a terminal: number, check, mutants caught, verdict, place, text."""
    lines = [f"{'no.':<5}{'check':<8}{'mutants':<9}{'verdict':<29}where, what it says, our finding"]
    for number, (claim, result, mutants) in enumerate(
        zip(claims, outcomes, found, strict=True), start=1
    ):
        check = "passes" if result == "passes" else "FAILS"
        lines += [
            "",
            f"{number:<5}{check:<8}{_mutants(claim, mutants):<9}{claim.verdict:<29}{claim.where}",
        ]
        paper, notebook = _place(claim)
        kind = f"[{claim.kind}] {paper}" + (f" (notebook {notebook})" if notebook else "")
        paragraphs = [kind, claim.says, "→ " + claim.note]
        if result != "passes":
            paragraphs.append("✗ the check " + result)
        for paragraph in paragraphs:
            lines += textwrap.wrap(
                paragraph, width, initial_indent=" " * 13, subsequent_indent=" " * 13
            )
    return "\n".join([*lines, "", summary(claims, outcomes, found)])


def as_markdown(claims: Sequence[Claim], outcomes: Sequence[str], found: Sequence[int]) -> str:
    """The ledger as a page: an introduction and one table row for each claim."""
    lines = [
        "# The ledger of claims",
        "",
        "Everything the paper asserts that can be wrong, in our words and a few of its own, with "
        "the verdict and what replaces it. `bandits claims` runs every check and prints this "
        "table; "
        "`bandits claims --markdown` prints this page. Theorems 1, 2 and 3 are the paper's 3.1, "
        "3.2 and 3.3; Corollaries 1 and 2 its 3.5 and 3.7; rows marked “ours” replace or sharpen "
        "a claim. A check of an illustration shows something and is not said to be able to fail; "
        "every other check is also run on mutants, wrong claims that differ in a constant, an "
        "exponent, a direction or a hypothesis, and has to catch them. The proofs are in "
        "notebooks [03](03_the_lemma.ipynb) and [04](04_the_bounds.ipynb), those of our own "
        "theorems in [05](05_what_is_true.ipynb).",
        "",
        f"**{summary(claims, outcomes, found)}**",
        "",
        "| no. | where | kind | in the paper | notebook | what it says | verdict | what we found "
        "| check | mutants caught |",
        "| ---: | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for number, (claim, result, mutants) in enumerate(
        zip(claims, outcomes, found, strict=True), start=1
    ):
        paper, notebook = _place(claim)
        cells = [claim.where, claim.kind, paper, _link(notebook)]
        cells += [claim.says, claim.verdict, claim.note]
        wrong = "; ".join(claim.mutants)
        cells += [result, f"{_mutants(claim, mutants)}" + (f": {wrong}" if wrong else "")]
        texts = [cell.replace("|", "&#124;").replace("*", "\\*") for cell in cells]
        texts[5] = f"**{texts[5]}**"
        lines.append(f'| <a id="claim-{number}"></a>{number} | ' + " | ".join(texts) + " |")
    return "\n".join(lines)
