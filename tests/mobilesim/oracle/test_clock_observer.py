"""Passive clocks, compared with the oracle."""

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from mobilesim.errors import UserError
from mobilesim.experiments import clock_comparison
from mobilesim.experiments.clock_comparison import audience, observer
from mobilesim.geometry.named_graphs import graph
from mobilesim.oracle.clock_observer import ClockObserver
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.protocols.clocks.catalogue import CLOCKS, Errors
from mobilesim.protocols.clocks.links import Links, links_of, members
from mobilesim.protocols.clocks.logical_clock import Network, PhysicalTime
from mobilesim.results.schema import TABLES
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.clocks import Clocks
from mobilesim.world.replication import single_cell_world
from tests.support.simulations import MS, FinishedRun, Play, Row, Script, simulate

HOSTS: Final = 6
STAR: Final = links_of(graph("star", HOSTS, 1).adjacency)
NAMES: Final = tuple(CLOCKS)
WITH_OBS_SETS: Final = {"allocation 3", "allocation 4", "allocation 5"}
GATEWAYS: Final = ("allocation 4", "allocation 5")
INEXACT: Final = {name for name, row in CLOCKS.items() if row.errors is not Errors.NONE}


def answering_script(messages: int) -> Script:
    """Return a script in which the centre answers every message."""
    random = Random(1)
    says = [(random.randrange(2_000) * MS, random.randrange(1, HOSTS)) for _ in range(messages)]
    return Script([(moment, *random.choice(((0, host), (host, 0)))) for moment, host in says])


def run_star(play: Play, protocol: object) -> Mapping[str, Row]:
    jitter = {"jitter": "uniform 0 s 300 ms"}
    star = {"hosts": HOSTS, "groups": {"rule": "star"}, "clocks": "all"}
    run: FinishedRun = play(answering_script(1_000), protocol, **star, backbone=jitter, duration="20 s")
    return by_clock(run)


def by_clock(run: FinishedRun) -> Mapping[str, Row]:
    return {row["clock"]: row for row in run.rows("clocks")}


def wrong_clocks(found: Mapping[str, Row]) -> set[str]:
    """Return the clocks that gave other wrong answers than the catalogue admits."""
    kinds = {"missed": Errors.MISSED, "spurious": Errors.SPURIOUS, "reversed": None}
    return {
        name
        for name, row in found.items()
        if any(row[kind] for kind, errors in kinds.items() if CLOCKS[name].errors is not errors)
    }


def test_every_clock_agrees_with_the_oracle_under_a_protocol_that_keeps_causal_order(play: Play) -> None:
    found = run_star(play, "av1")
    assert tuple(found) == NAMES
    assert wrong_clocks(found) == set()
    assert {name for name, row in found.items() if row["spurious"]} == INEXACT
    assert {name for name, row in found.items() if not row["claims_exact"]} == INEXACT
    assert {row["copies"] for row in found.values()} == {1_000}
    assert all(row["compared"] > 5_000 for row in found.values())


def test_the_sizes_of_clocks_in_a_star_are_those_of_their_clock_sets(play: Play) -> None:
    found = run_star(play, "av1")
    carried = {name: row["integers"] / row["copies"] for name, row in found.items()}
    kept = {name: (row["kept_mean"], row["kept_max"]) for name, row in found.items()}
    assert carried["FM"] == HOSTS
    assert carried["allocation 3"] == HOSTS - 1
    assert carried["allocation 4"] == carried["allocation 5"] == 1
    assert all(kept[name] == (carried[name], carried[name]) for name in (*GATEWAYS, "FM", "plausible", "lamport"))
    assert {row["integers_of_vectors"] for row in found.values()} == {HOSTS * 1_000}
    assert {row["links"] for row in found.values()} == {2 * (HOSTS - 1)}
    assert {name for name, row in found.items() if row["obs_set_max"] is None} == set(NAMES) - WITH_OBS_SETS


def test_without_causal_order_only_the_clocks_that_need_it_are_wrong(play: Play) -> None:
    found = run_star(play, {"placement": "proxy", "ordering": "unordered"})
    assert wrong_clocks(found) == {*GATEWAYS, "differential"}
    for name in GATEWAYS:
        row = found[name]
        assert (row["missed"], row["reversed"], row["spurious"]) == (row["wrong"], 0, 0)
        assert (row["gateways"], row["arrivals"]) == (1, HOSTS - 1)


