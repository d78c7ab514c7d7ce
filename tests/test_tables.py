"""Tables with captions: every number as its format says, in HTML that any page can show."""

import xml.etree.ElementTree as ET

import pandas as pd
import pytest

from bandits.results.tables import Table

FRAME = pd.DataFrame({"t": [10, 2_000], "bound": [0.12345, 7.0], "name": ["a < b", "1/3"]})
TABLE = Table(FRAME, "Table 1. Bounds & names.", {"t": ",", "bound": ".2f"})


def test_the_html_holds_the_caption_the_heads_and_every_cell() -> None:
    page = ET.fromstring(TABLE._repr_html_())
    assert [caption.text for caption in page.iter("caption")] == ["Table 1. Bounds & names."]
    assert page[0].tag == "caption"  # where HTML wants it
    assert [head.text for head in page.iter("th")] == ["t", "bound", "name"]
    cells = [cell.text for cell in page.iter("td")]
    assert cells == ["10", "0.12", "a < b", "2,000", "7.00", "1/3"]


def test_the_text_holds_the_same() -> None:
    lines = repr(TABLE).splitlines()
    assert lines[0] == "Table 1. Bounds & names."
    assert [line.split(maxsplit=2) for line in lines[2:]] == [
        ["t", "bound", "name"], ["10", "0.12", "a < b"], ["2,000", "7.00", "1/3"],
    ]  # fmt: skip


def test_a_format_for_no_column_is_refused() -> None:
    with pytest.raises(ValueError, match="'bond'; the columns are t, bound, name"):
        Table(FRAME, "", {"bond": ".2f"})
