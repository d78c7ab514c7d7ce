"""What went wrong with a job, and what was under way when a command was ended, in one line each."""

import traceback
from pathlib import Path

from bandits.engine.files import why
from bandits.engine.jobs import Job
from bandits.engine.progress import cost_grows_as
from bandits.engine.task import Task
from bandits.experiments.source import is_own_file

BY_VALUE = "<dynamic-code>"
"""What cloudpickle calls the file of code that it sends by value; it keeps the lines."""


def failure(job: Job, error: BaseException) -> str:
    """One line that names a failed job, why, where it is known, and what to do if it is common."""
    text = " ".join(why(error).split())
    line = f"{job}: {type(error).__name__}" + (f": {text}" if text else "")
    line += "".join(f", {note}" for note in getattr(error, "__notes__", ()))
    return line + _place(error)


def _place(error: BaseException) -> str:
    """The line of the user's own file, the innermost of them, that led to the error."""
    for frame, number in reversed(list(traceback.walk_tb(error.__traceback__))):
        file = frame.f_code.co_filename
        sent = file == BY_VALUE  # to a machine that has no such file
        if sent:
            file = frame.f_globals.get("__file__", "")
        if frame.f_globals.get("__name__", "").partition(".")[0] == "bandits":
            continue
        if file and is_own_file(file) and (sent or Path(file).is_file()):
            return f" ({Path(file).name}, line {number})"
    return ""


def under_way(job: Job, fraction: float) -> str:
    """Names a job that was interrupted, and how far it had come."""
    spec = job.spec
    if isinstance(spec, Task):
        return str(job)
    done = round(spec.steps * fraction ** (1 / cost_grows_as(spec)))
    return f"{job}, after {done} of {spec.steps} steps"
