"""The command line: `bandits data | list | run | figures | verdicts | claims`."""

import argparse
import io
import shlex
import sys
from collections.abc import Sequence
from dataclasses import Field
from pathlib import Path
from typing import Any, NoReturn

from bandits import __version__
from bandits.commands.show import check_claims, list_experiments, show_data, show_verdicts
from bandits.commands.work import PAPER_FOLDER, do_runs, make_figures
from bandits.engine.files import why
from bandits.engine.signals import Terminated, ended_by_signals
from bandits.engine.terminal import OF_A_STREAM, complain, drop_unwritten, open_closed_streams
from bandits.experiments import SCALES, SETTINGS


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage text before it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Print the sentence and exit with status 2."""
        self.exit(2, f"bandits: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    The exit status is 0, 1 if a run failed, 2 if it was asked wrongly or cannot go on; as shells
    have it, 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP, and 141 if nobody reads what
    is printed.
    """
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # not every terminal has an ε
    try:
        with ended_by_signals():
            return _do(list(sys.argv[1:] if arguments is None else arguments))
    finally:
        drop_unwritten(sys.stdout)
        drop_unwritten(sys.stderr)


OF_A_MACHINE = {"--mnist": 1, "--out": 1, "--workers": 1, "--cluster": 1, "--quiet": 0}
"""Options that decide nothing about a result, and how many words follow each."""


def without_places(words: Sequence[str]) -> str:
    """The command as a figure's provenance tells it: without places and workers of one machine."""
    left, kept = list(words), ["bandits"]
    while left:
        word = left.pop(0)
        name, equals, _ = word.partition("=")
        if name in OF_A_MACHINE:
            del left[: 0 if equals else OF_A_MACHINE[name]]
        else:
            kept.append(word)
    return shlex.join(kept)


def _do(words: list[str]) -> int:
    options = build_parser().parse_args(words)
    options.command_line = without_places(words)
    try:
        status: int = options.do(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        return 141  # the reader, such as `head`, has seen enough: what a shell makes of SIGPIPE
    except (ValueError, OSError, MemoryError) as error:
        told = why(error)
        if isinstance(error, OSError) and error.filename is None and error.errno in OF_A_STREAM:
            told = f"the standard output cannot be written ({error.strerror})"
        complain(f"bandits: {told}")
        return 2
    except Terminated as end:
        complain("bandits: terminated; what is finished is kept")
        return 128 + end.number
    except KeyboardInterrupt:
        complain("bandits: interrupted; what is finished is kept")
        return 130


def build_parser() -> Parser:
    """The commands and their options."""
    parser = Parser(prog="bandits", description=__doc__)
    parser.add_argument("--version", action="version", version=f"bandits {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    data = commands.add_parser("data", help="say which MNIST is found, where, verified how")
    _mnist_option(data)
    data.set_defaults(do=show_data)

    listing = commands.add_parser("list", help="list the experiments and their methods")
    listing.set_defaults(do=list_experiments)

    run = commands.add_parser("run", help="do the missing runs of experiments")
    run.add_argument("names", nargs="+", metavar="EXPERIMENT", help="see `bandits list`")
    _run_options(run)
    run.set_defaults(do=do_runs)

    figures = commands.add_parser("figures", help="do the missing runs, then draw the figures")
    figures.add_argument(
        "names", nargs="*", metavar="FIGURE", help="the paper's three if none is named"
    )
    figures.add_argument(
        "--from-data", action="store_true", help="only draw, from the data beside the figures"
    )
    figures.add_argument(
        "--allow-mixed-versions",
        action="store_true",
        help="draw runs made by different versions of the package, torch or numpy together",
    )
    _run_options(figures)
    figures.set_defaults(do=make_figures)

    verdicts = commands.add_parser(
        "verdicts", help="hold the claims against the figures' data, as Markdown"
    )
    verdicts.add_argument(
        "folder",
        nargs="?",
        type=_folder,
        default=PAPER_FOLDER,
        help="of the data (default: figures)",
    )
    verdicts.set_defaults(do=show_verdicts)

    claims = commands.add_parser("claims", help="check every claim of the paper, print the ledger")
    claims.add_argument("--markdown", action="store_true", help="print it as a Markdown page")
    claims.set_defaults(do=check_claims)
    return parser


def _mnist_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--mnist",
        type=_filled,
        metavar="FOLDER",
        help="MNIST in torchvision's layout, or the word sample",
    )


def _run_options(parser: argparse.ArgumentParser) -> None:
    _mnist_option(parser)
    add = parser.add_argument
    add("--scale", default="quick", help=f"{', '.join(SCALES)} (default: quick)")
    add("--methods", metavar="A,B", help="only these methods")
    add("--steps", type=_whole, help="T, instead of the scale's")
    add("--runs", type=_whole, help="independent runs, instead of the scale's")
    for name, field in SETTINGS.items():
        _setting_option(parser, name, field)
    add("--p", type=_number, help="exponent of ε_t = 1/t^p of the epsilon greedy methods")
    add("--workers", type=_whole, help="processes (default: cores)")
    add(
        "--cluster",
        type=_filled,
        metavar="ADDRESS",
        help="send the runs to the Dask scheduler there",
    )
    add("--device", default="cpu", help="cpu or cuda")
    add("--out", type=_folder, metavar="FOLDER", help="where figures and runs/ are written")
    add("--quiet", action="store_true", help="no progress bar (nor is there one but on a terminal)")


def _setting_option(parser: argparse.ArgumentParser, name: str, field: Field[Any]) -> None:
    option, told = f"--{name.replace('_', '-')}", field.metadata
    if isinstance(field.default, bool):
        parser.add_argument(
            option, action="store_const", const=not field.default, help=told["description"]
        )
        return
    kind = _whole if isinstance(field.default, int) else _number
    parser.add_argument(option, type=kind, metavar=told["metavar"], help=told["description"])


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"needs a whole number, not {text!r}") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"needs a number, not {text!r}") from None


def _filled(text: str) -> str:
    # "$OUT" of a variable that is not set; an empty path would be the current folder.
    if not text.strip():
        raise argparse.ArgumentTypeError(
            f"must not be empty, as {text!r} is, which a shell makes of a variable that is not set"
        )
    return text


def _folder(text: str) -> Path:
    return Path(_filled(text))


if __name__ == "__main__":
    sys.exit(main())
