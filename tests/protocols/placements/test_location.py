"""Location services: which packets a search and a move cost, and that a page finds every host."""

import pytest

from mobilesim.explorer.api import explore, homes_of
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols.catalogue import ROWS
from mobilesim.protocols.machine import StationOutbox, System
from mobilesim.protocols.placements.location import HomeDirectory
from mobilesim.protocols.placements.location_packets import LocationAnswer, LocationQuery, LocationUpdate, Page
from mobilesim.protocols.placements.proxy import ProxyStation
from tests.support.mutants.builders import ProxyBuilder
from tests.support.protocols.parts import station
from tests.support.protocols.script import Script


def av1(location: str, stations: int, *homes: int, area: int = 0) -> Script:
    return Script(ROWS["av1"].build, stations, homes, {"location": location, "area": area})


def sent(script: Script) -> list[tuple[int, int, str]]:
    """Return the source, the target and the type of each packet in transit."""
    return [(wire.source, wire.target, type(wire.packet).__name__) for wire in script.world.wired]


def test_a_station_asks_the_home_station_and_waits_for_the_answer() -> None:
    script = av1("home", 3, 0, 1).move(1, 2).drain().submit(0, 1).up(0)
    assert [wire.packet for wire in script.world.wired] == [LocationQuery(0, 0, (1,))]
    assert station(script, 0).pending == 1
    assert sent(script.wires(1)) == [(1, 0, "LocationAnswer")]
    assert [wire.packet for wire in script.world.wired] == [LocationAnswer(0, (1,), (2,))]
    assert sent(script.wires(0)) == [(0, 2, "RoutedPacket")]
    assert script.drain().deliveries() == ["h1 delivers m0"]


def test_hosts_of_the_same_home_are_asked_for_in_one_query_and_sent_one_packet_for_each_station() -> None:
    script = av1("home", 3, 0, 1, 1, 1, 2).move(3, 2).drain().submit(0, 1, 2, 3, 4).up(0)
    queries = [wire.packet for wire in script.world.wired]
    assert queries == [LocationQuery(0, 0, (1, 2, 3)), LocationQuery(1, 0, (4,))]
    assert [query.control for query in queries] == [2 + 3, 2 + 1]
    script.wires(1).wires(2)
    assert [wire.packet.control for wire in script.world.wired] == [1 + 2 * 3, 1 + 2]
    assert sorted(sent(script.wires(0))) == [(0, 1, "RoutedPacket"), (0, 2, "RoutedPacket"), (0, 2, "RoutedPacket")]


@pytest.mark.parametrize("location", ("home", "paging"))
def test_a_host_in_the_cell_of_the_sender_is_not_searched_for(location: str) -> None:
    script = av1(location, 2, 0, 1).move(1, 0).drain().submit(0, 1).up(0)
    assert sent(script) == [(0, 0, "RoutedPacket")]


def test_a_home_station_sends_no_query_for_its_hosts() -> None:
    script = av1("home", 3, 1, 0).move(0, 0).move(1, 2).drain().submit(0, 1).up(0)
    assert sent(script) == [(0, 2, "RoutedPacket")]


def test_the_home_station_is_informed_of_every_cell_but_its_own() -> None:
    script = av1("home", 3, 0, 1).move(1, 2).up(1)
    assert sent(script) == [(2, 1, "HandoffBegin"), (2, 1, "LocationUpdate")]
    assert script.world.wired[1].packet == LocationUpdate(1, 1, 2)
    assert sent(script.drain().move(1, 0).up(1)) == [(0, 2, "HandoffBegin"), (0, 1, "LocationUpdate")]
    assert sent(script.drain().move(1, 1).up(1)) == [(1, 0, "HandoffBegin")]


@pytest.mark.parametrize(("cell", "informs"), ((3, False), (1, True)))
def test_with_paging_the_home_station_is_informed_of_another_area_only(cell: int, informs: bool) -> None:  # noqa: FBT001
    script = av1("paging", 4, 0, 2, area=2).move(1, cell).up(1)
    assert ("LocationUpdate" in {name for _, _, name in sent(script)}) == informs


def test_a_page_goes_to_all_stations_of_the_area_and_the_serving_one_answers() -> None:
    script = av1("paging", 4, 0, 2, area=2).move(1, 3).drain().submit(0, 1).up(0)
    assert sent(script) == [(0, 2, "LocationQuery")]
    script.wires(2)
    assert [(wire.target, wire.packet) for wire in script.world.wired] == [(3, Page(0, 0, 1, passed_on=True))]
    assert sent(script.wires(3)) == [(3, 0, "LocationAnswer")]
    assert script.drain().deliveries() == ["h1 delivers m0"]


def test_a_page_for_a_host_that_has_left_the_area_is_passed_on_to_its_next_station() -> None:
    """The home station has not been informed of the new area yet."""
    script = av1("paging", 4, 0, 3, area=2).move(1, 2).drain().move(1, 1).up(1).wire("HandoffBegin", 2)
    script.submit(0, 1).up(0).wire("LocationQuery", 3)
    assert (3, 2, "Page") in sent(script)
    assert (2, 1, "Page") in sent(script.wire("Page", 2))
    assert script.drain().deliveries() == ["h1 delivers m0"]


def test_two_answers_to_one_search_send_the_message_once() -> None:
    """Station 2 answers before the host leaves its cell, and station 3 after the host has registered there."""
    script = av1("paging", 4, 0, 1).move(1, 2).drain().submit(0, 1).up(0).wire("LocationQuery", 1).wire("Page", 2)
    script.move(1, 3).up(1).wire("Page", 3)
    assert [name for _, _, name in sent(script)].count("LocationAnswer") == 2
    assert script.drain().deliveries() == ["h1 delivers m0"]
    assert script.world.faults == []


@pytest.mark.full
@pytest.mark.parametrize("options", ({"location": "home"}, {"location": "paging"}, {"location": "paging", "area": 1}))
@pytest.mark.parametrize(("stations", "bounds"), ((2, Bounds(2, 1)), (3, Bounds(1, 2))))
def test_every_message_is_delivered_whatever_the_order_of_packets(
    options: dict[str, str | int], stations: int, bounds: Bounds
) -> None:
    found = explore(ROWS["av1"].build, stations, homes_of(stations, 2), bounds, options)
    assert found.ending is Ending.EXHAUSTED


class SilentStation(ProxyStation):
    """A station that does not pass on pages."""

    __slots__ = ()

    def _page(self, page: Page, out: StationOutbox) -> None:
        super()._page(Page(page.search, page.asker, page.host, passed_on=False), out)


def silent(stations: int, homes: tuple[int, ...], _: object) -> System:
    system = ProxyBuilder(SilentStation).build(stations, homes, {})
    for index, machine in enumerate(system.stations):
        assert isinstance(machine, ProxyStation)
        machine.directory = HomeDirectory(homes, index, stations, 0, exact=False)
    return system


@pytest.mark.full
def test_a_page_that_is_not_passed_on_loses_a_message() -> None:
    found = explore(silent, 3, (0, 1), Bounds(1, 2))
    assert (found.ending, found.fault_kind) == (Ending.FAULT, FaultKind.LOST)
