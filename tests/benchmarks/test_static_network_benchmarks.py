"""Orderings in the static network, beside a loop that calibrates the machine."""

import pytest

from benchmarks.programs import HEAP, PROGRAMS, STATIC_NETWORKS, BenchmarkResult, Measurement
from benchmarks.result_table import document, lines
from benchmarks.static_network import NAIVE, TARGETS, scenario, speedup
from mobilesim.experiments.assemble import world_of
from mobilesim.experiments.run import Run
from protocols import catalogue


def result(name: str, microseconds: float) -> BenchmarkResult:
    return BenchmarkResult(name, (Measurement(microseconds),))


def test_every_ordering_that_has_a_place_on_hosts_is_measured_with_few_and_with_many() -> None:
    resident = {row.ordering for row in catalogue.pairs() if row.placement == "resident"}
    assert set(STATIC_NETWORKS.values()) == {(ordering, hosts) for ordering in resident for hosts in TARGETS}
    assert set(STATIC_NETWORKS) <= set(PROGRAMS)


@pytest.mark.parametrize("name", [name for name in STATIC_NETWORKS if name.startswith("static-20-")])
def test_an_ordering_carries_its_messages(name: str) -> None:
    assert PROGRAMS[name](400).microseconds > 0


def test_a_message_goes_to_any_number_of_hosts_or_to_those_that_an_ordering_serves() -> None:
    assert str(scenario("rst", 20, 5).workload.destinations) == "1..all"
    assert scenario("bss", 20, 5).workload.destinations == "all"
    assert scenario("transport", 20, 5).workload.kind == "unicast"
    assert [len(group) for group in world_of(run_of("isis")).groups] == [11] * 20


def run_of(ordering: str) -> Run:
    chosen = scenario(ordering, 20, 5)
    return Run(chosen, chosen.protocols[0], 0)


@pytest.mark.full
def test_the_heap_is_a_program_like_any_other() -> None:
    assert PROGRAMS[HEAP](1).microseconds > 0


def test_a_rate_counts_as_if_it_had_been_measured_where_the_naive_one_was() -> None:
    naive = 1e6 / NAIVE["rst", 20]
    assert speedup("rst", 20, naive, 0.35) == pytest.approx(1)
    assert speedup("rst", 20, naive, 0.70) == pytest.approx(2)
    assert speedup("unordered", 20, naive, 0.35) is None


def test_a_target_is_met_or_missed_beside_the_heap() -> None:
    results = {
        HEAP: result(HEAP, 0.35),
        "static-20-rst": result("static-20-rst", 1e6 / NAIVE["rst", 20] / 3),
        "static-50-rst": result("static-50-rst", 1e6 / NAIVE["rst", 50] / 3),
        "static-20-fifo": result("static-20-fifo", 20.0),
    }
    text = "\n".join(lines(results))
    assert "static-20-rst: 11,343 messages/s, 3.0 x naive (target: at least 2) met" in text
    assert "static-50-rst: 1,095 messages/s, 3.0 x naive (target: at least 6) missed" in text
    assert "static-20-fifo: 50,000 messages/s\n" in text
    times = {row["name"]: row["times_naive"] for row in document(results, 100)["static_networks"]}
    assert times == {"static-20-rst": pytest.approx(3), "static-50-rst": pytest.approx(3), "static-20-fifo": None}
