"""Variants of a scenario: named sets of changes. The unchanged scenario is the base."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final

from pydantic import PlainValidator

from mobilesim.errors import shown
from mobilesim.results.layout import BASE
from mobilesim.scenario.loader import VARIANTS, Change
from mobilesim.scenario.referenced_files import as_setting
from mobilesim.scenario.values.validation_error import Fault, refusal
from mobilesim.scenario.yaml_document import Document

PROTOCOL: Final = "protocol"
PROTOCOLS: Final = "protocols"

LONGEST: Final = 100
_WRITE: Final = "write names, and the changes below each name, like {slow: {wireless.bandwidth: 256 kbit/s}}"


Changes = Mapping[str, Change]
"""The overrides of a variant, by key of the scenario."""

Given = Mapping[str, Changes]
"""The changes of the command line, by the name of the variant."""

NOTHING: Final[Given] = MappingProxyType({})


def read(
    variants: Mapping[str, Any], document: Document, source: str, folder: Path, given: Given
) -> dict[str, Changes]:
    """Return by name the changes of all variants and of the base, which has none; {} if there are no variants."""
    found: dict[str, dict[str, Change]] = {}
    for name, changes in variants.items():
        for key, value in changes.items():
            at = (VARIANTS, name, key)
            setting = as_setting(key, [value] if key == PROTOCOL else value, folder)
            change = Change(setting, document.where(source, at))
            found.setdefault(name, {})[PROTOCOLS if key == PROTOCOL else key] = change
    for name, more in given.items():
        found.setdefault(name, {}).update(more)
    return {BASE: {}, **found} if found else {}


def _faults(raw: object) -> Iterator[Fault]:
    if not isinstance(raw, dict) or not raw:
        yield Fault(f"there are no variants; {_WRITE}")
        return
    for name, changes in raw.items():
        if fault := fault_of_name(name):
            yield Fault(fault, (name,))
        if not isinstance(changes, dict) or not changes:
            yield Fault("it changes nothing; write keys of the scenario below it", (name,))
            continue
        for key in changes:
            if reason := unchangeable(key, changes):
                yield Fault(reason, (name, key))


def _checked(raw: object) -> object:
    if faults := tuple(_faults(raw)):
        raise refusal(*faults)
    return raw


Variants = Annotated[dict[str, Any], PlainValidator(_checked)]
"""The changes of each variant in a sweep file, by its name."""


def fault_of_name(name: str) -> str | None:
    if name == BASE:
        return f"'{BASE}' is the unchanged scenario; write another name for the variant"
    if not 1 <= len(name) <= LONGEST or not name.isprintable() or name != name.strip():
        return f"{shown(name)} is not a name of a variant; write 1 to {LONGEST} characters on one line"
    return None


def unchangeable(key: str, changes: Mapping[str, object]) -> str | None:
    """Return the reason why a variant cannot change `key`, or None. The seed must be the same in all variants."""
    if key == "seed":
        return "base and variants have the same random numbers; leave the seed out, or change it in the scenario"
    if key == PROTOCOLS and PROTOCOL in changes:
        return f"'{PROTOCOL}' is written, too; leave one of the two out"
    return None
