"""Acyclic paths where every link leads both ways: biconnected components (blocks) answer every question at once.

A process is on an acyclic path from s to t if and only if it is in one of the blocks between them; it is on a loop
through g if and only if it shares a block with g. (A link both ways is a loop of two, and a block of two.)
"""

from collections.abc import Iterator

from protocols.clocks.links import Links, Rows, members, reached, together
from protocols.clocks.path_search import Search
from protocols.frozen_value import value


@value
class Forest:
    """The blocks of a graph; `doors` are the processes where several meet."""

    blocks: tuple[int, ...]
    meeting: dict[int, list[int]]
    doors: int


class Blocks:
    """`exact` turns False for good once a question was too long to answer: that answer holds more than it should."""

    __slots__ = ("_known", "_links", "_search")

    def __init__(self, links: Links, budget: int) -> None:
        assert links.symmetric
        self._links = links
        self._search = Search(links, budget)
        self._known: dict[int, Forest] = {}

    @property
    def exact(self) -> bool:
        return self._search.exact

    def between(self, source: int, targets: int, avoided: int = 0) -> int:
        """Who is on an acyclic path from the source to one of the targets, and not through `avoided`."""
        spanned, wanted = 0, targets & ~avoided
        for block, entrance in reversed(self._outwards(source, avoided)):
            if block & ~entrance & wanted:
                spanned |= block
                wanted |= entrance
        return spanned

    def loops(self, gateway: int, avoided: int) -> int:
        around = 0
        for block in self._without(avoided).blocks:
            if block >> gateway & 1:
                around |= block
        return around

    def share_a_loop(self, gateway: int, process: int, some: int, avoided: int) -> bool:
        """Whether a loop through both the gateway and the process has one of `some` in it."""
        both = 1 << gateway | 1 << process
        shared = [block for block in self._without(avoided).blocks if block & both == both and block & some]
        return any(self._search.is_loop(gateway, block, (1 << process, some)) for block in shared)

    def _outwards(self, source: int, avoided: int) -> list[tuple[int, int]]:
        """Every block that can be reached, with the process through which it is entered; inner ones first."""
        forest = self._without(avoided)
        found: list[tuple[int, int]] = []
        seen, doors = set[int](), [source]
        for door in doors:
            for block in forest.meeting.get(door, ()):
                if block not in seen:
                    seen.add(block)
                    found.append((block, 1 << door))
                    doors.extend(members(block & forest.doors & ~(1 << door)))
        return found

    def _without(self, avoided: int) -> Forest:
        if avoided not in self._known:
            self._known[avoided] = _forest(self._links.after, self._links.everybody & ~avoided)
        return self._known[avoided]


def _forest(rows: Rows, free: int) -> Forest:
    found = tuple(blocks(rows, free))
    meeting: dict[int, list[int]] = {}
    for block in found:
        for process in members(block):
            meeting.setdefault(process, []).append(block)
    return Forest(found, meeting, together(process for process, some in meeting.items() if len(some) > 1))


def blocks(rows: Rows, free: int) -> Iterator[int]:
    while free:
        root = free & -free
        component = reached(rows, root, free)
        yield from _blocks_of(root.bit_length() - 1, rows, component)
        free &= ~component


def _blocks_of(root: int, rows: Rows, component: int) -> Iterator[int]:
    """Tarjan's depth-first search; `low` is the first process in search order that a branch has a link back to."""
    place, low, path, trail = {root: 0}, {root: 0}, [root], [root]
    unseen = component & ~(1 << root)
    while path:
        fresh = rows[path[-1]] & unseen
        if fresh:
            process = (fresh & -fresh).bit_length() - 1
            unseen ^= 1 << process
            place[process] = len(place)
            low[process] = min(place[other] for other in members(rows[process] & component & ~unseen))
            path.append(process)
            trail.append(process)
            continue
        process = path.pop()
        if path and low[process] >= place[path[-1]]:
            yield 1 << path[-1] | _popped(trail, process)
        elif path:
            low[path[-1]] = min(low[path[-1]], low[process])


def _popped(trail: list[int], last: int) -> int:
    some = 0
    while not some >> last & 1:
        some |= 1 << trail.pop()
    return some
