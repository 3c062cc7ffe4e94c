"""The page on commands, made from their parsers. The layout of argparse differs between versions of Python."""

import argparse
from collections.abc import Iterator
from typing import Final

from mobilesim.cli.main import GROUPS, build_parser
from tests.house.reference.markdown import code, page, table

HEAD: Final = """\
# Commands

`mobilesim COMMAND --help` prints the same in a terminal. Exit codes: 0 success, 1 a protocol broke a claim or a check
found a fault, 2 bad input, 3 no verdict within a limit, 130 interrupted.
"""


def pages() -> dict[str, str]:
    subparsers = next(each for each in build_parser()._actions if isinstance(each, argparse._SubParsersAction))
    parts = []
    for title, names in GROUPS.items():
        parts.append(f"## Commands for {title}" if title != "results" else "## Commands for results")
        parts += [part for name in names for part in _command(name, subparsers.choices[name])]
    return {"docs/reference/commands.md": page(HEAD, *parts)}


def _command(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    own = [action for action in command._actions if not isinstance(action, argparse._HelpAction)]
    positional = [_positional(action) for action in own if not action.option_strings]
    options = " [OPTIONS]" if len(positional) < len(own) else ""
    yield f"### {name}"
    yield code(" ".join([f"mobilesim {name}{options}", *positional]))
    yield code(command.description or "")
    if own:
        yield table(("argument", "meaning"), ((f"`{_written(action)}`", _meaning(action)) for action in own))
    if command.epilog:
        yield code(command.epilog)


def _value(action: argparse.Action) -> str:
    shown = action.metavar or ("|".join(map(str, action.choices)) if action.choices else None)
    return str(shown or (action.dest.upper() if action.option_strings else action.dest))


def _positional(action: argparse.Action) -> str:
    name = action.metavar or action.dest
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}.get(str(action.nargs), str(name))


def _written(action: argparse.Action) -> str:
    if not action.option_strings:
        return _positional(action)
    name = ", ".join(action.option_strings)
    if action.nargs == 0:
        return name
    return f"{name} {_value(action)}{' ...' if action.nargs in {'+', '*'} else ''}"


def _meaning(action: argparse.Action) -> str:
    choices = "" if not action.choices or not action.metavar else f" ({', '.join(map(str, action.choices))})"
    return (action.help or "") % vars(action) + choices
