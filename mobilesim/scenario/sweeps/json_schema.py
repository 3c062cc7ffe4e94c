"""The JSON Schema of sweep files, for editors. It has all keys of a scenario, by their paths.

What the schema refuses, the loader refuses, too, with one exception: a scenario in the sweep file that is valid only
with the values of `set`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mobilesim.results.layout import BASE
from mobilesim.scenario.json_schema import Generator
from mobilesim.scenario.json_schema import schema as schema_of_scenarios
from mobilesim.scenario.loader import VARIANTS, VARY
from mobilesim.scenario.sweeps.axes import NUMBER_PATTERN, Range
from mobilesim.scenario.sweeps.design import SAMPLED
from mobilesim.scenario.sweeps.sweep_keys import ALWAYS_ON, OF_SWEEPS, TOGETHER, SweepFile
from mobilesim.scenario.sweeps.variants import LONGEST, PROTOCOL, PROTOCOLS

Schema = dict[str, Any]
_Place = tuple[str, str, Schema]
"""A key path, a JSON pointer, and the schema at this pointer."""

_DEFINITIONS: Final = "#/$defs"
_SCENARIO: Final = f"{_DEFINITIONS}/Scenario"
_STEP: Final = f"{_DEFINITIONS}/Step"
_CHOICES: Final = {"$ref": f"{_SCENARIO}/properties/{PROTOCOLS}"}


def schema() -> Schema:
    scenario = schema_of_scenarios()
    dialect, sections = scenario.pop("$schema"), scenario.pop("$defs")
    keys: dict[str, dict[str, Schema]] = {}
    for path, pointer, described in _places(scenario, _SCENARIO, sections):
        if path not in OF_SWEEPS:
            keys.setdefault(path, {})[pointer] = described
    varied = {path: places for path, places in keys.items() if path not in {"seed", *ALWAYS_ON}}
    root = SweepFile.model_json_schema(schema_generator=Generator)
    forms = {
        "scenario": {"anyOf": [{"type": "string", "minLength": 1}, {"$ref": _SCENARIO}]},
        "set": {**_changes(keys), "type": ["object", "null"]},
        VARY: _vary(varied),
        VARIANTS: _variants(keys),
        PROTOCOLS: {"anyOf": [_CHOICES, {"type": "null"}]},
    }
    for key, form in forms.items():
        root["properties"][key].pop("anyOf", None)
        root["properties"][key] |= form
    step = {**_axes(varied), "properties": {path: _values(places) for path, places in varied.items()}}
    parts = {
        "Scenario": scenario,
        "Step": {**step, "minProperties": 1},
        "Range": Range.model_json_schema(schema_generator=Generator),
    }
    rules = [_stepped(), *(_not_set(path, keys) for path in varied)]
    definitions = {**sections, **root["$defs"], **parts}
    own = {"title": "A mobilesim sweep", "required": ["scenario"], "allOf": rules, "$defs": definitions}
    return {"$schema": dialect, **root, **own}


def _places(section: Schema, pointer: str, sections: Mapping[str, Schema], above: str = "") -> Iterator[_Place]:
    for name, described in section["properties"].items():
        here = f"{pointer}/properties/{name}"
        yield f"{above}{name}", here, described
        for branch in _branches(described):
            below = sections.get(branch.get("$ref", "").removeprefix(f"{_DEFINITIONS}/"), {})
            if "properties" in below:
                yield from _places(below, branch["$ref"], sections, f"{above}{name}.")


def _branches(described: Schema) -> Iterator[Schema]:
    yield described
    for branch in described.get("anyOf", ()):
        yield from _branches(branch)


def _value(places: Mapping[str, Schema]) -> Schema:
    """Return the schema of a value, by reference. If a key has several forms, all of them are accepted."""
    forms = [{"$ref": pointer} for pointer in places]
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _changes(keys: Mapping[str, Mapping[str, Schema]]) -> Schema:
    values = {path: {"const": True} if path in ALWAYS_ON else _value(places) for path, places in keys.items()}
    return {"type": "object", "properties": values, "additionalProperties": False}


def _variants(keys: Mapping[str, Mapping[str, Schema]]) -> Schema:
    changes = _changes({path: places for path, places in keys.items() if path != "seed"})
    changes["properties"] |= {
        PROTOCOL: {"description": "The single protocol, instead of all.", "$ref": f"{_DEFINITIONS}/ProtocolChoice"},
        PROTOCOLS: _CHOICES,
    }
    return {
        "type": ["object", "null"],
        "propertyNames": {"minLength": 1, "maxLength": LONGEST, "not": {"const": BASE}},
        "additionalProperties": {**changes, "minProperties": 1, "not": {"required": [PROTOCOL, PROTOCOLS]}},
        "minProperties": 1,
    }


def _vary(varied: Mapping[str, Mapping[str, Schema]]) -> Schema:
    together = {
        "description": "Keys that vary together, with equally many values; every such mapping is one axis.",
        "anyOf": [{"$ref": _STEP}, {"type": "array", "items": {"$ref": _STEP}}],
        "examples": [[{"cells": [4, 9], "hosts": [10, 40]}]],
    }
    single = {path: {"$ref": f"{_STEP}/properties/{path}"} for path in varied}
    return {**_axes(varied), "properties": {**single, TOGETHER: together}}


def _values(places: Mapping[str, Schema]) -> Schema:
    """Return the schema of the values of a key: a list, or a range of numbers or quantities."""
    value, kinds = _value(places), [kind for described in places.values() for kind in _branches(described)]
    forms: list[Schema] = [{"type": "array", "items": value, "minItems": 1, "uniqueItems": True}]
    numbers = any(kind.get("type") in {"integer", "number"} for kind in kinds)
    if numbers or any("pattern" in kind for kind in kinds):
        text = [{"type": "string", "pattern": rf"^\s*{NUMBER_PATTERN}\s*$"}] if numbers else []
        forms.append({"$ref": f"{_DEFINITIONS}/Range", "properties": {"from": {"anyOf": [value, *text]}}})
    described = [kind["description"] for kind in places.values() if "description" in kind]
    return {**({"description": described[0]} if described else {}), "anyOf": forms}


def _axes(varied: Mapping[str, object]) -> Schema:
    """Return the schema of mappings of keys. If a section varies as a whole, its inner keys are excluded."""
    inner = {path: {each: False for each in varied if each.startswith(f"{path}.")} for path in varied}
    alone = [{"if": {"required": [path]}, "then": {"properties": below}} for path, below in inner.items() if below]
    return {"type": "object", "additionalProperties": False, "allOf": alone}


def _stepped() -> Schema:
    """Return a schema in which a range has `step` or `steps`, unless the design has a number of points."""
    is_range = {"type": "object", "anyOf": [{"required": ["from"]}, {"required": ["to"]}]}
    stepped = {"if": is_range, "then": {"anyOf": [{"required": ["step"]}, {"required": ["steps"]}]}}
    together = {"additionalProperties": stepped, "items": {"additionalProperties": stepped}}
    sampled = {"type": "object", "properties": {"kind": {"enum": list(SAMPLED)}}, "required": ["kind"]}
    return {
        "if": {"not": {"properties": {"design": sampled}, "required": ["design"]}},
        "then": {"properties": {VARY: {"properties": {TOGETHER: together}, "additionalProperties": stepped}}},
    }


def _not_set(path: str, keys: Mapping[str, object]) -> Schema:
    """Return a schema that excludes a key that varies, and the keys below it, from `set`."""
    fixed = {each: False for each in keys if f"{each}.".startswith(f"{path}.")}
    return {
        "if": {"properties": {VARY: {"type": "object", "required": [path]}}, "required": [VARY]},
        "then": {"properties": {"set": {"properties": fixed}}},
    }
