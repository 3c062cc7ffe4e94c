"""`mobilesim COMMAND ...`: calls the module of a command, and turns errors into messages and exit codes."""

import argparse
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from textwrap import TextWrapper
from types import ModuleType
from typing import Any, Final, NoReturn

from mobilesim.cli.exit_codes import ExitCode
from mobilesim.errors import UserError, suggestion, without_secrets
from mobilesim.results.version import __version__, running_core

GROUPS: Final = {
    "experiments": (
        *("run", "sweep", "what-if", "pareto"),
        *("recommend", "explore", "check", "check-claims", "reproduce-figure"),
    ),
    "results": ("watch", "summarize", "why", "verify-results"),
    "every packet of a run": ("replay", "view", "export"),
    "scenarios and protocols": ("init", "validate", "schema", "map", "convert-track", "protocols", "clocks"),
    "shells": ("completion",),
}
"""The commands in the order of `mobilesim --help`."""

_FOLDERS: Final = {"experiments": "experiments", "results": "experiments", "every packet of a run": "tapes"}
"""The folders of groups of commands; other groups are in `scenarios`."""

COMMANDS: Final = {
    name: f"mobilesim.cli.{_FOLDERS.get(group, 'scenarios')}.{name.replace('-', '_')}"
    for group, names in GROUPS.items()
    for name in names
}
"""The module of each command. It has HELP, `add_arguments(parser)`, `run(args)`, and may have DESCRIPTION, EPILOG."""

# In a usage line, options have small letters, and values have capitals.
_OPTION: Final = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
_NAME_WIDTH: Final = 20

WITH_PLUGINS: Final = (
    *("run", "sweep", "what-if", "pareto", "recommend", "explore", "check", "check-claims", "replay", "view", "export"),
    *("validate", "map", "convert-track", "protocols", "clocks"),
)
"""The commands that use protocols or models, and so take plug-in files."""

_EXAMPLES: Final = """\
examples:
  mobilesim run quickstart       simulate a bundled scenario, check every delivery, write a report
  mobilesim init new.yaml        write a scenario file with the usual settings, explained
  mobilesim explore av1 --stations 2 --hosts 2 --messages 2 --moves 2
                                 check every interleaving of a small network

`mobilesim COMMAND --help` explains a command.
Exit codes: 0 success, 1 a protocol broke a claim or a check found a fault, 2 bad input, 3 no verdict within a limit,
130 interrupted, 141 output pipe closed.
Ctrl-C stops a command in a consistent state, and a second Ctrl-C stops it at once. SIGTERM stops it at once, without a
message; finished results are kept.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code. For usage errors, --help and --version, argparse raises SystemExit."""
    # Without this setting, NumPy starts OpenBLAS threads, which take 40 ms in each process and are not used.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code = _run_command(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
    except UserError as error:
        return _fail(ExitCode.BAD_INPUT, *error.messages)
    except KeyboardInterrupt:
        return _fail(ExitCode.INTERRUPTED, "interrupted")
    except BrokenPipeError:
        with suppress(OSError, ValueError):  # otherwise, flushing stdout at exit fails
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.BROKEN_PIPE
    except OSError as error:
        return _fail(ExitCode.BAD_INPUT, _system_error(error))
    return code


def _run_command(words: list[str]) -> int:
    parser = build_parser()
    if not words:
        parser.print_help(sys.stderr)
        return ExitCode.BAD_INPUT
    # Options before the command have no values, so the command is the first word that is not an option.
    command = next((word for word in words if not word.startswith("-")), None)
    if command is not None and command not in COMMANDS:
        parser.error(f"there is no command '{command}'{suggestion(command, COMMANDS)}")
    args, unknown = parser.parse_known_args(words)
    if unknown:
        parser.error(_unknown_words(unknown, args.options))
    if getattr(args, "plugin", None):
        from mobilesim.extensions.plugin_files import load_plugins

        load_plugins(args.plugin)
    run: Callable[[argparse.Namespace], int] = args.run
    return run(args)


class _IntermixedParser(argparse.ArgumentParser):
    """The parser of a command, which accepts options between positional arguments."""

    _mixing = False

    def error(self, message: str) -> NoReturn:
        super().error(without_secrets(message))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - as argparse has it
        if self._mixing:  # argparse calls this method in each of its two passes
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False


def build_parser() -> argparse.ArgumentParser:
    commands = {name: import_module(module) for name, module in COMMANDS.items()}
    parser = argparse.ArgumentParser(
        "mobilesim",
        usage="mobilesim [-h] [--version] COMMAND ...",
        description="Simulates mobile networks, and measures the costs of causally ordered, exactly-once delivery.",
        epilog="\n".join([*_listed(commands), _EXAMPLES]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"mobilesim {__version__} ({running_core()})")
    # In argparse's own list, long names would be on separate lines.
    chosen = parser.add_subparsers(
        prog="mobilesim", metavar="COMMAND", required=True, help=argparse.SUPPRESS, parser_class=_IntermixedParser
    )
    for name, command in commands.items():
        own = chosen.add_parser(name, help=command.HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
        own.description = getattr(command, "DESCRIPTION", f"{command.HELP[0].upper()}{command.HELP[1:]}.")
        own.epilog = getattr(command, "EPILOG", None)
        command.add_arguments(own)
        if name in WITH_PLUGINS:
            about = "a Python file with protocols or models, named like NAME:Class; may be given again"
            own.add_argument("--plugin", action="append", type=Path, metavar="FILE", help=about)
        own.set_defaults(run=command.run, options=_OPTION.findall(own.format_usage()))
    return parser


def _listed(commands: dict[str, ModuleType]) -> Iterator[str]:
    """Yield the lines of the list of commands, wrapped at the width of the terminal."""
    for title, names in GROUPS.items():
        yield f"{title}:"
        for name in names:
            width = max(shutil.get_terminal_size().columns - 2, 2 * _NAME_WIDTH)
            wrapper = TextWrapper(width, f"  {name:<{_NAME_WIDTH - 2}}", " " * _NAME_WIDTH)
            yield from wrapper.wrap(commands[name].HELP)
        yield ""


def _unknown_words(words: Sequence[str], options: Sequence[str]) -> str:
    """Return the message about unrecognized words. If an option is among them, the message names only this option."""
    word = next((word for word in words if word.startswith("-")), None)
    if word is None:
        return f"unrecognized arguments: {' '.join(words)}"
    name = word.partition("=")[0]
    return f"there is no option '{name}'{suggestion(name, options)}"


def _fail(code: ExitCode, *messages: str) -> ExitCode:
    with suppress(BrokenPipeError):
        print(*(f"mobilesim: {message}" for message in messages), sep="\n", file=sys.stderr)
    return code


def _system_error(error: OSError) -> str:
    """Return the message of a system error, such as a full disk, without the text that a library added."""
    if error.filename is None or error.strerror is None:
        return " ".join(str(error.strerror or error).split())
    return f"{error.filename}: {error.strerror}"
