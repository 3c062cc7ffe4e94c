"""Repeating only undecided alternatives: the risk of a wrong statement, and what it saves."""

from collections.abc import Collection, Mapping
from random import Random

import pytest

from mobilesim.statistics.dominance import Domination, Pair, Values
from mobilesim.statistics.proportions import Proportion
from mobilesim.statistics.sequential_comparison import Allocation, allocate
from tests.support.dominance_studies import APART, AT_THE_MARGIN, EQUAL, Means, observed, truth

AT_LEAST, AT_MOST = 4, 64


def study(means: Means, noise: float, random: Random) -> Allocation:
    """Return the result of a study in which every replication is at hand, but only those asked for are used."""
    costs, margins = observed(means, AT_MOST, noise, random)

    def first(levels: Mapping[str, int]) -> tuple[list[Values], list[Values]]:
        return [cut(cost, levels) for cost in costs], [cut(cost, levels) for cost in margins]

    def is_complete(names: Collection[str], level: int) -> bool:
        return bool(names) and level <= AT_MOST

    return allocate(means, AT_LEAST, AT_MOST, first, is_complete)


def cut(cost: Values, levels: Mapping[str, int]) -> Values:
    """Return the values in the first replications of each alternative."""
    return {name: {at: row[at] for at in range(levels[name])} for name, row in cost.items()}


def is_wrong(means: Means, statements: Mapping[Pair, Domination]) -> bool:
    return any(each is not truth(means, pair) for pair, each in statements.items())


def errors(means: Means, noise: float, repetitions: int) -> Proportion:
    random = Random(7)
    return Proportion(
        sum(is_wrong(means, study(means, noise, random).statements) for _ in range(repetitions)), repetitions
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("means", "noise"), ((AT_THE_MARGIN, 0.2), (AT_THE_MARGIN, 2.0), (APART, 5.0), (dict(list(EQUAL.items())[:5]), 2.0))
)
def test_at_most_one_in_twenty_sequential_studies_has_a_wrong_statement(means: Means, noise: float) -> None:
    assert not errors(means, noise, 1_000).exceeds(0.05)


@pytest.mark.full
def test_few_sequential_studies_have_a_wrong_statement() -> None:
    assert not errors(AT_THE_MARGIN, 0.2, 100).exceeds(0.05)


def test_alternatives_that_are_decided_are_not_repeated() -> None:
    """The best two cannot be told apart, and the other two are clearly dominated."""
    means = {"one": (1.0, 1.0), "same": (1.0, 1.0), "worse": (1.5, 1.5), "worst": (2.0, 2.0)}
    found = study(means, 3.0, Random(2))
    assert max(found.levels["worse"], found.levels["worst"]) < min(found.levels["one"], found.levels["same"])
    assert found.statements["one", "worst"] is Domination.YES
