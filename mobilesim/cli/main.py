"""`mobilesim COMMAND ...`: one module per command, and one way out for every kind of failure."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Final, Protocol, cast

from mobilesim.errors import UserError, suggestion
from mobilesim.results.version import __version__

COMMANDS: Final = {
    "run": "experiments.run",
    "validate": "scenarios.validate",
    "init": "scenarios.init",
    "schema": "scenarios.schema",
    "protocols": "scenarios.protocols",
    "check-claims": "experiments.check_claims",
    "explore": "experiments.explore",
    "summarize": "experiments.summarize",
    "verify-results": "experiments.verify_results",
    "reproduce-figure": "experiments.reproduce_figure",
    "sweep": "experiments.sweep",
    "what-if": "experiments.what_if",
    "pareto": "experiments.pareto",
    "recommend": "experiments.recommend",
    "clock-sizes": "scenarios.clock_sizes",
    "map": "scenarios.map",
    "convert-track": "scenarios.convert_track",
}
"""Each with its module below mobilesim.cli, in the order of `mobilesim --help`."""

BAD_INPUT: Final = 2
INTERRUPTED: Final = 130  # as shells report SIGINT
NOBODY_READS: Final = 141  # as shells report SIGPIPE

# In a usage line, where values are in capitals.
_OPTION: Final = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")

_PURPOSE: Final = "Emulates mobile networks, and shows what causally ordered, exactly-once messages cost there."

_EXAMPLES: Final = """\
examples:
  mobilesim init mine.yaml       write a scenario in which every setting is explained
  mobilesim run mine.yaml        emulate it under each of its protocols, check every delivery, write a report
  mobilesim explore av1 --stations 2 --hosts 2 --messages 2 --moves 2
                                 try every interleaving of a small network

`mobilesim COMMAND --help` explains a command. Exit codes: 0 all is well, 1 a protocol broke a promise, 2 bad input,
3 no verdict within a limit, 130 interrupted.
"""


class Command(Protocol):
    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code. Only usage errors, --help and --version leave by SystemExit, as argparse does."""
    try:
        code = _obey(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
    except UserError as error:
        return _complain(BAD_INPUT, *error.messages)
    except KeyboardInterrupt:
        return _complain(INTERRUPTED, "interrupted")
    except BrokenPipeError:
        _forget_stdout()
        return NOBODY_READS
    except OSError as error:
        return _complain(BAD_INPUT, _surroundings(error))
    return code


def _obey(words: list[str]) -> int:
    parser = _parser()
    if not words:
        parser.print_help(sys.stderr)
        return BAD_INPUT
    _know_command(parser, words)
    args, strange = parser.parse_known_args(words)
    if strange:
        parser.error(_stranger(strange, args.options))
    run: Callable[[argparse.Namespace], int] = args.run
    return run(args)


class _Mixed(argparse.ArgumentParser):
    """Of a command: options may stand between its words, as its usage shows them."""

    _mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - as argparse has it
        if self._mixing:  # argparse parses twice then, and calls this for each
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False


def _parser() -> argparse.ArgumentParser:
    commands = [cast("Command", import_module(f"mobilesim.cli.{module}")) for module in COMMANDS.values()]
    listed = "".join(f"  {command.NAME:<18}{command.HELP}\n" for command in commands)
    parser = argparse.ArgumentParser(
        "mobilesim",
        usage="mobilesim [-h] [--version] COMMAND ...",
        description=_PURPOSE,
        epilog=f"commands:\n{listed}\n{_EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"mobilesim {__version__}")
    # argparse's own list would put long names on lines of their own.
    chosen = parser.add_subparsers(
        prog="mobilesim", metavar="COMMAND", required=True, help=argparse.SUPPRESS, parser_class=_Mixed
    )
    for command in commands:
        _add(chosen.add_parser(command.NAME, formatter_class=argparse.RawDescriptionHelpFormatter), command)
    return parser


def _add(parser: argparse.ArgumentParser, command: Command) -> None:
    parser.description = f"{command.HELP[0].upper()}{command.HELP[1:]}."
    command.add_arguments(parser)
    parser.set_defaults(run=command.run, options=_OPTION.findall(parser.format_usage()))


def _know_command(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """No option before the command takes a value, so the first word that is none must be a command."""
    word = next((word for word in words if not word.startswith("-")), None)
    if word is None or word in COMMANDS:
        return
    parser.error(f"there is no command '{word}'{suggestion(word, COMMANDS)}")


def _stranger(words: Sequence[str], options: Sequence[str]) -> str:
    """What to say of words that a command does not understand; an option tells more than what stands behind it."""
    word = next((word for word in words if word.startswith("-")), None)
    if word is None:
        return f"unrecognized arguments: {' '.join(words)}"
    name = word.partition("=")[0]
    return f"there is no option '{name}'{suggestion(name, options)}"


def _complain(code: int, *messages: str) -> int:
    with suppress(BrokenPipeError):
        print(*(f"mobilesim: {message}" for message in messages), sep="\n", file=sys.stderr)
    return code


def _surroundings(error: OSError) -> str:
    """Full disks, missing rights and the like; libraries put the errno into their own words."""
    if error.filename is None or error.strerror is None:
        return " ".join(str(error.strerror or error).split())
    return f"{error.filename}: {error.strerror}"


def _forget_stdout() -> None:
    """Nothing more can be written; without this the interpreter would try when it ends, and complain."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
