"""Reduced search: breadth first by levels in arrays, with partial-order reduction and hash compaction.

All states of one depth are expanded together. The visited set stores a Zobrist hash of 64 bits of each state: the
exclusive or of random bits for each number of the state (hash compaction). Two states have the same hash with
probability 2^-64. A collision would hide a state; its probability is below 3 in a million for ten million states, and
below 2 in 10,000 for eighty million states.

Partial-order reduction omits two kinds of interleavings.

1. When all messages are sent and all moves are made, a host in a cell with a frame on its downlink receives this frame
   before all other steps.
   - No other step removes or replaces the frame or changes the host: hosts receive frames in order, and a host can only
     enter cells now.
   - The step changes the host and the oracle, and appends its output to the end of the host's uplink. If the step
     touches no shared object, no other machine depends on the host's state. The step commutes with steps that remove
     the head of the uplink or append to the downlink.
   - The oracle's answers do not depend on the order of deliveries at different hosts if no message is submitted.
   So if a schedule leads to a fault, it still leads to a fault after this step is moved to the beginning of the
   schedule, or inserted there. A state in which nothing is in transit is reached only after this step. The step removes
   a frame and adds no frame to a downlink, so there are only finitely many such steps in a row.

2. A packet that would only be buffered until other packets have arrived (`Station.only_buffers`) is delayed until
   nothing else is in transit.
   - The packet can arrive immediately after the packet that releases it. The station's steps between both arrivals stay
     the same, and so do its steps for both packets. This requires that an inbox releases one item at a time.
   - The steps of other stations do not depend on the packet: in the buffer, it causes no output, and no report to the
     oracle.
   - If the packet is never released, only packets of this kind remain in transit. Then they arrive, and the search
     detects the data that stay buffered.
   `tests/mobilesim/simulation/test_early_packets.py` compares schedules with and without this reduction. It is not used
   with FIFO channels, on which a delayed packet would block later packets.

If hosts can announce that they switch off (`Bounds.announces`), there is no reduction. The schedule of a
fault may be longer than without reduction.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from mobilesim.errors import UserError
from mobilesim.explorer.array_tables import Hashes, Ints, VisitedSet
from mobilesim.explorer.exploration import Ending, OnProgress, Search
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.state_encoding import States
from mobilesim.explorer.successors import BatchedWorld, Successors
from mobilesim.explorer.untimed_world import Action, UntimedWorld
from mobilesim.oracle.verdicts import FaultKind

CHUNK: Final = 1 << 16
SEED: Final = 2_026
INPUT_KINDS: Final = tuple(InputKind)

SmallStates = npt.NDArray[np.int32]
ParentLinks = tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]
"""By state of a level: the index of its parent in the previous level, and the code of the action from the parent."""


class ZobristHasher:
    """Random bits for each number at each position of a state."""

    def __init__(self, size: int, seed: int) -> None:
        self.random = [np.random.default_rng((seed, position)) for position in range(size)]
        self.tables: list[Hashes] = [np.zeros(0, np.uint64) for _ in range(size)]

    def bits(self, position: int, numbers: Ints) -> Hashes:
        most = int(numbers.max(initial=0))
        while len(self.tables[position]) <= most:
            more = self.random[position].integers(0, 1 << 64, max(64, len(self.tables[position])), np.uint64)
            self.tables[position] = np.concatenate((self.tables[position], more))
        return self.tables[position][numbers]

    def hashes(self, states: States) -> Hashes:
        hashes = np.zeros(states.shape[1], np.uint64)
        for position, numbers in enumerate(states):
            hashes ^= self.bits(position, numbers)
        return hashes

    def updated(self, hashes: Hashes, states: States, successors: Successors) -> Hashes:
        """Return the hashes of successors, computed from the hashes of their parents and the numbers that change."""
        updated = hashes[successors.parents]
        for position, numbers in successors.changes.items():
            updated ^= self.bits(position, states[position, successors.parents]) ^ self.bits(position, numbers)
        return updated


class ReducedSearch(Search):
    """A search that finds a fault if there is one. Without reduction, the first fault has a shortest schedule.

    Searches may share a world one after another: it keeps the steps of machines that an earlier search has run.
    """

    def __init__(
        self, world: BatchedWorld, on_progress: OnProgress | None = None, *, reduced: bool = True, seed: int = SEED
    ) -> None:
        super().__init__(on_progress)
        self.world = world
        self.reduced = reduced and not world.bounds.announces
        self.hasher = ZobristHasher(self.world.layout.size, seed)
        self.visited = VisitedSet()
        self.links: list[ParentLinks] = []
        self.failed: tuple[int, int] | None = None

    @property
    def states(self) -> int:
        return self.visited.count

    def search(self, limit: int) -> Ending:
        first = self.world.first
        self.visited.add(self.hasher.hashes(first))
        level = first.astype(np.int32)
        while level.shape[1]:
            successors = NextLevel(level)
            for start in range(0, level.shape[1], CHUNK):
                self._expand(level[:, start : start + CHUNK].astype(np.int64), start, successors)
                if self.failed:
                    self.depth += 1
                    return Ending.FAULT
                if self.states >= limit:
                    return Ending.LIMIT
                self.report(level.shape[1] - start + successors.count)
            level, parent_links = successors.joined()
            self.links.append(parent_links)
            self.depth += bool(level.shape[1])
        return Ending.EXHAUSTED

    def _expand(self, states: States, start: int, level: "NextLevel") -> None:
        batches = [batch for batch in self._successors(states) if len(batch.parents)]
        self.transitions += sum(len(batch.parents) for batch in batches)
        for batch in batches:
            if batch.faulty.any():
                self._fail(batch, int(batch.faulty.argmax()), start)
                return
        if not batches:
            return
        hashes = self.hasher.hashes(states)
        new = self.visited.add(np.concatenate([self.hasher.updated(hashes, states, batch) for batch in batches]))
        end = 0
        for batch in batches:
            first, end = end, end + len(batch.parents)
            chosen = new[np.searchsorted(new, first) : np.searchsorted(new, end)] - first
            children = _children(states, batch, chosen)
            faulty = self.world.faulty_at_rest(children)
            if len(faulty):
                self._fail(batch, int(chosen[faulty[0]]), start)
                return
            level.add(children, batch.parents[chosen] + start, _codes(batch, chosen))

    def _successors(self, states: States) -> Iterator[Successors]:
        world = self.world
        left = np.arange(states.shape[1])
        if self.reduced:
            messages, moves = world.messages_and_moves_left(states)
            over = (messages == 0) & (moves == 0)
            for host in world.layout.hosts:
                receiving = left[over[left] & (states[world.layout.down + host, left] != 0)]
                independent = receiving[world.touches_shared(states, receiving, host) == 0]
                left = np.setdiff1d(left, independent, assume_unique=True)
                yield world.downlink_arrivals(states, independent, host)
        yield from world.successors(states, left, reduced=self.reduced and not world.bounds.fifo)

    def _fail(self, batch: Successors, index: int, start: int) -> None:
        self.failed = int(batch.parents[index]) + start, int(_codes(batch, np.array([index]))[0])

    def codes(self) -> list[int]:
        assert self.failed
        index, code = self.failed
        codes = [code]
        for parents, actions in reversed(self.links[: self.depth - 1]):
            codes.append(int(actions[index]))
            index = int(parents[index])
        return codes[::-1]

    def counterexample(self) -> tuple[tuple[Action, ...], FaultKind]:
        schedule, world = self.replay()
        if not world.faults:
            raise UserError(
                "the fault does not occur again with the same schedule: the protocol is not deterministic, or keeps "
                "state outside of its processes and stations"
            )
        return schedule, world.faults[0].kind

    def replay(self) -> tuple[tuple[Action, ...], UntimedWorld]:
        """Return the schedule that leads to the fault, and the world after it."""
        batched, layout, driver = self.world, self.world.layout, self.world.driver
        first = batched.first[:, 0].tolist()
        driver.machines, driver.oracle = first[layout.machine : layout.in_flight], first[layout.oracle]
        driver.shared = tuple(first[layout.shared :])
        world = UntimedWorld(driver, len(layout.stations), batched.homes, batched.bounds)
        schedule = []
        for code in self.codes():
            schedule.append(self._action(world, INPUT_KINDS[code >> 56], code >> 40 & 0xFFFF, code & (1 << 40) - 1))
            world.apply(schedule[-1])
        return tuple(schedule), world

    def _action(self, world: UntimedWorld, kind: InputKind, actor: int, item: int) -> Action:
        if kind is InputKind.WIRED:
            arrivals = (action for action in world.deliveries() if action.kind is kind)
            return next(arrival for arrival in arrivals if world.wired[arrival.index][:2] == (actor, item))
        if kind is InputKind.SUBMIT:
            message = self.world.steps.messages.values[item]
            return Action(kind, actor, message.destinations, message.group)
        return Action(kind, actor, (item,) if kind is InputKind.ENTER else ())


class NextLevel:
    """The states that are discovered at the next depth."""

    def __init__(self, level: SmallStates) -> None:
        self.blocks = [level[:, :0]]
        self.parents = [np.zeros(0, np.uint32)]
        self.codes: list[Hashes] = [np.zeros(0, np.uint64)]
        self.count = 0

    def add(self, children: States, parents: Ints, codes: Hashes) -> None:
        self.count += len(parents)
        self.blocks.append(children.astype(np.int32))
        self.parents.append(parents.astype(np.uint32))
        self.codes.append(codes)

    def joined(self) -> tuple[SmallStates, ParentLinks]:
        return np.concatenate(self.blocks, axis=1), (np.concatenate(self.parents), np.concatenate(self.codes))


def _children(states: States, batch: Successors, chosen: Ints) -> States:
    children = states[:, batch.parents[chosen]]
    for position, numbers in batch.changes.items():
        children[position] = numbers[chosen]
    return children


def _codes(batch: Successors, chosen: Ints) -> Hashes:
    inputs = batch.inputs
    return (inputs.items[chosen] | (INPUT_KINDS.index(inputs.kind) << 56 | inputs.actor << 40)).astype(np.uint64)
