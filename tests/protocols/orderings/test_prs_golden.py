"""The examples of the paper step by step: figure 2 (section 4.1) and figure 8 (section 8.3). P1 is process 1.

The text does not name the sender of M4 and does not describe M5, so M5 is omitted here. By the text, M4 is for P5 only,
concurrent with M3 and M6, and after M1. So the sender of M4 is P1 or P2, and the tests try both.
"""

from collections.abc import Callable

import pytest

from mobilesim.protocols.ordering import Ordering, Process
from mobilesim.protocols.orderings.prs import Barrier, Numbers, Prs, PrsProcess
from mobilesim.protocols.packets import Stamp
from tests.support.orderings.dense_prs import Printed, Sets, SetsProcess

Tuples = set[tuple[int, int]]


class Example:
    """Processes 1 to 5, numbered as in the paper."""

    def __init__(self, ordering: Ordering) -> None:
        self.processes = [ordering.process(index) for index in range(6)]

    def send(self, source: int, *destinations: int) -> Stamp:
        ((_, stamp),) = self.processes[source].send(destinations, -1)
        return stamp

    def deliver(self, stamp: Stamp, *targets: int) -> None:
        for target in targets:
            assert self.processes[target].missing(stamp) is None
            self.processes[target].deliver(stamp)

    def waits(self, stamp: Stamp, target: int) -> tuple[int, int] | None:
        key = self.processes[target].missing(stamp)
        assert key is None or isinstance(key, tuple)
        return key

    def barrier(self, process: int) -> dict[int, Tuples]:
        """Return the non-empty components of CB."""
        return held(self.processes[process])

    def delivered(self, process: int) -> set[tuple[int, int, int]]:
        """Return tuples (x, l, k): P_k has received the x-th message of P_l."""
        return known(self.processes[process])


def held(process: Process) -> dict[int, Tuples]:
    if isinstance(process, SetsProcess):
        return {k: set(component) for k, component in process.component.items() if component}
    assert isinstance(process, PrsProcess)
    return rows(process.barrier * (process.barrier > process.facts.known))


def known(process: Process) -> set[tuple[int, int, int]]:
    if isinstance(process, SetsProcess):
        matrix = process.delivered
        return {(x, source, k) for source, row in enumerate(matrix) for k, x in enumerate(row) if x}
    assert isinstance(process, PrsProcess)
    others = {(x, source, k) for k, row in rows(process.facts.known).items() for source, x in row}
    own = {(x, source, process.index) for source, x in enumerate(process.delivered.tolist()) if x}
    return others | own


def carried(stamp: Stamp) -> dict[int, Tuples]:
    if isinstance(stamp, Printed):
        return {k: set(component) for k, component in stamp.barrier.items() if component}
    assert isinstance(stamp, Barrier)
    return rows(stamp.carried)


def rows(matrix: Numbers) -> dict[int, Tuples]:
    found: dict[int, Tuples] = {}
    for k, source in zip(*(place.tolist() for place in matrix.nonzero()), strict=True):
        found.setdefault(k, set()).add((source, int(matrix[k, source])))
    return found


both = pytest.mark.parametrize("ordering", (Prs, Sets))


@both
def test_figure_2_every_message_carries_its_direct_predecessors(ordering: Callable[[int], Ordering]) -> None:
    example = Example(ordering(6))
    m1 = example.send(1, 2, 3, 5)
    assert carried(m1) == {}
    assert example.barrier(1) == {2: {(1, 1)}, 3: {(1, 1)}, 5: {(1, 1)}}

    example.deliver(m1, 2)
    assert example.barrier(2) == {2: {(1, 1)}, 3: {(1, 1)}, 5: {(1, 1)}}
    m2 = example.send(2, 3, 4, 5)
    assert carried(m2) == {2: {(1, 1)}, 3: {(1, 1)}, 5: {(1, 1)}}
    assert example.barrier(2) == {2: {(1, 1)}, 3: {(2, 1)}, 4: {(2, 1)}, 5: {(2, 1)}}

    assert example.waits(m2, 3) == (1, 1)
    example.deliver(m1, 3)
    example.deliver(m2, 3)
    assert example.barrier(3) == {3: {(2, 1)}, 4: {(2, 1)}, 5: {(2, 1)}}
    assert example.delivered(3) == {(1, 1, 3), (1, 2, 3), (1, 1, 2)}
    assert carried(example.send(3, 5))[5] == {(2, 1)}, "M3 depends on M2 alone, not on M1"

    example.deliver(m2, 4)
    assert example.barrier(4) == {3: {(2, 1)}, 4: {(2, 1)}, 5: {(2, 1)}}
    assert example.delivered(4) == {(1, 2, 4), (1, 1, 2)}
    m6 = example.send(4, 3, 5)
    assert carried(m6) == {3: {(2, 1)}, 4: {(2, 1)}, 5: {(2, 1)}}, "on M2 alone, for both"
    assert example.barrier(4) == {3: {(4, 1)}, 4: {(2, 1)}, 5: {(4, 1)}}