def mesh(**settings: Any) -> Scenario:  # noqa: ANN401 - settings
    defaults = {"network": "static", "hosts": 6, "messages": 300, "clocks": "all", "links": {"service": "independent"}}
    several = {"kind": "multicast", "destinations": 2, "interval": "exponential 2 s"}
    return Scenario.model_validate({"workload": several, **defaults, **settings})


def cells(**settings: Any) -> Scenario:  # noqa: ANN401 - settings
    away = {"probability": 0.3, "duration": "exponential 1 s"}
    defaults = {"hosts": 6, "cells": 4, "messages": 200, "clocks": "all", "backbone": {"jitter": "exponential 300 ms"}}
    moves = {"dwell": "exponential 2 s", "disconnect": away}
    several = {"kind": "multicast", "destinations": "1..5", "interval": "exponential 500 ms"}
    return Scenario.model_validate({"workload": several, "mobility": moves, **defaults, **settings})


CAUSAL: Final = [row for row in catalogue.pairs() if row.claims.causal]
SERVES: Final[Mapping[str, Mapping[str, Any]]] = {
    "all": {},
    "unicasts": {"workload": {"interval": "exponential 500 ms"}},
    "broadcasts": {"workload": {"kind": "multicast", "destinations": "all", "interval": "exponential 1 s"}},
    "groups": {"groups": [[0, 1, 2], [2, 3, 4], [4, 5, 0]], "workload": {"interval": "exponential 500 ms"}},
}


@pytest.mark.full
@pytest.mark.parametrize("row", CAUSAL, ids=lambda row: row.name)
def test_all_clocks_are_correct_under_causal_orderings_with_moving_hosts(row: ProtocolRow, tmp_path: Path) -> None:
    orders = {"placement": row.placement, "ordering": row.ordering}
    run = simulate(cells(protocols=orders, messages=80, **SERVES[catalogue.ORDERINGS[row.ordering].serves]), tmp_path)
    assert wrong_clocks(by_clock(run)) == set()
    assert by_clock(run)["FM"]["compared"] > 300


@pytest.mark.parametrize("groups", (None, [[0, 1, 2], [2, 3], [3, 4, 5]]))
def test_in_a_static_network_only_some_clocks_need_an_order_of_arrivals(groups: object, tmp_path: Path) -> None:
    several = {"interval": "exponential 2 s"} if groups else {"kind": "multicast", "destinations": 2}
    both = mesh(protocols=["rst", "resident+unordered"], groups=groups, workload=several)
    ordered, unordered = (by_clock(simulate(both, tmp_path, place)) for place in (0, 1))
    assert wrong_clocks(ordered) == set()
    assert wrong_clocks(unordered) == {"differential", *(GATEWAYS if groups else ())}
    assert ordered["FM"]["compared"] > 1_000
    assert (ordered["allocation 5"]["kept_max"] < ordered["FM"]["kept_max"]) == bool(groups)


@pytest.mark.full
@pytest.mark.parametrize("scenario", (mesh(protocols="rst"), cells(protocols="av1")), ids=("mesh", "cells"))
def test_passive_clocks_do_not_change_other_tables(scenario: Scenario, tmp_path: Path) -> None:
    alone = simulate(scenario.model_copy(update={"clocks": None}), tmp_path / "alone")
    watched = simulate(scenario, tmp_path / "watched")
    assert watched.outcome.run.id == alone.outcome.run.id
    for name in TABLES.keys() - {"runs", "clocks"}:
        one, other = (each.directory / name / f"{each.outcome.run.id}.parquet" for each in (alone, watched))
        assert one.read_bytes() == other.read_bytes()
    assert {**alone.rows("runs")[0], "wall_seconds": 0} == {**watched.rows("runs")[0], "wall_seconds": 0}
    assert (alone.rows("clocks"), len(watched.rows("clocks"))) == ([], len(NAMES))


def test_clocks_observe_the_complete_run_even_with_a_warm_up(tmp_path: Path) -> None:
    window = {"warm_up": {"deliveries": 100}, "deliveries": 200, "messages": None}
    run = simulate(mesh(protocols="rst", **window), tmp_path)
    (counts,) = run.rows("runs")
    assert counts["deliveries"] == 200
    assert {row["copies"] for row in run.rows("clocks")} == {counts["judged"]}
    assert counts["judged"] > 300


@pytest.mark.parametrize("memory", (1, 3))
def test_each_delivery_is_compared_with_the_earlier_deliveries_in_the_window(memory: int, tmp_path: Path) -> None:
    run = simulate(mesh(protocols="rst", clocks={"names": "FM", "window": memory}), tmp_path)
    (row,) = run.rows("clocks")
    assert row["copies"] == len(run.deliveries) == 600
    assert row["compared"] == HOSTS * sum(range(memory)) + memory * (600 - HOSTS * memory)
    assert row["integers"] == row["integers_of_vectors"] == HOSTS * 600


