"""The explorer: explicit-state model checking of a small configuration.

`explore` tries every schedule, breadth first, so that the first fault found has the shortest schedule (the
counter-example). There are two searches:

- `exhaustive_search` expands state by state, without reduction;
- `reduced_search` expands whole levels in arrays, with partial-order reduction and hash compaction. It is about ten
  times as fast, and leaves out schedules that differ only in the order of commuting steps. If it finds a fault, the
  exhaustive search looks for the shortest schedule.

A state of the world is packed into a few integers: every state of a machine and of the oracle is stored once and has a
number (`step_cache`, SPIN's COLLAPSE). Two states with the same integers have the same future, up to which of several
faults is named first: the integers hold everything that a machine or the oracle can see, the order of dictionaries too
(but not of sets). So states that no machine would treat differently may be counted as different. On channels that keep
no order the packets in transit are a multiset, and their senders are forgotten. There is no symmetry reduction: hosts
and stations are not exchanged for one another.

Checked are all deliveries, and all states in which nothing is in transit. A packet that travels for ever without
arriving is not detected.
"""

from typing import Final

from mobilesim.explorer.exhaustive_search import ExhaustiveSearch
from mobilesim.explorer.exploration import Ending, Exploration, OnProgress
from mobilesim.explorer.reduced_search import ReducedSearch
from mobilesim.explorer.untimed_world import Bounds, Homes, Options, SystemBuilder, build_system

LIMIT: Final = 2_000_000
REDUCED_LIMIT: Final = 20_000_000
SHALLOW: Final = 50_000
"""The number of states that are tried without reduction first."""


def homes_of(stations: int, hosts: int) -> Homes:
    return tuple(host % stations for host in range(hosts))


def explore(
    build: SystemBuilder,
    stations: int,
    homes: Homes,
    bounds: Bounds,
    options: Options | None = None,
    *,
    limit: int | None = None,
    on_progress: OnProgress | None = None,
    reduced: bool = False,
) -> Exploration:
    """Explore a configuration until the first fault that is not tolerated, `limit` states, or Ctrl-C.

    The reduction relies on promises of stations and orderings (`Station.only_buffers`). Therefore the first states are
    searched without it: that detects a broken promise if a short schedule shows it.
    """
    system = build_system(build, stations, homes, options, bounds.groups)
    found = None
    if reduced:
        most = limit or REDUCED_LIMIT
        found = ReducedSearch(system, homes, bounds, on_progress, reduced=False).explore(min(most, SHALLOW))
        if found.ending in {Ending.EXHAUSTED, Ending.LIMIT}:
            found = ReducedSearch(system, homes, bounds, on_progress).explore(most)
        if found.ending is not Ending.FAULT:
            return found
    shortest = ExhaustiveSearch(system, homes, bounds, on_progress).explore(limit or LIMIT)
    return found if found and shortest.ending is not Ending.FAULT else shortest
