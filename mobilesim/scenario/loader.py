"""Reads scenarios from YAML. A message has one line for each fault: the location, the fault, and the remedy."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from math import inf
from operator import getitem
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import yaml
from pydantic import ValidationError

from mobilesim.errors import UserError, is_python_call, shown
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.pydantic_errors import faults_of
from mobilesim.scenario.values.fields import NAME_LENGTH
from mobilesim.scenario.values.validation_error import Fault
from mobilesim.scenario.yaml_document import Document, DocumentError, Place, dotted, parse

VARY: Final = "vary"
VARIANTS: Final = "variants"
EMPTY: Final = "it is empty; `mobilesim init` writes a scenario to start from"

_OTHER_FILES: Final = {
    VARY: "this is a sweep, not a scenario; `mobilesim sweep` runs it",
    VARIANTS: "these are variants of a scenario; `mobilesim what-if` runs them",
}
_LARGEST: Final = 250_000
_MOST_LINES: Final = 20


@dataclass(frozen=True, slots=True)
class Change:
    """An override of a setting. `where`: its location in messages. `parts`: the locations of its parts, by key path."""

    setting: str
    where: str
    parts: Mapping[str, str] = field(default_factory=dict)

    def location(self, key: str, at: Place) -> str:
        """Return the location of a part of the value of `key`. `at`: the key path of this part."""
        path = dotted(at)
        if path == key:
            return self.where
        if path not in self.parts and path.startswith(key) and self.where.endswith(key):
            return self.where.removesuffix(key) + path
        if key == "protocols" and self.where.endswith("protocol"):  # `--protocol` takes no list
            path = path.partition("]")[2].removeprefix(".").removesuffix("name")
        return ": ".join(filter(None, (self.parts.get(path, self.where), path)))

    def advice(self, key: str, value: str) -> str:
        """Return the advice to replace the whole section `key`, as a `--set`, a `--variant`, or a key of the file."""
        option, _, rest = self.where.partition(" ")
        name = f"{rest.rpartition(':')[0]}: " if option == "--variant" else ""
        written = f"{option} '{name}{key}={value}'" if option.startswith("--") else f"'{key}: {value}'"
        return f"; {written} replaces the whole section"


Overrides = Mapping[str, str | Change]
"""YAML texts by dotted key. A text that is not in a `Change` comes from `--set`."""

NO_OVERRIDES: Final[Overrides] = MappingProxyType({})


def change_of(key: str, override: str | Change) -> Change:
    return override if isinstance(override, Change) else Change(override, f"--set {key}")


def load(path: Path | str, overrides: Overrides = NO_OVERRIDES) -> Scenario:
    """Return the scenario of a file. Overrides take precedence over the file."""
    place = Path(path)
    return checked(_document(text_of(place), str(place)), str(place), place.parent, place.stem, overrides)


def loads(text: str, source: str = "<text>", overrides: Overrides = NO_OVERRIDES) -> Scenario:
    """Return the scenario of a text. File names in the text are relative to the working directory."""
    stem = "scenario" if source.startswith("<") else Path(source).stem
    return checked(_document(text, source), source, Path(), stem, overrides)


def text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: {_unreadable(error)}") from None
    if len(content) > _LARGEST:
        raise UserError(f"{path}: larger than {_LARGEST // 1000} kB, the limit of a scenario file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}:{line}: not UTF-8 text; save the file as UTF-8") from None


def _unreadable(error: OSError | ValueError) -> str:
    match error:
        case FileNotFoundError():
            return "there is no such file"
        case IsADirectoryError():
            return "this is a directory, not a scenario file"
        case PermissionError():
            return "there is no permission to read this file"
        case OSError():
            return f"cannot be read: {error.strerror}"
    return "this is not a valid file name"


def checked(document: Document, source: str, folder: Path, name: str, overrides: Overrides) -> Scenario:
    overridden = _OverriddenDocument(document, source)
    for key, value in overrides.items():
        overridden.override(key, change_of(key, value))
    overridden.document.data.setdefault("name", name.encode(errors="replace").decode()[:NAME_LENGTH])
    try:
        return Scenario.model_validate(overridden.document.data, context=folder)
    except ValidationError as error:
        raise overridden.refusal(faults_of(error, Scenario, overridden.document.data)) from None


def document_of(text: str, source: str) -> Document:
    """Parse a text. Its data may be other than a mapping."""
    try:
        return parse(text)
    except DocumentError as error:
        line = "" if error.line is None else f":{error.line}"
        raise UserError(": ".join(filter(None, (f"{source}{line}", dotted(error.at), str(error))))) from None


def _document(text: str, source: str) -> Document:
    found = document_of(text, source)
    if found.data is None:
        raise UserError(f"{source}: {EMPTY}")
    if not isinstance(found.data, dict):
        raise UserError(f"{source}:1: a scenario consists of keys like 'hosts: 20', not of {shown(found.data)}")
    for key, reason in _OTHER_FILES.items():
        if key in found.data:
            raise UserError(f"{source}:{found.line((key,))}: {reason}")
    return found


def refusal(document: Document, source: str, faults: Iterable[Fault]) -> UserError:
    return _OverriddenDocument(document, source).refusal(faults)


def all_faults(messages: Iterable[str], source: str) -> UserError:
    """Return the error with each message once: first those with a line of the file `source`, by line, then the others.

    The last message has the number of messages that are too many to be shown.
    """
    placed = re.compile(rf"{re.escape(source)}:(\d+): ")
    lines = sorted(dict.fromkeys(messages), key=lambda line: int(at[1]) if (at := placed.match(line)) else inf)
    more = [f"{source}: and {len(lines) - _MOST_LINES} more like these"] if len(lines) > _MOST_LINES else []
    return UserError(*lines[:_MOST_LINES], *more)


@dataclass(frozen=True, slots=True)
class _OverriddenDocument:
    """A document with overrides. `changes`: the overrides, by the place of their values in the document."""

    document: Document
    source: str
    changes: dict[Place, Change] = field(default_factory=dict)

    def override(self, key: str, change: Change) -> None:
        try:
            value = parse(change.setting).data
        except DocumentError as error:
            raise UserError(f"{change.where}: {error}") from None
        *way, last = key.split(".")
        section: dict[str, Any] = self.document.data
        for depth, part in enumerate(way, 1):
            if section.get(part) is None:
                section[part] = {}
            inner: object = section[part]
            if not isinstance(inner, dict):
                whole = ".".join(way[:depth])
                remedy = f"change {whole} as a whole" if is_python_call() else f"replace it with --set {whole}=..."
                raise UserError(f"{change.where}: {whole} is {shown(inner)} here; {remedy}")
            section = inner
        section[last] = value
        self.changes[*way, last] = change

    def refusal(self, faults: Iterable[Fault]) -> UserError:
        """Return the error with all faults: first those in the file, by line, and then those in overrides."""
        messages = ((self._place(each.below), each.message + self._section_advice(each.below)) for each in faults)
        return all_faults((": ".join(filter(None, parts)) for parts in messages), self.source)

    def _section_advice(self, at: Place) -> str:
        """Return the advice to replace a section, if the fault is in the file and the section has overridden keys."""
        section, depth = at[:-1], len(at) - 1
        beside = [way for way in self.changes if section and way[:depth] == section]
        if self._override_of(at) is not None or all(len(way) > len(at) for way in beside):
            return ""
        section_data: dict[str | int, Any] = {}
        for way in beside:
            _write(section_data, way[depth:], reduce(getitem, way, self.document.data))
        written = yaml.safe_dump(section_data, default_flow_style=True, sort_keys=False)
        if "'" in written:  # in a shell, this character would end the quoted argument
            written = json.dumps(section_data, ensure_ascii=False)
        if "'" in written:
            return ""
        return self.changes[beside[0]].advice(dotted(section), " ".join(written.split()))

    def _place(self, at: Place) -> str:
        way = self._override_of(at)
        return self.document.where(self.source, at) if way is None else self.changes[way].location(dotted(way), at)

    def _override_of(self, at: Place) -> Place | None:
        """Return the place of the override that wrote this value, or created its section; None if there is none."""
        for way in self.changes:
            if at[: len(way)] == way or (at and at not in self.document.lines and way[: len(at)] == at):
                return way
        return None


def _write(data: dict[str | int, Any], at: Place, value: object) -> None:
    if at[1:]:
        _write(data.setdefault(at[0], {}), at[1:], value)
    else:
        data[at[0]] = value
