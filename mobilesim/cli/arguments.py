"""Arguments that several commands have."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.scenario.loader import Change
    from mobilesim.scenario.values.units import Measure


def add_overrides(parser: argparse.ArgumentParser, about: str = "override a key of the scenario") -> None:
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=about)


def local_path(text: str) -> Path:
    """Return the path of a file or directory that is written on this machine."""
    if "://" in text:
        raise UserError(f"{text}: an address; name a local path, because this command writes to this machine only")
    return Path(text)


def at_least(least: int, option: str, number: int) -> int:
    if number < least:
        raise UserError(f"--{option} {number}: expected {least} or more")
    return number


def refuse_idle(args: argparse.Namespace, options: Sequence[str], reason: str) -> None:
    """Raise a UserError if one of `options` is given, because it would have no effect."""
    for option in options:
        given = getattr(args, option)
        if given is not None and given is not False and given != []:
            raise UserError(f"--{option.replace('_', '-')}: {reason}")


def read_quantity(option: str, text: str, measure: "Measure") -> int | float:
    try:
        return measure.read(text)
    except ValueError as error:
        raise UserError(f"--{option}: {error}") from None


def check_output(path: Path, *, replace: bool, name: str = "name a file to write") -> None:
    """Raise a UserError for a directory, or for an existing file that may not be replaced."""
    if path.is_dir():
        raise UserError(f"{path}: this is a directory; {name}")
    if path.exists() and not replace:
        raise UserError(f"{path}: this file exists; --force replaces it")


def names(texts: Sequence[str]) -> list[str]:
    """Return the names of a list option. Names never contain a comma, so a comma separates them as a space does."""
    return " ".join(texts).replace(",", " ").split()


def overrides(given: Sequence[str], option: str = "--set") -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given:
        key, equals, content = text.partition("=")
        key = key.strip()
        if not equals or not key:
            raise UserError(f"{option} {text}: write KEY=VALUE, like {option} hosts=100")
        if key in pairs:
            raise UserError(repeated_key(f"{option} {key}"))
        pairs[key] = content
    return pairs


def print_unreadable_packages() -> None:
    """Print a line to stderr for each installed package with names that cannot be listed, with the reason."""
    from mobilesim.extensions.resolution import unreadable

    for line in unreadable():
        print(f"mobilesim: {line}", file=sys.stderr)


def repeated_key(where: str) -> str:
    return f"{where}: this key occurs twice; leave one of the two out"


def settings(args: argparse.Namespace, given: Sequence[str], option: str = "--set") -> "dict[str, Change]":
    """Return the changes of `option`, and of the options that set a single key, like `--seed`."""
    from mobilesim.api.protocol_choices import protocols
    from mobilesim.scenario.loader import Change

    found = {key: Change(text, f"{option} {key}") for key, text in overrides(given, option).items()}
    own = {
        "seed": ("--seed", vars(args).get("seed")),
        "replications": ("--replications", args.replications),
        "protocols": ("--protocol", None if args.protocol is None else protocols(names(args.protocol))),
    }
    for key, (name, text) in own.items():
        if text is not None and key in found:
            raise UserError(f"{name}: {found[key].where} is written, too; leave one of the two out")
        if text is not None:
            found[key] = Change(text, name)
    return found
