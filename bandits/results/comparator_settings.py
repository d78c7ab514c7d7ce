"""Every comparator's source, settings and cost in one table.

Made from the frozen experiment and the figure's data, so that it cannot fall behind them.
"""

import inspect
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bandits.experiments import BOUNDS, COMPARATORS, DEEP, Experiment, Method, NetworkSpec
from bandits.experiments.comparators import NETWORK
from bandits.experiments.supply import POLICY_GIVEN
from bandits.experiments.tuning import TRIED
from bandits.results.choices import listed
from bandits.results.data import Data

if TYPE_CHECKING:
    import pandas as pd

CHOSEN = {(method.policy, name): values for method, name, values in TRIED}
"""The values that were tried on tuning seeds, by policy and setting."""


def settings(method: Method) -> dict[str, Any]:
    """What decides how a method behaves, by name: all that is not as in every other method."""
    parameters = inspect.signature(method.makes).parameters
    rule = {p.name: p.default for p in parameters.values() if p.name not in POLICY_GIVEN}
    rule |= dict(method.parameters)
    found = {name: value for name, value in rule.items() if value is not None}
    if method.p is not None:
        found["p"] = method.p
    elif "schedule" in parameters and method.schedule is None:
        found.setdefault("epsilon", 0.0)
    usual = Method(method.name, method.label, method.policy)
    for name in ("ties", "train_on", "pixel_scale", "schedule"):
        found |= changed(name, getattr(method, name), getattr(usual, name))
    if isinstance(method.predictor, NetworkSpec):
        found |= _parts(method.predictor, NETWORK)
        found |= changed("shared", method.predictor.shared, False)
    return found


def changed(name: str, value: Any, usual: Any) -> dict[str, Any]:
    """The setting, unless it has its usual value."""
    return {} if value == usual else {name: value}


def _parts(spec: Any, usual: Any) -> dict[str, Any]:
    """What of a network and its training is not as in another."""
    found: dict[str, Any] = {}
    for own, other in ((spec.architecture, usual.architecture), (spec.training, usual.training)):
        for part in fields(own):
            found |= changed(part.name, getattr(own, part.name), getattr(other, part.name))
    return found


def whose(method: Method, name: str, value: Any) -> str:
    """Whether a setting is the authors' or ours, and which values were tried."""
    theirs = getattr(_module(method), "AUTHORS", {}).get(name) == value
    if tried := CHOSEN.get((method.policy, name)):
        among = f"ours, of {listed(tuple(map(_written, tried)))} tried"
        return f"{among}, and the authors'" if theirs else among
    return "the authors'" if theirs else "ours"


def _module(method: Method) -> Any:
    known = isinstance(method.policy, str)
    return import_module(f"bandits.policies.{method.policy}") if known else None


def network() -> str:
    """What the comparators' networks share, in a sentence, for below the table."""
    others = "; ".join(f"{n} = {_written(v)}" for n, v in _parts(NETWORK, DEEP.predictor).items())
    tried = listed(tuple(sorted({str(batches) for batches, _ in BOUNDS}, key=int)))
    return (
        f"Every network is that of Deep ε-greedy with one change of ours, {others}: "
        f"{tried} were tried, on tuning seeds, too"
    )


def frame(data: Data, experiment: Experiment = COMPARATORS) -> "pd.DataFrame":
    """A row for each method of an experiment.

    Args:
        data: of the figure `comparators`: `methods` (methods,) and `seconds` (methods,), processor
            time of a step, measured once on one machine.
        experiment: whose methods are listed.

    Returns:
        The columns method, source, settings, authors' or ours, and ms a step, which is NaN where
        it was not measured.
    """
    import pandas as pd

    seconds = dict(zip(map(str, data["methods"]), map(float, data["seconds"]), strict=True))
    rows = []
    for method in experiment.methods:
        own = settings(method)
        rows.append(
            {
                "method": method.label,
                "source": getattr(_module(method), "SOURCE", "code of one's own"),
                "settings": "; ".join(f"{name} = {_written(own[name])}" for name in own),
                "authors' or ours": "; ".join(
                    f"{n}: {whose(method, n, v)}" for n, v in own.items()
                ),
                "ms a step": 1000 * seconds.get(method.name, float("nan")),
            }
        )
    return pd.DataFrame(rows)


def _written(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def table(data: Data, experiment: Experiment = COMPARATORS) -> str:
    """The same as Markdown, and below it what the networks share."""
    made = frame(data, experiment)
    made["ms a step"] = [f"{value:.2g}" for value in made["ms a step"]]
    head = [list(made.columns), ["---"] * 4 + ["---:"]]
    lines = [f"| {' | '.join(row)} |" for row in [*head, *made.to_numpy().tolist()]]
    return "\n".join([*lines, "", f"{network()}."])
