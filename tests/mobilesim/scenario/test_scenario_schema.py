"""The JSON Schema of scenarios, for editors."""

from typing import Final

import pytest
from jsonschema import Draft202012Validator

from mobilesim.scenario import bundled, yaml_document
from mobilesim.scenario.json_schema import schema
from mobilesim.scenario.loader import load
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.template import template

SCHEMA: Final = schema()
VALIDATOR: Final = Draft202012Validator(SCHEMA)

SECTIONS: Final = {"": SCHEMA, **SCHEMA["$defs"]}
KEYS: Final = [
    (name, key) for name, section in SECTIONS.items() for key in section.get("properties", {}) if name != "Protocol"
]


def accepted(text: str) -> bool:
    return not list(VALIDATOR.iter_errors(yaml_document.parse(text).data))


def test_the_schema_is_a_valid_json_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(("section", "key"), KEYS)
def test_every_key_is_described(section: str, key: str) -> None:
    described = SECTIONS[section]["properties"][key]
    assert described["description"].endswith(".")
    assert "default" in described or key in SECTIONS[section]["required"]


@pytest.mark.parametrize("key", ("latency", "bandwidth", "jitter"))
def test_the_schema_has_examples_of_quantities(key: str) -> None:
    described = SCHEMA["$defs"]["Backbone"]["properties"][key]
    assert described["examples"]
    assert all(list(VALIDATOR.iter_errors({"backbone": {key: text}})) == [] for text in described["examples"])


@pytest.mark.parametrize("name", bundled.names())
def test_every_shipped_scenario_passes_the_schema_and_the_loader(name: str) -> None:
    path = bundled.find(name)
    assert isinstance(load(path), Scenario)
    assert accepted(path.read_text())


def test_the_template_passes_the_schema() -> None:
    assert accepted(template())


@pytest.mark.parametrize(
    "text",
    (
        "hosts: many",
        "host: 5",
        "backbone: {latency: 7}",
        "backbone: {latency: soon}",
        "wireless: {bandwidth: 1 Mbit}",
        "mobility: {dwell: exponental 5 s}",
        "mobility: {dwell: uniform 1 3 s}",
        "mobility: {model: walk}",
        "mobility: {disconnect: {probability: 2}}",
        "protocols: []",
        "protocols: [av9]",
        "protocols: [{name: av1, location: lasy}]",
        "protocols: [{placement: proxy}]",
        "workload: {destinations: some}",
    ),
)
def test_the_schema_refuses_common_mistakes(text: str) -> None:
    assert not accepted(text)
