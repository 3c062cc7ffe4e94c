"""Orderings whose processes pass on messages: broken variants in the explorer, and the records of real runs."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest

from mobilesim.explorer.api import explore
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.untimed_world import Bounds, SystemBuilder
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols.catalogue import pair
from mobilesim.protocols.machine import System
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.placements import proxy
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from tests.support.orderings.hierarchy_variants import Bypassing, Unnumbered, UnorderedTop
from tests.support.radio_ledgers import assert_verified, busy_scenario
from tests.support.simulations import simulate

Make: TypeAlias = Callable[[int], Ordering]


def under_proxies(make: Make) -> SystemBuilder:
    def build(stations: int, homes: tuple[int, ...], options: Mapping[str, str]) -> System:
        return proxy.build(stations, homes, make, **options)

    return build


@pytest.mark.full
@pytest.mark.parametrize("reduced", (False, True))
@pytest.mark.parametrize(
    ("make", "hosts", "bounds", "kind"),
    (
        (partial(Unnumbered, representatives=1, children=9), 2, Bounds(2, 0), FaultKind.OUT_OF_TURN),
        (partial(UnorderedTop, representatives=3, children=9), 3, Bounds(2, 0, 2), FaultKind.OUT_OF_TURN),
        (partial(Bypassing, representatives=1, children=9), 3, Bounds(2, 0, 2), FaultKind.OVERTAKES),
    ),
    ids=("without numbers", "without order at the top", "past the parent"),
)
def test_the_explorer_finds_the_fault_of_each_broken_variant(
    make: Make,
    hosts: int,
    bounds: Bounds,
    kind: FaultKind,
    reduced: bool,  # noqa: FBT001
) -> None:
    found = explore(under_proxies(make), 1, (0,) * hosts, bounds, reduced=reduced)
    assert found.ending is Ending.FAULT
    if not reduced:
        assert found.fault_kind is kind


@pytest.mark.parametrize("placement", ("station", "logical", "flood"))
def test_only_processes_of_hosts_pass_on_messages_of_others(placement: str) -> None:
    with pytest.raises(ValueError, match=r"central (pass on messages of others|send control messages)"):
        pair(placement, "central")


@pytest.mark.full
@pytest.mark.parametrize("location", ("oracle", "lazy"))
@pytest.mark.parametrize("ordering", ("central", "hierarchy"))
@pytest.mark.parametrize("placement", ("proxy", "resident"))
def test_the_wait_for_representatives_is_inhibition_and_all_parts_of_the_delay_add_up(
    placement: str, ordering: str, location: str, tmp_path: Path
) -> None:
    scenario = busy_scenario("av1", 5).model_dump(mode="json")
    scenario["protocols"] = ({"placement": placement, "ordering": ordering, "location": location},)
    scenario["workload"] |= {"kind": "multicast", "destinations": 2}
    done = simulate(Scenario.model_validate(scenario), tmp_path)
    (run,) = done.rows("runs")
    assert (run["verdict"], run["causal_violations"]) == ("ok", 0)
    waits = [row["inhibition"] for row in done.deliveries if row["source"] != 0]
    assert sum(wait > 0 for wait in waits) > len(waits) / 2
    assert_verified(done)


@pytest.mark.full
@pytest.mark.parametrize("service", ("fifo", "independent"))
@pytest.mark.parametrize("ordering", ("central", "hierarchy"))
def test_in_a_static_network_the_last_copy_has_the_delay_of_the_message(
    ordering: str, service: str, tmp_path: Path
) -> None:
    """The delays of messages are the same for all orderings. The way to the representatives is inhibition."""
    text = (
        "network: static\nhosts: 6\nmessages: 300\nworkload: {kind: multicast, destinations: 3, interval: 5 s}\n"
        f"links: {{delay: exponential 1 s, service: {service}}}\nprotocols: [resident+unordered, resident+{ordering}]\n"
    )
    scenario = loads(text)
    plain, relayed = (simulate(scenario, tmp_path / str(index), index) for index in (0, 1))
    assert relayed.rows("runs")[0]["verdict"] == "ok"
    delays = [
        {(row["message"], row["destination"]): row["wired"] for row in run.deliveries} for run in (plain, relayed)
    ]
    assert delays[0] == delays[1]
    assert sum(row["inhibition"] > 0 for row in relayed.deliveries) > len(relayed.deliveries) / 2
    assert_verified(relayed)
