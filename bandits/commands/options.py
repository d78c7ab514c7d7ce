"""What each command takes: its options, of which each setting of an experiment is one."""

import argparse
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import Field


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage text before it.

    Attributes:
        fill: adds the options of a command, when that command is asked for: `bandits --help`
            must not wait for what only the others need.
    """

    fill: "Callable[[Parser], None] | None" = None

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def parse_known_args(self, *arguments: Any, **names: Any) -> Any:
        """As `argparse` does, once the options are there."""
        fill, self.fill = self.fill, None
        if fill is not None:
            fill(self)
        return super().parse_known_args(*arguments, **names)

    def error(self, message: str) -> NoReturn:
        """Print the sentence and exit with status 2."""
        self.exit(2, f"bandits: {message}\n")


def _data(parser: Parser) -> None:
    from bandits.commands.show import show_data

    _mnist_option(parser)
    parser.set_defaults(do=show_data)


def _list(parser: Parser) -> None:
    from bandits.commands.show import list_experiments

    told = "only these; FILE.py:NAME is one of your own (default: all of the package's)"
    parser.add_argument("names", nargs="*", metavar="EXPERIMENT", help=told)
    parser.add_argument("--json", action="store_true", help="with every setting, as JSON")
    parser.set_defaults(do=list_experiments)


def _csv(parser: Parser) -> None:
    from bandits.commands.show import write_csv

    parser.add_argument("file", type=_folder, metavar="FILE.npz", help="of a figure or a run")
    parser.set_defaults(do=write_csv)


def _run(parser: Parser) -> None:
    from bandits.commands.work import do_runs

    parser.add_argument(
        "names", nargs="+", metavar="EXPERIMENT", help="see `bandits list`, or FILE.py:NAME"
    )
    parser.add_argument("--run", type=_whole, metavar="N", help="only this run's number, from 0")
    _run_options(parser)
    parser.set_defaults(do=do_runs)


def _figures(parser: Parser) -> None:
    from bandits.commands.work import make_figures

    parser.add_argument(
        "names",
        nargs="*",
        metavar="FIGURE",
        help="the paper's three if none is named; FILE.py:NAME is an experiment of your own",
    )
    parser.add_argument(
        "--from-data", action="store_true", help="only draw, from the data beside the figures"
    )
    parser.add_argument(
        "--allow-mixed-versions",
        action="store_true",
        help="draw runs made by different versions of the package, torch or numpy together",
    )
    _run_options(parser)
    parser.set_defaults(do=make_figures)


def _verdicts(parser: Parser) -> None:
    from bandits.commands.show import show_verdicts

    parser.add_argument(
        "folder",
        nargs="?",
        type=_folder,
        default=Path("figures"),
        help="of the data (default: figures)",
    )
    parser.set_defaults(do=show_verdicts)


def _claims(parser: Parser) -> None:
    from bandits.commands.show import check_claims

    parser.add_argument("--markdown", action="store_true", help="print it as a Markdown page")
    parser.set_defaults(do=check_claims)


COMMANDS: dict[str, tuple[str, Callable[[Parser], None]]] = {
    "data": ("say which MNIST is found, where, verified how", _data),
    "list": ("list the experiments and their methods", _list),
    "csv": ("print a stored run, or a figure's numbers, as CSV", _csv),
    "run": ("do the missing runs of experiments", _run),
    "figures": ("do the missing runs, then draw the figures", _figures),
    "verdicts": ("hold the claims against the figures' data, as Markdown", _verdicts),
    "claims": ("check every claim of the paper, print the ledger", _claims),
}
"""Each command's help, and what gives it its options and its work."""


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


def _mnist_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--mnist",
        type=_filled,
        metavar="FOLDER",
        help="MNIST in torchvision's layout, or the word sample",
    )


def _run_options(parser: argparse.ArgumentParser) -> None:
    from bandits.architecture import TRAINING
    from bandits.experiments import SCALES, SETTINGS

    _mnist_option(parser)
    add = parser.add_argument
    add("--scale", default="quick", help=f"{', '.join(SCALES)} (default: quick)")
    add("--methods", metavar="A,B", help="only these methods")
    add("--steps", type=_whole, help="T, instead of the scale's")
    add("--runs", type=_whole, help="independent runs, instead of the scale's")
    for name, field in (SETTINGS | TRAINING).items():
        _setting_option(parser, name, field)
    add("--p", type=_number, help="exponent of ε_t = 1/t^p of the ε-greedy methods")
    add("--workers", type=_whole, help="processes (default: cores)")
    add(
        "--cluster",
        type=_filled,
        metavar="ADDRESS",
        help="send the runs to the Dask scheduler there",
    )
    add("--device", default="cpu", help="cpu or cuda")
    add("--out", type=_folder, metavar="FOLDER", help="where figures and runs/ are written")
    add("--quiet", action="store_true", help="no progress bar (there is one on a terminal only)")


def _setting_option(parser: argparse.ArgumentParser, name: str, field: "Field[Any]") -> None:
    option, told = f"--{name.replace('_', '-')}", field.metadata
    if isinstance(field.default, bool):
        parser.add_argument(
            option, action="store_const", const=not field.default, help=told["description"]
        )
        return
    kind = _number if isinstance(field.default, float) else _whole
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
