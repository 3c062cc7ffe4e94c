"""Why the reduced search may do without packets that come too early: they might as well come when it is their turn.

Each random schedule is played beside a twin in which they do.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from mobilesim.explorer.api import explore
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.untimed_world import Action, Bounds, UntimedWorld
from mobilesim.oracle.verdicts import FaultKind
from protocols.catalogue import ORDERINGS, pairs
from protocols.machine import Packet, Stamp, StationOutbox
from protocols.ordering import Key
from protocols.orderings.rst import Matrix, Outstanding, Rst, RstProcess, Versions
from protocols.placements.logical import LogicalStation, Stamped
from protocols.state import key, restore, snapshot
from tests.support.mutants.kinds import FlushBreed
from tests.support.protocols.live_worlds import live_world
from tests.support.random_schedules import Sizes, Storm

SIZES = Sizes(stations=(2, 4), hosts=(2, 6), messages=(20, 40), moves=(4, 12), destinations=(1, 4))

PUT_ASIDE = [row for row in pairs() if row.placement == "logical" and row.claims.causal]
"""Where stations promise it."""

Wired = tuple[int, bytes]


class Telling(LogicalStation):
    """Says what it has delivered to its processes in this step, by names: the packets are taken apart."""

    __slots__ = ("told",)
    told: list[bytes]

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        self.told = []
        super().receive(packet, out)

    def hear(self, host: int, frame: Packet, out: StationOutbox) -> None:
        self.told = []
        super().hear(host, frame, out)

    def _deliver(self, packet: Stamped, out: StationOutbox) -> None:
        self.told.append(key(packet))
        super()._deliver(packet, out)


class Twins(Storm):
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
        assert seen(self.world, self.withheld) == seen(self.twin, Counter())

    def arrive(self, action: Action) -> None:
        place, packet, _ = self.world.wired[action.index]
        station: Any = self.world.driver.machines[len(self.world.cells) + place]
        early, name = station.only_buffers(packet), key(packet)
        super().apply(action)
        if early:
            assert station.told == []
            self.withheld[place, name] += 1
            self.early += 1
            return
        self.catch_up(place, name)
        for released in station.told:
            if self.withheld[place, released]:
                self.withheld[place, released] -= 1
                self.catch_up(place, released)
                self.late += 1

    def catch_up(self, place: int, name: bytes) -> None:
        there = [wire.target == place and key(wire.packet) == name for wire in self.twin.wired]
        self.twin.apply(Action(InputKind.WIRED, there.index(True)))


def seen(world: UntimedWorld, withheld: Counter[Wired]) -> tuple[object, ...]:
    """All of a world, with what was withheld on the wire; what its stations have put aside is left out."""
    machines: list[Any] = restore(snapshot(world.driver.machines))
    for station in machines[len(world.cells) :]:
        station.told = []
        for inbox in station.inboxes:
            inbox.size -= sum(map(len, inbox.blocked.values()))
            inbox.blocked.clear()
    wired = Counter((wire.target, key(wire.packet)) for wire in world.wired) + withheld
    air = [[key(frame) for frame in frames] for frames in (*world.up, *world.down)]
    return key(machines), wired, air, world.cells, world.faults


@pytest.mark.full
@pytest.mark.parametrize(
    ("ordering", "k"),
    (("rst", 1), ("rst", 3), *((row.ordering, 2) for row in PUT_ASIDE)),
)
@pytest.mark.parametrize(
    "seeds", (range(3), pytest.param(range(3, 60), marks=pytest.mark.slow)), ids=("some", "others")
)
def test_a_packet_that_comes_too_early_might_as_well_come_when_it_is_its_turn(
    ordering: str, k: int, seeds: range
) -> None:
    early, late, orders = 0, 0, ORDERINGS[ordering].load()
    for seed in seeds:
        random = Random(seed)
        stations, hosts = random.randint(*SIZES.stations), random.randint(*SIZES.hosts)
        homes = tuple(random.randrange(stations) for _ in range(hosts))
        bounds = Bounds(random.randint(*SIZES.messages), random.randint(*SIZES.moves))
        one, other = (
            live_world(FlushBreed(Telling, k=k, ordering=orders).build(stations, homes, {}), homes, bounds)
            for _ in range(2)
        )
        twins = Twins(one, other, random)
        twins.blow()
        assert twins.withheld.total() == len(other.wired) == 0
        early, late = early + twins.early, late + twins.late
    assert early == late > 10 * len(seeds)


class Sleepless(Rst):
    """Says nothing of what it has delivered, so that nobody is woken."""

    __slots__ = ()

    def process(self, index: int) -> RstProcess:
        return SleeplessProcess(*_of(super().process(index)))


class SleeplessProcess(RstProcess):
    __slots__ = ()

    def deliver(self, stamp: Matrix) -> Sequence[Key]:
        super().deliver(stamp)
        return ()


class Raising(Rst):
    """Does not know what a message waits for."""

    __slots__ = ()

    def process(self, index: int) -> RstProcess:
        return RaisingProcess(*_of(super().process(index)))


class RaisingProcess(RstProcess):
    __slots__ = ()

    def missing(self, stamp: Stamp) -> Key | None:
        raise KeyError("nobody knows")


def _of(process: RstProcess) -> tuple[int, Versions, Outstanding]:
    return process.index, process.known, process.outstanding


@pytest.mark.parametrize(("ordering", "verdict"), ((Sleepless, FaultKind.LOST), (Raising, FaultKind.FAILED)))
def test_an_ordering_that_does_not_keep_its_promise_is_caught_before_anything_is_left_out(
    ordering: type[Rst], verdict: FaultKind
) -> None:
    build = FlushBreed(ordering=ordering).build
    found = explore(build, 2, (0, 1), Bounds(messages=2, moves=0), reduced=True)
    assert (found.ending, found.fault_kind) == (Ending.FAULT, verdict)
