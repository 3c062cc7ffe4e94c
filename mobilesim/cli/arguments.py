"""Arguments shared by several commands."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario
    from mobilesim.scenario.sweeps.variants import Change

_OWN: Final = {"seed": "--seed", "replications": "--replications", "protocols": "--protocol"}
"""Options that set a key of the scenario."""


def overrides(given: Sequence[str], option: str = "--set") -> dict[str, str]:
    """The values by key of all `--set KEY=VALUE`."""
    pairs: dict[str, str] = {}
    for text in given:
        key, equals, content = text.partition("=")
        key = key.strip()
        if not equals or not key:
            raise UserError(f"{option} {text}: write KEY=VALUE, like {option} hosts=100")
        if key in pairs:
            raise UserError(twice(f"{option} {key}"))
        pairs[key] = content
    return pairs


def twice(where: str) -> str:
    return f"{where}: this key is here twice; leave one of them out"


def settings(args: argparse.Namespace, given: Sequence[str], option: str = "--set") -> "dict[str, Change]":
    """The changes by `option`, and by the options that set one key each."""
    from mobilesim.scenario.sweeps.variants import Change

    found = {key: Change(text, f"{option} {key}") for key, text in overrides(given, option).items()}
    for key, text in _option_values(args).items():
        if key in found:
            raise UserError(f"{_OWN[key]}: {found[key].where} is there, too; leave one of them out")
        found[key] = Change(text, _OWN[key])
    return found


def _option_values(args: argparse.Namespace) -> dict[str, str]:
    from mobilesim.cli.protocol_arguments import protocols

    own = {"seed": vars(args).get("seed"), "replications": args.replications, "protocols": protocols(args.protocol)}
    return {key: text for key, text in own.items() if text is not None}


def loaded(path: Path, changes: "Mapping[str, Change]") -> "Scenario":
    """The scenario with changes; faults of a change have the location of the change."""
    from mobilesim.scenario.loader import load
    from mobilesim.scenario.sweeps.variants import placed

    try:
        return load(path, {key: change.setting for key, change in changes.items()})
    except UserError as error:
        raise UserError(*(placed(message, changes) for message in error.messages)) from None
