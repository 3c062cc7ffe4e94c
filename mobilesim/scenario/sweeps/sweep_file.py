"""Sweeps from YAML: a scenario, the axes along which it varies, and the number of replications.

A point of a sweep is the scenario with overrides like those of `--set`: dotted keys and texts. So every key of a
scenario can vary, and the scenario's own checks apply to each value.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import yaml

from mobilesim.errors import UserError, did_you_mean, shown
from mobilesim.results.layout import BASE, VARIANT
from mobilesim.scenario.bundled import shipped
from mobilesim.scenario.loader import EMPTY, VARIANTS, VARY, checked, document_of, dotted, text_of
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.referenced_files import with_absolute_files
from mobilesim.scenario.sweeps import replications as repetition
from mobilesim.scenario.sweeps.replications import Replications
from mobilesim.scenario.sweeps.variants import NOTHING, PROTOCOLS, Change, Given, Variant, placed, read
from mobilesim.scenario.values.fields import NAME_LENGTH
from mobilesim.scenario.values.value_ranges import RangeError, text, values
from mobilesim.scenario.yaml_document import Document, Place, parse, resolvers

KEYS: Final = ("name", "scenario", "set", VARY, VARIANTS, "protocols", "replications", "quick")
TOGETHER: Final = "together"
OF_SWEEPS: Final = ("name", "protocols", "replications")
ALWAYS_ON: Final = ("trace", "oracle")
Overrides = Mapping[str, str | Change]
"""By key; a plain text comes from `--set`."""

_NONE: Final[Overrides] = MappingProxyType({})

_HEAD: Final = """\
# This sweep as it was run, with its scenario and what the command line changed. To go on with it, or have it again:
#   mobilesim sweep sweep.yaml --out DIR
"""


@dataclass(frozen=True, slots=True)
class Value:
    """`text`: as written in the sweep; `setting`: for the scenario, with absolute file names."""

    text: str
    setting: str
    at: Place


@dataclass(frozen=True, slots=True)
class Axis:
    """Keys that vary together; each value has a part for each key."""

    keys: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    source: str
    folder: Path
    name: str
    base: Document
    base_source: str
    changes: Mapping[str, Change]
    axes: tuple[Axis, ...]
    replications: Replications | None
    quick: bool
    document: Document
    variants: Mapping[str, Variant] = field(default_factory=dict)
    """By name, including the base; empty if the sweep has no variants."""

    def scenario(self, values: Mapping[str, Value] = MappingProxyType({})) -> Scenario:
        """The scenario of a point, with `values` by key; without values, the unvaried scenario."""
        settings = {key: change.setting for key, change in self._changes_at(values).items()}
        settings["name"] = text(self.name)
        try:
            return checked(deepcopy(self.base), self.base_source, self.folder, self.name, settings)
        except UserError as error:
            raise UserError(self._placed(error.messages[0], values)) from None

    def _changes_at(self, values: Mapping[str, Value]) -> dict[str, Change]:
        """All changes at a point; those of a variant take precedence."""
        found = dict(self.changes)
        for key, value in values.items():
            if key != VARIANT or not self.variants:
                found[key] = Change(value.setting, self.place(value.at))
        chosen = values.get(VARIANT)
        return found | dict(self.variants[chosen.setting].changes) if chosen and self.variants else found

    def _placed(self, message: str, values: Mapping[str, Value]) -> str:
        """The message with the location of the change; those in a file's list of protocols have own lines."""
        changes = self._changes_at(values)
        listed, rest = changes.get(PROTOCOLS), message.removeprefix(f"--set {PROTOCOLS}: ")
        if rest != message and listed is self.changes.get(PROTOCOLS) and listed and listed.where[:2] != "--":
            own = rest.partition(": ")[0]
            line = next((line for at, line in self.document.lines.items() if at and dotted(at) == own), None)
            return f"{listed.where if line is None else f'{self.source}:{line}'}: {rest}"
        return placed(message, changes)

    def place(self, at: Place) -> str:
        return f"{self.source}:{self.document.line(at)}: {dotted(at)}"

    def settled(self) -> str:
        """The sweep as a complete YAML file, which refers to no other files than graphs."""
        changes = {key: parse(change.setting).data for key, change in self.changes.items() if key != "protocols"}
        data: dict[str, Any] = {"name": self.name, "scenario": self.base.data}
        data |= {"set": changes} if changes else {}
        varied = [axis for axis in self.axes if not (axis.keys == (VARIANT,) and self.variants)]
        data |= {VARY: _vary(varied)} if varied else {}
        if self.variants:
            data[VARIANTS] = {name: each.written() for name, each in self.variants.items() if name != BASE}
        if "protocols" in self.changes:
            data["protocols"] = parse(self.changes["protocols"].setting).data
        if self.replications is not None:
            data["replications"] = self.replications.written()
        data |= {"quick": True} if self.quick else {}
        return _HEAD + yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


