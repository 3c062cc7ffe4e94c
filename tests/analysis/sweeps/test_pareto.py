"""The Pareto front of a dominance, which is never empty and dominates all other protocols."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobilesim.analysis.sweeps.ranking import Dominated, pareto_front

pytestmark = pytest.mark.full

ARROWS = st.integers(1, 7).flatmap(lambda count: st.sets(st.tuples(*[st.integers(0, count - 1)] * 2), min_size=1))


def domination_from(*pairs: str) -> Dominated:
    """Return a domination from pairs. The pair `ab` means that a dominates b."""
    names = sorted(set("".join(pairs)))
    return {name: frozenset(pair[1] for pair in pairs if pair[0] == name) for name in names}


def front(*pairs: str) -> str:
    return "".join(sorted(pareto_front(domination_from(*pairs)).members))


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


def in_cycle(found: Dominated, name: str, other: str) -> bool:
    """Whether a chain of dominations leads from `name` to `other`."""
    seen, ahead = set(), {name}
    while ahead:
        seen |= ahead
        ahead = {one for each in ahead for one in found[each]} - seen
    return other in seen
