"""Orderings of messages to groups: the results of the explorer, and the errors of impossible configurations."""

import json
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from mobilesim.api.exploring import default_groups
from mobilesim.cli.main import main
from mobilesim.conformance.random_schedules import Sizes, random_schedule
from mobilesim.explorer.api import explore, homes_of
from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols.catalogue import ROWS, pair, pairs
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.protocols.machine import System
from mobilesim.protocols.ordering import Groups
from mobilesim.protocols.placements import proxy
from tests.support.orderings.dense_vectors import OwnGroupsOnly
from tests.support.protocols.live_worlds import live_world
from tests.support.protocols.script import free_location

Output = pytest.CaptureFixture[str]

CHAIN: Groups = ((0, 1), (1, 2))
TRIANGLE: Groups = ((0, 1), (1, 2), (0, 2))
SCOPES = {
    "a chain": Bounds(messages=2, moves=0, groups=CHAIN),
    "a triangle": Bounds(messages=2, moves=0, groups=TRIANGLE),
    "a group and all": Bounds(messages=1, moves=0, groups=((0, 1), (0, 1, 2))),
    "a chain that moves": Bounds(messages=1, moves=1, groups=CHAIN),
}
GROUP_ROWS = [row for row in pairs() if row.serves == "groups"]
with_group_rows = pytest.mark.parametrize("row", GROUP_ROWS, ids=lambda row: row.name)


@pytest.mark.full
@with_group_rows
@pytest.mark.parametrize("name", SCOPES)
def test_both_searches_find_no_fault_in_schedules_with_groups(row: ProtocolRow, name: str) -> None:
    request = row.build, 2, homes_of(2, 3), SCOPES[name], free_location(row)
    plain, quick = explore(*request), explore(*request, reduced=True)
    assert plain.ending is quick.ending is Ending.EXHAUSTED
    assert plain.states >= quick.states > 10


@pytest.mark.slow
@with_group_rows
@pytest.mark.parametrize("groups", (((0, 1), (0, 1, 2)), TRIANGLE), ids=("a group and all", "a triangle"))
def test_no_longer_schedule_with_groups_has_a_fault(row: ProtocolRow, groups: Groups) -> None:
    for messages, moves in ((2, 0), (1, 1)):
        found = explore(
            row.build, 2, homes_of(2, 3), Bounds(messages, moves, groups=groups), free_location(row), reduced=True
        )
        assert found.ending is Ending.EXHAUSTED


def own_groups_only(stations: int, homes: tuple[int, ...], options: Mapping[str, Any], groups: Groups = ()) -> System:
    return proxy.build(stations, homes, lambda size: OwnGroupsOnly(size, groups), **options)


@pytest.mark.full
def test_stamps_without_entries_of_other_groups_cause_a_fault_in_a_cycle_of_groups() -> None:
    bounds = Bounds(messages=3, moves=0, groups=TRIANGLE)
    around = explore(own_groups_only, 1, (0, 0, 0), bounds, reduced=True)
    assert (around.ending, around.fault_kind) == (Ending.FAULT, FaultKind.OVERTAKES)
    output = listing(own_groups_only(1, (0, 0, 0), {}, TRIANGLE), (0, 0, 0), bounds, around.schedule)
    assert sum(" in group " in line for line in output) == 3
    along = explore(own_groups_only, 1, (0, 0, 0), replace(bounds, groups=CHAIN), reduced=True)
    assert along.ending is Ending.EXHAUSTED


def test_only_members_send_to_a_group_and_only_to_all_other_members() -> None:
    world = live_world(
        ROWS["rst"].build(1, (0,) * 4), (0,) * 4, Bounds(messages=1, moves=0, groups=((2, 0, 1), (1, 2)))
    )
    expected = [(action.index, action.targets, action.group) for action in world.submissions()]
    assert expected == [(0, (1, 2), 0), (1, (0, 2), 0), (1, (2,), 1), (2, (0, 1), 0), (2, (1,), 1)]


def test_random_schedules_have_overlapping_groups_and_hosts_without_a_group() -> None:
    sizes = Sizes(hosts=(4, 8), groups=(1, 6))
    runs = [random_schedule(ROWS["rst"].build, Random(seed), None, sizes) for seed in range(40)]
    assert all(run.world.faults == [] for run in runs)
    overlaps = outsiders = 0
    for run in runs:
        groups, expected = run.world.bounds.groups, [each for each in run.schedule if each.kind is InputKind.SUBMIT]
        assert all(sorted((*each.targets, each.index)) == list(groups[each.group]) for each in expected)
        members = [host for group in groups for host in group]
        overlaps += len(members) > len({*members})
        outsiders += len({*members}) < len(run.homes)
    assert overlaps > 20
    assert outsiders > 10


@pytest.mark.parametrize(
    ("hosts", "groups"),
    ((2, ((0, 1),)), (3, CHAIN), (4, ((0, 1, 2), (2, 3))), (5, ((0, 1, 2), (2, 3, 4)))),
)
def test_three_or_more_hosts_form_two_default_groups_that_share_a_host(hosts: int, groups: Groups) -> None:
    assert default_groups(hosts) == groups


def test_the_result_names_the_groups(capsys: Output) -> None:
    assert main(["explore", "proxy+isis", "--hosts", "3", "--moves", "0"]) == 0
    assert capsys.readouterr().out.startswith("proxy+isis in groups 0,1/1,2: ")
    assert main(["explore", "unordered", "--hosts", "3", "--moves", "0", "--groups", "2,0,1/1,2", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["groups"], document["destinations"]) == ([[0, 1, 2], [1, 2]], None)
    assert " h0 submits m0 to h1 h2 in group 0 " in document["listing"][0]


@pytest.mark.parametrize(
    ("arguments", "line"),
    (
        ("resident+isis --groups 0,1/1,2", "--groups 0,1/1,2: there is no host 2; there are 0 to 1"),
        ("rst --groups 0/0,1", "--groups 0/0,1: host 0 is alone in its group; write two hosts or more"),
        ("rst --groups 0,1,1", "--groups 0,1,1: host 1 occurs twice in a group"),
        (
            "rst --hosts 3 --groups 0-1",
            "--groups 0-1: write the hosts of a group with commas, and '/' between groups, like 0,1/1,2",
        ),
        (
            "resident+isis --destinations 1",
            "--destinations 1: a message to a group goes to all its other members; leave this option out",
        ),
        (
            "rst --groups 0,1 --destinations 1",
            "--destinations 1: a message to a group goes to all its other members; leave this option out",
        ),
    ),
)
def test_impossible_groups_cause_one_error_line(arguments: str, line: str, capsys: Output) -> None:
    assert main(["explore", *arguments.split()]) == 2
    assert capsys.readouterr() == ("", f"mobilesim: {line}\n")


def test_an_ordering_of_groups_refuses_messages_without_a_group() -> None:
    found = explore(pair("proxy", "isis").build, 2, (0, 1), Bounds(messages=1, moves=0), reduced=True)
    assert found.fault_kind is FaultKind.FAILED
