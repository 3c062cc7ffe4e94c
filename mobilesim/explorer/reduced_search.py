"""The explorer's search, a level at a time and reduced: all states of one depth are expanded together, in arrays.

A state that was seen is remembered by a name of 64 bits, the exclusive or of random bits for each of its numbers: two
states have one name by a chance of 2^-64. That any two of ten million have is less likely than 3 in a million, that any
two of eighty million have than 2 in 10,000; it would hide one of them.

Reduction. Two things are left out.

When all messages are sent and all moves are made, a host that is in a cell and has a frame coming hears it before
anything else happens.
- Nothing can take the frame away, change which it is, or change the host before: hosts hear frames in order, and a
  host does nothing of its own any more but enter a cell.
- The step changes the host, the end of its up-link (where all goes that it has to say) and the judge. Nobody else
  looks at the first (it must touch nothing that machines share), and whoever takes the up-link's head or puts something
  on the down-link does so after or before all the same.
- The judge finds the same in both orders when messages are delivered at different hosts and none is submitted any
  more.
So a schedule that leads to a fault still does so if this step is made first, or is put in where it was left out; and a
state in which nothing is under way is only reached when it has been made. It uses up a frame that is on the air, and
no such step puts another one there, so it cannot be preferred for ever.

A packet does not arrive where it would only be put aside until others have come (`Station.only_buffers`), unless
nothing else is under way.
- It might as well arrive right after the one that lets it go: whatever the station does in between is the same, and it
  does the same about that one, then about this one. An inbox hands out one item at a time for that.
- Two stations never do that together: to put something aside sends nothing and tells the judge nothing.
- If it is never let go, the other packets that are left are of that kind too when everything else has come to rest.
  Then they arrive, and the judge sees what stays for ever.
`tests/mobilesim/simulation/test_early_packets.py` plays schedules beside twins that are reduced this way. Where
channels keep order, a packet that does not arrive is in the way of others, so there they all do.

A fault may lie deeper that way: whoever wants the shortest schedule searches again without reduction.
"""

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Final

import numpy as np
import numpy.typing as npt

from mobilesim.explorer.array_tables import Hashes, Ints, VisitedSet
from mobilesim.explorer.exploration import Ending, SearchProgress
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.state_encoding import States
from mobilesim.explorer.successors import BatchedWorld, Successors
from mobilesim.explorer.untimed_world import Action, Bounds, UntimedWorld
from mobilesim.oracle.verdicts import FaultKind
from protocols.machine import System

CHUNK: Final = 1 << 16
SEED: Final = 2_026
INPUT_KINDS: Final = tuple(InputKind)

Small = npt.NDArray[np.int32]
ParentLinks = tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]
"""Of each state of a level, the place of its parent in the level before, and the choice that was made there."""


class ZobristHasher:
    """Random bits for whatever number stands at a place."""

    __slots__ = ("random", "tables")

    def __init__(self, size: int, seed: int) -> None:
        self.random = [np.random.default_rng((seed, place)) for place in range(size)]
        self.tables: list[Hashes] = [np.zeros(0, np.uint64) for _ in range(size)]

    def bits(self, place: int, numbers: Ints) -> Hashes:
        most = int(numbers.max(initial=0))
        while len(self.tables[place]) <= most:
            more = self.random[place].integers(0, 1 << 64, max(64, len(self.tables[place])), np.uint64)
            self.tables[place] = np.concatenate((self.tables[place], more))
        return self.tables[place][numbers]

    def names(self, rows: States) -> Hashes:
        names = np.zeros(rows.shape[1], np.uint64)
        for place, numbers in enumerate(rows):
            names ^= self.bits(place, numbers)
        return names

    def renamed(self, names: Hashes, rows: States, found: Successors) -> Hashes:
        renamed = names[found.parents]
        for place, numbers in found.changes.items():
            renamed ^= self.bits(place, rows[place, found.parents]) ^ self.bits(place, numbers)
        return renamed


