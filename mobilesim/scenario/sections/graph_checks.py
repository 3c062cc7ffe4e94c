"""Checks of the graphs of cells and stations that need only the scenario's text."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from mobilesim.scenario.values.validation_error import Fault

Edge = tuple[int, int]

_MOST_PAIRED: Final = 2000
_DRAWN: Final = frozenset({"barabasi-albert", "waxman"})


def cell_graph_fault(edges: Iterable[Edge], most: int) -> str | None:
    """The reason why these edges are no connected graph of cells, or None."""
    around = defaultdict[int, set[int]](set)
    for one, other in edges:
        for cell in (one, other):
            if not 0 <= cell < most:
                return f"there is no cell {cell}; cells are numbered from 0, and there are at most {most}"
        if one == other:
            return f"cell {one} cannot touch itself"
        around[one].add(other)
        around[other].add(one)
    if not around:
        return "a graph of cells needs at least one edge, like [0, 1]"
    return _unreachable(around)


def _unreachable(around: dict[int, set[int]]) -> str | None:
    reached, waiting = {0}, [0]
    while waiting:
        fresh = around.get(waiting.pop(), set()) - reached
        reached |= fresh
        waiting.extend(fresh)
    missed = next((cell for cell in range(max(around) + 1) if cell not in reached), None)
    return None if missed is None else f"no path leads from cell 0 to cell {missed}"


def drawn_fault(kind: str, stations: int, attachments: int) -> Fault | None:
    """The fault of a random backbone of this kind with that number of stations, or None."""
    if kind == "barabasi-albert" and stations <= attachments:
        message = f"{attachments} links of each newcomer need more than {stations} stations; write fewer"
        return Fault(message, ("attachments",))
    if kind == "waxman" and stations > _MOST_PAIRED:
        message = (
            f"{stations} stations are too many for a waxman, as every pair is drawn for; the most is {_MOST_PAIRED}"
        )
        return Fault(message, ("topology",))
    return None


def link_fault(kind: str, between: Edge, stations: int, branching: int) -> str | None:
    """The reason why a backbone of this kind has no such link; None if it has, or if that depends on its file."""
    one, other = sorted(between)
    if one == other:
        return f"a link joins two different stations, not {one} with itself"
    if one < 0 or other >= stations:
        return f"there is no station {one if one < 0 else other}; stations are numbered from 0 to {stations - 1}"
    if kind in _DRAWN:
        return f"nobody knows the links of a {kind} beforehand; leave it out, or write another topology"
    if _joined(kind, one, other, stations, branching):
        return None
    return f"a {kind} of {stations} stations has no link between {one} and {other}"


def _joined(kind: str, one: int, other: int, stations: int, branching: int) -> bool:
    match kind:
        case "ring":
            return other - one in {1, stations - 1}
        case "star":
            return one == 0
        case "tree":
            return (other - 1) // branching == one
        case "triangle":
            apex = (other - 1) // branching
            return one == apex or (one > 0 and (one - 1) // branching == apex)
    return True
