"""Code in an experiment: a policy, network, schedule or bandit of the user's own.

A fingerprint must change whenever a result may. Of code it covers the source that can take part:
the definition, and, by value, every name of the user's own modules that it refers to, whatever file
of theirs it stands in. Comments, docstrings and layout do not count. What is installed counts by
its name only, and so does this package, whose results RESULTS_VERSION guards.
"""

from dataclasses import is_dataclass
from functools import partial
from typing import Any

from bandits.settings import digits

TORCH = {"torch", "bandits.networks"}


class Code:
    """A callable or object of an experiment, which its fingerprint knows by `told`.

    Two are equal if what is told of them is. A copy that a worker process is sent keeps what was
    told here, so that an edit of the file meanwhile changes nothing there.

    Attributes:
        value: the callable or object itself.
    """

    is_code = True

    def __init__(self, value: Any, told: Any = None, torch: bool | None = None) -> None:
        self.value = value
        self._told, self._torch = told, torch

    @property
    def told(self) -> Any:
        """What a fingerprint and a figure's provenance tell of it, as JSON values.

        Raises:
            UsageError: if there is no source to read, as of what was typed at a prompt.
        """
        if self._told is None:
            from bandits.experiments.told import Told  # reads source, which few experiments need

            known = Told()
            told = known.of(self.value)
            self._torch = bool(known.modules & TORCH)
            if not _is_ours(self.value):
                told = {"code": name_of(self.value), "digest": digits(told)}
            self._told = told
        return self._told

    @property
    def torch(self) -> bool:
        """Whether it imports torch, so that torch's threads must be limited, too."""
        self.told  # noqa: B018  (finds out)
        return bool(self._torch)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Code) and (self.value is other.value or self.told == other.told)

    def __hash__(self) -> int:
        return hash(name_of(self.value))

    def __repr__(self) -> str:
        return name_of(self.value)

    def __reduce__(self) -> tuple[Any, ...]:
        return Code, (self.value, self.told, self.torch)


def as_code(value: Any) -> Code:
    """The value as `Code`, once."""
    return value if isinstance(value, Code) else Code(value)


def name_of(value: Any) -> str:
    """What a message calls it: a function's or class's own name, else that of its class."""
    if isinstance(value, partial):
        return name_of(value.func)
    name: str = getattr(value, "__qualname__", type(value).__qualname__)
    return name


def _is_ours(value: Any) -> bool:
    return is_dataclass(type(value)) and type(value).__module__.partition(".")[0] == "bandits"
