"""What a command asks for: experiments, with what its options change."""

import argparse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from bandits.architecture import TRAINING
from bandits.checks import UsageError, finite, whole
from bandits.experiments import (
    PAPER_FIGURES,
    SETTINGS,
    Experiment,
    Method,
    NetworkSpec,
    Scale,
    experiment,
)


def plan(options: argparse.Namespace) -> list[tuple[Experiment, Scale]]:
    """The experiments asked for, with what the options change; refuses what cannot be run."""
    names = list(dict.fromkeys(options.names)) or list(PAPER_FIGURES)
    methods = None
    if options.methods is not None:
        methods = [name.strip() for name in options.methods.split(",")]
    planned = []
    for name in names:
        if not experiment(name).methods:
            for option in ("methods", "steps", "run", "p", *SETTINGS, *TRAINING):
                if option != "seed" and getattr(options, option, None) is not None:
                    raise UsageError(f"{name} takes no --{option.replace('_', '-')}")
        chosen = experiment(name).select(methods)
        changes = {
            setting: value
            for setting in SETTINGS
            if (value := getattr(options, setting)) is not None
        }
        if options.p is not None:
            finite("p", options.p)
            exploring = [method for method in chosen.methods if method.p is not None]
            if not exploring:
                there = ", ".join(method.name for method in chosen.methods)
                raise UsageError(
                    f"--p changes nothing in {name} with the methods {there}: none of them explores"
                )
            if any("p = " in method.label for method in exploring):
                raise UsageError(
                    f"{name} takes no --p, since its methods are named by theirs: "
                    f"{', '.join(method.name for method in exploring)}"
                )
            changes["methods"] = tuple(
                method if method.p is None else replace(method, p=options.p)
                for method in chosen.methods
            )
        training = {n: v for n in TRAINING if (v := getattr(options, n)) is not None}
        if training:
            methods_now = changes.get("methods", chosen.methods)
            changes["methods"] = tuple(_trained(name, methods_now, training))
        scale = chosen.scale(options.scale)
        scale = replace(
            scale,
            steps=scale.steps if options.steps is None else options.steps,
            runs=scale.runs if options.runs is None else options.runs,
        )
        if (run := getattr(options, "run", None)) is not None:
            if options.runs is not None:
                raise UsageError("--run is the number of one run, and --runs how many; give one")
            scale = replace(scale, runs=max(scale.runs, whole("run", run, 0) + 1))
        chosen = replace(chosen, **changes)
        chosen.specs(scale)  # refuses settings out of range
        planned.append((chosen, scale))
    return planned


def _trained(name: str, methods: Iterable[Method], training: Mapping[str, Any]) -> Iterator[Method]:
    """The methods, their networks trained in another way."""
    methods = tuple(methods)
    there = [method.training for method in methods if method.training is not None]
    for setting in training:
        option = f"--{setting.replace('_', '-')}"
        if not there:
            raise UsageError(
                f"{option} changes nothing in {name} with the methods "
                f"{', '.join(method.name for method in methods)}: none of them has networks"
            )
        if len({getattr(how, setting) for how in there}) > 1:
            raise UsageError(f"{name} takes no {option}, since its methods differ in it")
    for method in methods:
        if isinstance(spec := method.predictor, NetworkSpec):
            how = replace(spec.training, **training)
            method = replace(method, predictor=replace(spec, training=how))
        yield method
