"""PRS with the numbers of a flood: compared with sets of tuples and with the numbers of processes, and examples."""

from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

import pytest

from mobilesim.conformance.random_schedules import Sizes, random_schedule
from mobilesim.explorer.untimed_world import SystemBuilder, UntimedWorld
from mobilesim.protocols.catalogue import PLACEMENTS
from mobilesim.protocols.catalogue_rows import OptionValue, OrderingRow, incompatibility, protocol_row
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.machine import System
from mobilesim.protocols.ordering import Addressed, Key, Ordering, OrderingFactory, Process
from mobilesim.protocols.orderings.prs import Barrier, Numbers, Prs
from mobilesim.protocols.orderings.prs_stations import PrsStations, StationsProcess
from mobilesim.protocols.orderings.rst import Rst
from mobilesim.protocols.packets import Stamp
from mobilesim.protocols.placements import flood
from mobilesim.protocols.placements.flood import FloodStation
from mobilesim.protocols.placements.flood_packets import EpochFrame, Flooded
from tests.support.orderings.dense_prs import Components
from tests.support.orderings.dense_prs_stations import Identified, StationSets, StationSetsProcess
from tests.support.protocols.live_worlds import live_world
from tests.support.protocols.script import Script

Options = dict[str, Any]
MODES: tuple[Options, ...] = (
    {},
    {"barrier": "union"},
    {"collect": False},
    {"barrier": "union", "collect": False},
    {"delivered": "process"},
)
DIFFICULT = Sizes(drops=True, originates=True)
CROWD = Sizes(stations=(3, 5), hosts=(6, 10), messages=(60, 120), moves=(10, 30), destinations=(2, 6), originates=True)
KINDS = pytest.mark.parametrize("sizes", (Sizes(), DIFFICULT), ids=("plain", "nasty"))


def flooding(ordering: OrderingFactory) -> SystemBuilder:
    def build(stations: int, homes: tuple[int, ...], options: Mapping[str, OptionValue]) -> System:
        return flood.build(stations, homes, ordering, str(options.get("acknowledge", "each")))

    return build


def machines(world: UntimedWorld) -> list[FloodStation]:
    return [machine for machine in world.driver.machines if isinstance(machine, FloodStation)]


# Comparison with sets of tuples


def components(matrix: Numbers) -> Components:
    return {k: frozenset((int(s), int(row[s]) - 1) for s in row.nonzero()[0]) for k, row in enumerate(matrix)}


@value
class Both(Stamp):
    quick: Barrier
    reference: Identified

    @property
    def integers(self) -> int:
        return self.quick.integers


class TwinOrdering(Ordering):
    """A process with matrices and a process with sets, which must agree."""

    __slots__ = ("options", "size", "stations")

    def __init__(self, size: int, stations: int = 1, **options: Any) -> None:  # noqa: ANN401 - those of either
        self.size = size
        self.stations = stations
        self.options = options

    def with_stations(self, stations: int) -> Ordering:
        return TwinOrdering(self.size, stations, **self.options)

    def process(self, index: int) -> "TwinProcess":
        quick = PrsStations(self.size, **self.options).with_stations(self.stations).process(index)
        reference = StationSets(self.size, stations=self.stations, **self.options).process(index)
        assert isinstance(quick, StationsProcess)
        return TwinProcess(quick, reference)


class TwinProcess(Process):
    __slots__ = ("held", "quick", "reference")

    def __init__(self, quick: StationsProcess, reference: StationSetsProcess) -> None:
        self.quick, self.reference = quick, reference
        self.held = 0

    def join_station(self, station: "TwinProcess") -> None:
        self.quick.join_station(station.quick)
        self.reference.join_station(station.reference)
        assert self.alike

    def leave_station(self) -> None:
        self.quick.leave_station()
        self.reference.leave_station()
        assert components(self.quick.barrier) == self.reference.component or not self.quick.shares
        assert self.quick.integers == self.reference.integers

    def set_origin(self, origin: int, number: int) -> None:
        self.quick.set_origin(origin, number)
        self.reference.set_origin(origin, number)

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        ((_, quick),), ((_, reference),) = (
            self.quick.send(destinations, group),
            self.reference.send(destinations, group),
        )
        assert isinstance(quick, Barrier)
        assert isinstance(reference, Identified)
        assert components(quick.carried) == reference.barrier
        assert (quick.units, quick.integers) == (reference.units, reference.integers)
        assert self.alike
        return ((destinations, Both(quick.sender, quick, reference)),)

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Both)
        key = self.quick.missing(stamp.quick)
        assert self.plain(key) == self.reference.missing(stamp.reference)
        self.held += key is not None
        return key

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Both)
        keys = self.quick.deliver(stamp.quick)
        assert [self.plain(key) for key in keys] == list(self.reference.deliver(stamp.reference))
        assert self.alike
        return keys

    @staticmethod
    def plain(key: Key | None) -> Key | None:
        """Return tuples with message numbers that start with zero."""
        if key is None:
            return None
        assert isinstance(key, tuple)
        return key[0], key[1] - 1

    @property
    def alike(self) -> bool:
        self.reference.collect_all()
        return (
            components(self.quick.open_barrier()) == self.reference.component
            and self.quick.integers == self.reference.integers
        )

    @property
    def integers(self) -> int:
        return self.quick.integers