class _Dumper(yaml.SafeDumper):
    """Quotes texts that would be read as other values, and writes no aliases."""

    yaml_implicit_resolvers = resolvers()

    def ignore_aliases(self, data: object) -> bool:
        return True


def is_sweep(path: Path) -> bool:
    data = document_of(text_of(path), str(path)).data
    return isinstance(data, dict) and bool({VARY, VARIANTS, "scenario"} & data.keys())


def _relative(path: Path) -> str:
    """The path relative to the current directory, if it is below it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def fingerprint(settled: str) -> str:
    return hashlib.sha256(settled.encode()).hexdigest()[:16]


def load(path: Path, overrides: Overrides = _NONE, *, quick: bool = False, given: Given = NOTHING) -> Sweep:
    """`overrides`: keys of the scenario, or the sweep's own `protocols` and `replications`."""
    return loads(text_of(path), str(path), overrides, folder=path.parent, quick=quick, given=given)


def of(
    scenario: Path, name: str, overrides: Overrides = _NONE, *, quick: bool = False, given: Given = NOTHING
) -> Sweep:
    """The sweep of a scenario with the variants in `given`, without a sweep file."""
    document = Document({"name": name, "scenario": str(scenario.resolve())}, {(): 1})
    return _Reader(name, Path.cwd(), document).sweep(overrides, quick=quick, given=given)


def loads(
    content: str,
    source: str = "<text>",
    overrides: Overrides = _NONE,
    *,
    folder: Path = Path(),
    quick: bool = False,
    given: Given = NOTHING,
) -> Sweep:
    document = document_of(content, source)
    if not isinstance(document.data, dict):
        what = "it is empty" if document.data is None else f"a sweep is not {shown(document.data)}"
        raise UserError(f"{source}: {what}; write 'scenario: quickstart' and below 'vary:' what varies in it")
    if not {"scenario", VARY, VARIANTS} & document.data.keys() and set(Scenario.model_fields) & document.data.keys():
        raise UserError(f"{source}: this is a scenario, not a sweep; `mobilesim run` runs it")
    return _Reader(source, folder.resolve(), document).sweep(overrides, quick=quick, given=given)


