"""The protocol of a run: a name of the catalogue, or a placement and an ordering, with values of options.

A placement or an ordering of another package is named by its path or by its entry point (`mobilesim.extensions`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from mobilesim.errors import UserError, did_you_mean, shown
from mobilesim.extensions import outside_protocols
from mobilesim.extensions.resolution import Kind, installed, texts
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import ProtocolRow, yaml_text
from mobilesim.scenario.sections.outside_model import PATH_SCHEMA, installed_schemas
from mobilesim.scenario.values.options import (
    Setting,
    Settings,
    changed_settings,
    complete_settings,
    label,
    labelled,
    options_schema,
)
from mobilesim.scenario.values.validation_error import refuse

_PAIR: Final = ("placement", "ordering")


@dataclass(frozen=True, slots=True)
class ProtocolChoice:
    """`options`: all options, sorted. `label`: the name, with the options that do not have their default values.
    `extensions`: the parts that other packages declare, each with the package's version.
    """

    name: str
    placement: str
    ordering: str
    options: Settings
    label: str
    extensions: str = ""

    @property
    def identity(self) -> str:
        """The text that distinguishes the runs of this protocol from those of others, also of other versions of it."""
        return f"{self.label} {self.extensions}".rstrip()

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(brief, when_used="json")
        return core_schema.no_info_plain_validator_function(choose, ref=cls.__name__, serialization=written)

    @classmethod
    def __get_pydantic_json_schema__(cls, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return _protocol_schema()

    def blocked_by_absence(self, setting: str) -> str | None:
        """Return the message for a setting with which hosts leave for good, if the others would wait for them for ever;
        else None.
        """
        ordering, placement = catalogue.ordering_row(self.ordering), catalogue.placement_row(self.placement)
        if not ordering.sends_control or placement.orders_at != "host":
            return None
        return (
            f"the hosts of {self.label} wait for control messages of one another, for ever if one of them has left; "
            f"leave out '{setting}' or that protocol"
        )


def choose(raw: object) -> ProtocolChoice:
    """Read a protocol setting, like `av1`, `{name: av1, location: lazy}` or `{placement: proxy, ordering: rst}`."""
    match raw:
        case ProtocolChoice():
            return raw
        case str():
            return _choice(_named(raw), {})
        case Mapping():
            return _from_mapping({str(key): value for key, value in raw.items()})
    raise refuse(f"{shown(raw)} is not a protocol; write a name like 'av1', or a mapping with name and options")


def _from_mapping(keys: Mapping[str, object]) -> ProtocolChoice:
    _refuse_name_as_key(keys)
    row = _named(keys["name"], "name") if "name" in keys else _paired(keys)
    own = ("name",) if "name" in keys else _PAIR
    return _choice(row, {key: value for key, value in keys.items() if key not in own})


def _refuse_name_as_key(keys: Mapping[str, object]) -> None:
    """Raise an error with advice if the mapping has the form `{av3: {k: 3}}`."""
    name, options = next(iter(keys.items()), ("", None))
    if len(keys) == 1 and name in catalogue.ROWS:
        written = options if isinstance(options, Mapping) else {}
        pairs = [f"{key}: {yaml_text(value)}" for key, value in written.items()]
        raise refuse(f"the name of a protocol is a value; write {{{', '.join([f'name: {name}', *pairs])}}}", name)


def _named(name: object, *below: str) -> ProtocolRow:
    if isinstance(name, str):
        if "+" in name:
            return _paired(dict(zip(_PAIR, name.split("+", 1), strict=True)))
        if name in catalogue.ROWS:
            return catalogue.ROWS[name]
        if "," in name:
            names = ", ".join(name.replace(",", " ").split())
            raise refuse(f"{shown(name)} is several protocols; write a list, [{names}]", *below)
        if name in catalogue.ORDERINGS:
            at = (row.name for row in catalogue.pairs() if row.ordering == name)
            raise refuse(f"'{name}' is an ordering; write it with a placement: {', '.join(at)}", *below)
        if (example := outside_protocols.outside_part(name)) is not None:
            raise refuse(f"{shown(name)} is one part of a protocol; write placement+ordering, like {example}", *below)
        if advice := labelled(name, catalogue.ROWS, "name"):
            raise refuse(f"{shown(name)} is a name in output, not in scenarios; write {advice}", *below)
    hint, known = did_you_mean(name, catalogue.ROWS), ", ".join(catalogue.ROWS)
    raise refuse(f"there is no protocol {shown(name)}{hint} (known: {known})", *below)


def _paired(keys: Mapping[str, object]) -> ProtocolRow:
    for part in _PAIR:
        if part not in keys:
            raise refuse(f"a protocol needs a name, or a placement and an ordering; '{part}' is missing")
        if not isinstance(keys[part], str):
            raise refuse(f"{shown(keys[part])} is not a name of the catalogue", part)
    try:
        return outside_protocols.pair(str(keys["placement"]), str(keys["ordering"]))
    except UserError as error:
        raise refuse(str(error)) from None
    except ValueError as error:
        raise refuse(f"{error}{_meant(str(keys['placement']), str(keys['ordering']))}") from None


def _meant(placement: str, ordering: str) -> str:
    """Return a suggestion for an unknown pair: a correction of its first wrong part."""
    places, orders = installed(Kind.PLACEMENT), installed(Kind.ORDERING)
    known = placement in catalogue.PLACEMENTS or placement in places
    if known and (ordering in catalogue.ORDERINGS or ordering in orders):
        return ""
    if known:
        return did_you_mean(ordering, catalogue.ORDERINGS, orders)
    if placement in catalogue.ORDERINGS and ordering in catalogue.PLACEMENTS:
        return f"; the placement comes first: '{ordering}+{placement}'"
    row = catalogue.ROWS.get(placement)
    named = f"; '{placement}' is {row.placement}+{row.ordering}" if row else ""
    return named or did_you_mean(placement, catalogue.PLACEMENTS, places)


def _choice(row: ProtocolRow, given: Mapping[str, object]) -> ProtocolChoice:
    own = complete_settings(row.name, row.options, given)
    extensions = texts(outside_protocols.extensions_of(row.placement, row.ordering))
    return ProtocolChoice(row.name, row.placement, row.ordering, own, label(row.name, row.options, own), extensions)


def brief(choice: ProtocolChoice) -> str | dict[str, Setting]:
    """Return the shortest setting for this choice: a name, or a mapping if options have other values than defaults."""
    if choice.name in catalogue.ROWS:
        row, start = catalogue.ROWS[choice.name], {"name": choice.name}
    else:
        row = catalogue.pair(choice.placement, choice.ordering)
        start = {"placement": choice.placement, "ordering": choice.ordering}
    changed = changed_settings(row.options, choice.options)
    return {**start, **changed} if changed or "name" not in start else choice.name


def _protocol_schema() -> dict[str, object]:
    pairs = list(catalogue.pairs())
    named = {"type": "string", "enum": [*catalogue.ROWS, *(f"{row.placement}+{row.ordering}" for row in pairs)]}
    rows = [options_schema({"name": {"const": row.name}}, row.options) for row in catalogue.ROWS.values()]
    alike: dict[tuple[str, tuple[str, ...]], list[ProtocolRow]] = {}
    for row in pairs:
        alike.setdefault((row.placement, tuple(row.options)), []).append(row)
    for (placement, _), same in alike.items():
        pair = {"placement": {"const": placement}, "ordering": {"enum": [row.ordering for row in same]}}
        rows.append(options_schema(pair, same[0].options))
    return {"anyOf": [named, *rows, *_outside_schemas()]}


def _outside_schemas() -> list[dict[str, object]]:
    """Return the schemas of pairs with a part of another package, whose options are not known here."""
    text = {"type": "string"}
    places, orders = ({"anyOf": [PATH_SCHEMA, *installed_schemas(kind)]} for kind in (Kind.PLACEMENT, Kind.ORDERING))
    pairs: list[dict[str, object]] = [{"placement": places, "ordering": text}, {"placement": text, "ordering": orders}]
    schemas: list[dict[str, object]] = [
        {"type": "object", "properties": pair, "required": list(_PAIR)} for pair in pairs
    ]
    paths: dict[str, object] = {"type": "string", "pattern": r"^[^+]+\+[^+]+:[^+]+$|^[^+]+:[^+]+\+[^+]+$"}
    return [paths, *_installed_pairs(), *schemas]


def _installed_pairs() -> list[dict[str, object]]:
    """Return the schemas of `placement+ordering` with one part or two parts of installed packages. Whether the two can
    be a pair is not known without an import.
    """
    places, orders = installed(Kind.PLACEMENT), installed(Kind.ORDERING)
    return [
        {"const": f"{place}+{order}", "description": f"With parts of {', '.join(dict.fromkeys(origins))}."}
        for place in (*catalogue.PLACEMENTS, *places)
        for order in (*catalogue.ORDERINGS, *orders)
        if (origins := [*filter(None, (places.get(place), orders.get(order)))])
    ]
