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

from mobilesim.explorer.array_tables import Ints, Names, Seen
from mobilesim.explorer.exploration import Ending, Progress
from mobilesim.explorer.machine_driver import Act, Verdict
from mobilesim.explorer.state_encoding import Rows
from mobilesim.explorer.successors import Offspring, Worlds
from mobilesim.explorer.untimed_world import Choice, Scope, World
from protocols.machine import System

CHUNK: Final = 1 << 16
SEED: Final = 2_026
ACTS: Final = tuple(Act)

Small = npt.NDArray[np.int32]
Trail = tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]
"""Of each state of a level, the place of its parent in the level before, and the choice that was made there."""


class Namer:
    """Random bits for whatever number stands at a place."""

    __slots__ = ("random", "tables")

    def __init__(self, size: int, seed: int) -> None:
        self.random = [np.random.default_rng((seed, place)) for place in range(size)]
        self.tables: list[Names] = [np.zeros(0, np.uint64) for _ in range(size)]

    def bits(self, place: int, numbers: Ints) -> Names:
        most = int(numbers.max(initial=0))
        while len(self.tables[place]) <= most:
            more = self.random[place].integers(0, 1 << 64, max(64, len(self.tables[place])), np.uint64)
            self.tables[place] = np.concatenate((self.tables[place], more))
        return self.tables[place][numbers]

    def names(self, rows: Rows) -> Names:
        names = np.zeros(rows.shape[1], np.uint64)
        for place, numbers in enumerate(rows):
            names ^= self.bits(place, numbers)
        return names

    def renamed(self, names: Names, rows: Rows, found: Offspring) -> Names:
        renamed = names[found.parents]
        for place, numbers in found.changes.items():
            renamed ^= self.bits(place, rows[place, found.parents]) ^ self.bits(place, numbers)
        return renamed


class Levels:
    """One search. `reduced` or not, it finds a fault if there is one; if not, the first has the shortest schedule."""

    def __init__(
        self,
        system: System,
        homes: tuple[int, ...],
        scope: Scope,
        unclaimed: frozenset[Verdict],
        watch: Callable[[Progress], None] | None = None,
        *,
        reduced: bool = True,
        seed: int = SEED,
    ) -> None:
        self.worlds = Worlds(system, homes, scope, unclaimed)
        self.reduced = reduced and not scope.drops
        self.namer = Namer(self.worlds.form.size, seed)
        self.seen = Seen()
        self.trails: list[Trail] = []
        self.failed: tuple[int, int] | None = None
        self.transitions = self.depth = 0
        self.watch = watch
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
            found = Level(level)
            for start in range(0, level.shape[1], CHUNK):
                self._expand(level[:, start : start + CHUNK].astype(np.int64), start, found)
                if self.failed:
                    self.depth += 1
                    return Ending.FAULT
                if self.states >= limit:
                    return Ending.LIMIT
                if self.watch:
                    waiting = level.shape[1] - start + found.count
                    self.watch(Progress(self.states, self.transitions, self.depth, waiting, self.seconds))
            level = found.joined()
            self.trails.append(found.trail())
            self.depth += bool(level.shape[1])
        return Ending.EXHAUSTED

    def _expand(self, rows: Rows, start: int, level: "Level") -> None:
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

    def _offspring(self, rows: Rows) -> Iterator[Offspring]:
        worlds = self.worlds
        left = np.arange(rows.shape[1])
        if self.reduced:
            messages, moves = worlds.intentions_left(rows)
            over = (messages == 0) & (moves == 0)
            for host in worlds.form.hosts:
                hears = left[over[left] & (rows[worlds.form.down + host, left] != 0)]
                alone = hears[worlds.touching(rows, hears, host) == 0]
                left = np.setdiff1d(left, alone, assume_unique=True)
                yield worlds.downwards(rows, alone, host)
        yield from worlds.offspring(rows, left, reduced=self.reduced and not self.worlds.scope.fifo)

    def _fail(self, kind: Offspring, place: int, start: int) -> None:
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

    def replay(self) -> tuple[tuple[Choice, ...], World]:
        """The schedule that leads to the fault, and the world in which it does."""
        worlds = self.worlds
        stage, first = worlds.stage, worlds.first[:, 0].tolist()
        form = worlds.form
        stage.machines, stage.judge = first[form.machine : form.bag], first[form.judge]
        stage.commons = tuple(first[form.commons :])
        world = World(stage, len(form.stations), worlds.homes, worlds.scope)
        world.unclaimed = worlds.judge.unclaimed
        schedule = []
        for code in self.codes():
            schedule.append(self._choice(world, ACTS[code >> 56], code >> 40 & 0xFFFF, code & (1 << 40) - 1))
            world.apply(schedule[-1])
        return tuple(schedule), world

    def _choice(self, world: World, act: Act, who: int, item: int) -> Choice:
        if act is Act.WIRED:
            places = [choice.who for choice in world.deliveries() if choice.act is Act.WIRED]
            return Choice(act, next(place for place in places if world.wired[place][:2] == (who, item)))
        if act is Act.SUBMIT:
            message = self.worlds.steps.messages.things[item]
            return Choice(act, who, message.destinations, message.group)
        return Choice(act, who, (item,) if act is Act.ENTER else ())


class Level:
    """The states of the next depth, as they are found."""

    __slots__ = ("blocks", "codes", "count", "empty", "parents")

    def __init__(self, before: Small) -> None:
        self.empty = before[:, :0]
        self.blocks: list[Small] = []
        self.parents: list[Ints] = []
        self.codes: list[Names] = []
        self.count = 0

    def add(self, children: Rows, parents: Ints, codes: Names) -> None:
        self.count += len(parents)
        self.blocks.append(children.astype(np.int32))
        self.parents.append(parents)
        self.codes.append(codes)

    def joined(self) -> Small:
        return np.concatenate([self.empty, *self.blocks], axis=1)

    def trail(self) -> Trail:
        none = np.zeros(0, np.int64)
        return (
            np.concatenate([none, *self.parents]).astype(np.uint32),
            np.concatenate([none.astype(np.uint64), *self.codes]),
        )


def _children(rows: Rows, kind: Offspring, which: Ints) -> Rows:
    children = rows[:, kind.parents[which]]
    for place, numbers in kind.changes.items():
        children[place] = numbers[which]
    return children


def _codes(kind: Offspring, which: Ints) -> Names:
    inputs = kind.inputs
    return (inputs.items[which] | (ACTS.index(inputs.act) << 56 | inputs.who << 40)).astype(np.uint64)
