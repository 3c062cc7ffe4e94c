"""The matrix Delivered of causal barriers under a flood: shared by the processes at a station, or one for each process.

Both forms must transmit the same messages at the same times, and differ only in tuples of delivered messages.
"""

from collections.abc import Mapping
from functools import partial
from random import Random

import pytest

from mobilesim.conformance.random_schedules import Sizes, random_schedule
from mobilesim.explorer.api import explore
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.untimed_world import Action, Bounds, SystemBuilder, UntimedWorld
from mobilesim.protocols.catalogue import ROWS, pair
from mobilesim.protocols.orderings.prs import Barrier, Numbers, Prs, PrsProcess
from mobilesim.protocols.orderings.prs_stations import PrsStations
from mobilesim.protocols.placements.flood import FloodStation
from mobilesim.protocols.placements.flood_packets import EpochFrame, Flooded, Migration
from tests.support.mutants.builders import FloodBuilder
from tests.support.protocols.live_worlds import live_world
from tests.support.protocols.script import Script

Form = type[Prs]
DROPPING = Sizes(drops=True, originates=True)
CROWD = Sizes(stations=(3, 5), hosts=(6, 10), messages=(60, 120), moves=(10, 30), destinations=(2, 6), originates=True)
ORDERINGS = pytest.mark.parametrize("ordering", (Prs, PrsStations), ids=("prs", "prs-stations"))
NAMES = pytest.mark.parametrize("name", ("prs", "prs-stations"))


def stations(world: UntimedWorld) -> list[FloodStation]:
    return [machine for machine in world.driver.machines if isinstance(machine, FloodStation)]


def processes(world: UntimedWorld) -> Mapping[int, PrsProcess]:
    """Return the processes of hosts that are at a station, by host."""
    found = {}
    for station in stations(world):
        for visit in station.served.values():
            assert isinstance(visit.process, PrsProcess)
            found[visit.host] = visit.process
    return found


def downlink(world: UntimedWorld) -> list[list[tuple[int, int, int, int]]]:
    frames = [[frame for frame in sent if isinstance(frame, EpochFrame)] for sent in world.down]
    return [[(frame.registration, frame.number, frame.origin, frame.sequence) for frame in each] for each in frames]


def tuples(matrix: Numbers) -> set[tuple[int, int, int]]:
    return {(int(k), int(origin), int(matrix[k, origin])) for k, origin in zip(*matrix.nonzero(), strict=True)}


def undelivered(barrier: Numbers, delivered: Mapping[int, Numbers]) -> set[tuple[int, int, int]]:
    """Return the tuples of messages that their hosts, which are at stations, have not delivered yet."""
    return {(k, origin, x) for k, origin, x in tuples(barrier) if k in delivered and x > delivered[k][origin]}


def packets(world: UntimedWorld) -> list[Flooded]:
    return [wire.packet for wire in world.wired if isinstance(wire.packet, Flooded)]


def stamps(world: UntimedWorld) -> dict[tuple[int, int], Barrier]:
    found = {}
    for packet in packets(world):
        stamp = packet.parts[0].stamp
        assert isinstance(stamp, Barrier)
        found[packet.origin, packet.number] = stamp
    return found


class Forms:
    """The two forms in one schedule. After each step, all that decides about deliveries must be equal."""

    def __init__(self, ordering: Form, drawn: SystemBuilder, homes: tuple[int, ...], size: int, bounds: Bounds) -> None:
        builds = (FloodBuilder(ordering=ordering).build, drawn)
        self.shared, self.own = (live_world(build(size, homes, {}), homes, bounds) for build in builds)
        self.fewer = self.more = 0

    def apply(self, choice: Action) -> None:
        self.shared.apply(choice)
        self.own.apply(choice)
        assert downlink(self.shared) == downlink(self.own)
        shared, own = processes(self.shared), processes(self.own)
        assert shared.keys() == own.keys()
        delivered = {host: process.delivered for host, process in own.items()}
        for host, process in shared.items():
            other = own[host]
            assert process.delivered.tolist() == other.delivered.tolist()
            assert undelivered(process.open_barrier(), delivered) == undelivered(other.open_barrier(), delivered)
            assert (process.open_barrier()[host] <= process.delivered).all()
            known = process.facts.known
            assert all((known[k] <= row).all() for k, row in delivered.items())
            assert known[host].tolist() == process.delivered.tolist()
        own_stamps = stamps(self.own)
        for message, stamp in stamps(self.shared).items():
            assert undelivered(stamp.carried, delivered) == undelivered(own_stamps[message].carried, delivered)
            self.fewer += stamp.units < own_stamps[message].units
            self.more += stamp.units > own_stamps[message].units


@pytest.mark.full
@ORDERINGS
@pytest.mark.parametrize("sizes", (Sizes(), DROPPING, CROWD), ids=("small", "dropping", "crowd"))
@pytest.mark.parametrize(
    "seeds", (range(12), pytest.param(range(12, 300), marks=pytest.mark.slow)), ids=("some", "many")
)
def test_both_forms_transmit_the_same_messages_and_keep_the_same_undelivered_tuples(
    ordering: Form, sizes: Sizes, seeds: range
) -> None:
    fewer = more = 0
    for seed in seeds[:: 5 if sizes is CROWD else 1]:
        build = FloodBuilder(ordering=partial(ordering, delivered="process")).build
        drawn = random_schedule(build, Random(seed), {}, sizes)
        forms = Forms(ordering, build, drawn.homes, len(stations(drawn.world)), drawn.world.bounds)
        for choice in drawn.schedule:
            forms.apply(choice)
        assert forms.shared.faults == forms.own.faults == []
        fewer, more = fewer + forms.fewer, more + forms.more
    assert fewer > more


