"""Statements on dominance: their risk of being wrong, their power, and the replications that decide."""

from random import Random

import pytest

from mobilesim.statistics.dominance import Dominance, Domination, clearly_greater, compare
from mobilesim.statistics.proportions import Proportion
from tests.support.dominance_studies import APART, AT_THE_MARGIN, EQUAL, Means, margins_of, numbered, observed, truth


def is_wrong(means: Means, found: Dominance) -> bool:
    decided = ((pair, each) for pair, each in found.statements.items() if each is not Domination.UNDECIDED)
    return any(each is not truth(means, pair) for pair, each in decided)


def errors(means: Means, replications: int, noise: float, repetitions: int) -> Proportion:
    random = Random(5)
    wrong = sum(is_wrong(means, compare(*observed(means, replications, noise, random))) for _ in range(repetitions))
    return Proportion(wrong, repetitions)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("means", "replications", "noise"),
    (
        (EQUAL, 5, 2.0),
        (AT_THE_MARGIN, 3, 0.2),
        (AT_THE_MARGIN, 10, 0.2),
        (AT_THE_MARGIN, 30, 2.0),
        (APART, 5, 2.0),
        (APART, 20, 2.0),
    ),
)
def test_at_most_one_in_twenty_studies_has_a_wrong_statement(means: Means, replications: int, noise: float) -> None:
    assert not errors(means, replications, noise, 2_000).exceeds(0.05)


@pytest.mark.full
@pytest.mark.parametrize("replications", (3, 10))
def test_few_studies_have_a_wrong_statement(replications: int) -> None:
    assert not errors(AT_THE_MARGIN, replications, 0.2, 200).exceeds(0.05)


def test_pairs_that_are_far_apart_are_decided() -> None:
    found = compare(*observed(APART, 5, 0.3, Random(1)))
    assert found.statements == {pair: truth(APART, pair) for pair in found.statements}
    dominated = [name for name in APART if found.statements.get(("best", name)) is Domination.YES]
    assert dominated == ["middle", "worst"]


def test_the_proposed_number_of_replications_decides() -> None:
    random = Random(3)
    few = compare(*observed(APART, 4, 4.0, random))
    needed = few.replications_to_decide("middle")
    assert few.undecided("middle")
    assert needed is not None
    decided = [not compare(*observed(APART, 2 * needed, 4.0, random)).undecided("middle") for _ in range(20)]
    assert sum(decided) > 15


def test_equal_costs_do_not_dominate_and_one_replication_decides_nothing() -> None:
    same = [dict.fromkeys("ab", numbered([5.0, 6.0, 7.0])), dict.fromkeys("ab", numbered([0.0] * 3))]
    assert set(compare(same, margins_of(same)).statements.values()) == {Domination.NO}
    for apart in ({"a": {0: 5.0}, "b": {0: 9.0}}, {"a": {0: 5.0, 1: 6.0}, "b": {2: 9.0, 3: 8.0}}):
        assert set(compare([apart], margins_of([apart])).statements.values()) == {Domination.UNDECIDED}


def test_pairs_are_compared_in_their_common_replications() -> None:
    """The replications of a third alternative do not matter, and earlier statements remain."""
    values = {"a": numbered([5.0, 6.0, 5.5, 5.7]), "b": numbered([9.0, 9.9, 9.4, 9.2]), "c": {0: 5.0, 1: 6.0}}
    found = compare([values], margins_of([values]))
    assert found.comparisons["a", "b"].replications == 4
    assert found.comparisons["a", "c"].replications == 2
    assert found.statements["a", "b"] is Domination.YES
    kept = compare([values], margins_of([values]), risk=1e-9, decided={("a", "b"): Domination.YES})
    assert kept.statements["a", "b"] is Domination.YES
    assert kept.statements["b", "a"] is Domination.UNDECIDED


def test_tiny_differences_are_within_the_margin() -> None:
    """Two microjoules of 959 millijoules in each of five replications do not count."""
    base = [0.959, 0.961, 0.957, 0.96, 0.958]
    costs = [{"a": numbered(base), "b": numbered([value + 2e-6 for value in base])}]
    assert set(compare(costs, margins_of(costs)).statements.values()) == {Domination.NO}


@pytest.mark.slow
def test_equal_alternatives_are_rarely_called_greater() -> None:
    random = Random(11)
    wrong = sum(any(clearly_greater(*observed(EQUAL, 5, 2.0, random))) for _ in range(400))
    assert not Proportion(wrong, 400).exceeds(0.05)


def test_an_alternative_that_is_greater_by_more_than_the_margin_is_found() -> None:
    costs, margins = observed(APART, 5, 0.2, Random(2))
    first, second = clearly_greater(costs, margins)
    assert first >= {("middle", "best"), ("worst", "best"), ("worst", "other")}
    assert ("best", "middle") not in first | second
    assert ("other", "worst") in second
