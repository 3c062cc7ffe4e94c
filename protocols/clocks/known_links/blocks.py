"""Acyclic paths in symmetric graphs, by biconnected components (blocks).

A process is on an acyclic path from s to t if and only if it is in one of the blocks between s and t. A process is on a
loop through g if and only if a block contains the process and g. (A link in both directions is a loop and a block of
two processes.)
"""

from collections.abc import Iterator

from mobilesim.protocols.clocks.known_links.path_questions import AcyclicPaths
from mobilesim.protocols.clocks.links import Adjacency, Links, bit_set, members, reachable
from mobilesim.protocols.frozen_value import value


@value
class BlockForest:
    """The blocks of a graph, and the blocks of each process. `cut_vertices` are in several blocks."""

    blocks: tuple[int, ...]
    by_process: dict[int, list[int]]
    cut_vertices: int


class BiconnectedComponents(AcyclicPaths):
    __slots__ = ("_forests",)

    def __init__(self, links: Links, budget: int) -> None:
        assert links.symmetric
        super().__init__(links, budget)
        self._forests: dict[int, BlockForest] = {}

    def on_paths(self, source: int, targets: int, avoided: int = 0) -> int:
        """Return the processes on acyclic paths from `source` to one of the targets that avoid `avoided`."""
        spanned, ends = 0, targets & ~avoided
        for block, entrance in reversed(self._outwards(source, avoided)):
            if block & ~entrance & ends:
                spanned |= block
                ends |= entrance
        return spanned

    def loops(self, gateway: int, avoided: int) -> int:
        around = 0
        for block in self._without(avoided).blocks:
            if block >> gateway & 1:
                around |= block
        return around

    def share_a_loop(self, gateway: int, process: int, subset: int, avoided: int) -> bool:
        both = 1 << gateway | 1 << process
        shared = [block for block in self._without(avoided).blocks if block & both == both and block & subset]
        return any(self._search.is_path(gateway, gateway, block, (1 << process, subset)) for block in shared)

    def _outwards(self, source: int, avoided: int) -> list[tuple[int, int]]:
        """Return the reachable blocks, those near `source` first, each with the process where a path enters it."""
        forest = self._without(avoided)
        reached: list[tuple[int, int]] = []
        seen, cut_vertices = set[int](), [source]
        for vertex in cut_vertices:
            for block in forest.by_process.get(vertex, ()):
                if block not in seen:
                    seen.add(block)
                    reached.append((block, 1 << vertex))
                    cut_vertices.extend(members(block & forest.cut_vertices & ~(1 << vertex)))
        return reached

    def _without(self, avoided: int) -> BlockForest:
        if avoided not in self._forests:
            components = tuple(blocks(self._links.after, self._links.all_processes & ~avoided))
            by_process: dict[int, list[int]] = {}
            for block in components:
                for process in members(block):
                    by_process.setdefault(process, []).append(block)
            cut_vertices = bit_set(process for process, subset in by_process.items() if len(subset) > 1)
            self._forests[avoided] = BlockForest(components, by_process, cut_vertices)
        return self._forests[avoided]


def blocks(rows: Adjacency, free: int) -> Iterator[int]:
    while free:
        root = free & -free
        component = reachable(rows, root, free)
        yield from _blocks_of(root.bit_length() - 1, rows, component)
        free &= ~component


def _blocks_of(root: int, rows: Adjacency, component: int) -> Iterator[int]:
    """Tarjan's depth-first search. `low`: the first process in search order to which a branch has a link."""
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
    subset = 0
    while not subset >> last & 1:
        subset |= 1 << trail.pop()
    return subset
