"""The explorer: every schedule of a small configuration, breadth first, so that the first fault found has the
shortest schedule.

`explore` goes through the plain search of `mobilesim.explorer.exhaustive_search`, or first through the reduced one of
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

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from mobilesim.explorer.exhaustive_search import LIMIT, ExhaustiveSearch
from mobilesim.explorer.exploration import Ending, Exploration, SearchProgress
from mobilesim.explorer.reduced_search import ReducedSearch
from mobilesim.explorer.untimed_world import Bounds, SystemBuilder, build_system
from mobilesim.oracle.verdicts import FaultKind
from protocols.catalogue import OptionValue

REDUCED_LIMIT: Final = 20_000_000
SHALLOW: Final = 50_000
"""So many states are looked at before anything is left out."""


def homes_of(stations: int, hosts: int) -> tuple[int, ...]:
    return tuple(host % stations for host in range(hosts))


def explore(
    build: SystemBuilder,
    stations: int,
    homes: tuple[int, ...],
    bounds: Bounds,
    options: Mapping[str, OptionValue] | None = None,
    *,
    tolerated: frozenset[FaultKind] = frozenset(),
    limit: int | None = None,
    on_progress: Callable[[SearchProgress], None] | None = None,
    reduced: bool = False,
) -> Exploration:
    """Stops at the first fault that is not `tolerated`, after `limit` states, or at Ctrl-C, and says which.

    What is `reduced` counts on stations and orderings to keep what they promise (`Station.only_buffers`). So short
    schedules are all tried first: one that does not is caught there, if a short one catches it.
    """
    system = build_system(build, stations, homes, options, bounds.groups)
    found = None
    if reduced:
        most = limit or REDUCED_LIMIT
        found = _found_by_levels(
            ReducedSearch(system, homes, bounds, tolerated, on_progress, reduced=False), min(most, SHALLOW)
        )
        if found.ending in {Ending.EXHAUSTED, Ending.LIMIT}:
            found = _found_by_levels(ReducedSearch(system, homes, bounds, tolerated, on_progress), most)
        if found.ending is not Ending.FAULT:
            return found
    search = ExhaustiveSearch(system, homes, bounds, on_progress)
    search.space.world.tolerated = tolerated
    plain = _found_plainly(search, limit or LIMIT)
    return found if found and plain.ending is not Ending.FAULT else plain


def _found_plainly(search: ExhaustiveSearch, limit: int) -> Exploration:
    ending = search.run(limit)
    found = Exploration(ending, len(search.keys), search.transitions, search.depth, search.seconds)
    if ending is not Ending.FAULT:
        return found
    kind = search.space.world.faults[0].kind
    return replace(found, schedule=search.schedule(), fault_kind=kind)


def _found_by_levels(search: ReducedSearch, limit: int) -> Exploration:
    ending = search.run(limit)
    counts = search.states, search.transitions, search.depth, search.seconds
    found = Exploration(ending, *counts, reduced=search.reduced)
    if ending is not Ending.FAULT:
        return found
    schedule, world = search.replay()
    return replace(found, schedule=schedule, fault_kind=world.faults[0].kind, shortest=not search.reduced)
