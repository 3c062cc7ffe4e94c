"""Passive clocks of a run: the links on which they are allocated, and the rows of the table `clocks`."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mobilesim.clocks.allocations import MOST_PROCESSES, clock_cost, most_links
from mobilesim.errors import UserError, counted
from mobilesim.oracle.causal_order import Oracle
from mobilesim.oracle.clock_observer import ClockAnswers, ClockObserver, PairObserver
from mobilesim.protocols.clocks.catalogue import CLOCKS, Errors
from mobilesim.protocols.clocks.known_links.allocated_clocks import AllocatedClocks
from mobilesim.protocols.clocks.links import Links, bit_set, transposed
from mobilesim.protocols.clocks.logical_clock import Network, PhysicalTime
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.clocks import ClockChoice, Clocks
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
    if clocks.need_known_links and links.count > most_links(links.size):
        most = counted(most_links(links.size), "link")
        raise UserError(f"clocks: {counted(links.size, 'process')} may have at most {most}, not {links.count:,}")
    static = world.scenario.links
    fifo = fifo or (static is not None and static.keeps_order)
    network = Network(links, PhysicalTime(), fifo, _BUDGET, clocks.pairs or ())
    systems = {each.label: CLOCKS[each.name].clocks(network, dict(each.options)) for each in clocks.names}
    return (PairObserver if clocks.pairs else ClockObserver)(network, systems, clocks.window)


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


def rows(oracle: Oracle | None, clocks: Clocks | None) -> list[Row]:
    """Return the rows of the table `clocks`; [] for a run without passive clocks."""
    if not isinstance(oracle, ClockObserver) or clocks is None:
        return []
    return [_row(each, oracle.answers[each.label], oracle.network.links) for each in clocks.names]


def _row(clock: ClockChoice, answers: ClockAnswers, links: Links) -> Row:
    return {
        "clock": clock.label,
        "claims_exact": CLOCKS[clock.name].errors_with(dict(clock.options)) is Errors.NONE,
        "processes": links.size,
        "links": links.count,
        **_sizes("kept", [process.integers for process in answers.clocks.processes]),
        **_allocated(clock.name, answers, links),
        "copies": answers.copies,
        "integers": answers.integers,
        "integers_max": answers.integers_max,
        "integers_of_vectors": answers.copies * links.size,
        "compared": answers.compared,
        "wrong": answers.wrong.total(),
        "missed": answers.missed,
        "reversed": answers.reversed,
        "spurious": answers.spurious,
    }


def _allocated(name: str, answers: ClockAnswers, links: Links) -> Row:
    """Return the columns for clocks of known links."""
    if not isinstance(answers.clocks, AllocatedClocks):
        return {"exact_sets": True, "gateways": 0, "arrivals": 0}
    cost = clock_cost(name, links, answers.clocks.allocation)
    sets = _sizes("obs_set", cost.obs_sets) if cost.has_obs_sets else {}
    return {"exact_sets": cost.allocation.exact, **sets, "gateways": cost.gateways, "arrivals": cost.arrivals}


def _sizes(name: str, sets: list[int]) -> Row:
    return {f"{name}_mean": sum(sets) / len(sets), f"{name}_max": max(sets)}


def means(oracle: Oracle | None, clocks: Clocks | None) -> dict[str, float]:
    """Return for each passive clock its integers on a message, its savings on messages and in processes, as factors,
    and its share of errors.
    """
    found = rows(oracle, clocks)
    return {f"{row['clock'].replace(' ', '_')}_{name}": mean for row in found for name, mean in _means(row)}


def _means(row: Row) -> Iterator[tuple[str, float]]:
    """Yield the means of a clock. A mean is left out if it would be a division by 0."""
    if row["copies"]:
        yield "integers", row["integers"] / row["copies"]
    if row["integers"]:
        yield "factor", row["integers_of_vectors"] / row["integers"]
    if row["kept_max"]:
        yield "space_factor", row["processes"] / row["kept_mean"]
    if row["compared"]:
        yield "wrong_percent", 100 * row["wrong"] / row["compared"]
