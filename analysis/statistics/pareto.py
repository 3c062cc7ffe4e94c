"""Who beats whom among protocols that pay in several ways, and who is left: the frontier.

One beats another where it is clearly better in one way at least and clearly worse in none: by pairs of runs, the 95 %
interval of the difference does not hold zero. A lower mean within such an interval saves nobody.

Intervals do not carry on: of three protocols each may beat the next, and the last the first; or one that is beaten
beats another one that the first does not. So the frontier is made step by step. Those whom nobody beats are on it; whom
they beat is off, and beats nobody any more; and so on with the rest. Where everybody is beaten by somebody, in rings,
those rings are on it that nobody outside beats.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from analysis.statistics.estimate import Estimate
from analysis.statistics.paired_differences import difference


class Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)

Domination = Mapping[str, frozenset[str]]
"""By the name of each, whom it beats."""


def dominates(one: N, other: N, costs: Sequence[Callable[[N], Estimate]]) -> bool:
    gaps = [difference(paid(one), paid(other)) for paid in costs]
    known = [gap for gap in gaps if gap is not None]
    clear = [gap.mean for gap in known if gap.decisive]
    return len(known) == len(costs) and max(clear, default=0) <= 0 and min(clear, default=0) < 0


def domination(protocols: Sequence[N], costs: Sequence[Callable[[N], Estimate]]) -> Domination:
    return {
        one.name: frozenset(other.name for other in protocols if other is not one and dominates(one, other, costs))
        for one in protocols
    }


@dataclass(frozen=True, slots=True)
class ParetoFront:
    """The members of the front, and for each name the names that dominate it.

    For a name off the front, `dominated_by` lists the dominating members; for a member, all names that dominate it.
    """

    members: frozenset[str]
    dominated_by: Mapping[str, tuple[str, ...]]


def pareto_front(found: Domination) -> ParetoFront:
    on: set[str] = set()
    left = set(found)
    while left:
        first = _first(found, left)
        on |= first
        left -= first.union(*(found[name] for name in first))
    by = {name: tuple(one for one in found if name in found[one] and on & {one, name}) for name in found}
    return ParetoFront(frozenset(on), by)


def _first(found: Domination, left: set[str]) -> set[str]:
    """Who is beaten by nobody that is left but those whom it beats in turn, itself or by others."""
    reach = {name: _reached(found, name, left) for name in left}
    return {name for name in left if all(other in reach[name] for other in left if name in reach[other])}


def _reached(found: Domination, name: str, left: set[str]) -> set[str]:
    reached: set[str] = set()
    ahead = [name]
    while ahead:
        new = (found[ahead.pop()] & left) - reached
        reached |= new
        ahead += new
    return reached
