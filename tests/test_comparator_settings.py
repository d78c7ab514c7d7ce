"""The table of the comparators: held to the experiments, the docstrings and the committed data."""

import inspect
import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits.architecture import SIMPLE
from bandits.experiments import COMPARATORS, EXPERIMENTS, Method, NetworkSpec, Scale
from bandits.experiments.method import policy_names
from bandits.experiments.tuning import TRIED
from bandits.results import cost, saved
from bandits.results.comparator_settings import frame, network, settings, table, whose
from bandits.results.verdicts import MARGIN
from book import pages

ROOT = Path(__file__).resolve().parent.parent
DATA, _ = saved.load_data("comparators", ROOT / "figures")
BY_NAME = {method.name: method for method in COMPARATORS.methods}


def row(name: str, methods: dict[str, Method] = BY_NAME) -> tuple[str, str]:
    """A method's settings and whose they are, as the table has them."""
    shown = replace(COMPARATORS, methods=(methods[name],))
    cells = frame(DATA, shown).iloc[0]
    return cells["settings"], cells["authors' or ours"]


def test_the_book_has_the_table_of_the_experiment_and_the_data() -> None:
    page = pages.fill((ROOT / "book" / "settings.md").read_text(encoding="utf-8"))
    assert page.count(table(DATA)) == 1
    assert list(frame(DATA)["method"]) == [method.label for method in COMPARATORS.methods]


def test_some_rows_by_hand() -> None:
    assert row("neural_ucb") == (
        "ridge = 0.001; nu = 10",
        "ridge: the authors'; nu: ours, of 0.1, 1, 10, 30 and 100 tried",
    )
    assert row("neural_thompson")[1].endswith("nu: ours, of 0.1, 1 and 10 tried, and the authors'")
    assert row("greedy") == ("epsilon = 0", "epsilon: ours")
    assert row("deep") == ("p = 1", "p: the authors'")
    assert row("random") == ("", "")
    assert "one change of ours, max_batches = 20: 20, 50 and 100 were tried" in network()


def test_milliseconds_are_those_of_the_data_wherever_the_method_stands() -> None:
    seconds = {
        str(name): float(value)
        for name, value in zip(DATA["methods"], DATA["seconds"], strict=True)
    }
    assert len(seconds) == len(COMPARATORS.methods)
    turned = replace(COMPARATORS, methods=COMPARATORS.methods[::-1])
    expected = [1000 * seconds[method.name] for method in turned.methods]
    np.testing.assert_allclose(frame(DATA, turned)["ms a step"], expected)
    new = replace(COMPARATORS.methods[0], name="new")
    assert np.isnan(frame(DATA, replace(COMPARATORS, methods=(new,)))["ms a step"]).all()


OTHER: dict[str, Any] = {
    "p": 0.5,
    "ties": "random",
    "train_on": "random_branch",
    "pixel_scale": 2.0,
}


@pytest.mark.parametrize("name", BY_NAME)
def test_whatever_is_changed_in_a_method_changes_its_row(name: str) -> None:
    method = BY_NAME[name]
    changed = [replace(method, **{field: value}) for field, value in OTHER.items()]
    own = {k: v for k, v in settings(method).items() if k != "p"}
    changed += [
        replace(method, parameters={**dict(method.parameters), setting: value / 2 + 1})
        for setting, value in own.items()
    ]
    if isinstance(spec := method.predictor, NetworkSpec):
        wide, short = replace(spec.architecture, width=7), replace(spec.training, epochs=3)
        simple = replace(spec, architecture=SIMPLE)
        changed += [replace(method, predictor=replace(spec, architecture=wide)),
                    replace(method, predictor=replace(spec, training=short))]  # fmt: skip
        one = replace(method, predictor=replace(simple, shared=True))
        assert row(name, {name: one}) != row(name, {name: replace(method, predictor=simple)})
    for other in changed:
        assert row(name, {name: other}) != row(name)


def test_every_parameter_of_a_rule_is_among_its_settings() -> None:
    """What a constructor names beside what a run gives it is a setting."""
    assert set(settings(BY_NAME["squarecb"])) == {"gamma", "exponent"}
    assert set(settings(BY_NAME["bootstrapped"])) == {"members", "keep"}
    assert set(settings(BY_NAME["neural_linear"])) == {"ridge", "shape", "rate"}
    assert set(settings(BY_NAME["epsilon_0_05"])) == {"epsilon"}


@pytest.mark.parametrize("name", policy_names())
def test_a_source_is_the_one_that_the_policy_cites(name: str) -> None:
    module = import_module(f"bandits.policies.{name}")
    cited = " ".join(str(inspect.getdoc(module.POLICY)).split())
    for number in re.findall(r"Algorithm \d", module.SOURCE):
        assert number in cited
    for author, year in re.findall(r"(\w+)(?: and \w+| et al\.) \((\d{4})\)", module.SOURCE):
        assert re.search(rf"{author}[^()]* \(?{year}\)", cited), (author, year)
    assert "Algorithm" in module.SOURCE
    given = inspect.signature(module.POLICY).parameters
    assert set(getattr(module, "AUTHORS", {})) <= {*given, "p"}


@pytest.mark.parametrize(("method", "setting", "values"), TRIED, ids=lambda part: str(part)[:20])
def test_nothing_that_was_tried_loses_clearly_less_than_what_was_chosen(
    method: Method, setting: str, values: tuple[float, ...]
) -> None:
    study, _ = saved.load_data("comparators_study", ROOT / "figures")
    start = f"{method.name}_{setting}_"
    lost = {
        float(str(name).removeprefix(start).replace("_", ".")): float(late.mean())
        for name, late in zip(study["methods"], study["late_regret"], strict=True)
        if str(name).startswith(start)
    }
    assert set(lost) == set(values)
    chosen = settings(BY_NAME[method.name])[setting]
    page = " ".join((ROOT / "book" / "settings.md").read_text("utf-8").split())
    assert lost[chosen] - min(lost.values()) < 0.1 < MARGIN
    assert "lost 0.03 to 0.09 less" in page
    if method.policy in ("neural_ucb", "neural_thompson", "squarecb"):
        assert chosen == min(lost, key=lambda value: lost[value])
    else:
        assert 0.03 <= round(lost[chosen] - min(lost.values()), 2) <= 0.09
    assert whose(method, setting, chosen).startswith("ours, of ")


def test_the_page_tells_how_the_study_and_the_clock_were_run() -> None:
    page = " ".join((ROOT / "book" / "settings.md").read_text(encoding="utf-8").split())
    study = EXPERIMENTS["comparators_study"].paper
    assert study == Scale(2000, 2)
    assert "last quarter of 2,000 steps, on average over two runs on tuning seeds" in page
    assert cost.TIMED_STEPS == 1000
    assert "over the last 500 of the first 1,000 steps" in page
