"""Explorations have the same figures and the same counter-examples in pure Python and with the compiled core.

The figures are constants, so they are the same if this file passes with both (`make test` and `make test-compiled`).
"""

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest

from compiled_core.native.state_store import StateStore as NativeStore
from mobilesim.explorer.api import explore, homes_of
from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.state_store import StateStore
from mobilesim.explorer.untimed_world import Bounds, build_system
from mobilesim.oracle.verdicts import FaultKind, tolerated_faults
from mobilesim.protocols.catalogue import ROWS
from mobilesim.protocols.packets import Message
from mobilesim.protocols.state import key
from tests.support.mutants.catalogue import BROKEN

Figures = tuple[int, int, int]

# protocol, messages, moves: states, transitions and depth; without and with reduction
FIGURES: dict[tuple[str, int, int], tuple[Figures, Figures]] = {
    ("av1", 1, 1): ((1_321, 3_308, 15), (763, 1_374, 15)),
    ("av2", 1, 1): ((2_653, 7_526, 16), (952, 1_723, 16)),
    ("ab", 1, 1): ((753, 1_596, 14), (518, 833, 14)),
    ("rst", 1, 1): ((1_321, 3_308, 15), (779, 1_468, 15)),
    ("prs", 1, 1): ((761, 1_604, 14), (520, 833, 14)),
}
"""Two stations and two hosts."""


@pytest.mark.parametrize("configuration", FIGURES, ids=str)
@pytest.mark.parametrize("reduced", (False, True), ids=("plain", "reduced"))
def test_a_search_has_the_figures_of_both_cores(configuration: tuple[str, int, int], reduced: bool) -> None:  # noqa: FBT001
    name, messages, moves = configuration
    row = ROWS[name]
    bounds = Bounds(messages, moves, tolerated=tolerated_faults(row.claims))
    found = explore(row.build, 2, homes_of(2, 2), bounds, reduced=reduced)
    assert found.ending is Ending.EXHAUSTED
    assert (found.states, found.transitions, found.depth) == FIGURES[configuration][reduced]


@pytest.mark.parametrize("reduced", (False, True), ids=("plain", "reduced"))
def test_a_broken_variant_has_the_counterexample_of_both_cores(reduced: bool) -> None:  # noqa: FBT001
    mutant = BROKEN["single-record"]
    found = explore(mutant.build, mutant.stations, mutant.homes, mutant.bounds, mutant.options, reduced=reduced)
    assert (found.states, found.transitions, found.depth) == (3_357, 7_149, 10)
    assert (found.fault_kind, found.shortest) == (FaultKind.LOST, True)
    system = build_system(mutant.build, mutant.stations, mutant.homes, mutant.options, mutant.bounds.groups)
    lines = listing(system, mutant.homes, mutant.bounds, found.schedule)
    assert [line[5:].split("  ")[0] for line in lines[:10]] == COUNTEREXAMPLE
    assert [line.strip() for line in lines[10:]] == [
        "fault: no packet is in transit, and m0 was not delivered to host 1"
    ]


VERDICT = "fault: no packet is in transit, and m0 was not delivered to host 1"
COUNTEREXAMPLE = [
    "h0 submits m0 to h1",
    "h0 leaves s0",
    "h0 enters s1",
    "h0 leaves s1",
    "h0 enters s0",
    "s0 receives from h0: Register(e2 v2 via s0 s1)",
    "s1 receives from s0: HandoffBegin(h0 v2 via s0 s1 at s0)",
    "s0 receives from s1: HandoffBegin(h0 v1 via s0 at s1)",
    "h0 receives from s0: Registered(e2)",
    "s0 receives from h0: Data(#0 m0)",
]


class Box:
    __slots__ = ("content", "other")
    other: object

    def __init__(self, content: object) -> None:
        self.content = content


class Stack(list[int]): ...


class Tags(set[int]): ...


STATES: tuple[object, ...] = (
    *(None, True, 0, -1, 1 << 70, 1.5, "1", b"1", (1,), [1], deque([1]), {1: 2}, {3: 4, 1: 2}, {1: 2, 3: 4}, {1, 300}),
    *(
        frozenset({1}),
        {frozenset({1}), (2,)},
        Ending.FAULT,
        Ending.LIMIT,
        Message(0, 1, (2,), 3),
        Message(0, 1, (2,), 4),
    ),
    *(
        np.zeros(2, np.int32),
        np.ones(2, np.int32),
        np.zeros(2, np.int64),
        np.zeros((2, 2)),
        Box(1),
        Box(2),
        Box(Box(1)),
    ),
    *(
        Counter({(0, 1): 2}),
        Counter({(0, 1): 3}),
        OrderedDict({1: 2}),
        defaultdict(list, {1: [2]}),
        defaultdict(list),
        Stack([1]),
        Tags({1, 300}),
        Box(Counter("ab")),
    ),
)


@pytest.mark.parametrize("place", range(len(STATES)))
def test_the_native_store_restores_what_was_put_into_it(place: int) -> None:
    state = STATES[place]
    store = NativeStore()
    restored = store.load(store.put(state))
    assert key(restored) == key(state)
    assert type(restored) is type(state)
    assert store.put(restored) == 0


def test_both_stores_distinguish_the_same_states() -> None:
    one, shared = [1], [{3: 4}, [5]]
    states = [*STATES, [one, one], [[1], [1]], {3, 1, 2}, {2, 1, 3}, {3: 1, 1: 2}, {1: 2, 3: 1}, [shared[1]], [[5]]]
    native, plain = NativeStore(), StateStore()
    assert [native.put(state, shared) for state in states] == [plain.put(state, shared) for state in states]


def test_the_native_store_keeps_one_object_one_object() -> None:
    one = [1]
    store = NativeStore()
    first, second = store.load(store.put([one, one]))
    assert first is second
    shared = [[7], [8]]
    assert store.load(store.put([shared[1]], shared), shared)[0] is shared[1]


def test_the_native_store_keeps_the_other_state_of_a_derived_collection() -> None:
    """Without its default, a `defaultdict` raises KeyError; without its length, a `deque` grows."""
    store = NativeStore()
    counts = store.load(store.put(defaultdict(list, {1: [2]})))
    assert counts[7] == []
    shared = Counter("a")
    first, second = store.load(store.put([shared, shared]))
    assert first is second
    bounded = store.load(store.put(Recent([1, 2], 2)))
    bounded.append(3)
    assert list(bounded) == [2, 3]


class Recent(deque[int]): ...
