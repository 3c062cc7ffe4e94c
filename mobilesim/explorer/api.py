"""The explorer: explicit-state model checking of a small configuration.

`explore` tries all schedules, breadth first, so that the first fault has a shortest schedule (the counter-example).
There are two searches:

- `exhaustive_search` expands state by state, without reduction;
- `reduced_search` expands whole levels in arrays, with partial-order reduction and hash compaction. It is about ten
  times faster, and omits schedules that differ only in the order of commuting steps. If it finds a fault, the
  exhaustive search looks for a shortest schedule.

A state of the world is packed into a few integers: every state of a machine and of the oracle is stored once and has a
number (`step_cache`, SPIN's COLLAPSE). The integers represent all data of machines and of the oracle, with the order of
dictionaries but not of sets. So two states with the same integers have the same future, except for the order in which
several faults are reported. Two states may count as different although all machines behave equally in both. If channels
are not FIFO, the packets in transit are a multiset without their senders. There is no symmetry reduction of hosts or
stations.

If processes join and leave, another search is used, without reduction (`mobilesim.explorer.members`).

All deliveries are checked, and all states in which nothing is in transit. It is not detected if a packet is forwarded
in an endless loop.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pickle import PicklingError
from typing import Final

from mobilesim.errors import UserError
from mobilesim.explorer.exhaustive_search import ExhaustiveSearch
from mobilesim.explorer.exploration import Ending, Exploration, OnProgress
from mobilesim.explorer.members.search import MembershipSearch
from mobilesim.explorer.members.world import MembershipWorld
from mobilesim.explorer.reduced_search import ReducedSearch
from mobilesim.explorer.successors import BatchedWorld
from mobilesim.explorer.untimed_world import Bounds, Homes, Options, SystemBuilder, build_system
from mobilesim.protocols.flush import ViewChange
from mobilesim.protocols.machine import System
from mobilesim.protocols.ordering import OrderingFactory
from mobilesim.protocols.state import StateError

LIMIT: Final = 2_000_000
SHALLOW: Final = 50_000
"""The number of states that are searched without reduction before a reduced search."""


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
    shortens: bool = False,
) -> Exploration:
    """Explore a configuration until the first fault that is not tolerated, `limit` states, or Ctrl-C.

    The reduction relies on properties that stations and orderings declare (`Station.only_buffers`). So the first states
    are searched without reduction: this finds the faults on short schedules even if a declaration is wrong. `shortens`:
    whether a fault is known, for the progress.
    """
    system = build_system(build, stations, homes, options, bounds.groups)
    with _state_errors_in_one_line():
        return _explore(system, homes, bounds, limit, on_progress, reduced=reduced, shortens=shortens)


def explore_members(
    new_ordering: OrderingFactory,
    hosts: int,
    bounds: Bounds,
    change: ViewChange,
    *,
    limit: int | None = None,
    on_progress: OnProgress | None = None,
) -> Exploration:
    """Explore a static network in which hosts join and leave, until the first fault that is not tolerated, `limit`
    states, or Ctrl-C.
    """
    with _state_errors_in_one_line():
        world = MembershipWorld(new_ordering(hosts), hosts, bounds, *change)
        return MembershipSearch(world, on_progress).explore(limit or LIMIT)


@contextmanager
def _state_errors_in_one_line() -> Iterator[None]:
    """Replace an exception about a state that cannot be stored or compared, or about a schedule that cannot be
    repeated, by a UserError.
    """
    try:
        yield
    except StopIteration as error:
        reason = "a schedule cannot be repeated, because a machine has other outputs for equal inputs"
        raise UserError(f"{reason}: its state and its inputs must determine them") from error
    except (PicklingError, AttributeError, TypeError) as error:
        if not isinstance(error, PicklingError | StateError) and "pickle" not in str(error):
            raise
        raise UserError(f"the state of a machine is not plain data: {error}") from error


def _explore(
    system: System,
    homes: Homes,
    bounds: Bounds,
    limit: int | None,
    on_progress: OnProgress | None,
    *,
    reduced: bool,
    shortens: bool,
) -> Exploration:
    found = None
    if reduced:
        reduced_limit = limit or 20_000_000
        world = BatchedWorld(system, homes, bounds)
        found = ReducedSearch(world, on_progress, reduced=False).explore(min(reduced_limit, SHALLOW))
        if found.ending in {Ending.EXHAUSTED, Ending.LIMIT}:
            found = ReducedSearch(world, on_progress).explore(reduced_limit)
        if found.ending is not Ending.FAULT:
            return found
    search = ExhaustiveSearch(system, homes, bounds, on_progress)
    search.shortens = shortens or found is not None
    shortest = search.explore(limit or LIMIT)
    return found if found and shortest.ending is not Ending.FAULT else shortest