def figure_2(example: Example) -> tuple[Stamp, ...]:
    """M1, M2, M3, M4 and M6 are sent, M4 by P2. No message has arrived at P5 yet."""
    m1 = example.send(1, 2, 3, 5)
    example.deliver(m1, 2, 3)
    m2 = example.send(2, 3, 4, 5)
    example.deliver(m2, 3, 4)
    return m1, m2, example.send(3, 5), example.send(2, 5), example.send(4, 3, 5)


@both
def test_figure_2_p5_updates_its_barriers_at_deliveries(ordering: Callable[[int], Ordering]) -> None:
    example = Example(ordering(6))
    m1, m2, m3, m4, m6 = figure_2(example)
    assert example.waits(m2, 5) == (1, 1)
    assert example.waits(m3, 5) == example.waits(m4, 5) == example.waits(m6, 5) == (2, 1)
    example.deliver(m1, 5)
    example.deliver(m2, 5)
    assert example.barrier(5) == {3: {(2, 1)}, 4: {(2, 1)}, 5: {(2, 1)}}
    example.deliver(m3, 5)
    assert example.barrier(5) == {4: {(2, 1)}, 5: {(3, 1)}}, "P3 has M2"
    example.deliver(m4, 5)
    assert example.barrier(5) == {4: {(2, 1)}, 5: {(3, 1), (2, 2)}}
    example.deliver(m6, 5)
    assert example.barrier(5) == {3: {(4, 1)}, 5: {(3, 1), (2, 2), (4, 1)}}
    assert carried(example.send(5, 3)) == {3: {(4, 1)}, 5: {(3, 1), (2, 2), (4, 1)}}, "M7 depends on M6 alone"


@both
def test_figure_2_m8_has_no_entry_for_p5(ordering: Callable[[int], Ordering]) -> None:
    example = Example(ordering(6))
    m1, m2, m3, m4, m6 = figure_2(example)
    for message in (m1, m2, m3, m4, m6):
        example.deliver(message, 5)
    m7 = example.send(5, 3)
    assert example.waits(m7, 3) == (4, 1)
    example.deliver(m6, 3)
    assert example.barrier(3)[5] == {(3, 1), (4, 1)}
    example.deliver(m7, 3)
    assert {(1, 3, 5), (2, 2, 5), (1, 4, 5)} < example.delivered(3)
    m8 = example.send(3, 5)
    assert 5 not in carried(m8), "P3 knows that P5 has M3, M4 and M6"
    assert example.waits(m8, 5) is None


@both
def test_figure_2_with_m4_from_the_first_process_a_superseded_tuple_returns(
    ordering: Callable[[int], Ordering],
) -> None:
    """Step 6 of the reception restores tuples that M2 has replaced. They are redundant, and the paper omits them."""
    example = Example(ordering(6))
    m1 = example.send(1, 2, 3, 5)
    m4 = example.send(1, 5)
    example.deliver(m1, 2, 5)
    m2 = example.send(2, 3, 4, 5)
    example.deliver(m2, 5)
    assert example.barrier(5)[3] == {(2, 1)}
    example.deliver(m4, 5)
    assert example.barrier(5)[3] == {(2, 1), (1, 1)}


@both
def test_figure_8_information_about_a_delivery_reaches_only_one_hop(ordering: Callable[[int], Ordering]) -> None:
    example = Example(ordering(6))
    m1 = example.send(1, 2, 4)
    example.deliver(m1, 2, 4)
    assert example.barrier(4) == {2: {(1, 1)}, 4: {(1, 1)}}

    m2 = example.send(2, 3)
    assert carried(m2) == {2: {(1, 1)}, 4: {(1, 1)}}
    example.deliver(m2, 3)
    assert example.delivered(3) == {(1, 2, 3), (1, 1, 2)}
    assert example.barrier(3) == {3: {(2, 1)}, 4: {(1, 1)}}

    m3 = example.send(3, 4)
    assert carried(m3) == {3: {(2, 1)}, 4: {(1, 1)}}, "nothing about P2"
    example.deliver(m3, 4)
    assert example.delivered(4) == {(1, 1, 4), (1, 3, 4), (1, 2, 3)}
    assert example.barrier(4) == {2: {(1, 1)}, 4: {(3, 1)}}
    assert carried(example.send(4, 2))[2] == {(1, 1)}, "which is not needed any more"
