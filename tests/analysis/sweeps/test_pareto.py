"""Domination by intervals, and the Pareto front, which is never empty and dominates all other protocols."""

from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.model import ProtocolSummary
from mobilesim.analysis.sweeps.ranking import Domination, dominates, domination, pareto_front
from tests.support import summaries
from tests.support.summaries import estimate

pytestmark = pytest.mark.full

COSTS = tuple(itemgetter(f"cost {number}") for number in range(3))

FIGURES = st.lists(
    st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=3, max_size=3), min_size=1, max_size=6
)
"""Values by protocol, cost and replication. They are small integers, so that some means are equal or similar."""

ARROWS = st.integers(1, 7).flatmap(lambda count: st.sets(st.tuples(*[st.integers(0, count - 1)] * 2), min_size=1))


def paying(name: str, *costs: list[int]) -> ProtocolSummary:
    found: dict[str, Estimate] = {
        f"cost {number}": estimate(sum(runs) / len(runs), runs=tuple(map(float, runs)))
        for number, runs in enumerate(costs)
    }
    return summaries.protocol(name, estimates=found)


def domination_from(*pairs: str) -> Domination:
    """Return a domination from pairs. The pair `ab` means that a dominates b."""
    names = sorted(set("".join(pairs)))
    return {name: frozenset(pair[1] for pair in pairs if pair[0] == name) for name in names}


def front(*pairs: str) -> str:
    return "".join(sorted(pareto_front(domination_from(*pairs)).members))


def test_a_protocol_significantly_better_in_one_cost_and_worse_in_none_dominates() -> None:
    less, more, noisy = [1, 2, 1], [5, 6, 5], [5, 1, 3]
    assert dominates(paying("a", less, less), paying("b", less, more), COSTS[:2])
    assert not dominates(paying("a", less, more), paying("b", more, less), COSTS[:2])
    assert not dominates(paying("a", less, less), paying("b", less, less), COSTS[:2])
    assert dominates(paying("a", less, [3, 3, 4]), paying("b", more, noisy), COSTS[:2])


def test_a_lower_mean_that_is_not_significant_does_not_prevent_domination() -> None:
    good, bad = paying("good", [9, 9, 10], [5, 7, 5]), paying("bad", [18, 19, 18], [5, 5, 6])
    assert pareto_front(domination([good, bad], COSTS[:2])).members == {"good"}
    assert pareto_front(domination([good, bad], COSTS[:2])).dominated_by == {"good": (), "bad": ("good",)}


def test_a_dominated_protocol_excludes_no_other_protocol() -> None:
    assert front("ab", "bc") == "ac"
    assert pareto_front(domination_from("ab", "bc")).dominated_by == {"a": (), "b": ("a",), "c": ("b",)}
    assert front("ab", "bc", "ac") == "a"


def test_a_cycle_that_no_other_protocol_dominates_is_on_the_front() -> None:
    assert front("ab", "bc", "ca") == "abc"
    assert front("ab", "bc", "ca", "cd") == "abc"
    assert front("ab", "bc", "ca", "da") == "bd"


@given(ARROWS)
def test_the_front_is_not_empty_and_dominates_all_other_protocols(pairs: set[tuple[int, int]]) -> None:
    names = sorted({str(end) for pair in pairs for end in pair})
    found = {name: frozenset(str(b) for a, b in pairs if str(a) == name and a != b) for name in names}
    result = pareto_front(found)
    assert result.members
    for name in names:
        by = {one for one in names if name in found[one]}
        if name in result.members:
            assert set(result.dominated_by[name]) == by
            assert all(one not in result.members or in_cycle(found, name, one) for one in by)
        else:
            assert set(result.dominated_by[name]) == by & result.members
            assert by & result.members


def in_cycle(found: Domination, name: str, other: str) -> bool:
    """Whether a chain of dominations leads from `name` to `other`."""
    seen, ahead = set(), {name}
    while ahead:
        seen |= ahead
        ahead = {one for each in ahead for one in found[each]} - seen
    return other in seen


@given(FIGURES)
def test_two_protocols_do_not_dominate_each_other(figures: list[list[list[int]]]) -> None:
    several = [paying(str(number), *costs) for number, costs in enumerate(figures)]
    found = domination(several, COSTS)
    assert all(one not in found[other] for one in found for other in found[one])
    assert pareto_front(found).members
