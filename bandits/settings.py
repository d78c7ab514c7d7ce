"""Frozen settings as plain values, for fingerprints and provenance."""

from dataclasses import fields, is_dataclass
from typing import Any

ADDED_LATER = {"added_later": True}
"""Metadata of a field that did not exist when the first runs were committed.

At its default such a field is left out of `plain`, so that those runs keep their fingerprints.
"""


def plain(value: Any) -> Any:
    """A dataclass as a dictionary of JSON values, its parts likewise; tuples become lists."""
    if is_dataclass(value):
        return {
            field.name: plain(getattr(value, field.name))
            for field in fields(value)
            if not (
                field.metadata.get("added_later") and getattr(value, field.name) == field.default
            )
        }
    return [plain(part) for part in value] if isinstance(value, tuple | list) else value
