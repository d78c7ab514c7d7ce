"""What a run gives to a policy, predictor, network or bandit: whatever its parameters name.

A constructor or function asks by the names of its parameters, so that what it does not name it
cannot read, and a setting that nothing reads can be refused before any work.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

from bandits.checks import UsageError
from bandits.experiments.code import name_of

POLICY_GIVEN = (
    "arms",
    "context_size",
    "steps",
    "train_every",
    "means",
    "schedule",
    "predictor",
    "predictors",
    "ties",
    "train_on",
    "recall",
    "generator",
    "weights",
    "batches",
    "device",
)
"""What a policy may name; its method's `parameters` come before these."""

PREDICTOR_GIVEN = (
    "arms",
    "context_size",
    "steps",
    "train_every",
    "generator",
    "weights",
    "batches",
    "device",
)
BANDIT_GIVEN = ("mnist", "arms", "noise")


def named(make: Callable[..., Any]) -> dict[str, bool]:
    """The parameters that a callable names, and whether it must be given each.

    Raises:
        UsageError: for what cannot be called.
    """
    try:
        parameters = inspect.signature(make).parameters.values()
    except (TypeError, ValueError) as error:
        raise UsageError(f"{make!r} cannot be called with a run's settings ({error})") from error
    spread = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {p.name: p.default is p.empty for p in parameters if p.kind not in spread}


def check_named(
    who: str, make: Callable[..., Any], given: Collection[str], own: Collection[str] = ()
) -> None:
    """Refuse a callable that asks for what a run does not give, and parameters that it lacks.

    Args:
        who: begins the sentence, such as "method mine".
        make: the callable.
        given: the names that a run gives.
        own: the names of the parameters given to it beside these.

    Raises:
        UsageError: naming the parameter, and those there are.
    """
    there = named(make)
    for name in own:
        if name not in there:
            raise UsageError(
                f"{who}: {name_of(make)} has no parameter {name!r}; it has "
                f"{', '.join(there) or 'none'}"
            )
    for name, needed in there.items():
        if needed and name not in own and name not in given:
            raise UsageError(
                f"{who}: {name_of(make)} asks for {name!r}, which a run does not give; a run gives "
                f"{', '.join(given)}, and a default or the method's parameters give the rest"
            )


def supply(
    make: Callable[..., Any],
    given: Mapping[str, Callable[[], Any]],
    own: Mapping[str, Any] | None = None,
) -> Any:
    """Call it with what it names: its own parameters first, then what the run gives.

    Nothing that it does not name is made.
    """
    own = own or {}
    there = named(make)
    return make(**{name: own[name] if name in own else given[name]() for name in there
                   if name in own or name in given})  # fmt: skip
