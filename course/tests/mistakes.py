"""A typical mistake, as the lists of answers hold it."""

from typing import NamedTuple


class Wrong(NamedTuple):
    """A typical mistake in one answer cell, and the test cells that must notice it."""

    mistake: str
    cell: str
    code: str
    lost: tuple[str, ...]


def both(cell: str) -> tuple[str, ...]:
    return f"{cell}_visible", f"{cell}_hidden"
