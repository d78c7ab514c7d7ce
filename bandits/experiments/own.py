"""An experiment in a file of the user's own, named by its place: `my_study.py:MINE`."""

import os
import sys
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path

from bandits.checks import UsageError
from bandits.experiments.spec import Experiment


def is_place(name: str) -> bool:
    """Whether a name is that of a file, or of something in one."""
    return name.rpartition(":")[0].endswith(".py") or name.endswith(".py")


def load(place: str) -> Experiment:
    """The experiment at a place, FILE.py:NAME.

    The file is imported under its own name, as if it lay beside a program, so that what lies beside
    it can be imported, too, and worker processes find it where this one did.

    Raises:
        UsageError: naming what is wrong: no such file, an error in it and its line, another module
            of its name, or no experiment of this name in it.
    """
    file, _, name = place.rpartition(":") if place.rpartition(":")[0] else (place, "", "")
    path = Path(file).resolve()
    if not path.is_file():
        raise UsageError(f"there is no file {file}, of which {place!r} is to be taken")
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    born = os.getpid()
    try:
        with redirect_stdout(sys.stderr):  # what it prints is no part of what a command tells
            module = import_module(path.stem)
    except Exception as error:
        raise UsageError(f"{file} cannot be imported: {_told(error, path)}") from error
    if os.getpid() != born:
        os._exit(1)  # it forked: one of the two goes on
    if Path(str(getattr(module, "__file__", ""))).resolve() != path:
        raise UsageError(
            f"{file} cannot be imported, since another module is called {path.stem}, too "
            f"({getattr(module, '__file__', 'built in')}); give the file another name"
        )
    there = {n: value for n, value in vars(module).items() if isinstance(value, Experiment)}
    if name not in there:
        known = ", ".join(f"{file}:{n}" for n in there) or "none"
        raise UsageError(f"{place!r} is no experiment; those in {file} are: {known}")
    return there[name]


def _told(error: Exception, path: Path) -> str:
    import traceback  # here, since `bandits list` waits for every import

    text = f"{type(error).__name__}: {' '.join(str(error).split())}"
    lines = [n for frame, n in traceback.walk_tb(error.__traceback__)
             if Path(frame.f_code.co_filename) == path]  # fmt: skip
    return text + (f" (line {lines[-1]})" if lines else "")
