"""The JSON Schema that editors use, and the random texts that neither it nor the loader may choke on."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mobilesim import shipped
from mobilesim.errors import UserError
from mobilesim.scenario import document
from mobilesim.scenario.loader import load, loads
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.schema import schema
from mobilesim.scenario.template import template

SCHEMA: Final = schema()
VALIDATOR: Final = Draft202012Validator(SCHEMA)

SECTIONS: Final = {"": SCHEMA, **SCHEMA["$defs"]}
KEYS: Final = [
    (name, key) for name, section in SECTIONS.items() for key in section.get("properties", {}) if name != "Protocol"
]


def accepted(text: str) -> bool:
    return not list(VALIDATOR.iter_errors(document.parse(text).data))


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(("section", "key"), KEYS)
def test_every_key_is_described(section: str, key: str) -> None:
    described = SECTIONS[section]["properties"][key]
    assert described["description"].endswith(".")
    assert "default" in described or key in SECTIONS[section]["required"]


@pytest.mark.parametrize("key", ("latency", "bandwidth", "jitter"))
def test_quantities_show_editors_what_to_write(key: str) -> None:
    described = SCHEMA["$defs"]["Backbone"]["properties"][key]
    assert described["examples"]
    assert all(list(VALIDATOR.iter_errors({"backbone": {key: text}})) == [] for text in described["examples"])


@pytest.mark.parametrize("name", shipped.names())
def test_every_shipped_scenario_suits_schema_and_loader(name: str) -> None:
    path = shipped.find(name)
    assert isinstance(load(path), Scenario)
    assert accepted(path.read_text())


def test_the_template_suits_the_schema() -> None:
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
def test_the_schema_marks_common_slips(text: str) -> None:
    assert not accepted(text)


def survives(text: str) -> None:
    """Either a scenario, or one line that names the source; and whatever loads suits the schema."""
    try:
        scenario = loads(text, "x.yaml")
    except UserError as error:
        assert str(error).startswith("x.yaml:")
        assert str(error).isprintable()
    else:
        assert len(scenario.hash) == 16
        assert accepted(text)


SCRAPS: Final = st.sampled_from(
    [*"\n\n\n::[]{},-?&*!|>%@'\"#\t~\x00\x85\u2028é", ": ", "- ", "  ", "? ", "<<: ", "&a ", "*a", "!!int ", "!!set "]
    + [
        "hosts",
        "cells",
        "backbone",
        "links",
        "between",
        "protocols",
        "name",
        "av1",
        "location",
        "lazy",
        "dwell",
        "edges",
    ]
    + [
        "7 ms",
        "1 Mbit/s",
        "exponential",
        "uniform",
        "9",
        "1e5",
        "-1",
        ".nan",
        ".inf",
        "yes",
        "null",
        "0x",
        "2001-01-01",
    ]
)

VALUES: Final = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=8),
        st.sampled_from(
            [
                "7 ms",
                "0 s",
                "-1 s",
                "1e99 h",
                "7",
                "+.5e-3 s",
                "2 KiB",
                "1 kB/s",
                "1 W",
                "all",
                "av1",
                "graph",
                "graphml",
            ]
            + ["constant 0 ns", "exponential 1 s", "uniform 1s 2s", "pareto 1.5 1 s", "pareto 1e-9 1 h", "multicast"]
            + ["static", "tree", "ring", "hex", "measured", ".", "/dev/null", "x" * 200]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(sorted({key for _, key in KEYS} | {"placement", "ordering"})), inner, max_size=3
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=400)
@given(st.one_of(st.text(max_size=60), st.lists(SCRAPS, max_size=25).map("".join)))
@example("hosts: ! 3")
@example("%TAG ! tag:yaml.org,2002:\n---\n!int 3")
@example('"\\xd800": 1')
def test_no_text_gives_a_traceback(text: str) -> None:
    survives(text)


@settings(max_examples=400)
@given(st.data())
def test_no_change_to_the_template_gives_a_traceback(data: st.DataObject) -> None:
    lines = template().splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        key, colon, _ = lines[place].partition(":")
        value = data.draw(VALUES.map(json.dumps) | SCRAPS)
        lines[place] = data.draw(
            st.sampled_from([f"{key}{colon} {value}", value, "", lines[place] * 2, lines[place][1:]])
        )
    survives("\n".join(lines))


@settings(max_examples=400)
@given(st.dictionaries(st.sampled_from(sorted({key for _, key in KEYS})), VALUES, min_size=1, max_size=4))
def test_no_values_of_keys_give_a_traceback(values: dict[str, Any]) -> None:
    survives(json.dumps(values))


@settings(max_examples=100)
@given(st.text(max_size=20), st.text(max_size=20))
def test_no_override_gives_a_traceback(key: str, value: str) -> None:
    try:
        loads("hosts: 5\n", "x.yaml", {key: value})
    except UserError as error:
        assert str(error).startswith(("--set", "x.yaml"))


@settings(max_examples=100)
@given(st.binary(max_size=40))
def test_no_bytes_give_a_traceback(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = Path(tmp_path_factory.getbasetemp()) / "bytes.yaml"
    path.write_bytes(content)
    try:
        load(path)
    except UserError as error:
        assert str(error).startswith(str(path))
