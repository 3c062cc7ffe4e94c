"""Small spaces of orderings with few processes, with the numbers of their states, transitions and steps."""

from dataclasses import replace
from typing import Final, TypeAlias

import pytest

from mobilesim.explorer.api import explore, homes_of
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.oracle.verdicts import tolerated_faults
from mobilesim.protocols.catalogue import pair
from mobilesim.protocols.ordering import Groups
from tests.support.protocols.script import free_location

Space: TypeAlias = tuple[str, int, int, Bounds]
"""The protocol, the numbers of stations and of hosts, and the bounds."""

PAIR: Final[Groups] = ((0, 1),)
CHAIN: Final[Groups] = ((0, 1), (1, 2))
NESTED: Final[Groups] = ((0, 1), (0, 1, 2))
CYCLE: Final[Groups] = ((0, 1), (1, 2), (0, 2))
BROADCASTS: Final = Bounds(messages=2, moves=0, destinations=2)
A_MOVE: Final = Bounds(messages=2, moves=1)

PINNED: Final[dict[Space, tuple[int, int, int]]] = {
    ("resident+bss-differential", 1, 3, BROADCASTS): (3_031, 8_436, 16),
    ("proxy+bss-differential", 2, 2, A_MOVE): (8_970, 23_644, 19),
    ("resident+isis-differential", 1, 3, Bounds(2, 0, groups=NESTED)): (5_254, 14_224, 16),
    ("resident+ks-short-chains", 1, 3, BROADCASTS): (9_673, 32_706, 18),
    ("proxy+ks-short-chains", 2, 2, A_MOVE): (7_878, 21_214, 19),
    ("flood+ks-short-chains", 1, 3, Bounds(2, 0)): (1_330, 2_754, 10),
    ("proxy+central", 1, 3, BROADCASTS): (4_956, 15_600, 18),
    ("resident+central", 1, 3, BROADCASTS): (8_387, 27_737, 22),
    ("proxy+central", 2, 2, A_MOVE): (7_878, 21_214, 19),
    ("proxy+hierarchy", 2, 3, BROADCASTS): (7_618, 24_876, 18),
    ("proxy+mr-one-phase", 2, 2, Bounds(2, 1, groups=PAIR)): (27_715, 86_874, 21),
}

PINNED_SLOWLY: Final[dict[Space, tuple[int, int, int]]] = {
    ("proxy+ks-short-chains", 1, 3, Bounds(3, 0)): (57_798, 179_490, 18),
    ("proxy+isis-differential", 1, 3, Bounds(3, 0, groups=CYCLE)): (72_522, 215_706, 18),
    ("proxy+central", 1, 3, Bounds(3, 0)): (86_490, 271_606, 21),
    ("proxy+mr-one-phase", 1, 3, Bounds(2, 0, groups=CYCLE)): (39_670, 136_332, 19),
    ("resident+mr-one-phase", 1, 3, Bounds(2, 0, groups=CHAIN)): (88_941, 378_046, 38),
}


def assert_pinned(space: Space, counts: tuple[int, int, int]) -> None:
    """Check that no schedule has a fault that the protocol claims to avoid, and the counts of the complete search."""
    name, stations, hosts, bounds = space
    row = pair(*name.split("+"))
    judged = replace(bounds, tolerated=tolerated_faults(row.claims))
    found = explore(row.build, stations, homes_of(stations, hosts), judged, free_location(row))
    assert found.ending is Ending.EXHAUSTED
    assert (found.states, found.transitions, found.depth) == counts


@pytest.mark.full
@pytest.mark.parametrize(("space", "counts"), PINNED.items(), ids=str)
def test_no_schedule_of_a_small_space_has_a_fault(space: Space, counts: tuple[int, int, int]) -> None:
    assert_pinned(space, counts)


@pytest.mark.slow
@pytest.mark.parametrize(("space", "counts"), PINNED_SLOWLY.items(), ids=str)
def test_no_schedule_of_a_larger_space_has_a_fault(space: Space, counts: tuple[int, int, int]) -> None:
    assert_pinned(space, counts)
