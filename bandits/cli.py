"""The command line: `bandits data | list | csv | run | figures | verdicts | claims`."""

import io
import signal
import sys
from collections.abc import Sequence

from bandits import __version__
from bandits.commands.options import COMMANDS, Parser, without_places
from bandits.engine.signals import Terminated, ended_by_signals
from bandits.engine.terminal import OF_A_STREAM, complain, drop_unwritten, open_closed_streams


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    The exit status is 0; 1 if a run failed; 2 for a usage error, or if it cannot go on; as
    shells have it, 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP, and 141 if nobody reads
    what is printed.
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
        from bandits.engine.files import why

        told = why(error)
        if isinstance(error, OSError) and error.filename is None and error.errno in OF_A_STREAM:
            told = f"the standard output cannot be written ({error.strerror})"
        complain(f"bandits: {told}")
        return 2
    except KeyboardInterrupt as end:
        what, number = (
            ("terminated", end.number)
            if isinstance(end, Terminated)
            else ("interrupted", signal.SIGINT)
        )
        at = " and ".join(getattr(end, "__notes__", ()))
        complain(f"bandits: {what}{at and f' in {at}'}; what is finished is kept")
        return 128 + number


def build_parser() -> Parser:
    """The commands; each reads in what its options and its work need when it is asked for."""
    parser = Parser(prog="bandits", description=__doc__)
    parser.add_argument("--version", action="version", version=f"bandits {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", prog="bandits")
    for name, (told, fill) in COMMANDS.items():
        commands.add_parser(name, help=told).fill = fill
    return parser


if __name__ == "__main__":
    sys.exit(main())
