"""Exhaustive search: breadth first, state by state, without reduction. The first fault has a shortest schedule."""

from array import array
from struct import Struct
from typing import Final

from mobilesim.explorer.array_tables import Interner
from mobilesim.explorer.exploration import Ending, OnProgress, Search
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.step_cache import CachingDriver
from mobilesim.explorer.untimed_world import Action, Bounds, Frames, InFlightPacket, UntimedWorld
from mobilesim.oracle.verdicts import FaultKind
from protocols.machine import System

PROGRESS_INTERVAL: Final = 2_000

HostState = tuple[int, int, int, Frames, Frames]
"""Cell, messages sent, state of the machine, frames on the uplink and on the downlink."""


class StateCodec:
    """Packs the current state of a world into bytes, and restores it from them."""

    __slots__ = ("driver", "fifo", "hosts", "layout", "multisets", "world")

    def __init__(self, system: System, homes: tuple[int, ...], bounds: Bounds, tolerated: frozenset[FaultKind]) -> None:
        self.driver = CachingDriver(system)
        self.world = UntimedWorld(self.driver, len(system.stations), homes, bounds, tolerated)
        self.fifo = bounds.fifo
        self.hosts: Interner[HostState] = Interner()
        self.multisets: Interner[tuple[InFlightPacket, ...]] = Interner()
        self.layout = Struct(f"{len(homes) + len(system.stations) + 3 + len(self.driver.shared)}I")

    def pack(self) -> bytes:
        world, driver = self.world, self.driver
        intern, count = self.hosts.intern, len(world.cells)
        hosts = [
            intern((world.cells[i], world.sent[i], driver.machines[i], world.up[i], world.down[i]))
            for i in range(count)
        ]
        multiset = self.multisets.intern(self._in_flight())
        return self.layout.pack(*hosts, *driver.machines[count:], *driver.shared, multiset, driver.oracle, world.moves)

    def _in_flight(self) -> tuple[InFlightPacket, ...]:
        if self.fifo:
            return tuple(sorted(self.world.wired, key=lambda packet: (packet.source, packet.target)))
        return tuple(sorted([self.canonical(packet) for packet in self.world.wired]))

    def canonical(self, packet: InFlightPacket) -> InFlightPacket:
        """Without FIFO channels the source makes no difference."""
        return packet if self.fifo else InFlightPacket(packet.target, packet.packet, -1)

    def unpack(self, packed: bytes) -> None:
        world, driver = self.world, self.driver
        *machines, multiset, driver.oracle, world.moves = self.layout.unpack(packed)
        count, last = len(world.cells), len(driver.machines)
        machines, driver.shared = machines[:last], tuple(machines[last:])
        for host in range(count):
            state = self.hosts.values[machines[host]]
            world.cells[host], world.sent[host], machines[host], world.up[host], world.down[host] = state
        driver.machines = machines
        world.wired = list(self.multisets.values[multiset])


class ExhaustiveSearch(Search):
    """`numbers` has all states in the order of discovery; `parents` and `ordinals`, for each of them, its first parent
    and the ordinal of the action that led from there.
    """

    def __init__(
        self,
        system: System,
        homes: tuple[int, ...],
        bounds: Bounds,
        tolerated: frozenset[FaultKind] = frozenset(),
        on_progress: OnProgress | None = None,
    ) -> None:
        super().__init__(on_progress)
        self.codec = StateCodec(system, homes, bounds, tolerated)
        self.start = self.codec.pack()
        self.numbers: dict[bytes, int] = {self.start: 0}
        self.parents = array("I", [0])
        self.ordinals = array("H", [0])
        self.failed = (0, 0)

    @property
    def states(self) -> int:
        return len(self.numbers)

    def search(self, limit: int) -> Ending:
        level, first = [self.start], 0
        while level:
            successors: list[bytes] = []
            for number, packed in enumerate(level, first):
                if self._expand(number, packed, successors, limit):
                    self.depth += 1
                    return Ending.FAULT
                if self.states >= limit:
                    return Ending.LIMIT
                if not number % PROGRESS_INTERVAL:
                    self.report(len(level) - number + first + len(successors))
            first += len(level)
            level = successors
            self.depth += bool(successors)
        return Ending.EXHAUSTED

    def _expand(self, number: int, packed: bytes, successors: list[bytes], limit: int) -> bool:
        """Append the new states that follow a state; return whether an action leads to a fault."""
        codec, world = self.codec, self.codec.world
        codec.unpack(packed)
        for ordinal, action in enumerate(list(world.actions())):
            if ordinal:
                codec.unpack(packed)
            world.apply(action)
            self.transitions += 1
            if world.faults:
                self.failed = (number, ordinal)
                return True
            state = codec.pack()
            if state not in self.numbers:
                self.numbers[state] = len(self.numbers)
                self.parents.append(number)
                self.ordinals.append(ordinal)
                successors.append(state)
                if self.states >= limit:
                    break
        return False

    def path(self) -> list[tuple[bytes, int]]:
        """Return the states that lead to the fault, each with the ordinal of the action taken in it."""
        packed = list(self.numbers)
        number, ordinal = self.failed
        steps = [(packed[number], ordinal)]
        while number:
            number, ordinal = self.parents[number], self.ordinals[number]
            steps.append((packed[number], ordinal))
        return steps[::-1]

    def counterexample(self) -> tuple[tuple[Action, ...], FaultKind]:
        """Return the schedule for real machines, where packets are listed in the order in which they were sent."""
        kind = self.codec.world.faults[0].kind
        sent: list[InFlightPacket] = []
        return tuple([self._retrace(packed, ordinal, sent) for packed, ordinal in self.path()]), kind

    def _retrace(self, packed: bytes, ordinal: int, sent: list[InFlightPacket]) -> Action:
        codec, world = self.codec, self.codec.world
        codec.unpack(packed)
        action = list(world.actions())[ordinal]
        older = len(world.wired)
        again = action
        if action.kind is InputKind.WIRED:
            older -= 1
            index = sent.index(codec.canonical(world.wired[action.index]))
            del sent[index]
            again = Action(InputKind.WIRED, index)
        world.apply(action)
        sent += [codec.canonical(packet) for packet in world.wired[older:]]
        return again
