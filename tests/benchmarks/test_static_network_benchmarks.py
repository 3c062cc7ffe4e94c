"""Benchmarks of orderings in the static network, and the heap program that measures the speed of the machine."""

import pytest

from benchmarks.programs import HEAP, PROGRAMS, STATIC_NETWORKS, BenchmarkResult, Measurement
from benchmarks.result_table import document, lines
from benchmarks.static_network import NAIVE, SHARES, TARGETS, number_of_messages, scenario, speedup
from mobilesim.experiments.assemble import world_of
from mobilesim.experiments.run import Run
from mobilesim.protocols import catalogue


def result(name: str, microseconds: float) -> BenchmarkResult:
    return BenchmarkResult(name, (Measurement(microseconds),))


def test_every_resident_ordering_is_measured_with_20_50_and_200_hosts() -> None:
    resident = {row.ordering for row in catalogue.pairs() if row.placement == "resident"}
    assert set(STATIC_NETWORKS.values()) == {(ordering, hosts) for ordering in resident for hosts in (20, 50, 200)}
    assert set(STATIC_NETWORKS) <= set(PROGRAMS)
    assert set(TARGETS) < set(SHARES) == {hosts for _, hosts in STATIC_NETWORKS.values()}


@pytest.mark.parametrize("name", [name for name in STATIC_NETWORKS if name.startswith("static-20-")])
def test_the_benchmark_of_an_ordering_delivers_its_messages(name: str) -> None:
    assert PROGRAMS[name](400).microseconds > 0


def test_static_networks_with_more_hosts_send_fewer_messages() -> None:
    assert [number_of_messages("rst", hosts, 100_000) for hosts in (20, 50, 200)] == [10_000, 10_000, 1_000]
    assert [number_of_messages(ordering, 200, 100_000) for ordering in ("isis", "mr")] == [200, 50]
    assert number_of_messages("mr", 200, 1) == 1


def test_destinations_are_of_a_kind_that_the_ordering_accepts() -> None:
    assert str(scenario("rst", 20, 5).workload.destinations) == "1..all"
    assert scenario("bss", 20, 5).workload.destinations == "all"
    assert scenario("transport", 20, 5).workload.kind == "unicast"
    assert [len(group) for group in world_of(run_of("isis")).groups] == [11] * 20


def run_of(ordering: str) -> Run:
    chosen = scenario(ordering, 20, 5)
    return Run(chosen, chosen.protocols[0], 0)


@pytest.mark.full
def test_the_heap_program_runs_like_the_other_programs() -> None:
    assert PROGRAMS[HEAP](1).microseconds > 0


def test_the_speedup_is_scaled_by_the_heap_time_of_the_machine() -> None:
    naive = 1e6 / NAIVE["rst", 20]
    assert speedup("rst", 20, naive, 0.35) == pytest.approx(1)
    assert speedup("rst", 20, naive, 0.70) == pytest.approx(2)
    assert speedup("unordered", 20, naive, 0.35) is None


def test_a_target_is_judged_by_the_scaled_speedup() -> None:
    results = {
        HEAP: result(HEAP, 0.35),
        **{
            name: result(name, microseconds)
            for name, microseconds in {
                "static-20-rst/pure": 1e6 / NAIVE["rst", 20] / 3,
                "static-20-rst/compiled": 1e6 / NAIVE["rst", 20] / 6,
                "static-50-rst/pure": 1e6 / NAIVE["rst", 50] / 3,
                "static-200-rst/pure": 2_000.0,
                "static-20-fifo/pure": 20.0,
            }.items()
        },
    }
    text = "\n".join(lines(results))
    assert "static-20-rst/pure: 11,343 messages/s, 3.0 x naive (target: at least 2) met" in text
    assert "static-20-rst/compiled: 22,686 messages/s, 6.0 x naive (target: at least 2) met" in text
    assert "static-50-rst/pure: 1,095 messages/s, 3.0 x naive (target: at least 6) missed" in text
    assert "static-200-rst/pure: 500 messages/s" in text.splitlines()
    assert "static-20-fifo/pure: 50,000 messages/s" in text.splitlines()
    times = {row["name"]: row["times_naive"] for row in document(results, 100)["static_networks"]}
    assert times["static-20-rst/compiled"] == pytest.approx(6)
    assert times["static-200-rst/pure"] is None
    assert times["static-20-fifo/pure"] is None
