"""Sweeps from YAML: a scenario, the axes along which it varies, and the number of replications.

A point of a sweep is the scenario with overrides like those of `--set`: dotted keys and texts. So almost every key of a
scenario can vary, and the checks of the scenario apply to each value.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from mobilesim.errors import UserError, shown
from mobilesim.results.layout import BASE, VARIANT
from mobilesim.scenario.bundled import shipped
from mobilesim.scenario.loader import (
    EMPTY,
    NO_OVERRIDES,
    VARIANTS,
    VARY,
    Change,
    Overrides,
    all_faults,
    change_of,
    checked,
    document_of,
    refusal,
    text_of,
)
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.pydantic_errors import faults_of
from mobilesim.scenario.referenced_files import as_setting, with_absolute_files
from mobilesim.scenario.sweeps.axes import Axis, Continuum, Factor, Levels, Range, Span, Value
from mobilesim.scenario.sweeps.axis_reader import AxisReader
from mobilesim.scenario.sweeps.design import SAMPLED, Design, design_faults
from mobilesim.scenario.sweeps.design_points import Row, design_points
from mobilesim.scenario.sweeps.refine import Refine, refine_faults, value_of
from mobilesim.scenario.sweeps.replications import NumberOrRule, Replications
from mobilesim.scenario.sweeps.sweep_keys import ALWAYS_ON, OF_SWEEPS, TOGETHER, SweepFile
from mobilesim.scenario.sweeps.variants import NOTHING, PROTOCOLS, Changes, Given, read
from mobilesim.scenario.values.validation_error import Fault
from mobilesim.scenario.yaml_document import Document, as_text, dotted, dump, parse

_HEAD: Final = """\
# The sweep as it was run, with its scenario and the changes of the command line. To continue or repeat it:
#   mobilesim sweep sweep.yaml --out DIR
"""


@dataclass(frozen=True, slots=True)
class Sweep:
    source: str
    folder: Path
    name: str
    base: Document
    base_source: str
    changes: Changes
    axes: tuple[Axis, ...]
    replications: Replications | None
    quick: bool
    document: Document
    variants: Mapping[str, Changes]
    """By name, the changes of each variant, and of the base (no changes). Empty if there are no variants."""
    design: Design
    factors: tuple[Factor, ...]
    rows: tuple[Row, ...]
    """The points of a design that is no grid, in its order; some may be equal. They are the values of the only axis."""
    refine: Refine | None = None
    added: tuple[Fraction, ...] = ()
    """The values that refinement has added to the axis."""

    @property
    def added_values(self) -> tuple[Value, ...]:
        return tuple(value_of(self.factors[0], number) for number in self.added)

    @property
    def continuous(self) -> frozenset[str]:
        """The keys with a different value at each point."""
        columns = (
            (key, each) for factor in self.factors for key, each in zip(factor.keys, factor.columns, strict=True)
        )
        return frozenset(key for key, column in columns if isinstance(column, Continuum))

    def scenario(self, values: Mapping[str, Value] = MappingProxyType({})) -> Scenario:
        """Return the scenario of a point. `values`: the values of the keys that vary; {} for the unvaried scenario."""
        overrides: dict[str, str | Change] = {**self._changes_at(values), "name": as_text(self.name)}
        return checked(deepcopy(self.base), self.base_source, self.folder, self.name, overrides)

    def faults(self) -> list[str]:
        """Return the faults of the scenario at the first point, and at the points that differ from it in one axis."""
        axes = [[dict(zip(axis.keys, each, strict=True)) for each in axis.values] for axis in self.axes if axis.values]
        first = {key: value for values in axes for key, value in values[0].items()}
        found: dict[str, None] = {}
        for values in ({}, *(each for several in axes for each in several)):
            try:
                self.scenario({**first, **values})
            except UserError as error:
                found |= dict.fromkeys(error.messages)
        return list(found)

    def _changes_at(self, values: Mapping[str, Value]) -> dict[str, Change]:
        """Return all changes at a point. The changes of a variant take precedence over other changes."""
        varied = dict(values)
        variant = varied.pop(VARIANT, None) if self.variants else None
        places = {key: self.document.where(self.source, value.at) for key, value in varied.items()}
        found = {**self.changes, **{key: Change(value.setting, places[key]) for key, value in varied.items()}}
        return {**found, **self.variants[variant.setting]} if variant else found

    def settled(self) -> str:
        """Return the sweep as a YAML file with all settings. It contains its scenario, which may name other files."""
        changes = _data_of(self.changes)
        data = {
            "name": self.name,
            "scenario": self.base.data,
            "set": {key: value for key, value in changes.items() if key != PROTOCOLS},
            VARY: _vary(self.factors),
            "design": self.design.model_dump(mode="json", exclude_unset=True),
            "refine": self.refine and self.refine.written(),
            VARIANTS: {name: _data_of(each) for name, each in self.variants.items() if name != BASE},
            PROTOCOLS: changes.get(PROTOCOLS),
            "replications": self.replications and self.replications.written(),
            "quick": self.quick,
        }
        return _HEAD + dump({key: value for key, value in data.items() if value or key == "scenario"})


def _data_of(changes: Changes) -> dict[str, Any]:
    return {key: parse(change.setting).data for key, change in changes.items()}


def is_sweep(path: Path) -> bool:
    data = document_of(text_of(path), str(path)).data
    return isinstance(data, dict) and bool({VARY, VARIANTS, "scenario"} & data.keys())


def _relative(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def fingerprint(settled: str) -> str:
    return hashlib.sha256(settled.encode()).hexdigest()[:16]


def load(path: Path, overrides: Overrides = NO_OVERRIDES, *, quick: bool = False, given: Given = NOTHING) -> Sweep:
    """Return the sweep of a file. `overrides`: of keys of the scenario, or of `protocols` and `replications`."""
    return loads(text_of(path), str(path), overrides, folder=path.parent, quick=quick, given=given)


def of(
    scenario: Path, name: str, overrides: Overrides = NO_OVERRIDES, *, quick: bool = False, given: Given = NOTHING
) -> Sweep:
    """Return the sweep of a scenario with the variants in `given`, without a sweep file."""
    document = Document({"name": name, "scenario": str(scenario.resolve())}, {(): 1})
    return _Reader(name, Path.cwd(), document).sweep(overrides, quick=quick, given=given)


def loads(
    content: str,
    source: str = "<text>",
    overrides: Overrides = NO_OVERRIDES,
    *,
    folder: Path = Path(),
    quick: bool = False,
    given: Given = NOTHING,
) -> Sweep:
    document = document_of(content, source)
    if not isinstance(document.data, dict):
        what = "it is empty" if document.data is None else f"a sweep is not {shown(document.data)}"
        raise UserError(f"{source}: {what}; write 'scenario: quickstart' and the varied keys below 'vary:'")
    if not {"scenario", VARY, VARIANTS} & document.data.keys() and set(Scenario.model_fields) & document.data.keys():
        raise UserError(f"{source}: this is a scenario, not a sweep; `mobilesim run` runs it")
    return _Reader(source, folder.resolve(), document).sweep(overrides, quick=quick, given=given)


@dataclass(frozen=True, slots=True)
class _Reader:
    source: str
    folder: Path
    document: Document
    faults: list[Fault] = field(default_factory=list)

    def sweep(self, overrides: Overrides, *, quick: bool, given: Given) -> Sweep:
        file = self._file()
        base, base_source = self._base(file.scenario)
        variants = read(file.variants or {}, self.document, self.source, self.folder, given)
        quick = quick or file.quick
        factors, axes, rows = self._points(file, variants, quick=quick)
        changes = self._changes(file, axes)
        lines = [*_variant_faults(variants, axes)]
        replications = file.replications
        for key, written in overrides.items():
            change = change_of(key, written)
            if key == "replications":
                replications = _replications(change)
            elif key != PROTOCOLS and (reason := _unsettable(key, change.setting.strip(), axes)):
                lines.append(f"{change.where}: {reason}")
            else:
                changes[key] = change
        found = (self.source, self.folder, file.name, base, base_source, changes, axes, replications, quick)
        if file.refine is not None:
            self.faults.extend(refine_faults(file.refine, file.design, factors, variants=bool(variants)))
        sweep = Sweep(*found, self.document, variants, file.design, factors, rows, file.refine)
        if self.faults or lines:
            raise all_faults([*self._refusal().messages, *lines, *sweep.faults()], self.source)
        return sweep

    def _file(self) -> SweepFile:
        """Return the settings. Faulty ones are left out, and their faults are added to `faults`."""
        stem = "sweep" if self.source.startswith("<") else Path(self.source).stem
        data = {"name": stem, **self.document.data}
        try:
            return SweepFile.model_validate(data)
        except ValidationError as error:
            self.faults.extend(faults_of(error, SweepFile, data))
        faulty = {fault.below[0] for fault in self.faults if fault.below}
        if "scenario" in faulty or not faulty:
            raise self._refusal()
        return SweepFile.model_validate({key: value for key, value in data.items() if key not in faulty})

    def _refusal(self) -> UserError:
        return refusal(self.document, self.source, self.faults)

    def _base(self, raw: str | dict[str, Any]) -> tuple[Document, str]:
        if isinstance(raw, dict):
            lines = {at[1:]: line for at, line in self.document.lines.items() if at[:1] == ("scenario",)}
            return Document(with_absolute_files(deepcopy(raw), (), self.folder), lines), self.source
        own = self.folder / raw
        try:
            path = own if own.is_file() else shipped(raw)
        except UserError as error:
            raise self._not_base(str(error)) from None
        source = _relative(path)
        found = document_of(text_of(path), source)
        if found.data is None:
            raise UserError(f"{source}: {EMPTY}")
        if not isinstance(found.data, dict) or {VARY, VARIANTS} & found.data.keys():
            raise self._not_base(f"{source} is not a scenario")
        return Document(with_absolute_files(found.data, (), path.parent.resolve()), found.lines), source

    def _not_base(self, message: str) -> UserError:
        self.faults.append(Fault(message, ("scenario",)))
        return self._refusal()

    def _points(
        self, file: SweepFile, variants: Mapping[str, Changes], *, quick: bool
    ) -> tuple[tuple[Factor, ...], tuple[Axis, ...], tuple[Row, ...]]:
        """Return the factors, the axes, and the points of a design that is no grid."""
        design = file.design.shortened() if quick else file.design
        ranges = Span if design.kind in SAMPLED else Range
        reader = AxisReader(self.document, self.folder, self.faults)
        factors = tuple(reader.factors(file.vary, variants, ranges))
        if design.is_grid:
            named = tuple((Value(name, name, (VARIANTS, name)),) for name in variants)
            return factors, (*([Axis((VARIANT,), named)] if variants else []), *map(_axis, factors)), ()
        self.faults.extend(design_faults(design, factors, variants=bool(variants)))
        keys = tuple(key for factor in factors for key in factor.keys)
        if self.faults:
            return factors, (Axis(keys, ()),), ()
        base = {
            key: Value(as_text(value), as_setting(key, value, self.folder), ("design", "base", key))
            for key, value in design.base.items()
        }
        ends = [factor.ends if quick and design.kind not in SAMPLED else factor for factor in factors]
        rows = design_points(design, ends, base)
        distinct = {tuple(value.setting for value in row): row for row in reversed(rows)}
        return factors, (Axis(keys, tuple(reversed(distinct.values()))),), tuple(rows)

    def _changes(self, file: SweepFile, axes: Sequence[Axis]) -> dict[str, Change]:
        found = {}
        for key, value in (file.set or {}).items():
            at = ("set", key)
            if reason := _unsettable(key, value, axes):
                self.faults.append(Fault(reason, at))
            else:
                found[key] = Change(as_setting(key, value, self.folder), self.document.where(self.source, at))
        if file.protocols is not None:
            lines = {dotted(at): f"{self.source}:{line}" for at, line in self.document.lines.items()}
            found[PROTOCOLS] = Change(as_text(file.protocols), lines[PROTOCOLS], lines)
        return found


def _axis(factor: Factor) -> Axis:
    return Axis(factor.keys, factor.levels)


def _variant_faults(variants: Mapping[str, Changes], axes: Sequence[Axis]) -> Iterator[str]:
    varied = [each for axis in axes for each in axis.keys]
    for key, change in ((key, change) for each in variants.values() for key, change in each.items()):
        reason = None if key == PROTOCOLS else _unsettable(key, parse(change.setting).data, axes)
        if reason is None and (inner := next((each for each in varied if each.startswith(f"{key}.")), None)):
            reason = f"the sweep varies '{inner}'; leave one of the two out"
        if reason:
            yield f"{change.where}: {reason}"


def _unsettable(key: str, value: object, axes: Sequence[Axis]) -> str | None:
    if key in OF_SWEEPS:
        return f"write '{key}' beside 'set', not below it"
    if key in ALWAYS_ON and value in (False, "false", "no", "off"):
        return f"a summary needs the {key}; leave this key out"
    for other in (each for axis in axes for each in axis.keys):
        if key == other or key.startswith(f"{other}."):
            return f"the sweep varies '{other}'; leave one of the two out"
    return None


def _replications(change: Change) -> Replications:
    raw = document_of(change.setting, change.where).data
    try:
        return TypeAdapter[Replications](NumberOrRule).validate_python(raw)
    except ValidationError as error:
        fault = next(faults_of(error, SweepFile, raw))
        where = ": ".join(filter(None, (change.where, dotted(fault.below))))
        raise UserError(f"{where}: {fault.message}") from None


def _vary(factors: Sequence[Factor]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for factor in factors:
        columns = {key: _written(column) for key, column in zip(factor.keys, factor.columns, strict=True)}
        if len(factor.keys) == 1:
            found |= columns
        else:
            found.setdefault(TOGETHER, []).append(columns)
    return found


def _written(column: Levels | Continuum) -> object:
    if isinstance(column, Continuum):
        return dict(column.raw)
    return [parse(value.setting).data for value in column.values]
