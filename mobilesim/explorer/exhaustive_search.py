"""Breadth-first search of the whole state space, state by state: the first fault found has a shortest schedule."""

from array import array
from collections.abc import Callable, Sequence
from struct import Struct
from time import perf_counter
from typing import Final

from mobilesim.explorer.array_tables import Interner
from mobilesim.explorer.exploration import Ending, SearchProgress
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.step_cache import CachingDriver
from mobilesim.explorer.untimed_world import Action, Bounds, Frames, InFlightPacket, UntimedWorld
from protocols.machine import System

LIMIT: Final = 2_000_000
PROGRESS_INTERVAL: Final = 2_000

HostPart = tuple[int, int, int, Frames, Frames]


class StateCodec:
    """Packs the present state of a world into bytes, and takes it back there."""

    __slots__ = ("driver", "fifo", "hosts", "layout", "multisets", "world")

    def __init__(self, system: System, homes: tuple[int, ...], bounds: Bounds) -> None:
        self.driver = CachingDriver(system)
        self.world = UntimedWorld(self.driver, len(system.stations), homes, bounds)
        self.fifo = bounds.fifo
        self.hosts: Interner[HostPart] = Interner()
        self.multisets: Interner[tuple[InFlightPacket, ...]] = Interner()
        self.layout = Struct(f"{len(homes) + len(system.stations) + 3 + len(self.driver.shared)}I")

    def pack(self) -> bytes:
        world, driver = self.world, self.driver
        number = self.hosts.intern
        parts = zip(world.cells, world.sent, driver.machines, world.up, world.down, strict=False)
        hosts = [number(part) for part in parts]
        stations = driver.machines[len(hosts) :]
        bag = self.multisets.intern(self._bag())
        return self.layout.pack(*hosts, *stations, *driver.shared, bag, driver.oracle, world.moves)

    def _bag(self) -> tuple[InFlightPacket, ...]:
        if self.fifo:
            return tuple(sorted(self.world.wired, key=lambda wire: (wire.source, wire.target)))
        return tuple(sorted([self.alike(wire) for wire in self.world.wired]))

    def alike(self, wire: InFlightPacket) -> InFlightPacket:
        return wire if self.fifo else InFlightPacket(wire.target, wire.packet, -1)

    def unpack(self, packed: bytes) -> None:
        world, driver = self.world, self.driver
        *machines, bag, driver.oracle, world.moves = self.layout.unpack(packed)
        count, last = len(world.cells), len(driver.machines)
        machines, driver.shared = machines[:last], tuple(machines[last:])
        parts: Sequence[HostPart] = [self.hosts.values[number] for number in machines[:count]]
        for host, (cell, sent, machine, up, down) in enumerate(parts):
            world.cells[host], world.sent[host], machines[host] = cell, sent, machine
            world.up[host], world.down[host] = up, down
        driver.machines = machines
        world.wired = list(self.multisets.values[bag])


class ExhaustiveSearch:
    """States in the order in which they were found, each with the state and the choice that first led to it."""

    def __init__(
        self,
        system: System,
        homes: tuple[int, ...],
        bounds: Bounds,
        on_progress: Callable[[SearchProgress], None] | None,
    ) -> None:
        self.space = StateCodec(system, homes, bounds)
        self.start = self.space.pack()
        self.keys: dict[bytes, int] = {self.start: 0}
        self.parents = array("I", [0])
        self.ordinals = array("H", [0])
        self.failed = (0, 0)
        self.transitions = self.depth = 0
        self.on_progress = on_progress
        self.limit = LIMIT
        self.began = perf_counter()

    @property
    def seconds(self) -> float:
        return perf_counter() - self.began

    def run(self, limit: int) -> Ending:
        self.limit = limit
        try:
            return self._levels()
        except KeyboardInterrupt:
            return Ending.INTERRUPTED

    def _levels(self) -> Ending:
        level, first = [self.start], 0
        while level:
            found: list[bytes] = []
            for place, packed in enumerate(level, first):
                if self._expand(place, packed, found):
                    self.depth += 1
                    return Ending.FAULT
                if len(self.keys) >= self.limit:
                    return Ending.LIMIT
                if self.on_progress and not place % PROGRESS_INTERVAL:
                    self.on_progress(self._progress(len(level) - place + first + len(found)))
            first += len(level)
            level = found
            self.depth += bool(found)
        return Ending.EXHAUSTED

    def _progress(self, waiting: int) -> SearchProgress:
        return SearchProgress(len(self.keys), self.transitions, self.depth, waiting, self.seconds)

    def _expand(self, place: int, packed: bytes, found: list[bytes]) -> bool:
        """Whether some choice led to a fault; new states are appended to `found`."""
        space, world = self.space, self.space.world
        space.unpack(packed)
        for ordinal, action in enumerate(list(world.actions())):
            if ordinal:
                space.unpack(packed)
            world.apply(action)
            self.transitions += 1
            if world.faults:
                self.failed = (place, ordinal)
                return True
            key = space.pack()
            if key not in self.keys:
                self.keys[key] = len(self.keys)
                self.parents.append(place)
                self.ordinals.append(ordinal)
                found.append(key)
                if len(self.keys) >= self.limit:
                    break
        return False

    def path(self) -> list[tuple[bytes, int]]:
        """The states that lead to the fault, each with the place of the choice that was made in it."""
        packed = list(self.keys)
        place, ordinal = self.failed
        steps = [(packed[place], ordinal)]
        while place:
            place, ordinal = self.parents[place], self.ordinals[place]
            steps.append((packed[place], ordinal))
        return steps[::-1]

    def schedule(self) -> tuple[Action, ...]:
        """The schedule of the fault for a live world, where packets lie in the order in which they were sent."""
        sent: list[InFlightPacket] = []
        return tuple([self._retrace(packed, ordinal, sent) for packed, ordinal in self.path()])

    def _retrace(self, packed: bytes, ordinal: int, sent: list[InFlightPacket]) -> Action:
        space, world = self.space, self.space.world
        space.unpack(packed)
        action = list(world.actions())[ordinal]
        older = len(world.wired)
        again = action
        if action.kind is InputKind.WIRED:
            older -= 1
            place = sent.index(space.alike(world.wired[action.index]))
            del sent[place]
            again = Action(InputKind.WIRED, place)
        world.apply(action)
        sent += [space.alike(wire) for wire in world.wired[older:]]
        return again