def test_clocks_are_correct_if_stations_drop_messages(tmp_path: Path) -> None:
    away = {"probability": 0.5, "duration": "exponential 2 s", "policy": "drop"}
    moves = {"dwell": "exponential 1 s", "disconnect": away}
    run = simulate(cells(protocols="av1", mobility=moves), tmp_path)
    assert run.outcome.dropped > 0
    assert wrong_clocks(by_clock(run)) <= {"differential"}  # a dropped message had changes that the receiver misses


def test_sending_stations_are_additional_processes(tmp_path: Path) -> None:
    sends = {"interval": "exponential 500 ms", "stations": {"destinations": 2}}
    found = by_clock(simulate(cells(protocols="ab", workload=sends), tmp_path))
    assert {row["processes"] for row in found.values()} == {HOSTS + 4}
    assert {row["links"] for row in found.values()} == {HOSTS * (HOSTS - 1) + 4 * HOSTS}
    assert wrong_clocks(found) <= {"differential"}  # `ab` does not keep FIFO order


def test_clocks_are_observed_without_a_trace(tmp_path: Path) -> None:
    run = simulate(mesh(protocols="rst", trace=False), tmp_path)
    assert {path.parent.name for path in tmp_path.glob("*/*.parquet")} == {"runs", "clocks"}
    assert by_clock(run)["FM"]["compared"] > 1_000


def scenario_links(**settings: Any) -> Links:  # noqa: ANN401 - settings
    return audience(single_cell_world(mesh(protocols="rst", **settings), 0))


def rows(links: Links) -> list[list[int]]:
    return [list(members(row)) for row in links.after]


def test_links_connect_senders_with_possible_destinations() -> None:
    assert scenario_links().count == HOSTS * (HOSTS - 1)
    grouped = scenario_links(groups=[[0, 1, 2], [2, 3]], workload={})
    assert rows(grouped) == [[1, 2], [0, 2], [0, 1, 3], [2], [], []]
    halves = {"kind": "multicast", "destinations": 2, "selectivity": "100 %"}
    assert rows(scenario_links(workload=halves)) == [[2, 4], [3, 5], [0, 4], [1, 5], [0, 2], [1, 3]]
    assert scenario_links(workload={**halves, "selectivity": "99 %"}) == scenario_links()
    assert rows(scenario_links(workload={"senders": 2}))[:3] == [[1, 2, 3, 4, 5], [0, 2, 3, 4, 5], []]
    assert rows(scenario_links(groups=[[0, 1, 2], [2, 3]], workload={"senders": 1})) == [[1, 2], [], [], [], [], []]


def test_the_links_of_a_topology_are_those_of_its_graph() -> None:
    for name in ("star", "bidirectional-ring", "tree", "hierarchical-triangle"):
        linked = scenario_links(hosts=13, groups={"rule": "links", "graph": name, "branching": 3}, workload={})
        assert linked == links_of(graph(name, 13, 3).adjacency)


