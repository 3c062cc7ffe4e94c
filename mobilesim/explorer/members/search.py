"""Exhaustive search of the schedules in which processes join and leave: breadth first, without reduction.

Every state of a member, of the service, of the oracle and of the copies in transit is stored once and has a number
(`mobilesim.explorer.state_store`). The spaces are small: a join or a leave takes several packets of the service, and
all their orders are tried.
"""

from typing import Final, TypeAlias

from mobilesim.explorer.exploration import Ending, OnProgress, Search
from mobilesim.explorer.members.world import MembershipWorld, Plain
from mobilesim.explorer.state_store import StateStore
from mobilesim.explorer.untimed_world import Action
from mobilesim.oracle.fault_attribution import failure
from mobilesim.oracle.verdicts import Fault, FaultKind
from mobilesim.protocols.state import shared_objects

PROGRESS_INTERVAL: Final = 2_000
Packed: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], Plain]


class MembershipSearch(Search):
    """`parents`: by number of a state, the number of its first parent, and the action that leads to it."""

    def __init__(self, world: MembershipWorld, on_progress: OnProgress | None = None) -> None:
        super().__init__(on_progress)
        self.world = world
        self.store = StateStore()
        self.shared = shared_objects(world.members.values())
        self.start = self.pack()
        self.seen = {self.start}
        self.parents: list[tuple[int, Action | None]] = [(0, None)]
        self.failed: tuple[int, Action, FaultKind] | None = None

    @property
    def states(self) -> int:
        return len(self.parents)

    def search(self, limit: int) -> Ending:
        level = [(0, self.start)]
        while level:
            found: list[tuple[int, Packed]] = []
            for number, packed in level:
                if self._expand(number, packed, found):
                    self.depth += 1
                    return Ending.FAULT
                if self.states >= limit:
                    return Ending.LIMIT
                if not number % PROGRESS_INTERVAL:
                    self.report(self.states - number)
            level = found
            self.depth += bool(found)
        return Ending.EXHAUSTED

    def _expand(self, number: int, packed: Packed, found: list[tuple[int, Packed]]) -> bool:
        """Append the new states that follow a state; return whether an action leads to a fault."""
        world = self.world
        self.unpack(packed)
        for place, action in enumerate(list(world.actions())):
            if place:
                self.unpack(packed)
            applied(world, action)
            self.transitions += 1
            if world.faults:
                self.failed = number, action, world.faults[0].kind
                return True
            state = self.pack()
            if state not in self.seen:
                self.seen.add(state)
                found.append((len(self.parents), state))
                self.parents.append((number, action))
        return False

    def pack(self) -> Packed:
        world, put, shared = self.world, self.store.put, self.shared
        members = [put(world.members.get(host), shared) for host in range(len(world.sent))]
        stored = (world.service, world.oracle, world.copies, world.early)
        return tuple(members), tuple([put(part, shared) for part in stored]), world.plain

    def unpack(self, packed: Packed) -> None:
        world, load, shared = self.world, self.store.load, self.shared
        members, stored, world.plain = packed
        found = [load(number, shared) for number in members]
        world.members = {host: member for host, member in enumerate(found) if member is not None}
        world.service, world.oracle, world.copies, world.early = [load(number, shared) for number in stored]

    def counterexample(self) -> tuple[tuple[Action, ...], FaultKind]:
        assert self.failed is not None
        number, last, kind = self.failed
        schedule = [last]
        while number:
            number, action = self.parents[number]
            assert action is not None
            schedule.append(action)
        return tuple(reversed(schedule)), kind


def applied(world: MembershipWorld, action: Action) -> None:
    """Perform an action. An exception of a process is a fault."""
    try:
        world.apply(action)
    except Exception as error:  # noqa: BLE001 - a process may raise anything
        world.faults.append(Fault(FaultKind.FAILED, reason=failure(error)))
