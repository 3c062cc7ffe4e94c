"""Random texts, bytes and values give a scenario or error lines. Every accepted text also passes the JSON Schema."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mobilesim.errors import UserError
from mobilesim.scenario import yaml_document
from mobilesim.scenario.json_schema import schema
from mobilesim.scenario.loader import load, loads
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.template import template

SCHEMA: Final = schema()
TEMPLATE: Final = tuple(template().splitlines())
VALIDATOR: Final = Draft202012Validator(SCHEMA)
KEYS: Final = sorted({key for part in (SCHEMA, *SCHEMA["$defs"].values()) for key in part.get("properties", {})})

SIGNS: Final = "\n\n\n  ::[]{},-?&*!|>%@'\"#\t~\x00\x85\u2028é"
WORDS: Final = """<<: &a *a !!int !!set !x --- ... hosts: cells: backbone: links: between: protocols: name: location:
    av1 lazy dwell: edges: exponential uniform 9 1e5 -1 .nan .inf yes null 0x 2001-01-01 12:30"""
VALUES: Final = """7 ms|0 s|-1 s|1e99 h|7|+.5e-3 s|2 KiB|1 kB/s|1 W|all|av1|graph|graphml|constant 0 ns|exponential 1 s|
    uniform 1s 2s|pareto 1.5 1 s|pareto 1e-9 1 h|multicast|static|tree|ring|hex|measured|.|/dev/null|\0|9 s/s|1 mu"""

SCRAP: Final = st.sampled_from([*SIGNS, *(f"{word} " for word in WORDS.split()), "x" * 200])
LEAF: Final = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.sampled_from(VALUES.split("|"))
)
VALUE: Final = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=6,
)


def section(described: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw mappings from known keys to values: random values, or examples for the key."""
    inner = {key: VALUE | example_of(value) for key, value in described["properties"].items()}
    return st.sets(st.sampled_from(sorted(inner)), max_size=3).flatmap(
        lambda keys: st.fixed_dictionaries({key: inner[key] for key in keys})
    )


def example_of(described: dict[str, Any]) -> st.SearchStrategy[Any]:
    choices = described.get("anyOf", [described])
    named = [SCHEMA["$defs"][choice["$ref"].rpartition("/")[2]] for choice in choices if "$ref" in choice]
    if sections := [section(each) for each in named if "properties" in each]:
        return st.one_of(sections)
    shown = [value for choice in (described, *choices) for key in ("enum", "examples") for value in choice.get(key, [])]
    return st.sampled_from(shown) if shown else st.integers(0, 5)


SCENARIO: Final = section(SCHEMA)


def outcome(text: str) -> Scenario | str:
    try:
        return loads(text, "x.yaml")
    except UserError as error:
        return str(error)


def gives_scenario_or_error(text: str) -> bool:
    found = outcome(text)
    if isinstance(found, str):
        return all(line.startswith("x.yaml:") and line.isprintable() for line in found.split("\n"))
    return len(found.hash) == 16 and VALIDATOR.is_valid(yaml_document.parse(text).data)


@pytest.mark.full
@settings(max_examples=400)
@given(st.text(max_size=60) | st.lists(SCRAP, max_size=25).map("".join))
@example("hosts: ! 3")
@example("%TAG ! tag:yaml.org,2002:\n---\n!int 3")
@example('"\\ud800": 1')
@example('name: "\\ud800"')
@example("<<: [{hosts: 5}, {hosts: 6}]")
def test_no_text_gives_a_traceback(text: str) -> None:
    assert gives_scenario_or_error(text)


@pytest.mark.full
@settings(max_examples=200)
@given(st.data())
def test_no_change_to_the_template_gives_a_traceback(data: st.DataObject) -> None:
    assert gives_scenario_or_error(changed_template(data))


@pytest.mark.slow
@settings(max_examples=2_000)
@given(st.data())
def test_none_of_thousands_of_changes_to_the_template_gives_a_traceback(data: st.DataObject) -> None:
    assert gives_scenario_or_error(changed_template(data))


def changed_template(data: st.DataObject) -> str:
    lines = list(TEMPLATE)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        line = lines[place]
        value = data.draw(VALUE.map(json.dumps) | SCRAP)
        changes = (f"{line.partition(':')[0]}: {value}", value, "", line * 2, line[1:], line + value)
        lines[place] = data.draw(st.sampled_from(changes))
    return "\n".join(lines)


@pytest.mark.full
@settings(max_examples=400)
@given(SCENARIO)
def test_no_values_of_keys_give_a_traceback(values: dict[str, Any]) -> None:
    assert gives_scenario_or_error(json.dumps(values))


@pytest.mark.full
def test_random_scenarios_are_often_valid_and_often_invalid() -> None:
    found = {True: 0, False: 0}

    @settings(max_examples=200, database=None)
    @given(SCENARIO)
    def count(values: dict[str, Any]) -> None:
        found[isinstance(outcome(json.dumps(values)), Scenario)] += 1

    count()
    assert min(found.values()) > 10


@pytest.mark.full
@settings(max_examples=200)
@given(st.sampled_from(KEYS) | st.text(max_size=20), VALUE.map(json.dumps) | st.text(max_size=20))
def test_no_override_gives_a_traceback(key: str, value: str) -> None:
    try:
        found = str(loads("hosts: 5\n", "x.yaml", {key: value}).name)
    except UserError as error:
        found = str(error)
    assert found


@settings(max_examples=200)
@given(st.binary(max_size=40))
def test_no_bytes_give_a_traceback(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = Path(tmp_path_factory.getbasetemp()) / "bytes.yaml"
    path.write_bytes(content)
    try:
        found = load(path).name
    except UserError as error:
        found = str(error)
    assert found == "bytes" or found.startswith(str(path))


@pytest.mark.slow
@settings(max_examples=20_000, derandomize=False)
@given(st.lists(SCRAP, max_size=40).map("".join) | SCENARIO.map(json.dumps))
def test_no_text_gives_a_traceback_in_a_long_search(text: str) -> None:
    assert gives_scenario_or_error(text)
