"""Orderings in the static network, beside a loop that tells how quick the machine is."""

import pytest

from benchmarks.contest import CONTESTANTS, HEAP, MESHES, Measurement, Standing
from benchmarks.mesh import AIMS, NAIVE, quickness, scenario
from benchmarks.table import document, lines
from mobilesim.experiments.run import Run, world_of
from protocols import catalogue


def standing(name: str, microseconds: float) -> Standing:
    return Standing(name, (Measurement(microseconds),))


def test_every_ordering_that_has_a_place_on_hosts_is_measured_with_few_and_with_many() -> None:
    resident = {row.ordering for row in catalogue.pairs() if row.placement == "resident"}
    assert set(MESHES.values()) == {(ordering, hosts) for ordering in resident for hosts in AIMS}
    assert set(MESHES) <= set(CONTESTANTS)


@pytest.mark.parametrize("name", [name for name in MESHES if name.startswith("mesh-20-")])
def test_an_ordering_carries_its_messages(name: str) -> None:
    assert CONTESTANTS[name](400).microseconds > 0


def test_a_message_goes_to_any_number_of_hosts_or_to_those_that_an_ordering_serves() -> None:
    assert str(scenario("rst", 20, 5).workload.destinations) == "1..all"
    assert scenario("bss", 20, 5).workload.destinations == "all"
    assert scenario("transport", 20, 5).workload.kind == "unicast"
    assert [len(group) for group in world_of(run_of("isis")).groups] == [11] * 20


def run_of(ordering: str) -> Run:
    chosen = scenario(ordering, 20, 5)
    return Run(chosen, chosen.protocols[0], 0)


@pytest.mark.full
def test_the_heap_is_a_contestant_like_any_other() -> None:
    assert CONTESTANTS[HEAP](1).microseconds > 0


def test_a_rate_counts_as_if_it_had_been_measured_where_the_naive_one_was() -> None:
    naive = 1e6 / NAIVE["rst", 20]
    assert quickness("rst", 20, naive, 0.35) == pytest.approx(1)
    assert quickness("rst", 20, naive, 0.70) == pytest.approx(2)
    assert quickness("unordered", 20, naive, 0.35) is None


def test_an_aim_is_met_or_missed_beside_the_heap() -> None:
    standings = {
        HEAP: standing(HEAP, 0.35),
        "mesh-20-rst": standing("mesh-20-rst", 1e6 / NAIVE["rst", 20] / 3),
        "mesh-50-rst": standing("mesh-50-rst", 1e6 / NAIVE["rst", 50] / 3),
        "mesh-20-fifo": standing("mesh-20-fifo", 20.0),
    }
    text = "\n".join(lines(standings))
    assert "mesh-20-rst: 11,343 messages/s, 3.0 x naive (aim: at least 2) met" in text
    assert "mesh-50-rst: 1,095 messages/s, 3.0 x naive (aim: at least 6) missed" in text
    assert "mesh-20-fifo: 50,000 messages/s\n" in text
    times = {row["name"]: row["times_naive"] for row in document(standings, 100)["meshes"]}
    assert times == {"mesh-20-rst": pytest.approx(3), "mesh-50-rst": pytest.approx(3), "mesh-20-fifo": None}
