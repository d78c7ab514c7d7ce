"""What a command asks for: experiments, with what its options change."""

import argparse
from dataclasses import replace

from bandits.checks import UsageError, finite
from bandits.experiments import PAPER_FIGURES, SETTINGS, Experiment, Scale, experiment


def plan(options: argparse.Namespace) -> list[tuple[Experiment, Scale]]:
    """The experiments asked for, with what the options change; refuses what cannot be run."""
    names = list(dict.fromkeys(options.names)) or list(PAPER_FIGURES)
    methods = None
    if options.methods is not None:
        methods = [name.strip() for name in options.methods.split(",")]
    planned = []
    for name in names:
        if not experiment(name).methods:
            for option in ("methods", "steps", "p", *SETTINGS):
                if option != "seed" and getattr(options, option) is not None:
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
        scale = chosen.scale(options.scale)
        scale = replace(
            scale,
            steps=scale.steps if options.steps is None else options.steps,
            runs=scale.runs if options.runs is None else options.runs,
        )
        chosen = replace(chosen, **changes)
        chosen.specs(scale)  # refuses settings out of range
        planned.append((chosen, scale))
    return planned