def test_the_clock_sets_of_a_stopped_search_are_not_exact(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(clock_comparison, "_BUDGET", 0)
    groups = {"rule": "random", "number": 6, "size": 3}
    scenario = mesh(protocols="rst", hosts=10, groups=groups, workload={"senders": 7, "interval": "exponential 2 s"})
    found = by_clock(simulate(scenario, tmp_path))
    assert [found[name]["exact_sets"] for name in ("FM", "allocation 1", "allocation 5")] == [True, True, False]
    assert wrong_clocks(found) == set()


def test_too_many_links_cause_one_error_line() -> None:
    groups = {"rule": "blocks", "size": 400}
    world = single_cell_world(mesh(protocols="rst", hosts=400, groups=groups, workload={}), 0)
    with pytest.raises(UserError, match=r"^clocks: 400 processes may have at most 50,000 links, not 159,600$"):
        observer(world, Clocks(), fifo=True)


def star_observer(*, fifo: bool = True) -> ClockObserver:
    network = Network(STAR, PhysicalTime(), fifo)
    return ClockObserver(network, {name: row.clocks(network) for name, row in CLOCKS.items()})


def test_without_fifo_order_a_message_without_its_senders_clock_has_its_number() -> None:
    """Two messages of one sender are compared by the sender's clock, by their numbers, or by their arrival."""
    integers = []
    for fifo in (True, False):
        observer = star_observer(fifo=fifo)
        observer.submitted(0, 1, (0,))
        observer.submitted(1, 0, (1,))
        integers.append({name: answers.integers for name, answers in observer.answers.items()})
    in_order, in_any_order = integers
    assert (in_order["allocation 5"], in_any_order["allocation 5"]) == (2, 3)
    assert (in_order["FM"], in_any_order["FM"]) == (2 * STAR.size, 2 * STAR.size)


@pytest.mark.parametrize(
    ("protocol", "service", "carried"), (("rst", "independent", 1), ("resident+unordered", "fifo", 1))
)
def test_a_protocol_or_links_with_fifo_order_save_the_number(
    protocol: str, service: str, carried: int, tmp_path: Path
) -> None:
    star = {"rule": "links", "graph": "star"}
    scenario = mesh(protocols=protocol, hosts=8, groups=star, workload={}, links={"service": service})
    found = by_clock(simulate(scenario, tmp_path))["allocation 5"]
    assert found["integers"] == carried * found["copies"]


def test_traffic_outside_the_links_is_refused() -> None:
    with pytest.raises(UserError, match="clocks: host 1 sends to host 2, but there is no such link"):
        star_observer().submitted(0, 1, (2,))


def test_dropped_and_duplicate_messages_are_not_compared() -> None:
    observer = star_observer()
    observer.submitted(0, 0, tuple(members(STAR.after[0])))
    observer.submitted(1, 0, (1,))
    assert observer.dropped(0, 0, 1)
    observer.delivered(1, 0, 1)
    observer.delivered(1, 0, 1)
    observer.delivered(0, 0, 1)
    assert observer.duplicates == 2
    assert {opinion.compared for opinion in observer.answers.values()} == {0}


PAIRS: Final = {"names": "all", "pairs": [[0, 1], [2, 0]], "window": 30}


@pytest.mark.parametrize(
    "scenario",
    (
        mesh(protocols="rst", clocks=PAIRS),
        mesh(protocols="rst", clocks=PAIRS, groups=[[0, 1, 2], [2, 3], [3, 4, 5]], workload={}),
        cells(protocols="av1", clocks=PAIRS),
    ),
    ids=("mesh", "groups", "cells"),
)
def test_events_of_two_hosts_are_compared_as_the_oracle_orders_them(scenario: Scenario, tmp_path: Path) -> None:
    found = by_clock(simulate(scenario, tmp_path))
    assert wrong_clocks(found) == set()
    assert {name for name, row in found.items() if row["spurious"]} == INEXACT
    assert {row["compared"] for row in found.values()} == {found["FM"]["compared"]}
    assert found["FM"]["compared"] > 3_000


def test_without_causal_order_events_of_two_hosts_need_no_arrival_times(tmp_path: Path) -> None:
    pairs = {**PAIRS, "names": [name for name in NAMES if name != "differential"]}
    scenario = mesh(protocols="resident+unordered", clocks=pairs, groups={"rule": "star"}, workload={})
    found = by_clock(simulate(scenario, tmp_path))
    assert wrong_clocks(found) == set()
    assert found["allocation 5"]["gateways"] == 0
    assert found["allocation 3"]["integers_max"] <= 3  # the clocks of three hosts, and no sequence number


def test_every_event_of_a_host_is_compared_with_the_earlier_events_of_its_partners(tmp_path: Path) -> None:
    pairs = {"names": "FM", "pairs": [[0, 1]], "window": 10_000}
    run = simulate(mesh(protocols="rst", clocks=pairs, messages=40, workload={"interval": "exponential 2 s"}), tmp_path)
    (row,) = run.rows("clocks")
    events = [
        sum((each["source"] == host) + (each["destination"] == host) for each in run.deliveries) for host in (0, 1)
    ]
    assert row["compared"] == events[0] * events[1]


@pytest.mark.parametrize("senders", (3, 6))
def test_both_determinations_agree_with_the_oracle_in_any_order_of_arrivals(senders: int, tmp_path: Path) -> None:
    both = ["FM", {"clock": "FM", "determination": 2}]
    several = {"kind": "multicast", "destinations": 2, "interval": "exponential 2 s", "senders": senders}
    run = simulate(mesh(protocols="resident+unordered", clocks=both, workload=several), tmp_path)
    rows = run.rows("clocks")
    assert [(row["clock"], row["wrong"]) for row in rows] == [("FM", 0), ("FM determination=2", 0)]
    assert rows[0]["compared"] == rows[1]["compared"] > 1_000
