"""Groups, selectivity and rates in scenarios: how they are read, and which settings and orderings accept them."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.protocols import catalogue
from mobilesim.scenario import yaml_document
from mobilesim.scenario.json_schema import schema
from mobilesim.scenario.loader import load, loads
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.referenced_files import record
from mobilesim.scenario.sections.groups import (
    BlockGroups,
    LinkGroups,
    ListedGroups,
    RandomGroups,
    RingGroups,
    StarGroups,
)

VALIDATOR: Final = Draft202012Validator(schema())
GRAPHS: Final = "star, ring, bidirectional-ring, hierarchical-triangle, complete, tree, or a GraphML file"
RULES: Final = "random, ring, star, blocks, links"

READ: Final = (
    ("[[0, 1, 2], [3, 2]]", ListedGroups(((0, 1, 2), (2, 3)))),
    ("{rule: random, number: 6, size: 4}", RandomGroups(rule="random", number=6, size=4)),
    ("{rule: ring, size: 3}", RingGroups(rule="ring", size=3)),
    ("{rule: star}", StarGroups(rule="star")),
    ("{rule: blocks, size: 5, overlap: 1}", BlockGroups(rule="blocks", size=5, overlap=1)),
    ("{rule: blocks, size: 5}", BlockGroups(rule="blocks", size=5)),
    ("{rule: links, graph: hierarchical-triangle}", LinkGroups(rule="links", graph="hierarchical-triangle")),
    ("{rule: links, graph: tree, branching: 3}", LinkGroups(rule="links", graph="tree", branching=3)),
)

BAD: Final = (
    ("[]", "groups: the list is empty; write groups, like [[0, 1, 2], [2, 3]], or leave it out"),
    ("[[0, 1], [1]]", "groups[1]: a group has at least 2 hosts"),
    ("[[0, 1], []]", "groups[1]: a group has at least 2 hosts"),
    ("[[0, 1, 0]]", "groups[0][2]: host 0 occurs twice"),
    ("[[0, 20]]", "groups[0]: there is no host 20; hosts are numbered from 0 to 19"),
    ("[[0, -1]]", "groups[0][1]: -1 is too little; write 0 or more"),
    ("[[0, yes]]", "groups[0][1]: true is not a whole number"),
    ("[[0, 1], 2]", "groups[1]: 2 is not a list"),
    (
        "3",
        "groups: 3 is not a setting of groups; write lists of hosts, like [[0, 1, 2], [2, 3]], or a rule, like {rule:",
    ),
    ("{}", f"groups: 'rule' is missing; write one of {RULES}"),
    ("{rule: rang}", f"groups.rule: 'rang' is not one of {RULES}; did you mean 'ring'?"),
    ("{rule: ring}", "groups: 'size' is missing"),
    ("{rule: ring, size: 1}", "groups.size: 1 is too little; write 2 or more"),
    ("{rule: ring, size: 21}", "groups.size: groups of 21 are larger than the 20 hosts"),
    ("{rule: ring, size: 3, siz: 3}", "groups.siz: unknown key; did you mean 'size'? (known: rule, size)"),
    ("{rule: random, number: 0, size: 2}", "groups.number: 0 is too little; write 1 or more"),
    ("{rule: random, number: 10001, size: 2}", "groups.number: about 10001 groups are too many; the maximum is 10000"),
    ("{rule: blocks, size: 5, overlap: 5}", "groups.overlap: blocks of 5 cannot share 5; write 4 or less"),
    ("{rule: blocks, size: 19}", "groups.size: the last block of 19 would have one host; write another size"),
    ("{rule: links, graph: stars}", f"groups.graph: there is no graph 'stars'; did you mean 'star'? (known: {GRAPHS})"),
    ("{rule: links, graph: no.graphml}", "groups.graph: the file 'no.graphml' does not exist"),
)

INCOMPATIBLE: Final = (
    (
        "workload: {kind: multicast}",
        "2: workload.kind: with groups a message goes to all other members of a group; leave this key out",
    ),
    (
        "workload: {destinations: 1}",
        "2: workload.destinations: with groups a message goes to all other members of a group; leave",
    ),
    (
        "workload: {selectivity: 1}",
        "2: workload.selectivity: with groups a message goes to all other members of a group; leave",
    ),
    (
        "protocols: ab\nworkload: {stations: {}}",
        "3: workload.stations: groups have no stations; leave this key out, or leave the groups out",
    ),
    (
        "workload: {senders: 3}",
        "2: workload.senders: none of the first 3 hosts is in a group; the first host in a group is 3",
    ),
    (
        "protocols: resident+bss",
        "1: groups: resident+bss orders broadcasts; write 'destinations: all' instead, or leave that protocol out",
    ),
    (
        "network: static\nmessages: 5\nwarm_up: {deliveries: 5}",
        "4: warm_up.deliveries: the run has at most 5 deliveries, and the warm-up 5; write fewer",
    ),
)

BAD_WORKLOADS: Final = (
    ("selectivity: 95", "selectivity: 95 is too much; write 1 or less"),
    ("selectivity: 101 %", "selectivity: 1.01 is too much; write 1 or less"),
    ("selectivity: most", "selectivity: 'most' is not a number from 0 to 1; write one like 0.95, or '95 %'"),
    (
        "{kind: multicast, destinations: 1..10, selectivity: 0.1}",
        "selectivity: the other hosts with an even or odd number like the source's may be as few as 9, but there are",
    ),
    ("rates: []", "rates: the list is empty; write rates, like [1, 3], or leave it out"),
    ("rates: [1, 0]", "rates[1]: 0 is too little; write 1 or more"),
    ("rates: 3", "rates: 3 is not a list"),
    (f"rates: {[1] * 21}", "rates: 21 rates are more than the 20 hosts"),
)


@pytest.mark.full
@pytest.mark.parametrize(("text", "groups"), READ)
def test_groups_are_read_and_written_back(text: str, groups: object) -> None:
    scenario = loads(f"network: static\ngroups: {text}")
    assert scenario.groups == groups
    written = scenario.normal_form()
    assert Scenario.model_validate({**written, "protocols": scenario.protocols}).groups == groups
    assert not {"kind", "destinations", "selectivity"} & set(scenario.model_dump(mode="json")["workload"])
    assert VALIDATOR.is_valid(yaml_document.parse(f"groups: {text}").data)


@pytest.mark.parametrize("groups", ("{rule: star}", "{rule: links, graph: ring}", "[[0, 1]]"))
def test_a_single_host_with_groups_is_refused(groups: str) -> None:
    with pytest.raises(UserError, match=r"^x.yaml:2: hosts: a single host has no destinations; write 2 or more$"):
        loads(f"groups: {groups}\nhosts: 1\nworkload: {{senders: 0}}", "x.yaml")


@pytest.mark.parametrize(("text", "error"), BAD)
def test_a_mistake_in_groups_causes_one_error_line(text: str, error: str) -> None:
    with pytest.raises(UserError) as raised:
        loads(f"groups: {text}", "x.yaml")
    assert str(raised.value).startswith(f"x.yaml:1: {error}")
    assert "\n" not in str(raised.value)


def test_all_mistakes_in_groups_are_reported() -> None:
    with pytest.raises(UserError) as raised:
        loads("groups: {rule: random, siz: 3, number: 0}", "x.yaml")
    assert str(raised.value) == (
        "x.yaml:1: groups: 'size' is missing\n"
        "x.yaml:1: groups.number: 0 is too little; write 1 or more\n"
        "x.yaml:1: groups.siz: unknown key; did you mean 'size'? (known: rule, size, number)"
    )


@pytest.mark.parametrize(("text", "error"), INCOMPATIBLE)
def test_settings_incompatible_with_groups_cause_one_error_line(text: str, error: str) -> None:
    with pytest.raises(UserError) as raised:
        loads(f"groups: [[3, 4]]\n{text}", "x.yaml")
    assert str(raised.value).startswith(f"x.yaml:{error}")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("text", "error"), BAD_WORKLOADS)
def test_a_mistake_in_selectivity_or_rates_causes_one_error_line(text: str, error: str) -> None:
    workload = text if text.startswith("{") else f"{{{text}}}"
    with pytest.raises(UserError) as raised:
        loads(f"workload: {workload}", "x.yaml")
    assert str(raised.value).startswith(f"x.yaml:1: workload.{error}")


@pytest.mark.parametrize("text", ("[[0]]", "[[1, 1]]", "[]", "{rule: ring}", "{rule: star, size: 2}", "{rule: mesh}"))
def test_the_schema_refuses_mistakes_in_groups(text: str) -> None:
    assert not VALIDATOR.is_valid(yaml_document.parse(f"groups: {text}").data)


@pytest.mark.parametrize("text", ("selectivity: 95 %", "selectivity: 0.95"))
def test_a_selectivity_is_a_probability_or_a_percentage(text: str) -> None:
    assert loads(f"workload: {{{text}}}").workload.selectivity == 0.95
    assert VALIDATOR.is_valid(yaml_document.parse(f"workload: {{{text}}}").data)


def test_selectivity_requires_enough_hosts_of_each_parity() -> None:
    expected = "kind: multicast, destinations: 2, selectivity: 1"
    with pytest.raises(UserError, match="may be as few as 1, but there are 2 destinations"):
        loads(f"hosts: 5\nworkload: {{{expected}}}")
    assert loads(f"hosts: 5\nworkload: {{{expected}, senders: 1}}").most_destinations == 2
    assert loads(f"hosts: 6\nworkload: {{{expected}}}").most_destinations == 2


@pytest.mark.parametrize("change", ("groups: [[0, 1]]", "workload: {selectivity: 0.5}", "workload: {rates: [1, 3]}"))
def test_groups_selectivity_and_rates_change_a_hash_only_if_they_are_used(change: str) -> None:
    plain = Scenario()
    assert loads(change).hash != plain.hash
    assert plain.normal_form() == {}
    assert loads("groups:\nworkload: {selectivity: 0 %, rates:}").hash == plain.hash


def test_the_hash_depends_on_the_order_of_groups_but_not_of_hosts_in_a_group() -> None:
    assert loads("groups: [[2, 0], [1, 2]]").hash == loads("groups: [[0, 2], [2, 1]]").hash
    assert loads("groups: [[0, 2], [1, 2]]").hash != loads("groups: [[1, 2], [0, 2]]").hash


def set_served_destinations(monkeypatch: pytest.MonkeyPatch, serves: Any) -> None:  # noqa: ANN401 - a literal of the catalogue
    row = replace(catalogue.ORDERINGS["rst"], serves=serves)
    monkeypatch.setattr(catalogue, "ORDERINGS", {**catalogue.ORDERINGS, "rst": row})


def test_an_ordering_of_groups_requires_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    set_served_destinations(monkeypatch, "groups")
    with pytest.raises(UserError, match=r"^x.yaml:1: protocols\[0\]: rst orders messages to groups; write 'groups'"):
        loads("protocols: rst", "x.yaml")
    assert loads("protocols: rst\ngroups: {rule: star}").groups == StarGroups(rule="star")


def test_an_ordering_of_unicasts_requires_unicasts(monkeypatch: pytest.MonkeyPatch) -> None:
    set_served_destinations(monkeypatch, "unicasts")
    with pytest.raises(UserError, match=r"^x.yaml:2: workload.kind: rst orders unicasts; write 'kind: unicast', or"):
        loads("protocols: rst\nworkload: {kind: multicast}", "x.yaml")
    with pytest.raises(UserError, match=r"^x.yaml:2: groups: rst orders unicasts; write 'kind: unicast' instead, or"):
        loads("protocols: rst\ngroups: {rule: star}", "x.yaml")
    monkeypatch.setattr(catalogue, "PLACEMENTS", {"resident": catalogue.PLACEMENTS["flood"]})
    with pytest.raises(UserError, match=r"^x.yaml:2: workload.stations: rst orders unicasts of hosts; leave the stat"):
        loads("protocols: rst\nworkload: {stations: {}}", "x.yaml")
    assert loads("protocols: rst").workload.kind == "unicast"


def test_a_file_of_links_is_copied_and_hashed_by_content(tmp_path: Path) -> None:
    graph = tmp_path / "mine.graphml"
    graph.write_text("<graphml/>")
    (tmp_path / "x.yaml").write_text("groups: {rule: links, graph: mine.graphml}")
    scenario = load(tmp_path / "x.yaml")
    assert scenario.groups == LinkGroups(rule="links", graph=graph)
    found = record(scenario)
    assert found.files == {"groups.graphml": b"<graphml/>"}
    again = tmp_path / "again"
    again.mkdir()
    (again / "groups.graphml").write_bytes(found.files["groups.graphml"])
    (again / "x.yaml").write_text(found.text)
    assert load(again / "x.yaml").hash == scenario.hash
    graph.unlink()
    with pytest.raises(UserError, match="can no longer be read"):
        scenario.normal_form()


def test_validate_shows_the_number_of_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.yaml"
    for groups, output in (
        ("[[0, 1], [1, 2]]", "2 groups"),
        ("[[0, 1]]", "1 group"),
        ("{rule: star}", "groups by rule"),
    ):
        file.write_text(f"network: static\nhosts: 5\ngroups: {groups}\n")
        assert main(["validate", str(file)]) == 0
        assert f"a static network, {output}" in capsys.readouterr().out