@dataclass(frozen=True, slots=True)
class _Reader:
    source: str
    folder: Path
    document: Document

    def sweep(self, overrides: Overrides, *, quick: bool, given: Given) -> Sweep:
        data = self.document.data
        for key in data:
            if key not in KEYS:
                own = "; it is a scenario's: write it below 'set'" if key in Scenario.model_fields else ""
                raise self.fault(f"unknown key{own or did_you_mean(key, KEYS)} (known: {', '.join(KEYS)})", key)
        base, base_source = self._base()
        variants = read(self.document, self.source, self.folder, given, self.fault)
        axes = tuple(self._axes(variants))
        self._refuse_varied(variants, axes)
        replications = self._replications()
        sweep = Sweep(
            self.source, self.folder, self._name(), base, base_source, {}, axes, replications, quick, self.document
        )
        changes = self._changes(sweep)
        for key, written in overrides.items():
            change = written if isinstance(written, Change) else Change(written, f"--set {key}")
            if key == "replications":
                replications = _overridden(change)
                continue
            if key != PROTOCOLS and (reason := _unsettable(key, change.setting.strip(), axes)):
                raise UserError(f"{change.where}: {reason}")
            changes[key] = change
        small = quick or self._flag("quick")
        return replace(sweep, changes=changes, replications=replications, quick=small, variants=variants)

    def fault(self, message: str, *at: str | int) -> UserError:
        where = f"{self.source}:{self.document.line(at)}"
        return UserError(": ".join(filter(None, (where, dotted(at), message))))

    def _name(self) -> str:
        stem = "sweep" if self.source.startswith("<") else Path(self.source).stem
        name = self.document.data.get("name", stem)
        if not isinstance(name, str) or not 1 <= len(name) <= NAME_LENGTH:
            raise self.fault(f"{shown(name)} is not a text of 1 to {NAME_LENGTH} characters", "name")
        return name

    def _flag(self, key: str) -> bool:
        flag = self.document.data.get(key, False)
        if not isinstance(flag, bool):
            hint = "; how long short runs last is the scenario's: write it below 'set'" if isinstance(flag, str) else ""
            raise self.fault(f"{shown(flag)} is not true or false{hint}", key)
        return flag

    def _base(self) -> tuple[Document, str]:
        raw = self.document.data.get("scenario")
        if isinstance(raw, dict):
            lines = {at[1:]: line for at, line in self.document.lines.items() if at[:1] == ("scenario",)}
            return Document(with_absolute_files(deepcopy(raw), (), self.folder), lines), self.source
        if not isinstance(raw, str) or not raw or "\0" in raw:
            reason = "'scenario' is missing" if raw is None else f"{shown(raw)} is not a scenario"
            raise self.fault(f"{reason}; write the name of a shipped one, of a file, or its keys", "scenario")
        own = self.folder / raw
        try:
            path = own if own.is_file() else shipped(raw)
        except UserError as error:
            raise self.fault(str(error), "scenario") from None
        source = _relative(path)
        found = document_of(text_of(path), source)
        if found.data is None:
            raise UserError(f"{source}: {EMPTY}")
        if not isinstance(found.data, dict) or {VARY, VARIANTS} & found.data.keys():
            raise self.fault(f"{source} is not a scenario", "scenario")
        return Document(with_absolute_files(found.data, (), path.parent.resolve()), found.lines), source

    def _axes(self, variants: Mapping[str, Variant]) -> Iterator[Axis]:
        if variants:
            yield Axis((VARIANT,), tuple((Value(name, name, (VARIANTS, name)),) for name in variants))
        raw = self.document.data.get(VARY, {})
        if not isinstance(raw, dict):
            raise self.fault(f"{shown(raw)} is not a mapping; write keys below it, like hosts: [10, 20]", VARY)
        seen: dict[str, Place] = {VARIANT: (VARIANTS,)} if variants else {}
        for key, found in raw.items():
            parts = list(self._together(found)) if key == TOGETHER else [({key: found}, (VARY,))]
            for keys, at in parts:
                yield self._axis(keys, at, seen)

    def _together(self, raw: object) -> Iterator[tuple[dict[str, Any], Place]]:
        at: Place = (VARY, TOGETHER)
        for number, part in enumerate(raw if isinstance(raw, list) else [raw]):
            if not isinstance(part, dict) or not part:
                advice = "write keys that go in step, like {cells: [4, 9], hosts: [10, 40]}"
                raise self.fault(f"{shown(part)} is not a mapping; {advice}", *at)
            yield part, (*at, number) if isinstance(raw, list) else at

    def _axis(self, keys: Mapping[str, Any], above: Place, seen: dict[str, Place]) -> Axis:
        columns = []
        for key, raw in keys.items():
            at = (*above, key)
            self._may_vary(key, at, seen)
            seen[key] = at
            columns.append(self._values(key, raw, at))
        lengths = [len(column) for column in columns]
        if len(set(lengths)) > 1:
            counts = ", ".join(f"{key} has {count}" for key, count in zip(keys, lengths, strict=True))
            raise self.fault(f"keys that go in step need as many values each; {counts}", *above)
        return Axis(tuple(keys), tuple(zip(*columns, strict=True)))

    def _may_vary(self, key: str, at: Place, seen: Mapping[str, Place]) -> None:
        if key in OF_SWEEPS:
            raise self.fault(f"write '{key}' beside 'vary', not below it", *at)
        if key == "seed":
            raise self.fault("replications have numbers of their own already; write 'replications: 5' instead", *at)
        if key in ALWAYS_ON:
            raise self.fault("without it there is nothing to summarise; leave it out", *at)
        for other in seen:
            if key == other or key.startswith(f"{other}.") or other.startswith(f"{key}."):
                reason = (
                    "this key varies already" if key == other else f"'{other}' varies, and one is a part of the other"
                )
                raise self.fault(f"{reason} (line {self.document.line(seen[other])})", *at)

    def _values(self, key: str, raw: object, at: Place) -> list[Value]:
        try:
            texts = values(raw)
        except RangeError as error:
            raise self.fault(error.fault.message, *at, *error.fault.below) from None
        listed = isinstance(raw, list)
        repeated = next((place for place, one in enumerate(texts) if one in texts[:place]), None)
        if repeated is not None:
            raise self.fault(f"{texts[repeated]} is here twice", *at, repeated)
        way = tuple(key.split("."))
        whole = [text(with_absolute_files(each, way, self.folder)) for each in raw] if isinstance(raw, list) else texts
        places = [(*at, place) if listed else at for place in range(len(texts))]
        return [Value(*parts) for parts in zip(texts, whole, places, strict=True)]

    def _changes(self, sweep: Sweep) -> dict[str, Change]:
        raw = self.document.data.get("set")
        if raw is None:
            raw = {}
        if not isinstance(raw, dict):
            raise self.fault(f"{shown(raw)} is not a mapping; write keys below it, like messages: 2000", "set")
        found = {}
        for key, value in raw.items():
            if reason := _unsettable(key, value, sweep.axes):
                raise self.fault(reason, "set", key)
            setting = text(with_absolute_files(value, tuple(key.split(".")), self.folder))
            found[key] = Change(setting, sweep.place(("set", key)))
        if (protocols := self.document.data.get("protocols")) is not None:
            found["protocols"] = Change(text(protocols), sweep.place(("protocols",)).removesuffix(": protocols"))
        return found

    def _refuse_varied(self, variants: Mapping[str, Variant], axes: Sequence[Axis]) -> None:
        varied = [each for axis in axes for each in axis.keys]
        for key, change in ((key, change) for each in variants.values() for key, change in each.changes.items()):
            reason = None if key == PROTOCOLS else _unsettable(key, parse(change.setting).data, axes)
            if reason is None and (inner := next((each for each in varied if each.startswith(f"{key}.")), None)):
                reason = f"the sweep varies '{inner}'; leave one of them out"
            if reason:
                raise UserError(f"{change.where}: {reason}")

    def _replications(self) -> Replications | None:
        raw = self.document.data.get("replications")
        if raw is None:
            return None
        if (fault := repetition.fault(raw)) is not None:
            raise self.fault(fault.message, "replications", *fault.below)
        return repetition.read(raw)


def _unsettable(key: str, value: object, axes: Sequence[Axis]) -> str | None:
    if key in OF_SWEEPS:
        return f"write '{key}' beside 'set', not below it" if key != "name" else "it is the sweep that has a name here"
    if key in ALWAYS_ON and value in (False, "false", "no", "off"):
        return "without it there is nothing to summarise; leave it out"
    for other in (each for axis in axes for each in axis.keys):
        if key == other or key.startswith(f"{other}."):
            return f"the sweep varies '{other}'; leave one of them out"
    return None


def _overridden(change: Change) -> Replications:
    raw = document_of(change.setting, change.where).data
    if (fault := repetition.fault(raw)) is not None:
        where = ": ".join(filter(None, (change.where, dotted(fault.below))))
        raise UserError(f"{where}: {fault.message}")
    return repetition.read(raw)


def _vary(axes: Sequence[Axis]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for axis in axes:
        columns = {
            key: [parse(parts[place].setting).data for parts in axis.values] for place, key in enumerate(axis.keys)
        }
        if len(axis.keys) == 1:
            found |= columns
        else:
            found.setdefault(TOGETHER, []).append(columns)
    return found
