"""Groups in scenario files: reading, writing and JSON Schema."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import PlainSerializer, PlainValidator, ValidationInfo, WithJsonSchema

from mobilesim.errors import did_you_mean, shown
from mobilesim.geometry.named_graphs import KINDS
from mobilesim.scenario.sections.groups import (
    MOST_GROUPS,
    Blocks,
    Grouping,
    Links,
    ListedGroups,
    Random,
    Ring,
    Rule,
    Star,
)
from mobilesim.scenario.values.fields import MANY, digest, readable_file
from mobilesim.scenario.values.validation_error import refuse

_KEYS: Final[Mapping[str, tuple[type[Rule], Mapping[str, int | None]]]] = {
    "random": (Random, {"number": None, "size": None}),
    "ring": (Ring, {"size": None}),
    "star": (Star, {}),
    "blocks": (Blocks, {"size": None, "overlap": 0}),
    "links": (Links, {"graph": None, "branching": 2}),
}
"""The class of each rule, and its keys with their defaults (None: the key is required)."""

_LEAST: Final = {"number": 1, "size": 2, "overlap": 0, "branching": 1}


def _read(raw: object, info: ValidationInfo) -> Grouping | None:
    match raw:
        case None | ListedGroups() | Random() | Ring() | Star() | Blocks() | Links():
            return raw
        case list() | tuple():
            return _listed(raw)
        case Mapping():
            return _ruled(raw, info)
    raise refuse(
        f"{shown(raw)} is no groups; write lists of hosts, like [[0, 1, 2], [2, 3]], or a rule, like "
        "{rule: ring, size: 3}"
    )


def _listed(raw: list[Any] | tuple[Any, ...]) -> ListedGroups:
    if not raw:
        raise refuse("there are no groups; write some, like [[0, 1, 2], [2, 3]], or leave it out")
    if len(raw) > MOST_GROUPS:
        raise refuse(f"{len(raw)} groups are too many; the most is {MOST_GROUPS}")
    return ListedGroups(tuple(_group(number, group) for number, group in enumerate(raw)))


def _group(number: int, raw: object) -> tuple[int, ...]:
    if not isinstance(raw, list | tuple):
        raise refuse(f"{shown(raw)} is not a list of hosts", number)
    hosts = set[int]()
    for place, one in enumerate(raw):
        host = _whole(one, 0, number, place)
        if host in hosts:
            raise refuse(f"host {host} is here twice", number, place)
        hosts.add(host)
    if len(hosts) < 2:
        raise refuse("a group has at least two hosts", number)
    return tuple(sorted(hosts))


def _whole(raw: object, least: int, *below: str | int) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool):
        raise refuse(f"{shown(raw)} is not a whole number", *below)
    if not least <= raw <= MANY:
        bound = f"too little; write {least} or more" if raw < least else f"too much; write {MANY} or less"
        raise refuse(f"{shown(raw)} is {bound}", *below)
    return raw


def _ruled(raw: Mapping[str, object], info: ValidationInfo) -> Rule:
    if "rule" not in raw:
        raise refuse(f"'rule' is missing; there are {', '.join(_KEYS)}")
    rule = raw["rule"]
    if not isinstance(rule, str) or rule not in _KEYS:
        raise refuse(f"{shown(rule)} is not one of {', '.join(_KEYS)}{did_you_mean(rule, _KEYS)}", "rule")
    made, defaults = _KEYS[rule]
    known = ["rule", *defaults]
    for key in raw:
        if key not in known:
            raise refuse(f"rule '{rule}' has no such key{did_you_mean(key, known)} (known: {', '.join(known)})", key)
    return made(**{key: _setting(key, raw.get(key, default), info) for key, default in defaults.items()})


def _setting(key: str, raw: object, info: ValidationInfo) -> Any:  # noqa: ANN401 (what the rule's class takes)
    if raw is None:
        raise refuse(f"'{key}' is missing")
    if key != "graph":
        return _whole(raw, _LEAST[key], key)
    if isinstance(raw, str) and raw in KINDS:
        return raw
    if isinstance(raw, str) and not Path(raw).suffix:
        known = list(KINDS)
        message = (
            f"there is no graph {shown(raw)}{did_you_mean(raw, known)} (known: {', '.join(known)}, or a GraphML file)"
        )
        raise refuse(message, key)
    return readable_file(raw, info, key)


def _written(grouping: Grouping | None) -> object:
    """The normal form of groups; a file is written as the digest of its content."""
    if grouping is None:
        return None
    if isinstance(grouping, ListedGroups):
        return [list(group) for group in grouping.members]
    rule = _rule_of(grouping)
    settings = {key: getattr(grouping, key) for key in _KEYS[rule][1]}
    return {
        "rule": rule,
        **{key: digest(value) if isinstance(value, Path) else value for key, value in settings.items()},
    }


def _rule_of(grouping: Rule) -> str:
    return next(name for name, (made, _) in _KEYS.items() if isinstance(grouping, made))


def brief(grouping: Grouping) -> str:
    """A short description for summaries. The number of groups of a rule depends on hosts and files."""
    if isinstance(grouping, ListedGroups):
        return f"{len(grouping.members)} group{'s' if len(grouping.members) > 1 else ''}"
    return f"groups by rule '{_rule_of(grouping)}'"


_EXAMPLES: Final = {"graph": ["star", "groups.graphml"]}


def _described() -> dict[str, Any]:
    members = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": MANY}, "minItems": 2}
    lists = {"type": "array", "items": {**members, "uniqueItems": True}, "minItems": 1, "maxItems": MOST_GROUPS}
    return {"anyOf": [lists, *(_rule_schema(rule) for rule in _KEYS), {"type": "null"}]}


def _rule_schema(rule: str) -> dict[str, Any]:
    keys = _KEYS[rule][1]
    whole = {key: {"type": "integer", "minimum": _LEAST.get(key), "maximum": MANY} for key in keys if key in _LEAST}
    text = {key: {"type": "string", "examples": examples} for key, examples in _EXAMPLES.items() if key in keys}
    needed = ["rule", *(key for key, default in keys.items() if default is None)]
    properties = {"rule": {"const": rule}, **whole, **text}
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


GroupsOrRule = Annotated[
    Grouping | None,
    PlainValidator(_read),
    PlainSerializer(_written, when_used="json"),
    WithJsonSchema(_described()),
]
