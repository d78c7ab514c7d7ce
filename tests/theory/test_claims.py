"""The ledger: every check passes, a wrong one is caught, and the page is the printed one."""

import time
from pathlib import Path

import pytest

from bandits.theory import claims
from bandits.theory.claims.ledger import VERDICTS, Claim, Ledger, outcome

PAGE = Path(__file__).parents[2] / "notebooks" / "claims.md"


@pytest.mark.parametrize("claim", claims.CLAIMS, ids=lambda claim: claim.where[:60])
def test_every_check_comes_out_as_the_ledger_says(claim):
    assert outcome(claim, seconds=1500) == "passes"


def test_the_page_in_the_notebooks_folder_is_the_ledger_s():
    page = claims.as_markdown(claims.CLAIMS, ["passes"] * len(claims.CLAIMS))
    assert PAGE.read_text(encoding="utf-8") == page + "\n"


def test_the_ledger_covers_the_paper_and_uses_every_verdict():
    places = [claim.where for claim in claims.CLAIMS]
    assert len(set(places)) == len(places)
    for place in ("Lemma, part I", "Lemma, part II", "Theorem 1", "Theorem 2 (", "Theorem 3 (",
                  "Corollary 1", "Corollary 2", "Remark", "MNIST experiments"):  # fmt: skip
        assert any(where.startswith(place) for where in places), place
    assert {claim.verdict for claim in claims.CLAIMS} == set(VERDICTS)


def a_claim(check):
    return Claim("Nowhere", "Nothing | at all", VERDICTS[0], "A note with a * in it.", check)


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
    monkeypatch.setattr(claims, "CLAIMS", (a_claim(lambda: True),))
    assert claims.main(markdown=markdown) == 0
    good = capsys.readouterr().out
    assert "every check passes" in good
    assert "Nowhere" in good
    monkeypatch.setattr(claims, "CLAIMS", (a_claim(lambda: True), a_claim(lambda: None)))
    assert claims.main(markdown=markdown) == 1
    bad = capsys.readouterr().out
    assert "1 of 2 checks fail" in bad
    assert "fails (gave None)" in bad


def test_markdown_cells_cannot_break_the_table():
    page = claims.as_markdown([a_claim(lambda: True)], ["passes"])
    row = page.splitlines()[-1]
    assert row.count("|") == 7
    assert "\\*" in row


def test_unknown_verdicts_are_refused():
    with pytest.raises(ValueError, match="verdict must be one of true, true but empty"):
        Ledger().claim("x", says="y", verdict="maybe", note="z")