@pytest.mark.full
@NAMES
@pytest.mark.parametrize("delivered", ("station", "process"))
@pytest.mark.parametrize(
    ("homes", "bounds"),
    (
        ((0, 1), Bounds(messages=2, moves=1)),
        ((0, 0, 1), Bounds(messages=2, moves=0, destinations=2)),
        pytest.param((0, 0, 1), Bounds(messages=2, moves=1, destinations=2), marks=pytest.mark.slow),
        pytest.param((0, 1, 1), Bounds(messages=2, moves=1, destinations=2), marks=pytest.mark.slow),
        pytest.param((0, 1), Bounds(messages=2, moves=2), marks=pytest.mark.slow),
    ),
    ids=str,
)
def test_no_schedule_of_a_small_network_has_a_fault(
    name: str, delivered: str, homes: tuple[int, ...], bounds: Bounds
) -> None:
    found = explore(ROWS[name].build, 2, homes, bounds, {"delivered": delivered})
    assert (found.ending, found.fault_kind) == (Ending.EXHAUSTED, None)


@NAMES
def test_a_process_that_is_used_between_two_stations_raises_an_exception(name: str) -> None:
    processes = pair("flood", name).ordering_factory({})(3).with_stations(1)
    station, host = processes.process(2), processes.process(0)
    host.join_station(station)
    host.leave_station()
    with pytest.raises(AttributeError, match="facts"):
        host.send((1,), -1)
    host.join_station(station)
    assert host.send((1,), -1)


# What moves, and what a station knows


def start(name: str, delivered: str, *homes: int) -> Script:
    return Script(ROWS[name].build, 3, homes, {"delivered": delivered})


def sent(script: Script) -> Barrier:
    """Return the barrier of the message sent last."""
    return list(stamps(script.world).values())[-1]


def reported(name: str, delivered: str) -> Script:
    """Host 0 sends m0 to h2, and h2 sends m1 to h1, which is in the cell of h0. Then h0 sends m2 to h3."""
    script = start(name, delivered, 0, 0, 1, 2).submit(0, 2).up(0).wire("Flooded", 1).down(2).up(2)
    script.submit(2, 1).up(2).wire("Flooded", 0).down(1).up(1)
    return script.submit(0, 3).up(0)


@NAMES
def test_a_host_knows_what_the_messages_of_other_hosts_in_its_cell_report(name: str) -> None:
    assert tuples(sent(reported(name, "process")).carried) == {(2, 0, 1)}
    assert sent(reported(name, "station")).units == 0
    assert reported(name, "station").drain().deliveries()[2:] == ["h3 delivers m2"]


@pytest.mark.parametrize(
    ("name", "delivered", "moved"),
    (
        # 1 + 2 for a tuple + the matrix, or a row of it; 6 processes, or 3 hosts and 3 stations without the own row
        ("prs", "process", 1 + 2 + 6 * 6),
        ("prs", "station", 1 + 2 + 6),
        ("prs-stations", "process", 2 + 2 * 3),
        ("prs-stations", "station", 2),
    ),
)
def test_a_state_has_the_size_of_what_it_carries(name: str, delivered: str, moved: int) -> None:
    """Host 0 has sent m0 to h1 and moves from s0 to s2. Its h_RECD has 3 numbers, and a migration 4 more."""
    script = start(name, delivered, 0, 0, 1).submit(0, 1).up(0)
    at_first = stations(script.world)[0].integers
    assert at_first == sum(visit.process.integers for visit in stations(script.world)[0].served.values()) + (
        stations(script.world)[0].process.integers + 2 * 3
    )
    script.move(0, 2).up(0).wire("HandoffBegin", 0)
    (migration,) = [wire.packet for wire in script.world.wired if isinstance(wire.packet, Migration)]
    assert migration.process.integers == moved
    assert migration.control == 4 + 3 + moved
    assert stations(script.world)[0].integers == at_first - moved - 3
    script.wire("Migration", 2)
    assert stations(script.world)[2].served[0].process.integers == moved


@NAMES
def test_a_satisfied_tuple_does_not_move(name: str) -> None:
    """Host 0 has sent m0 to h2 and moves after its station has learned from m1 that h2 has delivered m0."""
    script = start(name, "station", 0, 0, 1).submit(0, 2).up(0).wire("Flooded", 1).down(2).up(2)
    script.submit(2, 1).up(2).wire("Flooded", 0).down(1).up(1).move(0, 2).up(0).wire("HandoffBegin", 0)
    (migration,) = [wire.packet for wire in script.world.wired if isinstance(wire.packet, Migration)]
    assert isinstance(migration.process, PrsProcess)
    assert migration.process.tuples == 0
    assert not hasattr(migration.process, "facts")


@NAMES
def test_the_new_station_knows_what_an_arriving_host_has_delivered(name: str) -> None:
    """Host 1 has delivered m0 and moves to s2. There, h2 receives m1, which names m0 for h1."""
    script = start(name, "station", 0, 1, 2).submit(0, 1).submit(0, 2).up(0, 0).wire("Flooded", 1).down(1).up(1)
    script.move(1, 2).up(1).wire("HandoffBegin", 1).wire("Migration", 2).wire("Flooded", 2).wire("Flooded", 2)
    script.air().submit(2, 0).up(2)
    assert {k for k, _, _ in tuples(sent(script).carried)} <= {2}
    assert script.drain().deliveries() == ["h1 delivers m0", "h2 delivers m1", "h0 delivers m2"]


def test_only_pairs_with_a_flood_have_the_option() -> None:
    assert "delivered" in pair("flood", "prs").options
    assert "delivered" in pair("flood", "prs-stations").options
    assert "delivered" not in pair("proxy", "prs").options
    assert "delivered" not in pair("resident", "prs").options
