"""The explorer: every schedule of a small configuration, breadth first, so that the first fault found has the
shortest schedule.

`explore` either goes through this file's plain search, one state after another, or first through the reduced one of
`mobilesim.explorer.reduced_search`, which is much quicker and leaves out what commutes. If that finds a fault, the
plain search finds the shortest schedule.

A state of the world is packed into a few integers (`mobilesim.explorer.step_cache` numbers what machines and the judge
look like). Two states with the same integers have the same future, up to which of several faults is named first:
everything that a machine or the judge can see is in them, the order of dictionaries too (but not that of sets). States
that no machine would treat differently may be counted apart for it. On channels that keep no order the packets under
way are a bag, and who sent them is forgotten. Hosts and stations are *not* exchanged for one another.

Judged are all deliveries, and all states in which nothing is under way. A packet that travelled for ever without
arriving would go unnoticed.
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from struct import Struct
from time import perf_counter
from typing import TYPE_CHECKING, Final

from mobilesim.explorer.array_tables import Numbers
from mobilesim.explorer.machine_driver import Act, Verdict
from mobilesim.explorer.step_cache import Collapsed
from mobilesim.explorer.untimed_world import Air, Build, Choice, Scope, Wire, World, built
from protocols.catalogue import Setting
from protocols.frozen_value import value
from protocols.machine import System

if TYPE_CHECKING:
    from mobilesim.explorer.reduced_search import Levels

LIMIT: Final = 2_000_000
REDUCED_LIMIT: Final = 20_000_000
SHALLOW: Final = 50_000
"""So many states are looked at before anything is left out."""
BEAT: Final = 2_000

HostPart = tuple[int, int, int, Air, Air]


class Ending(StrEnum):
    EXHAUSTED = "exhausted"
    FAULT = "fault"
    LIMIT = "limit"
    INTERRUPTED = "interrupted"


@value
class Progress:
    states: int
    transitions: int
    depth: int
    waiting: int
    seconds: float


@value
class Exploration:
    """`schedule` leads to a fault, of the kind `verdict`; it can be replayed on a live world. Only `reduced` counts are
    those of the reduced search, and only a schedule that is not `shortest` may have a shorter one.
    """

    ending: Ending
    states: int
    transitions: int
    depth: int
    seconds: float
    schedule: tuple[Choice, ...] = ()
    verdict: Verdict | None = None
    reduced: bool = False
    shortest: bool = True


def homes_of(stations: int, hosts: int) -> tuple[int, ...]:
    return tuple(host % stations for host in range(hosts))


def explore(
    build: Build,
    stations: int,
    homes: tuple[int, ...],
    scope: Scope,
    options: Mapping[str, Setting] | None = None,
    *,
    unclaimed: frozenset[Verdict] = frozenset(),
    limit: int | None = None,
    watch: Callable[[Progress], None] | None = None,
    reduced: bool = False,
) -> Exploration:
    """Stops at the first fault that is not `unclaimed`, after `limit` states, or at Ctrl-C, and says which.

    What is `reduced` counts on stations and orderings to keep what they promise (`Station.early`). So short schedules
    are all tried first: one that does not is caught there, if a short one catches it.
    """
    system = built(build, stations, homes, options, scope.groups)
    found = None
    if reduced:
        from mobilesim.explorer.reduced_search import Levels

        most = limit or REDUCED_LIMIT
        found = _found_by_levels(Levels(system, homes, scope, unclaimed, watch, reduced=False), min(most, SHALLOW))
        if found.ending in {Ending.EXHAUSTED, Ending.LIMIT}:
            found = _found_by_levels(Levels(system, homes, scope, unclaimed, watch), most)
        if found.ending is not Ending.FAULT:
            return found
    search = Search(system, homes, scope, watch)
    search.space.world.unclaimed = unclaimed
    plain = _found_plainly(search, limit or LIMIT)
    return found if found and plain.ending is not Ending.FAULT else plain


def _found_plainly(search: "Search", limit: int) -> Exploration:
    ending = search.run(limit)
    found = Exploration(ending, len(search.keys), search.transitions, search.depth, search.seconds)
    if ending is not Ending.FAULT:
        return found
    verdict = search.space.world.faults[0].verdict
    return replace(found, schedule=search.schedule(), verdict=verdict)


def _found_by_levels(search: "Levels", limit: int) -> Exploration:
    ending = search.run(limit)
    counts = search.states, search.transitions, search.depth, search.seconds
    found = Exploration(ending, *counts, reduced=search.reduced)
    if ending is not Ending.FAULT:
        return found
    schedule, world = search.replay()
    return replace(found, schedule=schedule, verdict=world.faults[0].verdict, shortest=not search.reduced)


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
