"""When assignments are due, what being late costs, and the tables that a teacher gives."""

from __future__ import annotations

import csv
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from course.assignments import AssignmentError, names


@dataclass(frozen=True)
class Policy:
    """The rules of a course.

    per_day is the share of the marks, in [0, 1], that each day begun after the due date costs;
    after at_most_days nothing is given.
    """

    due: Mapping[str, datetime] = field(default_factory=dict)
    per_day: float = 0.0
    at_most_days: float = math.inf

    def not_due(self, now: datetime) -> frozenset[str]:
        """The assignments whose date has not come."""
        return frozenset(name for name, date in self.due.items() if now < date)

    def days_late(self, name: str, handed_in: datetime | None) -> int:
        """Days begun after the due date; 0 where one of the two is unknown."""
        if handed_in is None or name not in self.due:
            return 0
        return max(0, math.ceil((handed_in - self.due[name]).total_seconds() / 86400))

    def share_lost(self, days: int) -> float:
        """The share of the marks, in [0, 1], that being late by so many days costs."""
        return 1.0 if days > self.at_most_days else min(1.0, days * self.per_day)


def read_policy(path: Path) -> Policy:
    """The rules in a TOML file with the tables [due] and [late].

    Raises AssignmentError naming what is wrong.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AssignmentError(f"{path} cannot be read ({error})") from None
    due, late = content.pop("due", {}), content.pop("late", {})
    if content:
        raise AssignmentError(f"{path} has {', '.join(content)}; known are [due] and [late]")
    for name, date in due.items():
        if name not in names():
            raise AssignmentError(
                f"{path}: there is no assignment {name!r}; see {', '.join(names())}"
            )
        if not isinstance(date, datetime):
            raise AssignmentError(
                f"{path}: {name} = {date!r} is not like 2026-10-01T23:59:00+02:00"
            )
    for name, value in late.items():
        if name not in ("per_day", "at_most_days"):
            raise AssignmentError(
                f"{path}: [late] has {name!r}; known are per_day and at_most_days"
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            raise AssignmentError(f"{path}: {name} must be a number >= 0, not {value!r}")
    if late.get("per_day", 0) > 1:
        raise AssignmentError(f"{path}: per_day must be in [0, 1], not {late['per_day']}")
    return Policy({name: _aware(date) for name, date in due.items()}, **late)


def _aware(date: datetime) -> datetime:
    """A time without a zone is one of the machine's own."""
    return date.astimezone(UTC)


def read_times(path: Path) -> dict[tuple[str, str], datetime]:
    """When each notebook was handed in: a table with the columns student, assignment, time.

    Raises AssignmentError naming the line that is wrong.
    """
    found = {}
    for number, row in enumerate(read_table(path, ("student", "assignment", "time")), start=2):
        try:
            time = datetime.fromisoformat(row["time"])
        except ValueError:
            raise AssignmentError(
                f"{path}, line {number}: {row['time']!r} is not like 2026-10-01T23:59:00+02:00"
            ) from None
        if row["assignment"] not in names():
            raise AssignmentError(
                f"{path}, line {number}: there is no assignment {row['assignment']!r}"
            )
        found[row["student"], row["assignment"]] = _aware(time)
    return found


def read_table(path: Path, columns: tuple[str, ...]) -> list[dict[str, str]]:
    """The rows of a CSV file, with commas or semicolons, that has at least these columns.

    Raises AssignmentError if it cannot be read or lacks one.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise AssignmentError(f"{path} cannot be read ({error}); it must be UTF-8") from None
    first = text.split("\n", 1)[0]
    rows = csv.DictReader(
        text.splitlines(keepends=True), delimiter=";" if first.count(";") else ",", restval=""
    )
    missing = [column for column in columns if column not in (rows.fieldnames or ())]
    if missing:
        raise AssignmentError(
            f"{path} lacks the column {missing[0]!r}; it needs {', '.join(columns)}"
        )
    return [{key: value or "" for key, value in row.items() if key is not None} for row in rows]
