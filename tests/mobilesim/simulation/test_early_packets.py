"""The reduced search may omit the early arrival of a packet, because a later arrival has the same effect.

A packet arrives early if its station can only buffer it. Each random schedule runs in two worlds. In the second world,
the twin, an early packet arrives only when it can be delivered.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from mobilesim.conformance.random_schedules import RandomSchedule, Sizes
from mobilesim.explorer.api import explore
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.untimed_world import Action, Bounds, UntimedWorld
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols.catalogue import ORDERINGS, pairs
from mobilesim.protocols.machine import StationOutbox
from mobilesim.protocols.ordering import Key
from mobilesim.protocols.orderings.rst import Matrix, Outstanding, Rst, RstProcess
from mobilesim.protocols.packets import Packet, Stamp
from mobilesim.protocols.placements.logical import LogicalStation, Stamped
from mobilesim.protocols.state import key, restore, snapshot
from tests.support.mutants.builders import FlushBuilder
from tests.support.protocols.live_worlds import live_world

SIZES = Sizes(stations=(2, 4), hosts=(2, 6), messages=(20, 40), moves=(4, 12), destinations=(1, 4))

BUFFERING_ROWS = [row for row in pairs() if row.placement == "logical" and row.claims.causal]
"""The pairs whose stations report packets that they can only buffer."""

Wired = tuple[int, bytes]


class DeliveryLog(LogicalStation):
    """A station that records the keys of the packets that it delivered to its processes in this step."""

    __slots__ = ("delivered",)
    delivered: list[bytes]

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        self.delivered = []
        super().receive(packet, out)

    def receive_frame(self, host: int, frame: Packet, out: StationOutbox) -> None:
        self.delivered = []
        super().receive_frame(host, frame, out)

    def _deliver(self, packet: Stamped, out: StationOutbox) -> None:
        self.delivered.append(key(packet))
        super()._deliver(packet, out)


class PairedSchedules(RandomSchedule):
    def __init__(self, world: UntimedWorld, twin: UntimedWorld, random: Random) -> None:
        super().__init__(world, random, SIZES)
        self.twin = twin
        self.withheld: Counter[Wired] = Counter()
        self.early = self.late = 0

    def apply(self, action: Action) -> None:
        if action.kind is not InputKind.WIRED:
            super().apply(action)
            self.twin.apply(action)
        else:
            self.arrive(action)
        assert world_state(self.world, self.withheld) == world_state(self.twin, Counter())

    def arrive(self, action: Action) -> None:
        place, packet, _ = self.world.wired[action.index]
        station: Any = self.world.driver.machines[len(self.world.cells) + place]
        early, name = station.only_buffers(packet), key(packet)
        super().apply(action)
        if early:
            assert station.delivered == []
            self.withheld[place, name] += 1
            self.early += 1
            return
        self.catch_up(place, name)
        for released in station.delivered:
            if self.withheld[place, released]:
                self.withheld[place, released] -= 1
                self.catch_up(place, released)
                self.late += 1

    def catch_up(self, place: int, name: bytes) -> None:
        places = [wire.target == place and key(wire.packet) == name for wire in self.twin.wired]
        self.twin.apply(Action(InputKind.WIRED, places.index(True)))


def world_state(world: UntimedWorld, withheld: Counter[Wired]) -> tuple[object, ...]:
    """Return the state of a world, with the withheld packets on the wire and without the stations' buffers."""
    machines: list[Any] = restore(snapshot(world.driver.machines))
    for station in machines[len(world.cells) :]:
        station.delivered = []
        for inbox in station.inboxes:
            inbox.size -= sum(map(len, inbox.blocked.values()))
            inbox.blocked.clear()
            inbox.arrivals = 0
    wired = Counter((wire.target, key(wire.packet)) for wire in world.wired) + withheld
    air = [[key(frame) for frame in frames] for frames in (*world.up, *world.down)]
    return key(machines), wired, air, world.cells, world.faults


@pytest.mark.full
@pytest.mark.parametrize(
    ("ordering", "k"),
    (("rst", 1), ("rst", 3), *((row.ordering, 2) for row in BUFFERING_ROWS)),
)
@pytest.mark.parametrize("seeds", (range(1), pytest.param(range(1, 60), marks=pytest.mark.slow)), ids=("one", "others"))
def test_an_early_packet_has_the_same_effect_when_it_arrives_later(ordering: str, k: int, seeds: range) -> None:
    early, late, orders = 0, 0, ORDERINGS[ordering].load()
    for seed in seeds:
        random = Random(seed)
        stations, hosts = random.randint(*SIZES.stations), random.randint(*SIZES.hosts)
        homes = tuple(random.randrange(stations) for _ in range(hosts))
        bounds = Bounds(random.randint(*SIZES.messages), random.randint(*SIZES.moves))
        one, other = (
            live_world(FlushBuilder(DeliveryLog, k=k, ordering=orders).build(stations, homes, {}), homes, bounds)
            for _ in range(2)
        )
        paired = PairedSchedules(one, other, random)
        paired.complete()
        assert paired.withheld.total() == len(other.wired) == 0
        early, late = early + paired.early, late + paired.late
    assert early == late > 10 * len(seeds)


class Unreporting(Rst):
    """An ordering that reports no fulfilled conditions, so no waiting message is examined again."""

    __slots__ = ()

    def process(self, index: int) -> RstProcess:
        return UnreportingProcess(*_of(super().process(index)))


class UnreportingProcess(RstProcess):
    __slots__ = ()

    def deliver(self, stamp: Matrix) -> Sequence[Key]:
        super().deliver(stamp)
        return ()


class Raising(Rst):
    """An ordering that raises an exception when a waiting message is examined."""

    __slots__ = ()

    def process(self, index: int) -> RstProcess:
        return RaisingProcess(*_of(super().process(index)))


class RaisingProcess(RstProcess):
    __slots__ = ()

    def missing(self, stamp: Stamp) -> Key | None:
        raise KeyError("unknown condition")


def _of(process: RstProcess) -> tuple[int, int, Outstanding]:
    return process.index, len(process.known), process.outstanding


@pytest.mark.parametrize(("ordering", "verdict"), ((Unreporting, FaultKind.LOST), (Raising, FaultKind.FAILED)))
def test_the_reduced_search_finds_the_fault_of_an_ordering_that_breaks_its_contract(
    ordering: type[Rst], verdict: FaultKind
) -> None:
    build = FlushBuilder(ordering=ordering).build
    found = explore(build, 2, (0, 1), Bounds(messages=2, moves=0), reduced=True)
    assert (found.ending, found.fault_kind) == (Ending.FAULT, verdict)
