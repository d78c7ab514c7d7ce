"""The ledger: every check passes, a wrong one is caught, and the page is the printed one."""

import inspect
import re
import time
from pathlib import Path

import pytest

from bandits.theory import claims
from bandits.theory.claims.ledger import (
    ILLUSTRATION,
    KINDS,
    OURS,
    PAPER,
    VERDICTS,
    Claim,
    Ledger,
    caught,
    outcome,
)
from bandits.theory.claims.places import NOTEBOOKS, PLACES

PAGE = Path(__file__).parents[2] / "notebooks" / "claims.md"


@pytest.mark.parametrize("claim", claims.CLAIMS, ids=lambda claim: claim.where[:60])
def test_every_check_comes_out_as_the_ledger_says(claim):
    assert outcome(claim, seconds=1500) == "passes"


MUTANTS = [(claim, words) for claim in claims.CLAIMS for words in claim.mutants]


@pytest.mark.parametrize("claim, words", MUTANTS, ids=lambda value: str(value)[:40])
def test_every_check_catches_each_of_its_mutants(claim, words):
    """A mutant is answered with False: a check that breaks, or does not know, has not caught it."""
    assert outcome(claim, 60, claim.mutants[words]) == "fails (gave False)"


def test_only_illustrations_have_no_mutant():
    assert {c.where for c in claims.CLAIMS if not c.mutants} == {
        c.where for c in claims.CLAIMS if c.kind == ILLUSTRATION
    }


def test_mutants_change_what_the_check_asks_for_and_say_so_once():
    for claim in claims.CLAIMS:
        keywords = inspect.signature(claim.check).parameters
        for words, changes in claim.mutants.items():
            assert words
            assert set(changes) <= set(keywords), claim.where
            assert all(changes[name] != keywords[name].default for name in changes), claim.where


def test_every_row_has_its_place():
    assert set(PLACES) == {claim.where for claim in claims.CLAIMS}
    for claim in claims.CLAIMS:
        place = PLACES[claim.where]
        assert bool(place.section) == bool(place.quote) == (claim.kind != OURS), claim.where
        assert len(place.quote) <= 60
        assert place.notebook, claim.where


def sections(script):
    """The Markdown of each section of a notebook's script that has an anchor, by its number."""
    parts = re.split(r'^# <a id="s(\d+)"></a>$', script.read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(map(int, parts[1::2]), parts[2::2], strict=True))


def test_rows_and_notebook_sections_link_to_each_other():
    """A row names a section that links back to exactly the rows that name it."""
    wanted = {}
    for number, claim in enumerate(claims.CLAIMS, start=1):
        notebook, _, section = PLACES[claim.where].notebook.partition(" §")
        if section:
            wanted.setdefault((notebook, int(section)), []).append(str(number))
    seen = {}
    for number, name in NOTEBOOKS.items():
        script = PAGE.parent / f"{name}.py"
        assert script.is_file()
        for section, text in sections(script).items():
            assert text.startswith(f"\n#\n# ## {section}. "), (name, section)
            links = re.findall(r"\[(\d+)\]\(claims\.md#claim-(\d+)\)", text)
            assert all(shown == target for shown, target in links)
            if links:
                seen[number, section] = sorted((target for _, target in links), key=int)
    assert seen == wanted


def test_the_page_in_the_notebooks_folder_is_the_ledger_s():
    page = claims.as_markdown(
        claims.CLAIMS, ["passes"] * len(claims.CLAIMS), [len(c.mutants) for c in claims.CLAIMS]
    )
    assert PAGE.read_text(encoding="utf-8") == page + "\n"


def test_the_ledger_covers_the_paper_and_uses_every_verdict():
    places = [claim.where for claim in claims.CLAIMS]
    assert len(set(places)) == len(places)
    for place in ("Lemma, part I", "Lemma, part II", "Theorem 1", "Theorem 2 (", "Theorem 3 (",
                  "Corollary 1", "Corollary 2", "Remark", "MNIST experiments"):  # fmt: skip
        assert any(where.startswith(place) for where in places), place
    assert {claim.verdict for claim in claims.CLAIMS} == set(VERDICTS)
    assert {claim.kind for claim in claims.CLAIMS} == set(KINDS)


def a_claim(check, mutants=None):
    mutants = {"wrong": {"right": False}} if mutants is None else mutants
    note = "A note with a * in it."
    return Claim("Nowhere", "Nothing | at all", VERDICTS[0], note, check, PAPER, mutants)


def test_anything_but_true_is_a_failure():
    assert outcome(a_claim(lambda: True)) == "passes"
    assert outcome(a_claim(lambda: None)) == "fails (gave None)"  # sympy's “I do not know”
    assert outcome(a_claim(lambda: False)) == "fails (gave False)"
    assert outcome(a_claim(lambda: 1)) == "fails (gave 1)"
    assert outcome(a_claim(lambda: 1 / 0)) == "ZeroDivisionError: division by zero"


def test_a_check_that_hangs_is_stopped():
    woken = []
    hangs = a_claim(lambda: [time.sleep(600), woken.append(True)])
    assert outcome(hangs, seconds=0.2) == "no answer within 0.2 s"
    assert not woken


@pytest.mark.parametrize("markdown", [False, True])
def test_main_prints_the_table_and_says_by_its_result_whether_all_is_well(
    monkeypatch, capsys, markdown
):
    fine = a_claim(lambda right=True: right)
    monkeypatch.setattr(claims, "CLAIMS", (fine,))
    assert claims.main(markdown=markdown) == 0
    good = capsys.readouterr().out
    assert "every check passes, and 1 of 1 mutants are caught" in good
    assert "Nowhere" in good
    monkeypatch.setattr(claims, "CLAIMS", (fine, a_claim(lambda right=True: None)))
    assert claims.main(markdown=markdown) == 1
    bad = capsys.readouterr().out
    assert "1 of 2 checks fail" in bad
    assert "fails (gave None)" in bad
    for other in (a_claim(lambda right=True: True), a_claim(lambda: True, mutants={})):
        monkeypatch.setattr(claims, "CLAIMS", (fine, other))
        assert claims.main(markdown=markdown) == 1  # a mutant passes, or there is none
        capsys.readouterr()


def test_a_mutant_is_caught_by_false_only():
    assert caught(a_claim(lambda right=True: right)) == 1
    assert caught(a_claim(lambda right=True: True)) == 0
    assert caught(a_claim(lambda right=True: None)) == 0
    assert caught(a_claim(lambda right=True: right or 1 / 0)) == 0
    assert caught(a_claim(lambda: True, mutants={})) == 0


def test_markdown_cells_cannot_break_the_table():
    page = claims.as_markdown([a_claim(lambda: True)], ["passes"], [1])
    row = page.splitlines()[-1]
    assert row.count("|") == 11
    assert "\\*" in row


def test_unknown_verdicts_and_kinds_are_refused():
    with pytest.raises(ValueError, match="kind must be one of of the paper, ours, illustration"):
        Ledger().claim("x", says="y", verdict=VERDICTS[0], note="z", kind="other")
    with pytest.raises(ValueError, match="verdict must be one of true, true but empty"):
        Ledger().claim("x", says="y", verdict="maybe", note="z")
