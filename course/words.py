"""Texts that quote what students wrote, which need not be text that can be written."""

from __future__ import annotations

import os


def shown(name: str) -> str:
    """A file's name as text that can be written: a byte that is not UTF-8 becomes \\xe9, say.

    Two names never look the same, which they would if every such byte became the same sign.
    """
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def line(text: str) -> str:
    """A text as one line that can be written."""
    return " ".join(text.encode("utf-8", "backslashreplace").decode("utf-8").splitlines())


def brief(error: BaseException) -> str:
    """What an error says, short enough for a list of problems."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:100]
