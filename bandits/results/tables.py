"""Tables for the notebooks: a pandas table with a caption."""

import html
from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd


@dataclass(frozen=True)
class Table:
    """A table that shows its caption, in a notebook as HTML and elsewhere as text.

    A pandas Styler has captions too, but no text form, and a random name in its HTML.

    Attributes:
        frame: what is shown, without its index.
        caption: one line of plain text, without formulas.
        formats: by column, how its numbers are written, such as ".3f"; the others as str does.

    Raises:
        ValueError: if a format names a column that the frame does not have.
    """

    frame: pd.DataFrame
    caption: str
    formats: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.formats:
            if name not in self.frame.columns:
                known = ", ".join(map(str, self.frame.columns))
                raise ValueError(f"formats names the column {name!r}; the columns are {known}")

    def _written(self) -> pd.DataFrame:
        """Every cell as it is shown."""
        return pd.DataFrame(
            {
                name: [format(value, self.formats.get(str(name), "")) for value in column]
                for name, column in self.frame.items()
            }
        )

    def _repr_html_(self) -> str:
        table = self._written().to_html(index=False, border=0)
        start = table.index(">") + 1
        return f"{table[:start]}\n  <caption>{html.escape(self.caption)}</caption>{table[start:]}"

    def __repr__(self) -> str:
        return f"{self.caption}\n\n{self._written().to_string(index=False)}"
