"""The conformance suite: the checks of an ordering, of a placement, or of a pair of the two."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

from mobilesim.conformance.causality import (
    TRIANGLE,
    Causality,
    CheckedRun,
    OvertakenError,
    ShortChains,
    executions,
    overtaking_triangle,
)
from mobilesim.conformance.executions import Event, execution
from mobilesim.conformance.membership_checks import NETWORKS, check_executions, check_schedules
from mobilesim.conformance.ordering_contract import Make, check_execution, check_types, makers
from mobilesim.conformance.random_schedules import Sizes, random_schedule
from mobilesim.conformance.verdict import CheckResult, ContractError
from mobilesim.errors import UserError, counted
from mobilesim.experiments.claims.scenarios import formula_options
from mobilesim.explorer.api import explore, homes_of
from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.exploration import Ending, OnProgress
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.extensions.exception_text import described
from mobilesim.extensions.formulas import agrees
from mobilesim.oracle.verdicts import tolerated_faults
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import (
    AT_MOST,
    OptionValue,
    OrderingRow,
    PlacementRow,
    ProtocolRow,
    incompatibility,
    protocol_row,
)

_SIZE: Final = 4
_SHORTEST: Final = 500_000
"""The number of states in which a shortest failing schedule is searched, if a longer one is known."""

Network = tuple[int, int, Bounds]
"""The numbers of stations and hosts, and the bounds of an exploration."""

ORDERINGS_FOR_PLACEMENTS: Final = ("rst", "fifo", "unordered")


@dataclass(frozen=True, slots=True)
class Effort:
    """The numbers of random executions and of random schedules, and the limit of states of an exploration."""

    executions: int
    schedules: int
    states: int


FULL: Final = Effort(400, 150, 1_000_000)
QUICK: Final = Effort(60, 25, 30_000)


@dataclass(frozen=True, slots=True)
class Check:
    """`searches`: whether the check finds a shortest failing schedule."""

    title: str
    run: Callable[[OnProgress], CheckResult]
    searches: bool = False


def run_checks(checks: Iterable[Check], on_progress: Callable[[Check], OnProgress]) -> Iterator[CheckResult]:
    """Run checks until a fault is found, and then the searches, until one shows it by a failing schedule."""
    faulty = False
    for check in checks:
        if faulty and not check.searches:
            continue
        result = check.run(on_progress(check))
        yield result
        faulty |= not result.passed
        if result.listing:
            return


def checks_of_ordering(row: OrderingRow, effort: Effort) -> Iterator[Check]:
    """Yield the checks of an ordering: first alone, and then under every placement that can carry it."""
    yield from _alone(row, effort)
    for place in catalogue.PLACEMENTS.values():
        if incompatibility(place, row) is None:
            yield from checks_of_pair(_pair(place, row), effort)


def checks_of_placement(row: PlacementRow, effort: Effort) -> Iterator[Check]:
    """Yield the checks of a placement: with a causal ordering, with FIFO order, and without any order."""
    for name in ORDERINGS_FOR_PLACEMENTS:
        yield from checks_of_pair(_pair(row, catalogue.ORDERINGS[name]), effort)


def _pair(place: PlacementRow, order: OrderingRow) -> ProtocolRow:
    return protocol_row(f"{place.name}+{order.name}", place, order, "-")


def checks_of_pair(row: ProtocolRow, effort: Effort) -> Iterator[Check]:
    for network in _small_networks(row):
        title = f"schedules of {_described(network)}, {row.name}"
        yield Check(title, partial(_exploration, title, row, network, effort.states), searches=True)
    title = f"random schedules, {row.name}"
    yield Check(title, lambda _: _random_schedules(title, row, effort.schedules))


def _described(network: Network) -> str:
    _, hosts, bounds = network
    return f"{counted(hosts, 'host')}, {counted(bounds.messages, 'message')}, {counted(bounds.moves, 'move')}"


# An ordering alone


def _alone(row: OrderingRow, effort: Effort) -> Iterator[Check]:
    if row.serves == "groups" or row.numbered_by == "origin":
        return
    for label, make in makers(row).items():
        title = f"types and state, {label}"
        yield Check(title, partial(_contract, title, row, make))
    if row.is_dynamic:
        yield from _with_changes(row, effort)
    if row.sends_control:
        return
    for label, make in makers(row).items():
        title = f"calls, {label}"
        yield Check(title, partial(_calls, title, row, make, effort))
    if row.causal or row.short_chains:
        if row.serves == "all":
            triangle = {TRIANGLE: (3, overtaking_triangle())}
            yield Check("overtaking triangle", lambda _: _causal(row, "overtaking triangle", triangle))
        drawn = enumerate(_executions(row, effort.executions))
        runs = {f"random execution {seed}": each for seed, each in drawn}
        title = "causal order" if row.causal else "causal order along short chains"
        yield Check(title, lambda _: _causal(row, title, runs))


def _with_changes(row: OrderingRow, effort: Effort) -> Iterator[Check]:
    """Yield the checks of an ordering whose processes may join and leave."""
    title = "random joins and leaves"
    yield Check(title, lambda _: check_executions(title, row, effort.schedules))
    for name in NETWORKS:
        yield Check(name, partial(check_schedules, name, row, effort.states), searches=True)


def _contract(name: str, row: OrderingRow, make: Make, _: OnProgress) -> CheckResult:
    try:
        check_types(make, _SIZE, may_share=row.shares_memory)
    except ContractError as error:
        return CheckResult(name, passed=False, text=str(error))
    except Exception as error:  # noqa: BLE001 - any exception of the ordering is a result
        return CheckResult(name, passed=False, text=described(error))
    return CheckResult(name, passed=True, text=f"{_SIZE} processes")


def _executions(row: OrderingRow, count: int) -> Iterator[tuple[int, list[Event]]]:
    if row.serves == "all":
        yield from executions(range(count))
        return
    for seed in range(count):
        size = 3 + seed % 4
        width = 1 if row.serves == "unicasts" else size - 1
        yield size, list(execution(Random(seed), size, 20, width, fifo=bool(seed >> 2 & 1), narrowest=width))


def _calls(name: str, row: OrderingRow, make: Make, effort: Effort, _: OnProgress) -> CheckResult:
    """Check every call, the keys, the liveness and the sizes of stamps in random executions."""
    count = max(10, effort.executions // 10)
    for seed, (size, events) in enumerate(_executions(row, count)):
        try:
            largest = check_execution(make, size, events)
            _check_header(row, make, size, largest)
        except ContractError as error:
            return CheckResult(name, passed=False, text=f"{error} (random execution {seed})")
        except Exception as error:  # noqa: BLE001 - any exception of the ordering is a result
            return CheckResult(name, passed=False, text=f"{described(error)} (random execution {seed})")
    return CheckResult(name, passed=True, text=f"{count} random executions")


def _check_header(row: OrderingRow, make: Make, size: int, largest: int) -> None:
    """Check that no stamp is larger than the claimed header with `size` processes."""
    defaults = {name: option.default for name, option in row.options}
    options = formula_options({**defaults, **_options(make)})
    formula = AT_MOST + row.header.removeprefix(AT_MOST).replace("N", "n_h")
    if not agrees(formula, {**options, "n_h": size, "d": size - 1}, largest):
        claim = f"the row claims a header of {row.header}"
        raise ContractError(f"a stamp has {counted(largest, 'integer')} with N = {size} processes, and {claim}")


def _options(make: Make) -> Mapping[str, OptionValue]:
    return dict(make.keywords) if isinstance(make, partial) else {}


def _causal(row: OrderingRow, name: str, runs: Mapping[str, tuple[int, list[Event]]]) -> CheckResult:
    """Check that every message is delivered, none before the claimed order allows it, and none later unless the
    ordering inhibits. `runs`: by description, the number of processes and the events.
    """
    make = row.load()
    for execution_text, (size, events) in runs.items():
        run = CheckedRun(make(size), size, Causality() if row.causal else ShortChains())
        try:
            for event in events:
                run.apply(event)
        except OvertakenError as error:
            return CheckResult(name, passed=False, text=f"{error} ({execution_text})")
        except Exception as error:  # noqa: BLE001 - an ordering may raise anything
            return CheckResult(name, passed=False, text=f"{described(error)} ({execution_text})")
        for number, target in run.causality.missing:
            text = f"m{number} is never delivered to p{target}, although all messages arrive ({execution_text})"
            return CheckResult(name, passed=False, text=text)
        if run.inhibited and not row.inhibits:
            text = f"messages wait that causal order allows to deliver ({execution_text}); declare `inhibits=True`"
            return CheckResult(name, passed=False, text=text)
    return CheckResult(name, passed=True, text=counted(len(runs), "execution"))


# A protocol


def _random_schedules(name: str, row: ProtocolRow, count: int) -> CheckResult:
    options = {key: option.default for key, option in row.options.items()}
    destinations = {"all": (1, 5), "unicasts": (1, 1), "broadcasts": (5, 5), "groups": (1, 5)}[row.serves]
    for seed in range(count):
        sizes = Sizes(
            stations=(2, 4),
            hosts=(2, 6),
            messages=(4, 20),
            moves=(0, 8),
            destinations=destinations,
            drops=row.placement_row.drops and seed % 3 == 2,
            stores=seed % 3 == 1,
            originates=row.placement_row.originates and row.serves == "all" and seed % 3 == 1,
            groups=(1, 3) if row.serves == "groups" else (0, 0),
        )
        drawn = random_schedule(row.build, Random(seed), options, sizes, tolerated=tolerated_faults(row.claims))
        if drawn.world.faults:
            bounds = drawn.world.bounds
            system = row.build(drawn.world.stations, drawn.homes, options, bounds.groups)
            fault = listing(system, drawn.homes, bounds, drawn.schedule)[-1]
            text = f"{fault.removeprefix('fault: ')} (schedule {seed}, after {counted(len(drawn.schedule), 'step')})"
            return CheckResult(name, passed=False, text=text)
    return CheckResult(name, passed=True, text=counted(count, "schedule"))


def _small_networks(row: ProtocolRow) -> Iterator[Network]:
    """Yield small networks: three without hand-offs, and one with a hand-off. In the third, messages are for all."""
    tolerated = tolerated_faults(row.claims)
    for hosts, messages, moves in ((2, 3, 0), (3, 3, 0), (3, 2, 0), (2, 2, 1)):
        to_all = row.serves == "broadcasts" or (row.serves == "all" and messages < hosts)
        groups = (tuple(range(hosts)), (0, 1))[: hosts - 1] if row.serves == "groups" else ()
        destinations = hosts - 1 if to_all else 1
        yield 2, hosts, Bounds(messages, moves, destinations, groups=groups, tolerated=tolerated)


def _exploration(name: str, row: ProtocolRow, network: Network, limit: int, on_progress: OnProgress) -> CheckResult:
    stations, hosts, bounds = network
    # Searches for hosts would multiply the states. The random schedules have them.
    free = {"location": "free"} if "location" in row.options else {}
    options = {key: free.get(key, option.default) for key, option in row.options.items()}
    homes = homes_of(stations, hosts)
    try:
        found = explore(row.build, stations, homes, bounds, options, limit=limit, on_progress=on_progress, reduced=True)
    except UserError as error:
        return CheckResult(name, passed=False, text=str(error))
    if found.ending is Ending.FAULT and not found.shortest:
        again = explore(
            row.build, stations, homes, bounds, options, limit=_SHORTEST, on_progress=on_progress, shortens=True
        )
        found = again if again.ending is Ending.FAULT else found
    tried = counted(found.states, "state")
    if found.ending is Ending.INTERRUPTED:
        raise KeyboardInterrupt
    if found.ending is not Ending.FAULT:
        every = found.ending is Ending.EXHAUSTED
        text = f"every one, {tried}" if every else f"{tried}, until the limit of {limit:,} was reached"
        return CheckResult(name, passed=True, text=text)
    system = row.build(stations, homes, options, bounds.groups)
    shortest = "shortest " if found.shortest else ""
    text = f"a {shortest}failing schedule of {counted(len(found.schedule), 'step')}"
    return CheckResult(name, passed=False, text=text, listing=tuple(listing(system, homes, bounds, found.schedule)))
