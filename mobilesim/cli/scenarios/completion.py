"""`mobilesim completion`: a script with which a shell completes commands, options and names."""

# ruff: noqa: SLF001 - argparse has no public list of the arguments of a parser

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from mobilesim.cli.arguments import print_unreadable_packages
from mobilesim.cli.exit_codes import ExitCode

HELP: Final = "print the script with which a shell completes commands, options and names"

SHELLS: Final = ("bash", "zsh", "fish")

EPILOG: Final = """\
examples:
  mobilesim completion bash > ~/.local/share/bash-completion/completions/mobilesim
  mobilesim completion zsh > ~/.zfunc/_mobilesim      (with fpath+=~/.zfunc before compinit in ~/.zshrc)
  mobilesim completion fish > ~/.config/fish/completions/mobilesim.fish

A new terminal uses the script. Write it again after an update of mobilesim, or of a package with protocols.
"""

_PROTOCOLS: Final = frozenset({("explore", "protocol"), ("check-claims", "names"), ("protocols", "name")})
_SCENARIOS: Final = frozenset({"scenario", "sweep", "files", "what"})
_DIRECTORIES: Final = frozenset({"results"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(args: argparse.Namespace) -> int:
    print(script(args.shell))
    print_unreadable_packages()
    return ExitCode.OK


def script(shell: str) -> str:
    import shtab

    from mobilesim.cli.main import build_parser

    parser = build_parser()
    (commands,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    commands.help = "a command"  # shtab leaves out what --help does not list
    for listed in commands._choices_actions:
        command = commands.choices[listed.dest]
        command.description = listed.help  # shells show it beside the command
        for action in command._actions:
            _set_completion(listed.dest, action)
    return str(shtab.complete(parser, shell))


def _set_completion(command: str, action: Any) -> None:  # noqa: ANN401 - shtab reads an attribute that argparse lacks
    import shtab

    if action.dest == "protocol" or (command, action.dest) in _PROTOCOLS:
        action.choices = _protocols()
    elif (command, action.dest) == ("check", "name"):
        action.choices = _parts()
    elif not action.option_strings and action.dest in _SCENARIOS:
        action.complete = _names_and_files(command, _bundled(command))
    elif not action.option_strings and action.dest in _DIRECTORIES:
        action.complete = shtab.DIRECTORY
    elif action.type is Path or (not action.option_strings and not action.choices):
        action.complete = shtab.FILE


def _protocols() -> tuple[str, ...]:
    """Return the names of protocols, and one pair with each part of an installed package."""
    from mobilesim.extensions.outside_protocols import outside_part
    from mobilesim.extensions.resolution import Kind, installed
    from mobilesim.protocols.catalogue import ROWS

    outside = (outside_part(name) for kind in (Kind.ORDERING, Kind.PLACEMENT) for name in installed(kind))
    return (*ROWS, *filter(None, outside))


def _parts() -> tuple[str, ...]:
    """Return the names of orderings and of placements, also those of installed packages."""
    from mobilesim.extensions.resolution import Kind, installed
    from mobilesim.protocols.catalogue import ORDERINGS, PLACEMENTS

    return (*ORDERINGS, *installed(Kind.ORDERING), *PLACEMENTS, *installed(Kind.PLACEMENT))


def _bundled(command: str) -> Sequence[str]:
    from mobilesim.scenario.bundled import names, studies, sweeps

    kinds = {"sweep": (sweeps,), "what-if": (studies, names), "validate": (names, sweeps, studies)}
    return [name for kind in kinds.get(command, (names,)) for name in kind()]


def _names_and_files(command: str, names: Sequence[str]) -> dict[str, Any]:
    """Return shtab's description of a completion by names or by files, which is a function in each shell."""
    function, words = f"_mobilesim_{command.replace('-', '_')}", " ".join(names)
    return {
        "bash": function,
        "zsh": function,
        "fish": f"({function})",
        "preamble": {
            "bash": f'{function}() {{\n  compgen -W \'{words}\' -- "$1"\n  compgen -f -- "$1"\n}}',
            "zsh": f"{function}() {{\n  _alternative 'names:bundled:({words})' 'files:file:_files'\n}}",
            "fish": f"function {function}\n  printf '%s\\n' {words}\n  __fish_complete_path (commandline -ct)\nend",
        },
    }
