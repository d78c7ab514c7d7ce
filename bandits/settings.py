"""Settings: each a field that says its help, range and default, and where it came from.

The command line, an experiment's plan, a figure's small print and provenance, and a run's
fingerprint are all derived from these fields, so that a new setting is one edit.
"""

from collections.abc import Callable, Mapping
from dataclasses import Field, field, fields, is_dataclass
from typing import Any, Literal

Ties = Literal["first", "random"]
"""How equal scores are decided."""

TrainOn = Literal["all", "random_branch"]
"""The steps that ε-greedy trains on."""

ADDED_LATER = {"added_later": True}
"""Metadata of a field that did not exist when the first runs were committed.

At its default such a field is left out of `plain`, so that those runs keep their fingerprints.
"""


def setting(
    default: Any,
    check: Callable[[Any], Any],
    description: str,
    *,
    small_print: str | None,
    metavar: str | None = None,
    added_later: bool = False,
) -> Any:
    """A field of `bandits.experiments.Settings` or of `bandits.architecture.Training`.

    Args:
        default: what the paper's figures have; its type is the option's on the command line, where
            None is of a whole number that may be left out.
        check: gives the value in its plain form, or raises ValueError.
        description: the option's help.
        small_print: its name in a figure's small print; None if the figure does not depend on it.
        metavar: of the option.
        added_later: see ADDED_LATER.
    """
    told = {
        "check": check,
        "description": description,
        "small_print": small_print,
        "metavar": metavar,
    }
    return field(default=default, metadata=told | (ADDED_LATER if added_later else {}))


def check_all(value: Any, names: Mapping[str, Field[Any]]) -> None:
    """Put each of these settings of a frozen dataclass into its plain form.

    Raises:
        ValueError: for a value out of range.
    """
    for name, told in names.items():
        object.__setattr__(value, name, told.metadata["check"](getattr(value, name)))


def plain(value: Any) -> Any:
    """A dataclass as a dictionary of JSON values, its parts likewise; tuples become lists.

    Code is what is told of it: see `bandits.experiments.code`.
    """
    if hasattr(value, "told"):
        return value.told
    if is_dataclass(value):
        return {
            part.name: plain(getattr(value, part.name))
            for part in fields(value)
            if not (part.metadata.get("added_later") and getattr(value, part.name) == part.default)
        }
    return [plain(part) for part in value] if isinstance(value, tuple | list) else value


def digits(value: Any) -> str:
    """16 hexadecimal digits of a hash of JSON values."""
    import hashlib  # here, since `bandits list` needs neither, and waits for every import
    import json

    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
