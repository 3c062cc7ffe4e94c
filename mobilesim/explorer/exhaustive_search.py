"""Breadth-first search of the whole state space, state by state: the first fault found has a shortest schedule."""

from array import array
from collections.abc import Callable, Sequence
from struct import Struct
from time import perf_counter
from typing import Final

from mobilesim.explorer.array_tables import Numbers
from mobilesim.explorer.exploration import Ending, Progress
from mobilesim.explorer.machine_driver import Act
from mobilesim.explorer.step_cache import Collapsed
from mobilesim.explorer.untimed_world import Air, Choice, Scope, Wire, World
from protocols.machine import System

LIMIT: Final = 2_000_000
BEAT: Final = 2_000

HostPart = tuple[int, int, int, Air, Air]


class Space:
    """Packs the present state of a world into bytes, and takes it back there."""

    __slots__ = ("bags", "fifo", "form", "hosts", "stage", "world")

    def __init__(self, system: System, homes: tuple[int, ...], scope: Scope) -> None:
        self.stage = Collapsed(system)
        self.world = World(self.stage, len(system.stations), homes, scope)
        self.fifo = scope.fifo
        self.hosts: Numbers[HostPart] = Numbers()
        self.bags: Numbers[tuple[Wire, ...]] = Numbers()
        self.form = Struct(f"{len(homes) + len(system.stations) + 3 + len(self.stage.commons)}I")

    def pack(self) -> bytes:
        world, stage = self.world, self.stage
        number = self.hosts.number
        parts = zip(world.cells, world.sent, stage.machines, world.up, world.down, strict=False)
        hosts = [number(part) for part in parts]
        stations = stage.machines[len(hosts) :]
        bag = self.bags.number(self._bag())
        return self.form.pack(*hosts, *stations, *stage.commons, bag, stage.judge, world.moves)

    def _bag(self) -> tuple[Wire, ...]:
        if self.fifo:
            return tuple(sorted(self.world.wired, key=lambda wire: (wire.source, wire.target)))
        return tuple(sorted([self.alike(wire) for wire in self.world.wired]))

    def alike(self, wire: Wire) -> Wire:
        return wire if self.fifo else Wire(wire.target, wire.packet, -1)

    def unpack(self, packed: bytes) -> None:
        world, stage = self.world, self.stage
        *machines, bag, stage.judge, world.moves = self.form.unpack(packed)
        count, last = len(world.cells), len(stage.machines)
        machines, stage.commons = machines[:last], tuple(machines[last:])
        parts: Sequence[HostPart] = [self.hosts.things[number] for number in machines[:count]]
        for host, (cell, sent, machine, up, down) in enumerate(parts):
            world.cells[host], world.sent[host], machines[host] = cell, sent, machine
            world.up[host], world.down[host] = up, down
        stage.machines = machines
        world.wired = list(self.bags.things[bag])


class Search:
    """States in the order in which they were found, each with the state and the choice that first led to it."""

    def __init__(
        self, system: System, homes: tuple[int, ...], scope: Scope, watch: Callable[[Progress], None] | None
    ) -> None:
        self.space = Space(system, homes, scope)
        self.start = self.space.pack()
        self.keys: dict[bytes, int] = {self.start: 0}
        self.parents = array("I", [0])
        self.ordinals = array("H", [0])
        self.failed = (0, 0)
        self.transitions = self.depth = 0
        self.watch = watch
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
                if self.watch and not place % BEAT:
                    self.watch(self._progress(len(level) - place + first + len(found)))
            first += len(level)
            level = found
            self.depth += bool(found)
        return Ending.EXHAUSTED

    def _progress(self, waiting: int) -> Progress:
        return Progress(len(self.keys), self.transitions, self.depth, waiting, self.seconds)

    def _expand(self, place: int, packed: bytes, found: list[bytes]) -> bool:
        """Whether some choice led to a fault; new states are appended to `found`."""
        space, world = self.space, self.space.world
        space.unpack(packed)
        for ordinal, choice in enumerate(list(world.choices())):
            if ordinal:
                space.unpack(packed)
            world.apply(choice)
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

    def schedule(self) -> tuple[Choice, ...]:
        """The schedule of the fault for a live world, where packets lie in the order in which they were sent."""
        sent: list[Wire] = []
        return tuple([self._retrace(packed, ordinal, sent) for packed, ordinal in self.path()])

    def _retrace(self, packed: bytes, ordinal: int, sent: list[Wire]) -> Choice:
        space, world = self.space, self.space.world
        space.unpack(packed)
        choice = list(world.choices())[ordinal]
        older = len(world.wired)
        again = choice
        if choice.act is Act.WIRED:
            older -= 1
            place = sent.index(space.alike(world.wired[choice.who]))
            del sent[place]
            again = Choice(Act.WIRED, place)
        world.apply(choice)
        sent += [space.alike(wire) for wire in world.wired[older:]]
        return again
