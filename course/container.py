"""The same command in a container: no network, the course and the submissions read-only."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import subprocess
from pathlib import Path

from course.assignments import ROOT, AssignmentError

ENGINES = ("docker", "podman")
MOUNTED = {"submissions": "/in", "policy": "/policy.toml", "times": "/times.csv"}


def command(image: str, arguments: list[str], options: argparse.Namespace) -> list[str]:
    """The engine's command line for `arguments`. Raises AssignmentError if there is no engine."""
    engine = next((found for name in ENGINES if (found := shutil.which(name))), None)
    if engine is None:
        raise AssignmentError(f"--isolate container needs one of {', '.join(ENGINES)}")
    inside = list(arguments)
    mounts = [f"{ROOT}:/study:ro", f"{options.out.resolve()}:/out"]
    for name, place in MOUNTED.items():
        if path := getattr(options, name):
            if not Path(path).exists():
                raise AssignmentError(f"there is no {path}")
            mounts.append(f"{Path(path).resolve()}:{place}:ro")
            inside = _replaced(inside, f"--{name}", place)
    inside = _replaced(_replaced(inside, "--isolate", "auto"), "--out", "/out")
    inside = _replaced(inside, "--image", None)
    limits = ["--network", "none", "--read-only", "--tmpfs", "/tmp:exec", "--init"]
    limits += ["--memory", f"{options.jobs * options.memory + 1024}m"]
    limits += ["--pids-limit", str(options.jobs * 5 * options.processes + 100)]
    volumes = [word for mount in mounts for word in ("--volume", mount)]
    where = ["--workdir", "/study", "--env", "HOME=/tmp"]
    return [
        engine,
        "run",
        "--rm",
        *limits,
        *volumes,
        *where,
        image,
        "python",
        "-m",
        "course",
        *inside,
    ]


def _replaced(words: list[str], option: str, value: str | None) -> list[str]:
    """The words with another value of an option, or without it (None)."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word == option:
            skip = True
        elif not word.startswith(f"{option}="):
            kept.append(word)
    return kept if value is None else [*kept, option, value]


def run(image: str | None, arguments: list[str], options: argparse.Namespace) -> int:
    """Grade in a container; returns the exit status."""
    if not image:
        raise AssignmentError("--isolate container needs --image, see course/README.md")
    words = command(image, arguments, options)
    options.out.mkdir(parents=True, exist_ok=True)
    status = subprocess.run(words, check=False).returncode
    if status == 125:  # the engine itself failed, and said why
        with contextlib.suppress(OSError):
            options.out.rmdir()
    return status