class ReducedSearch:
    """One search. `reduced` or not, it finds a fault if there is one; if not, the first has the shortest schedule."""

    def __init__(
        self,
        system: System,
        homes: tuple[int, ...],
        bounds: Bounds,
        tolerated: frozenset[FaultKind],
        on_progress: Callable[[SearchProgress], None] | None = None,
        *,
        reduced: bool = True,
        seed: int = SEED,
    ) -> None:
        self.worlds = BatchedWorld(system, homes, bounds, tolerated)
        self.reduced = reduced and not bounds.drops
        self.namer = ZobristHasher(self.worlds.layout.size, seed)
        self.seen = VisitedSet()
        self.trails: list[ParentLinks] = []
        self.failed: tuple[int, int] | None = None
        self.transitions = self.depth = 0
        self.on_progress = on_progress
        self.began = perf_counter()

    @property
    def states(self) -> int:
        return self.seen.count

    @property
    def seconds(self) -> float:
        return perf_counter() - self.began

    def run(self, limit: int) -> Ending:
        try:
            return self._levels(limit)
        except KeyboardInterrupt:
            return Ending.INTERRUPTED

    def _levels(self, limit: int) -> Ending:
        first = self.worlds.first
        self.seen.add(self.namer.names(first))
        level = first.astype(np.int32)
        while level.shape[1]:
            found = NextLevel(level)
            for start in range(0, level.shape[1], CHUNK):
                self._expand(level[:, start : start + CHUNK].astype(np.int64), start, found)
                if self.failed:
                    self.depth += 1
                    return Ending.FAULT
                if self.states >= limit:
                    return Ending.LIMIT
                if self.on_progress:
                    waiting = level.shape[1] - start + found.count
                    self.on_progress(SearchProgress(self.states, self.transitions, self.depth, waiting, self.seconds))
            level = found.joined()
            self.trails.append(found.trail())
            self.depth += bool(level.shape[1])
        return Ending.EXHAUSTED

    def _expand(self, rows: States, start: int, level: "NextLevel") -> None:
        kinds = [kind for kind in self._offspring(rows) if len(kind.parents)]
        self.transitions += sum(len(kind.parents) for kind in kinds)
        for kind in kinds:
            if kind.faulty.any():
                self._fail(kind, int(kind.faulty.argmax()), start)
                return
        if not kinds:
            return
        names = self.namer.names(rows)
        new = self.seen.add(np.concatenate([self.namer.renamed(names, rows, kind) for kind in kinds]))
        end = 0
        for kind in kinds:
            first, end = end, end + len(kind.parents)
            mine = new[np.searchsorted(new, first) : np.searchsorted(new, end)] - first
            children = _children(rows, kind, mine)
            wrong = self.worlds.wrong(children)
            if len(wrong):
                self._fail(kind, int(mine[wrong[0]]), start)
                return
            level.add(children, kind.parents[mine] + start, _codes(kind, mine))

    def _offspring(self, rows: States) -> Iterator[Successors]:
        worlds = self.worlds
        left = np.arange(rows.shape[1])
        if self.reduced:
            messages, moves = worlds.intentions_left(rows)
            over = (messages == 0) & (moves == 0)
            for host in worlds.layout.hosts:
                hears = left[over[left] & (rows[worlds.layout.down + host, left] != 0)]
                alone = hears[worlds.touching(rows, hears, host) == 0]
                left = np.setdiff1d(left, alone, assume_unique=True)
                yield worlds.downwards(rows, alone, host)
        yield from worlds.offspring(rows, left, reduced=self.reduced and not self.worlds.bounds.fifo)

    def _fail(self, kind: Successors, place: int, start: int) -> None:
        self.failed = int(kind.parents[place]) + start, int(_codes(kind, np.array([place]))[0])

    def codes(self) -> list[int]:
        """The choices that lead to the fault."""
        assert self.failed
        place, code = self.failed
        codes = [code]
        for parents, choices in reversed(self.trails[: self.depth - 1]):
            codes.append(int(choices[place]))
            place = int(parents[place])
        return codes[::-1]

    def replay(self) -> tuple[tuple[Action, ...], UntimedWorld]:
        """The schedule that leads to the fault, and the world in which it does."""
        worlds = self.worlds
        driver, first = worlds.driver, worlds.first[:, 0].tolist()
        form = worlds.layout
        driver.machines, driver.oracle = first[form.machine : form.bag], first[form.oracle]
        driver.shared = tuple(first[form.shared :])
        world = UntimedWorld(driver, len(form.stations), worlds.homes, worlds.bounds)
        world.tolerated = worlds.oracle.tolerated
        schedule = []
        for code in self.codes():
            schedule.append(self._choice(world, INPUT_KINDS[code >> 56], code >> 40 & 0xFFFF, code & (1 << 40) - 1))
            world.apply(schedule[-1])
        return tuple(schedule), world

    def _choice(self, world: UntimedWorld, kind: InputKind, who: int, item: int) -> Action:
        if kind is InputKind.WIRED:
            places = [action.index for action in world.deliveries() if action.kind is InputKind.WIRED]
            return Action(kind, next(place for place in places if world.wired[place][:2] == (who, item)))
        if kind is InputKind.SUBMIT:
            message = self.worlds.steps.messages.values[item]
            return Action(kind, who, message.destinations, message.group)
        return Action(kind, who, (item,) if kind is InputKind.ENTER else ())


class NextLevel:
    """The states of the next depth, as they are found."""

    __slots__ = ("blocks", "codes", "count", "empty", "parents")

    def __init__(self, before: Small) -> None:
        self.empty = before[:, :0]
        self.blocks: list[Small] = []
        self.parents: list[Ints] = []
        self.codes: list[Hashes] = []
        self.count = 0

    def add(self, children: States, parents: Ints, codes: Hashes) -> None:
        self.count += len(parents)
        self.blocks.append(children.astype(np.int32))
        self.parents.append(parents)
        self.codes.append(codes)

    def joined(self) -> Small:
        return np.concatenate([self.empty, *self.blocks], axis=1)

    def trail(self) -> ParentLinks:
        none = np.zeros(0, np.int64)
        return (
            np.concatenate([none, *self.parents]).astype(np.uint32),
            np.concatenate([none.astype(np.uint64), *self.codes]),
        )


def _children(rows: States, kind: Successors, which: Ints) -> States:
    children = rows[:, kind.parents[which]]
    for place, numbers in kind.changes.items():
        children[place] = numbers[which]
    return children


def _codes(kind: Successors, which: Ints) -> Hashes:
    inputs = kind.inputs
    return (inputs.items[which] | (INPUT_KINDS.index(inputs.kind) << 56 | inputs.actor << 40)).astype(np.uint64)
