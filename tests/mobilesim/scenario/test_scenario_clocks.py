"""Clocks in scenarios: their names, incompatible settings, and hashes."""

from typing import Final

import pytest
from jsonschema import Draft202012Validator

from mobilesim.errors import UserError
from mobilesim.protocols.clocks.catalogue import CLOCKS
from mobilesim.scenario import yaml_document
from mobilesim.scenario.json_schema import schema
from mobilesim.scenario.loader import loads
from mobilesim.scenario.referenced_files import record
from mobilesim.scenario.sections.clocks import Clocks, clock_choice

VALIDATOR: Final = Draft202012Validator(schema())
KNOWN: Final = ", ".join(CLOCKS)
EVERY: Final = tuple(clock_choice(name) for name in CLOCKS)
FM: Final = clock_choice("FM")
FIFTH: Final = clock_choice("allocation 5")

READ: Final = (
    ("all", Clocks(names=EVERY, window=16)),
    ("FM", Clocks(names=(FM,))),
    ("[allocation 5, FM]", Clocks(names=(FM, FIFTH))),
    ("{names: [allocation 3], window: 40}", Clocks(names=(clock_choice("allocation 3"),), window=40)),
    ("{window: 3}", Clocks(names=EVERY, window=3)),
    ("{names: FM, pairs: [[1, 2], [2, 0]]}", Clocks(names=(FM,), pairs=((1, 2), (2, 0)))),
    ("{clock: plausible, entries: 8}", Clocks(names=(clock_choice("plausible", {"entries": 8}),))),
    (
        "[{clock: bloom, counters: 20}, {clock: bloom}, lamport, {clock: FM, determination: 2}]",
        Clocks(
            names=(
                clock_choice("FM", {"determination": 2}),
                clock_choice("bloom", {"counters": 20}),
                clock_choice("bloom"),
                clock_choice("lamport"),
            )
        ),
    ),
    ("", None),
)

NAMELESS: Final = "a clock with options needs its name; 'clock' is missing, as in {clock: plausible, entries: 4}"
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
        (
            "clocks: 5 is not a list; write one, like [FM, allocation 5], or 'all', or keys below it "
            "(names, window, pairs)"
        ),
    ),
    ("clocks: {names: 5}", "clocks.names: 5 is not a list of clocks; write one, like [FM, allocation 5], or 'all'"),
    ("clocks: {name: all}", "clocks.name: unknown key; did you mean 'names'? (known: names, window, pairs)"),
    ("clocks: [{entries: 4}]", f"clocks[0]: {NAMELESS}"),
    (
        "clocks: [{clock: plausible, entries: 0}]",
        "clocks[0].entries: 0 is not a whole number in 1..1000",
    ),
    (
        "clocks: [FM, {clock: plausible, entry: 4}]",
        "clocks[1].entry: plausible has no such option; did you mean 'entries'? (known: entries, scalar)",
    ),
    ("clocks: [{clock: lamport, entries: 4}]", "clocks[0].entries: lamport has no such option (known: none)"),
    ("clocks: [{clock: bloon}]", f"clocks[0].clock: there is no clock 'bloon'; did you mean 'bloom'? (known: {KNOWN})"),
    (
        "clocks: plausible entries=8",
        "clocks: 'plausible entries=8' is a name in output, not in scenarios; write {clock: plausible, entries: 8}",
    ),
    ("clocks: {pairs: [[1, 1]]}", "clocks.pairs[0]: a pair has two different hosts, not twice 1"),
    ("clocks: {pairs: []}", "clocks.pairs: a list has 1 to 10,000 pairs, like [[0, 1]], not 0"),
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


def test_clocks_that_do_not_depend_on_links_have_no_limit_of_links() -> None:
    assert loads("clocks: [FM, lamport, bloom]\nhosts: 300").clocks is not None


def test_a_clock_with_default_values_of_options_is_the_same_clock() -> None:
    with pytest.raises(UserError, match=r"^x.yaml:1: clocks\[1\]: 'bloom' occurs twice$"):
        loads("clocks: [bloom, {clock: bloom, hashes: 2}]", "x.yaml")


@pytest.mark.parametrize(
    ("pairs", "error"),
    (
        ("[[0, 1], [1, 0]]", "clocks.pairs[1]: hosts 1 and 0 are a pair already"),
        ("[[0, 20]]", "clocks.pairs[0]: there is no host 20; hosts are numbered from 0 to 19"),
    ),
)
def test_a_pair_has_two_hosts_of_the_scenario_and_is_written_once(pairs: str, error: str) -> None:
    with pytest.raises(UserError) as raised:
        loads(f"clocks: {{pairs: {pairs}}}", "x.yaml")
    assert str(raised.value) == f"x.yaml:1: {error}"
