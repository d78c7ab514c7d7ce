"""Typical mistakes, as the lists of answers hold them."""

from typing import NamedTuple


class Wrong(NamedTuple):
    """A typical mistake in one answer cell, and the test cells that must notice it."""

    mistake: str
    cell: str
    code: str
    lost: tuple[str, ...]


def both(cell: str) -> tuple[str, ...]:
    return f"{cell}_visible", f"{cell}_hidden"


def wrong(
    cell: str, *, seen: dict[str, str] | None = None, hidden: dict[str, str] | None = None
) -> list[Wrong]:
    """Mistakes in one cell, code by name: those both its tests see, and those one is hidden for."""
    all_see = [Wrong(mistake, cell, code, both(cell)) for mistake, code in (seen or {}).items()]
    return all_see + [Wrong(m, cell, c, (f"{cell}_hidden",)) for m, c in (hidden or {}).items()]


def edited(code: str, *old_and_new: str) -> str:
    """The code with each old part, which stands in it once, replaced by the new one after it."""
    for old, new in zip(old_and_new[::2], old_and_new[1::2], strict=True):
        if code.count(old) != 1:
            raise ValueError(f"{old!r} stands {code.count(old)} times in the code, not once")
        code = code.replace(old, new)
    return code
