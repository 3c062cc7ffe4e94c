"""Passive clocks of a run: the links on which they are allocated, and the rows of the table `clocks`."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mobilesim.clocks.allocations import MOST_PROCESSES, clock_cost, most_links, named_allocation
from mobilesim.errors import UserError, counted
from mobilesim.oracle.causal_order import Oracle
from mobilesim.oracle.clock_observer import ClockAnswers, ClockObserver
from mobilesim.protocols.clocks.links import Links, bit_set, transposed
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.clocks import Clocks
from mobilesim.world.replication import World

Row = Mapping[str, Any]

_BUDGET: Final = 100_000
"""The maximum number of steps of the search for an allocation. An unfinished search gives larger sets."""


def observer(world: World, clocks: Clocks, *, fifo: bool) -> ClockObserver:
    """Return the observer of the passive clocks; raise a UserError if there are too many processes or links.

    `fifo`: whether the protocol keeps the order of the messages from one process to another one.
    """
    links = audience(world)
    if links.size > MOST_PROCESSES:
        raise UserError(f"clocks: expected at most {MOST_PROCESSES:,} processes, not {links.size:,}")
    if links.count > most_links(links.size):
        most = counted(most_links(links.size), "link")
        raise UserError(f"clocks: {counted(links.size, 'process')} may have at most {most}, not {links.count:,}")
    allocations = {name: named_allocation(name, links, budget=_BUDGET) for name in clocks.names}
    static = world.scenario.links
    fifo = fifo or (static is not None and static.keeps_order)
    return ClockObserver(links, allocations, clocks.window, fifo=fifo)


def audience(world: World) -> Links:
    """Return the links along which messages may be sent. Stations that send are processes after the hosts."""
    scenario, hosts = world.scenario, range(world.scenario.hosts)
    all_send = scenario.workload.senders is None or scenario.workload.replay is not None
    senders = hosts if all_send else hosts[: scenario.workload.senders]
    after = [0] * scenario.hosts
    for host in senders:
        after[host] = _others(scenario, host)
    if world.groups:
        after = [row & near for row, near in zip(after, _neighbours(world), strict=True)]
    if scenario.workload.replies is not None:
        after = [row | back for row, back in zip(after, transposed(after), strict=True)]
    if scenario.workload.stations is not None:
        after += [bit_set(hosts)] * world.stations
    return Links(tuple(after), transposed(after))


def _others(scenario: Scenario, host: int) -> int:
    """Return as a bit set the hosts that may be destinations of a message of `host`, without regard to groups."""
    step = 2 if scenario.workload.selectivity == 1 else 1
    return bit_set(range(host % step, scenario.hosts, step)) & ~(1 << host)


def _neighbours(world: World) -> list[int]:
    near = [0] * world.scenario.hosts
    for group in world.groups:
        members = bit_set(group)
        for host in group:
            near[host] |= members
    return near


def rows(observer: ClockObserver) -> list[Row]:
    return [_row(name, answers, observer.links) for name, answers in observer.answers.items()]


def _row(name: str, answers: ClockAnswers, links: Links) -> Row:
    cost = clock_cost(name, links, answers.allocation)
    return {
        "clock": name,
        "exact": answers.allocation.exact,
        "processes": links.size,
        "links": links.count,
        **_sizes("clock_set", cost.clock_sets),
        **(_sizes("obs_set", cost.obs_sets) if cost.has_obs_sets else {}),
        "gateways": cost.gateways,
        "arrivals": cost.arrivals,
        "copies": answers.copies,
        "integers": answers.integers,
        "integers_of_vectors": answers.copies * links.size,
        "compared": answers.compared,
        "wrong": answers.wrong.total(),
        "missed": answers.missed,
        "reversed": answers.reversed,
        "spurious": answers.spurious,
    }


def _sizes(name: str, sets: list[int]) -> Row:
    return {f"{name}_mean": sum(sets) / len(sets), f"{name}_max": max(sets)}


def means(oracle: Oracle | None) -> dict[str, float]:
    """Return for each passive clock its savings on messages and in processes, as factors, and its share of errors."""
    if not isinstance(oracle, ClockObserver):
        return {}
    return {f"{row['clock'].replace(' ', '_')}_{name}": mean for row in rows(oracle) for name, mean in _means(row)}


def _means(row: Row) -> Iterator[tuple[str, float]]:
    """Yield the means of a clock. A mean is left out if it would be a division by 0."""
    if row["integers"]:
        yield "factor", row["integers_of_vectors"] / row["integers"]
    if row["clock_set_max"]:
        yield "space_factor", row["processes"] / row["clock_set_mean"]
    if row["compared"]:
        yield "wrong_percent", 100 * row["wrong"] / row["compared"]
