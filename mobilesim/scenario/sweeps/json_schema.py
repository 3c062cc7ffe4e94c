"""The JSON Schema of sweep files, for editors. It has every key of a scenario by its path.

The loader refuses what the schema marks, with one exception: an embedded scenario may become valid only by `set`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from mobilesim.results.layout import BASE
from mobilesim.scenario.json_schema import schema as schema_of_scenarios
from mobilesim.scenario.loader import VARIANTS, VARY
from mobilesim.scenario.sweeps.replications import METRICS, read
from mobilesim.scenario.sweeps.sweep_file import ALWAYS_ON, OF_SWEEPS, TOGETHER
from mobilesim.scenario.sweeps.variants import LONGEST, PROTOCOL, PROTOCOLS
from mobilesim.scenario.values.fields import MANY, NAME_LENGTH
from mobilesim.scenario.values.value_ranges import MOST

_Place = tuple[str, str, dict[str, Any]]
"""A key path, a JSON pointer, and the schema at that pointer."""

_DEFINITIONS: Final = "#/$defs"
_DEFAULTS: Final = read({"until": {}})
_NUMBER: Final = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_POSITIVE_TEXT: Final = r"^\s*\+?[0.]*[1-9]"
_SHARE: Final = r"^\s*(?!0+(\.0+)?\s*%)0?[0-9]{1,2}(\.[0-9]{1,9})?\s*%\s*$"
_POSITIVE: Final = {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string", "pattern": _POSITIVE_TEXT}]}


@dataclass(frozen=True, slots=True)
class _Key:
    """A key of scenarios: `path` in dotted form, and `places`: the schemas of the key by JSON pointer."""

    path: str
    places: dict[str, dict[str, Any]]

    @property
    def value(self) -> dict[str, Any]:
        """The schema of the value, by reference; a key with several forms accepts any of them."""
        forms = [{"$ref": pointer} for pointer in self.places]
        return forms[0] if len(forms) == 1 else {"anyOf": forms}

    @property
    def description(self) -> str | None:
        return next(
            (described["description"] for described in self.places.values() if "description" in described), None
        )

    @property
    def takes_numbers(self) -> bool:
        return any(kind.get("type") in {"integer", "number"} for kind in self._kinds())

    @property
    def takes_quantities(self) -> bool:
        return any("pattern" in kind for kind in self._kinds())

    def _kinds(self) -> Iterator[dict[str, Any]]:
        for pointer, described in self.places.items():
            yield from (kind for kind, _ in _branches(described, pointer))


def schema() -> dict[str, Any]:
    scenarios = schema_of_scenarios()
    dialect, sections = scenarios.pop("$schema"), scenarios.pop("$defs")
    can_be_set = [key for key in _keys(scenarios, sections) if key.path not in OF_SWEEPS]
    can_vary = [key for key in can_be_set if key.path not in {"seed", *ALWAYS_ON}]
    definitions = {"Scenario": scenarios, "Step": _in_step(can_vary), "Range": _range(), "Until": _until()}
    return {
        "$schema": dialect,
        "title": "A mobilesim sweep",
        "type": "object",
        "properties": _properties(can_be_set, can_vary, scenarios["properties"]["protocols"]),
        "required": ["scenario"],
        "additionalProperties": False,
        "allOf": [_not_set(key, can_be_set) for key in can_vary],
        "$defs": {**sections, **definitions},
    }


def _properties(can_be_set: list[_Key], can_vary: list[_Key], protocols: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": {
            "description": "The name in reports; by default, the file's name.",
            "type": "string",
            "minLength": 1,
            "maxLength": NAME_LENGTH,
        },
        "scenario": _scenario(),
        "set": _set(can_be_set),
        VARY: _vary(can_vary),
        VARIANTS: _variants([key for key in can_be_set if key.path != "seed"], protocols),
        "protocols": {
            "description": "The protocols to compare at every point, instead of the scenario's.",
            "anyOf": [*protocols["anyOf"], {"type": "null"}],
        },
        "replications": _replications(),
        "quick": {
            "description": "Whether only the ends of every axis run, in the short form of the scenario.",
            "type": "boolean",
            "default": False,
        },
    }


def _keys(scenarios: dict[str, Any], definitions: dict[str, Any]) -> list[_Key]:
    found: dict[str, _Key] = {}
    for path, pointer, described in _places(scenarios, f"{_DEFINITIONS}/Scenario", definitions):
        found.setdefault(path, _Key(path, {})).places[pointer] = described
    return list(found.values())


def _places(section: dict[str, Any], pointer: str, definitions: dict[str, Any], above: str = "") -> Iterator[_Place]:
    for name, described in section["properties"].items():
        path, here = f"{above}{name}", f"{pointer}/properties/{name}"
        yield path, here, described
        for kind, place in _branches(described, here):
            to = kind.get("$ref", place)
            below = definitions[to.rpartition("/")[2]] if "$ref" in kind else kind
            if "properties" in below:
                yield from _places(below, to, definitions, f"{path}.")


def _branches(described: dict[str, Any], pointer: str) -> Iterator[tuple[dict[str, Any], str]]:
    yield described, pointer
    for place, branch in enumerate(described.get("anyOf", ())):
        yield from _branches(branch, f"{pointer}/anyOf/{place}")


def _scenario() -> dict[str, Any]:
    return {
        "description": "The scenario of all points: the name of one that comes with mobilesim, a file relative to this "
        "one, or the keys of a scenario.",
        "anyOf": [{"type": "string", "minLength": 1}, {"$ref": f"{_DEFINITIONS}/Scenario"}],
        "examples": ["quickstart"],
    }


def _set(keys: list[_Key]) -> dict[str, Any]:
    return {
        "description": "Overrides of the scenario at all points, by key path.",
        "type": ["object", "null"],
        "properties": {key.path: {"const": True} if key.path in ALWAYS_ON else key.value for key in keys},
        "additionalProperties": False,
        "examples": [{"messages": 2000}],
    }


def _vary(keys: list[_Key]) -> dict[str, Any]:
    step = {"$ref": f"{_DEFINITIONS}/Step"}
    together = {
        "description": "Keys that vary together, with equally many values; every such mapping is one axis.",
        "anyOf": [step, {"type": "array", "items": step}],
        "examples": [[{"cells": [4, 9], "hosts": [10, 40]}]],
    }
    return {
        "description": "The axes: keys of the scenario by their paths, each with a list of values or a range. "
        "Together they form a grid.",
        **_axes(keys),
        "properties": {
            **{key.path: {"$ref": f"{step['$ref']}/properties/{key.path}"} for key in keys},
            TOGETHER: together,
        },
        "examples": [{"hosts": {"from": 10, "to": 40, "step": 10}}],
    }


def _variants(keys: list[_Key], protocols: dict[str, Any]) -> dict[str, Any]:
    several = next(form for form in protocols["anyOf"] if form.get("type") == "array")
    changes = {
        "type": "object",
        "properties": {
            **{key.path: {"const": True} if key.path in ALWAYS_ON else key.value for key in keys},
            PROTOCOL: {"description": "The single protocol, instead of all.", **several["items"]},
            PROTOCOLS: protocols,
        },
        "additionalProperties": False,
        "minProperties": 1,
        "not": {"required": [PROTOCOL, PROTOCOLS]},
    }
    return {
        "description": "The changes of each variant by its name; variants are compared with the unchanged scenario.",
        "type": ["object", "null"],
        "propertyNames": {"minLength": 1, "maxLength": LONGEST, "not": {"const": BASE}},
        "additionalProperties": changes,
        "minProperties": 1,
        "examples": [{"slow": {"wireless.bandwidth": "256 kbit/s"}}],
    }


def _in_step(keys: list[_Key]) -> dict[str, Any]:
    return {**_axes(keys), "properties": _values(keys), "minProperties": 1}


def _axes(keys: list[_Key]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "allOf": [_alone(key, inner) for key in keys if (inner := [each for each in keys if _below(each, key)])],
    }


def _values(keys: list[_Key]) -> dict[str, Any]:
    return {key.path: _several(key) for key in keys}


def _several(key: _Key) -> dict[str, Any]:
    forms: list[dict[str, Any]] = [{"type": "array", "items": key.value, "minItems": 1, "uniqueItems": True}]
    if key.takes_numbers or key.takes_quantities:
        text = [{"type": "string", "pattern": rf"^\s*{_NUMBER}\s*$"}] if key.takes_numbers else []
        start = {"anyOf": [key.value, *text]}
        forms.append({"$ref": f"{_DEFINITIONS}/Range", "properties": {"from": start}})
    described = {} if key.description is None else {"description": key.description}
    return {**described, "anyOf": forms}


def _below(inner: _Key, outer: _Key) -> bool:
    return inner.path.startswith(f"{outer.path}.")


def _alone(outer: _Key, inner: list[_Key]) -> dict[str, Any]:
    """Exclude the inner keys if the outer key varies."""
    return {"if": {"required": [outer.path]}, "then": {"properties": {key.path: False for key in inner}}}


def _not_set(varied: _Key, keys: list[_Key]) -> dict[str, Any]:
    fixed = {key.path: False for key in keys if key.path == varied.path or _below(key, varied)}
    return {
        "if": {"properties": {VARY: {"type": "object", "required": [varied.path]}}, "required": [VARY]},
        "then": {"properties": {"set": {"properties": fixed}}},
    }


def _range() -> dict[str, Any]:
    number = {
        "anyOf": [
            {"type": "number"},
            {"type": "string", "pattern": rf"^\s*{_NUMBER}\s*([A-Za-zµμ]+(/[A-Za-z]+)?|%)?\s*$"},
        ]
    }
    count = {"type": "integer", "minimum": 2, "maximum": MOST, "description": "The number of values."}
    return {
        "type": "object",
        "properties": {
            "from": {"description": "The least value.", **number},
            "to": {"description": "The greatest value, in the same unit.", **number},
            "step": {"description": "The difference between consecutive values.", "allOf": [number, _POSITIVE]},
            "steps": count,
            "scale": {
                "description": "The spacing of values: 'linear', or 'log' with a constant ratio.",
                "enum": ["linear", "log"],
                "default": "linear",
            },
        },
        "required": ["from", "to"],
        "additionalProperties": False,
        "oneOf": [{"required": ["step"]}, {"required": ["steps"]}],
        "if": {"properties": {"scale": {"const": "log"}}, "required": ["scale"]},
        "then": {"required": ["steps"], "properties": {"from": _POSITIVE}},
        "examples": [{"from": 10, "to": 40, "step": 10}, {"from": 10, "to": 1000, "steps": 5, "scale": "log"}],
    }


def _replications() -> dict[str, Any]:
    return {
        "description": "The number of replications of every point and protocol, instead of the scenario's; or the "
        "precision of means at which they end.",
        "anyOf": [
            {"type": "integer", "minimum": 1, "maximum": MANY},
            {"$ref": f"{_DEFINITIONS}/Until"},
            {"type": "null"},
        ],
        "examples": [5, {"at_least": 4, "at_most": 30, "until": {"delay": "5 %"}}],
    }


def _until() -> dict[str, Any]:
    least, most = _DEFAULTS.at_least, _DEFAULTS.at_most
    share = {"type": "string", "pattern": _SHARE, "examples": ["5 %"]}
    count = {"type": "integer", "minimum": least, "maximum": MANY}
    return {
        "type": "object",
        "properties": {
            "at_least": {**count, "description": "The least number.", "default": least},
            "at_most": {**count, "description": "The greatest number.", "default": most},
            "until": {
                "description": "The largest half-width of a mean's 95 % confidence interval, as a share of the mean.",
                "type": "object",
                "properties": dict.fromkeys(METRICS, share),
                "additionalProperties": False,
                "minProperties": 1,
            },
        },
        "required": ["until"],
        "additionalProperties": False,
        "anyOf": [{"required": ["at_most"]}, {"properties": {"at_least": {"maximum": most}}}],
    }
