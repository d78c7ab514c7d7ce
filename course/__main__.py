"""Make the student release of the assignments, and grade what comes back.

    python -m course release
    python -m course grade --submissions FOLDER
    python -m course export --out FOLDER

The source notebooks (solved, with hidden tests) are in course/source/; course/README.md is the
teacher's guide. Everything works without a network and starts no server.
"""

from __future__ import annotations

import argparse
import io
import logging
import signal
import sys
from dataclasses import fields
from datetime import datetime
from pathlib import Path

from course import container
from course.assignments import ROOT, AssignmentError
from course.book import open_book
from course.child import Limits
from course.export import Export
from course.grading import Wanted, grade
from course.policy import Policy, read_policy, read_times
from course.release import release

UNITS = {
    "cell": "seconds that one cell may run",
    "notebook": "seconds that one notebook may run",
    "grace": "seconds that an interrupted cell has to stop",
    "memory": "MiB of memory of one notebook",
    "file": "MiB of one file that it writes",
    "processes": "processes that it may start",
}


def parser() -> argparse.ArgumentParser:
    """The options of all commands."""
    whole = argparse.ArgumentParser(
        prog="course", description=(__doc__ or "").split("\n")[0], allow_abbrev=False
    )
    commands = whole.add_subparsers(dest="command", required=True)
    one = commands.add_parser("release", help="build the student release as a zip")
    one.add_argument("--out", type=Path, default=ROOT / "results" / "assignments")
    one = commands.add_parser(
        "grade",
        help="grade a folder of submissions",
        usage="course grade --submissions FOLDER [options]; --help lists them",
    )
    one.add_argument("--submissions", type=Path, required=True, help="see course/README.md")
    one.add_argument("--assignment", action="append", default=[], help="only this one (repeatable)")
    one.add_argument("--student", action="append", default=[], help="only this one (repeatable)")
    one.add_argument("-j", "--jobs", type=int, default=1, help="notebooks at a time")
    one.add_argument("--resume", action="store_true", help="leave out what is graded already")
    one.add_argument("--seed", type=int, help="of the hidden tests (default: the course's own)")
    one.add_argument(
        "--isolate",
        choices=("auto", "user", "process", "container"),
        default="auto",
        help="what stands between students, see course/README.md (default: auto)",
    )
    one.add_argument("--image", help="the image; only with --isolate container, which needs it")
    for limit in fields(Limits):
        one.add_argument(f"--{limit.name}", type=int, default=limit.default, help=UNITS[limit.name])
    two = commands.add_parser("export", help="write marks and feedback again, with persons' marks")
    for command in (one, two):
        command.add_argument(
            "--out",
            type=Path,
            default=ROOT / "results" / "grades",
            help="the folder of results (default: results/grades in the repository)",
        )
        command.add_argument("--policy", type=Path, help="due dates and penalties, a TOML file")
        command.add_argument("--times", type=Path, help="when each was handed in, a CSV file")
        command.add_argument("--no-feedback", action="store_true", help="write no pages")
        command.add_argument(
            "--pseudonyms", action=argparse.BooleanOptionalAction, help="instead of names"
        )
    return whole


def refuse(options: argparse.Namespace) -> None:
    """Raise AssignmentError for options that contradict each other, before anything is done."""
    out = options.out.resolve()
    if out.exists() and not out.is_dir():
        raise AssignmentError(f"--out {options.out} is no folder")
    if options.command != "grade":
        return
    if out.is_relative_to(options.submissions.resolve()):
        raise AssignmentError(f"--out {out} lies among the submissions; take a folder elsewhere")
    if options.image and options.isolate != "container":
        raise AssignmentError(f"--image is for --isolate container, not {options.isolate}")
    if options.seed is not None and options.seed < 0:
        raise AssignmentError(f"--seed must be >= 0, not {options.seed}")


def work(options: argparse.Namespace) -> None:
    """Run the command. Raises AssignmentError for whatever the teacher has to put right."""
    if options.command == "release":
        print(f"student release: {release(options.out)}")
        return
    policy = read_policy(options.policy) if options.policy else Policy()
    times = read_times(options.times) if options.times else {}
    out = options.out.resolve()
    if options.command == "grade":
        try:
            limits = Limits(**{f.name: getattr(options, f.name) for f in fields(Limits)})
        except ValueError as error:
            raise AssignmentError(str(error)) from None
        now = datetime.now().astimezone()
        wanted = Wanted(
            assignments=tuple(options.assignment),
            students=tuple(options.student),
            jobs=options.jobs,
            resume=options.resume,
            limits=limits,
            seed=options.seed,
            not_due=policy.not_due(now),
            isolate=options.isolate,
        )
        book = grade(options.submissions, out, wanted)
    else:
        book = open_book(out)
    if options.pseudonyms is not None:
        book.pseudonyms = options.pseudonyms
    Export(book, policy, times).write(feedback=not options.no_feedback)
    if unknown := sorted({student for student, _ in times} - set(book.students)):
        print(f"{options.times} names who handed in nothing: {', '.join(unknown)}")
    print(f"marks: {out / 'totals.csv'}; beside it written.csv, problems.txt and look_at.csv")
    zips = [] if options.no_feedback else sorted(path.name for path in out.glob("feedback_*.zip"))
    print(f"for the learning system: {', '.join(['upload.csv', *zips])}")


def main(arguments: list[str] | None = None) -> int:
    """Run one of the commands; return the exit status."""
    options = parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name must not stop the grading by being shown
        sys.stdout.reconfigure(errors="backslashreplace")
    logging.getLogger("traitlets").setLevel(logging.CRITICAL)  # nbformat's, about odd notebooks
    try:
        refuse(options)
        if options.command == "grade" and options.isolate == "container":
            return container.run(options.image, arguments or sys.argv[1:], options)
        work(options)
    except (AssignmentError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; --resume goes on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # clean up, as after Ctrl-C
    sys.exit(main())