@pytest.mark.full
@pytest.mark.parametrize("options", MODES, ids=str)
def test_matrices_and_sets_of_identifiers_have_the_same_stamps_and_deliveries(options: Options) -> None:
    held = 0
    for seed in range(40):
        sizes = DIFFICULT if seed % 6 else CROWD
        world = random_schedule(flooding(partial(TwinOrdering, **options)), Random(seed), {}, sizes).world
        assert world.faults == []
        for station in machines(world):
            for visit in station.served.values():
                assert isinstance(visit.process, TwinProcess)
                held += visit.process.held
    assert held > 20


# Comparison with the numbers of processes


def downlink_messages(world: UntimedWorld) -> list[list[tuple[int, int, int]]]:
    """Return the messages in transit to each host, with their registrations, stations and numbers."""
    dated = [[frame for frame in frames if isinstance(frame, EpochFrame)] for frames in world.down]
    return [[(frame.registration, frame.origin, frame.sequence) for frame in frames] for frames in dated]


@pytest.mark.full
@KINDS
@pytest.mark.parametrize("twin", (Prs, Rst))
def test_a_station_transmits_the_same_messages_as_under_numbers_of_processes(
    twin: OrderingFactory, sizes: Sizes
) -> None:
    """The order is compared until an event releases several messages. After this event, the orders may differ."""
    whole = 0
    for seed in range(40):
        drawn = random_schedule(flooding(twin), Random(seed), {}, sizes)
        stations = len(machines(drawn.world))
        one, other = (
            live_world(flooding(ordering)(stations, drawn.homes, {}), drawn.homes, drawn.world.bounds)
            for ordering in (twin, PrsStations)
        )
        for choice in drawn.schedule:
            one.apply(choice)
            other.apply(choice)
            down, others = downlink_messages(one), downlink_messages(other)
            assert [*map(sorted, down)] == [*map(sorted, others)]
            if down != others:
                break
        else:
            whole += 1
    assert whole > 35


@pytest.mark.full
@pytest.mark.parametrize("options", MODES, ids=str)
@pytest.mark.parametrize("acknowledge", ("each", "cell"))
def test_random_schedules_find_no_fault(options: Options, acknowledge: str) -> None:
    build = flooding(partial(PrsStations, **options))
    output: Mapping[str, OptionValue] = {"acknowledge": acknowledge}
    drawn = [random_schedule(build, Random(seed), output, DIFFICULT) for seed in range(15)]
    drawn += [random_schedule(build, Random(seed), output, CROWD) for seed in range(3)]
    assert [run.world.faults for run in drawn if run.world.faults] == []


# Examples


def start(stations: int, *homes: int, ordering: OrderingFactory = PrsStations) -> Script:
    return Script(flooding(ordering), stations, homes)


def carried(script: Script, target: int) -> Barrier:
    """Return the barrier of the packet sent last."""
    packet = [wire.packet for wire in script.world.wired if wire.target == target][-1]
    assert isinstance(packet, Flooded)
    (copy,) = packet.copies
    assert isinstance(copy.stamp, Barrier)
    return copy.stamp


def tuples(stamp: Barrier) -> Components:
    return {k: held for k, held in components(stamp.carried).items() if held}


def answered(ordering: OrderingFactory) -> Script:
    """h0 and h1 are in one cell and send to h2 and h3. h2 receives both messages and sends to h3."""
    script = start(3, 0, 0, 1, 2, ordering=ordering).submit(0, 2, 3).submit(1, 2, 3).up(0, 1).wires(1).air()
    return script.submit(2, 3).up(2)


