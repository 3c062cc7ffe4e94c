"""The JSON Schema of scenario files, for editors. It accepts all valid scenarios, and marks most mistakes."""

from typing import Any

from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.cells import MOST_CELLS
from mobilesim.scenario.sections.clocks import NAMES_SCHEMA


def schema() -> dict[str, Any]:
    root = Scenario.model_json_schema()
    for section in (root, *root["$defs"].values()):
        for described in section.get("properties", {}).values():
            _untitle(described)
            _nullable_section(described)
    properties = root["properties"]
    properties["cells"]["anyOf"].append({"type": "integer", "minimum": 1, "maximum": MOST_CELLS})
    properties["clocks"]["anyOf"].append(NAMES_SCHEMA)
    _one_or_more(properties["protocols"], root["$defs"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **root, "title": "A mobilesim scenario"}


def _one_or_more(protocols: dict[str, Any], definitions: dict[str, Any]) -> None:
    """Accept a single protocol without a list."""
    definitions["Protocol"] = protocols.pop("items")
    one = {"$ref": "#/$defs/Protocol"}
    protocols["anyOf"] = [one, {"type": protocols.pop("type"), "items": one, "minItems": 1}]


def _untitle(described: dict[str, Any]) -> None:
    """Remove Pydantic's titles, which repeat the keys."""
    if described.get("title", "").istitle():
        del described["title"]


def _nullable_section(described: dict[str, Any]) -> None:
    """Accept an empty section, which has its defaults."""
    if "$ref" in described:
        described["anyOf"] = [{"$ref": described.pop("$ref")}, {"type": "null"}]
