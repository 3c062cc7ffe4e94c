"""All causal orderings of the catalogue run in the same executions, and release each message as soon as allowed."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from random import Random
from typing import Any

import pytest

from mobilesim.conformance.causality import CheckedRun, executions, overtaking_triangle
from mobilesim.conformance.executions import Arrived, Event, execution
from mobilesim.protocols.catalogue import ORDERINGS
from mobilesim.protocols.catalogue_rows import OrderingRow
from mobilesim.protocols.ordering import Ordering

Make = Callable[[int], Ordering]


def made(row: OrderingRow) -> dict[str, Make]:
    """Return one ordering for each combination of the option values of a row."""
    orders = row.load()
    names, values = [name for name, _ in row.options], [option.values for _, option in row.options]
    settings: list[dict[str, Any]] = [dict(zip(names, chosen, strict=True)) for chosen in product(*values)]
    return {" ".join([row.name, *map(str, setting.values())]): partial(orders, **setting) for setting in settings}


def orderings_for(*kinds: str) -> dict[str, Make]:
    """Return the orderings without inhibition."""
    rows = (row for row in ORDERINGS.values() if row.causal and not row.inhibits and row.serves in kinds)
    return {name: make for row in rows if row.numbered_by == "sender" for name, make in made(row).items()}


GENERAL = orderings_for("all")
BROADCASTING = orderings_for("all", "broadcasts")


def waiting_arrivals(orderings: Iterable[Make], size: int, events: Iterable[Event]) -> int:
    """Return the number of arrivals without a release. A delivery that is too early raises an exception."""
    runs, waited = [CheckedRun(make(size), size) for make in orderings], 0
    for event in events:
        released = [sorted(run.apply(event)) for run in runs]
        assert released.count(released[0]) == len(released)
        waited += isinstance(event, Arrived) and not released[0]
    assert [(run.inhibited, run.causality.missing) for run in runs] == [(0, [])] * len(runs)
    return waited


@pytest.mark.parametrize(
    "seeds", (range(60), pytest.param(range(60, 4_000), marks=pytest.mark.slow)), ids=("some", "thousands")
)
def test_every_causal_ordering_releases_messages_as_soon_as_causality_allows(seeds: range) -> None:
    assert len(GENERAL) > 10
    waited = sum(waiting_arrivals(GENERAL.values(), size, events) for size, events in executions(seeds))
    assert waited > len(seeds)


@pytest.mark.parametrize(
    "seeds", (range(60), pytest.param(range(60, 2_000), marks=pytest.mark.slow)), ids=("some", "thousands")
)
def test_orderings_release_broadcasts_as_soon_as_causality_allows(seeds: range) -> None:
    waited = 0
    for seed in seeds:
        random, size = Random(seed), 3 + seed % 4
        events = list(execution(random, size, 20, size - 1, fifo=bool(seed >> 2 & 1), narrowest=size - 1))
        waited += waiting_arrivals(BROADCASTING.values(), size, events)
    assert waited > len(seeds)


@pytest.mark.parametrize("name", GENERAL)
def test_the_third_message_of_the_triangle_waits_for_the_first(name: str) -> None:
    run = CheckedRun(GENERAL[name](3), 3)
    assert [run.apply(event) for event in overtaking_triangle()] == [[], [], [1], [], [], [0, 2]]