def test_in_the_triangle_the_last_message_names_the_station_and_the_number_of_the_first() -> None:
    script = start(3, 0, 1, 2).submit(0, 1, 2).up(0).wire("Flooded", 1).air().submit(1, 2).up(1)
    assert tuples(carried(script, 2)) == {1: {(0, 0)}, 2: {(0, 0)}}
    script.wire("Flooded", 2, source=1)
    assert script.world.down[2] == ()
    assert script.drain().deliveries()[1:] == ["h2 delivers m0", "h2 delivers m1"]


def test_the_tuple_of_the_later_message_of_a_station_covers_the_earlier_message() -> None:
    script = answered(PrsStations)
    stamp = carried(script, 2)
    assert tuples(stamp) == {2: {(0, 1)}, 3: {(0, 1)}}
    assert (stamp.units, stamp.integers) == (2, 2 * 2 + 2 * 2)
    script.wire("Flooded", 2, source=1).wire("Flooded", 2).air()
    assert script.deliveries()[2:] == ["h3 delivers m0"]
    assert script.drain().deliveries()[3:] == ["h3 delivers m1", "h3 delivers m2"]


def test_numbers_of_processes_need_one_tuple_for_each_message() -> None:
    stamp = carried(answered(Prs), 2)
    assert (stamp.units, stamp.integers) == (4, 1 + 2 * 2 + 2 * 4)


def test_a_message_sent_in_another_cell_is_numbered_by_the_station_of_this_cell() -> None:
    script = start(2, 0, 1).submit(0, 1).up(0).move(0, 1).up(0).wire("HandoffBegin", 0).wire("Migration", 1).down(0)
    script.submit(0, 1).up(0, 0)
    assert tuples(carried(script, 0)) == {1: {(0, 0)}}
    assert script.world.down[1] == ()
    assert script.drain().deliveries() == ["h1 delivers m0", "h1 delivers m1"]


def test_a_sending_station_is_named_by_its_number_and_has_no_row() -> None:
    """Station s2 sends m0 to h0, and m1 to h1. h1 receives m1 and sends m2 to h0. So the process of h0 learns that h1
    has delivered m1.
    """
    script = start(3, 0, 1).originate(2, 0).originate(2, 1).wires(1).air().submit(1, 0).up(1)
    stamp = carried(script, 0)
    assert stamp.carried.shape == (2, 3)
    assert tuples(stamp) == {0: {(2, 0)}, 1: {(2, 1)}}
    script.wires(0, source=1).air()
    assert script.deliveries() == ["h1 delivers m1"]
    assert script.drain().deliveries()[1:] == ["h0 delivers m0", "h0 delivers m2"]
    assert tuples(carried(script.submit(0, 1).up(0), 1)) == {0: {(1, 0)}}


# Claims of the catalogue

ROW = OrderingRow(
    "prs-stations",
    "causal barriers with the numbers of a flood",
    "Prakash, Raynal & Singhal 1997, section 9",
    "at most 2 n_h n_s + 2 n_h",
    numbered_by="origin",
)


@pytest.mark.full
def test_headers_stay_within_the_claimed_formula() -> None:
    bits, sets = (answered(partial(PrsStations, encoding=encoding)) for encoding in ("bitmap", "tuples"))
    assert carried(bits, 2).integers == 1 + carried(sets, 2).units
    for seed in range(8):
        world = random_schedule(flooding(PrsStations), Random(seed), {}, CROWD).world
        hosts, stations = len(world.cells), len(machines(world))
        for station in machines(world):
            for process in (station.process, *(visit.process for visit in station.served.values())):
                process.set_origin(0, station.sent)
                ((_, stamp),) = process.send((0,), -1)
                assert 0 < stamp.integers <= 2 * hosts * stations + 2 * hosts


def test_the_ordering_is_accepted_only_under_a_flood() -> None:
    assert [place.name for place in PLACEMENTS.values() if incompatibility(place, ROW) is None] == ["flood"]
    row = protocol_row("own", PLACEMENTS["flood"], ROW, "-")
    assert row.claims.header == ROW.header
    drawn = random_schedule(row.build, Random(1), {"acknowledge": "cell"})
    assert drawn.world.faults == []


def test_the_migrated_state_counts_h_recd_once() -> None:
    """Delivered has a row for each of 4 hosts except h1, and a column for each of 3 stations. CB has two tuples."""
    ordering = partial(PrsStations, delivered="process")
    script = start(3, 0, 1, 2, 2, ordering=ordering).submit(0, 1, 2).up(0).wires(1).air()
    process = machines(script.world)[1].newest[1].process
    assert process.integers == 3 * 3 + 2 * 2
    assert machines(script.world)[1].process.integers == 4 * 3
    assert machines(script.world)[1].integers == 3 * 3 + 2 * 2 + 4 * 3 + 3
