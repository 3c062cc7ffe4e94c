"""Who beats whom, and who is left: whatever intervals say, some are, and who is not is beaten by one of them."""

from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.estimate import Estimate
from analysis.statistics.pareto import Domination, dominates, domination, pareto_front
from analysis.summary.model import ProtocolSummary
from tests.support import summaries
from tests.support.summaries import estimate

pytestmark = pytest.mark.full

COSTS = tuple(itemgetter(f"cost {number}") for number in range(3))

FIGURES = st.lists(
    st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=3, max_size=3), min_size=1, max_size=6
)
"""Small, so that means are equal, near and far: by protocol, by cost, by replication."""

ARROWS = st.integers(1, 7).flatmap(lambda count: st.sets(st.tuples(*[st.integers(0, count - 1)] * 2), min_size=1))


def paying(name: str, *costs: list[int]) -> ProtocolSummary:
    found: dict[str, Estimate] = {
        f"cost {number}": estimate(sum(runs) / len(runs), runs=tuple(map(float, runs)))
        for number, runs in enumerate(costs)
    }
    return summaries.protocol(name, estimates=found)


def arrows(*pairs: str) -> Domination:
    """`ab`: a beats b."""
    names = sorted(set("".join(pairs)))
    return {name: frozenset(pair[1] for pair in pairs if pair[0] == name) for name in names}


def left(*pairs: str) -> str:
    return "".join(sorted(pareto_front(arrows(*pairs)).members))


def test_who_is_clearly_better_in_one_way_and_clearly_worse_in_none_beats() -> None:
    less, more, noisy = [1, 2, 1], [5, 6, 5], [5, 1, 3]
    assert dominates(paying("a", less, less), paying("b", less, more), COSTS[:2])
    assert not dominates(paying("a", less, more), paying("b", more, less), COSTS[:2])
    assert not dominates(paying("a", less, less), paying("b", less, less), COSTS[:2])
    assert dominates(paying("a", less, [3, 3, 4]), paying("b", more, noisy), COSTS[:2])


def test_a_lower_mean_within_the_noise_saves_nobody() -> None:
    good, bad = paying("good", [9, 9, 10], [5, 7, 5]), paying("bad", [18, 19, 18], [5, 5, 6])
    assert pareto_front(domination([good, bad], COSTS[:2])).members == {"good"}
    assert pareto_front(domination([good, bad], COSTS[:2])).dominated_by == {"good": (), "bad": ("good",)}


def test_who_is_beaten_beats_nobody_any_more() -> None:
    assert left("ab", "bc") == "ac"
    assert pareto_front(arrows("ab", "bc")).dominated_by == {"a": (), "b": ("a",), "c": ("b",)}
    assert left("ab", "bc", "ac") == "a"


def test_a_ring_that_nobody_outside_beats_is_on_the_frontier() -> None:
    assert left("ab", "bc", "ca") == "abc"
    assert left("ab", "bc", "ca", "cd") == "abc"
    assert left("ab", "bc", "ca", "da") == "bd"


@given(ARROWS)
def test_somebody_is_always_left_and_who_is_not_is_beaten_by_one_that_is(pairs: set[tuple[int, int]]) -> None:
    names = sorted({str(end) for pair in pairs for end in pair})
    found = {name: frozenset(str(b) for a, b in pairs if str(a) == name and a != b) for name in names}
    told = pareto_front(found)
    assert told.members
    for name in names:
        by = {one for one in names if name in found[one]}
        if name in told.members:
            assert set(told.dominated_by[name]) == by
            assert all(one not in told.members or ringed(found, name, one) for one in by)
        else:
            assert set(told.dominated_by[name]) == by & told.members
            assert by & told.members


def ringed(found: Domination, name: str, other: str) -> bool:
    """Whether one beats another in turn, by as many as it takes."""
    seen, ahead = set(), {name}
    while ahead:
        seen |= ahead
        ahead = {one for each in ahead for one in found[each]} - seen
    return other in seen


@given(FIGURES)
def test_nobody_beats_whom_it_is_beaten_by(figures: list[list[list[int]]]) -> None:
    several = [paying(str(number), *costs) for number, costs in enumerate(figures)]
    found = domination(several, COSTS)
    assert all(one not in found[other] for one in found for other in found[one])
    assert pareto_front(found).members
