"""Clocks in scenarios: their names, incompatible settings, and hashes."""

from typing import Final

import pytest
from jsonschema import Draft202012Validator

from mobilesim.clocks.allocations import NAMES
from mobilesim.errors import UserError
from mobilesim.scenario import yaml_document
from mobilesim.scenario.json_schema import schema
from mobilesim.scenario.loader import loads
from mobilesim.scenario.referenced_files import record
from mobilesim.scenario.sections.clocks import Clocks

VALIDATOR: Final = Draft202012Validator(schema())
KNOWN: Final = ", ".join(NAMES)

READ: Final = (
    ("all", Clocks(names=NAMES, window=16)),
    ("FM", Clocks(names=("FM",))),
    ("[allocation 5, FM]", Clocks(names=("FM", "allocation 5"))),
    ("{names: [allocation 3], window: 40}", Clocks(names=("allocation 3",), window=40)),
    ("{window: 3}", Clocks(names=NAMES, window=3)),
    ("", None),
)

BAD: Final = (
    ("clocks: [5]", f"clocks[0]: there is no clock 5; did you mean 'allocation 5'? (known: {KNOWN})"),
    ("clocks: [6]", f"clocks[0]: there is no clock 6 (known: {KNOWN})"),
    (
        "clocks: [FM, allocation-5]",
        f"clocks[1]: there is no clock 'allocation-5'; did you mean 'allocation 5'? (known: {KNOWN})",
    ),
    ("clocks: vectors", f"clocks: there is no clock 'vectors' (known: {KNOWN})"),
    ("clocks: [FM, FM]", "clocks[1]: 'FM' occurs twice"),
    ("clocks: []", "clocks: the list is empty; write clocks, like [FM, allocation 5], or 'all', or leave it out"),
    (
        "clocks: 5",
        "clocks: 5 is not a list; write one, like [FM, allocation 5], or 'all', or keys below it (names, window)",
    ),
    ("clocks: {names: 5}", "clocks.names: 5 is not a list of clocks; write one, like [FM, allocation 5], or 'all'"),
    ("clocks: {name: all}", "clocks.name: unknown key; did you mean 'names'? (known: names, window)"),
    ("clocks: {window: 0}", "clocks.window: 0 is too little; write 1 or more"),
)

INCOMPATIBLE: Final = (
    ("oracle: false", "the oracle checks the clocks; write 'oracle: true', or leave the clocks out"),
    ("hosts: 1001", "clocks can have at most 1,000 hosts, not 1,001"),
    (
        "hosts: 300",
        "clocks of 300 hosts can have at most 66,666 links, not 89,700; write fewer hosts, or groups",
    ),
)


@pytest.mark.parametrize(("text", "clocks"), READ)
def test_clocks_are_read_and_written_back(text: str, clocks: Clocks | None) -> None:
    scenario = loads(f"clocks: {text}")
    assert scenario.clocks == clocks
    assert loads(record(scenario).text).clocks == clocks
    assert VALIDATOR.is_valid(yaml_document.parse(f"clocks: {text}").data)


@pytest.mark.parametrize(("text", "error"), BAD)
def test_a_mistake_in_clocks_causes_one_error_line(text: str, error: str) -> None:
    with pytest.raises(UserError) as raised:
        loads(text, "x.yaml")
    assert str(raised.value) == f"x.yaml:1: {error}"
    assert not VALIDATOR.is_valid(yaml_document.parse(text).data)


@pytest.mark.parametrize(("text", "error"), INCOMPATIBLE)
def test_settings_incompatible_with_clocks_cause_one_error_line(text: str, error: str) -> None:
    with pytest.raises(UserError) as raised:
        loads(f"clocks: all\n{text}", "x.yaml")
    assert str(raised.value) == f"x.yaml:1: clocks: {error}"


def test_few_senders_or_groups_allow_more_hosts() -> None:
    assert loads("clocks: all\nhosts: 300\nworkload: {senders: 200}").clocks is not None
    assert loads("clocks: all\nhosts: 300\ngroups: {rule: star}").clocks is not None


def test_clocks_do_not_change_the_hash() -> None:
    assert loads("clocks: all").hash == loads("seed: 1").hash
    assert "clocks" not in loads("clocks: all").normal_form()
