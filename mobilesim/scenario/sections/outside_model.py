"""Keys of a scenario that name a model of another package, and the settings of such a model."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Final

from pydantic import GetJsonSchemaHandler, PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError

from mobilesim.errors import UserError, did_you_mean, shown
from mobilesim.extensions.resolution import Extension, Kind, find, installed
from mobilesim.scenario.pydantic_errors import nested
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.validation_error import refusal, refuse

PATH_SCHEMA: Final[dict[str, object]] = {"type": "string", "pattern": r"^[\w.]+:\w+$"}

OutsideSettings = Annotated[
    Section,
    PlainValidator(lambda raw: raw),
    PlainSerializer(lambda section: section.model_dump(mode="json"), when_used="json"),
    WithJsonSchema({"type": "object"}),
]
"""Settings that `with_settings` has read already. Anything else is refused by the section that has this key."""


def model_name(kind: Kind, shipped: Collection[str] = ()) -> tuple[Any, ...]:
    """Return the annotations of a key with the name of a model: a shipped one, or one of another package."""

    def check(raw: object) -> str:
        if isinstance(raw, str) and (raw in shipped or _found(kind, raw) is not None):
            return raw
        known = f"is not one of {', '.join(shipped)}" if shipped else f"is no {kind.noun} of an installed package"
        remedy = did_you_mean(raw, shipped, installed(kind))
        remedy = remedy or ("" if shipped else "; write a path, like 'package.module:name'")
        raise refuse(f"{shown(raw)} {known}{remedy}")

    return PlainValidator(check), _NameSchema(kind, tuple(shipped))


class _NameSchema:
    """The JSON Schema of a name. Installed packages are looked for when the schema is written, not at the import."""

    def __init__(self, kind: Kind, shipped: tuple[str, ...]) -> None:
        self.kind = kind
        self.shipped = shipped

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
        named: list[dict[str, object]] = [{"enum": list(self.shipped)}] if self.shipped else []
        return {"anyOf": [*named, *installed_schemas(self.kind), PATH_SCHEMA]}


def installed_schemas(kind: Kind) -> list[dict[str, object]]:
    """Return the JSON Schemas of the names that installed packages declare, which name the packages."""
    what = f"{kind.article.capitalize()} {kind.noun}"
    return [{"const": name, "description": f"{what} of {origin}."} for name, origin in installed(kind).items()]


def _found(kind: Kind, name: str) -> Extension | None:
    try:
        return find(kind, name)
    except UserError as error:
        raise refuse(str(error)) from None


def with_settings(raw: Mapping[str, Any], kind: Kind, *, on_plane: str | None = None) -> Mapping[str, Any]:
    """Return the keys with `settings` read into the section that the model's package declares. `on_plane`: a key that
    gets its defaults if the model is on a plane.
    """
    try:
        found = find(kind, raw["model"])
    except UserError:
        return raw  # the key `model` is refused with the reason
    if found is None:
        return raw
    filled = {**raw}
    if found.row.section is not None and not isinstance(raw.get("settings"), found.row.section):
        filled["settings"] = _below_settings(found.row.section, raw.get("settings"))
    if on_plane is not None and found.row.on_plane and raw.get(on_plane) is None:
        filled[on_plane] = {}
    return filled


def _below_settings(section: Any, raw: object) -> object:  # noqa: ANN401 - a section of another package
    try:
        return nested(section, {} if raw is None else raw)
    except PydanticCustomError as error:
        faults = (error.context or {})["faults"]
        raise refusal(*(fault.under("settings") for fault in faults)) from None
