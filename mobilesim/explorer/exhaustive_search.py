"""Exhaustive search: breadth first, state by state, without reduction. The first fault has a shortest schedule."""

from array import array
from struct import Struct
from typing import Final

from mobilesim.explorer.array_tables import Interner
from mobilesim.explorer.exploration import Ending, OnProgress, Search
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.step_cache import CachingDriver
from mobilesim.explorer.untimed_world import Action, Bounds, Frames, Homes, InFlightPacket, UntimedWorld, multiset
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols.machine import System

PROGRESS_INTERVAL: Final = 2_000

HostState = tuple[int, int, int, Frames, Frames]
"""The cell of a host, its number of messages sent, the state of its machine, and the frames on both channels."""


class ExhaustiveSearch(Search):
    """`numbers`: all states, packed into bytes, with their numbers in the order of discovery. `parents`: by number, the
    first parent of each state. `ordinals`: by number, the ordinal of the action from this parent to the state.
    """

    def __init__(self, system: System, homes: Homes, bounds: Bounds, on_progress: OnProgress | None = None) -> None:
        super().__init__(on_progress)
        self.driver = CachingDriver(system)
        self.world = UntimedWorld(self.driver, len(system.stations), homes, bounds)
        self.fifo = bounds.fifo
        self.hosts: Interner[HostState] = Interner()
        self.multisets: Interner[tuple[InFlightPacket, ...]] = Interner()
        self.layout = Struct(f"{len(homes) + len(system.stations) + 3 + len(self.driver.shared)}I")
        self.start = self.pack()
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
        world = self.world
        self.unpack(packed)
        for ordinal, action in enumerate(list(world.actions())):
            if ordinal:
                self.unpack(packed)
            world.apply(action)
            self.transitions += 1
            if world.faults:
                self.failed = (number, ordinal)
                return True
            state = self.pack()
            if state not in self.numbers:
                self.numbers[state] = len(self.numbers)
                self.parents.append(number)
                self.ordinals.append(ordinal)
                successors.append(state)
                if self.states >= limit:
                    break
        return False

    def pack(self) -> bytes:
        world, driver = self.world, self.driver
        intern, count = self.hosts.intern, len(world.cells)
        states = zip(world.cells, world.sent, driver.machines, world.up, world.down, strict=False)
        hosts = [intern(state) for state in states]
        wired = self.multisets.intern(multiset(world.wired, fifo=self.fifo))
        return self.layout.pack(*hosts, *driver.machines[count:], *driver.shared, wired, driver.oracle, world.moves)

    def unpack(self, packed: bytes) -> None:
        world, driver = self.world, self.driver
        *machines, wired, driver.oracle, world.moves = self.layout.unpack(packed)
        count, last = len(world.cells), len(driver.machines)
        machines, driver.shared = machines[:last], tuple(machines[last:])
        for host in range(count):
            state = self.hosts.values[machines[host]]
            world.cells[host], world.sent[host], machines[host], world.up[host], world.down[host] = state
        driver.machines = machines
        world.wired = list(self.multisets.values[wired])

    def path(self) -> list[tuple[bytes, int]]:
        """Return the states on the schedule to the fault, each with the ordinal of its action."""
        packed = list(self.numbers)
        number, ordinal = self.failed
        steps = [(packed[number], ordinal)]
        while number:
            number, ordinal = self.parents[number], self.ordinals[number]
            steps.append((packed[number], ordinal))
        return steps[::-1]

    def counterexample(self) -> tuple[tuple[Action, ...], FaultKind]:
        """Return the schedule and the kind of the fault. The index of a packet is its place in the order of sending."""
        kind = self.world.faults[0].kind
        sent: list[InFlightPacket] = []
        return tuple([self._retrace(packed, ordinal, sent) for packed, ordinal in self.path()]), kind

    def _retrace(self, packed: bytes, ordinal: int, sent: list[InFlightPacket]) -> Action:
        world = self.world
        self.unpack(packed)
        action = replayed = list(world.actions())[ordinal]
        older = len(world.wired)
        if action.kind is InputKind.WIRED:
            older -= 1
            index = sent.index(world.wired[action.index].canonical(fifo=self.fifo))
            del sent[index]
            replayed = Action(InputKind.WIRED, index)
        world.apply(action)
        sent += [packet.canonical(fifo=self.fifo) for packet in world.wired[older:]]
        return replayed
