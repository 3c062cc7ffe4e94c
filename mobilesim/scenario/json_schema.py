"""The JSON Schema of scenario files, for editors. It accepts all valid scenarios, and refuses most mistakes."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from mobilesim.scenario.model import Scenario


class Generator(GenerateJsonSchema):
    """A generator of schemas. Sections may be empty, and titles that only repeat the keys are left out."""

    def field_title_should_be_set(self, _schema: object) -> bool:
        return False

    def model_field_schema(self, schema: core_schema.ModelField) -> JsonSchemaValue:
        described = super().model_field_schema(schema)
        if "$ref" in described:
            described["anyOf"] = [{"$ref": described.pop("$ref")}, {"type": "null"}]
        return described


def schema() -> dict[str, Any]:
    root = Scenario.model_json_schema(schema_generator=Generator)
    return {"$schema": Generator.schema_dialect, **root, "title": "A mobilesim scenario"}
