"""What schedules are drawn for: every placement, under an ordering that keeps causal order and one that does not."""

from collections.abc import Callable, Collection, Iterable, Mapping
from random import Random
from typing import Any, Final

import pytest

from protocols.catalogue import PLACEMENTS, Option, PlacementRow, Row, Setting, pair

PAIRS: Final = [pair(placement, ordering) for placement in PLACEMENTS for ordering in ("rst", "unordered")]
paired = pytest.mark.parametrize("row", PAIRS, ids=lambda row: row.name)

OTHERS: Final = range(10_000, 20_000)
sown = pytest.mark.parametrize(
    "seeds", (range(250), pytest.param(OTHERS, marks=pytest.mark.slow)), ids=("few", "ten-thousand-others")
)

_MANY: Final = 4


def options(row: Row, random: Random) -> Mapping[str, Setting]:
    """Drawn for each option; of numbers, the small ones."""
    return {name: random.choice(_values(option)) for name, option in row.options.items()}


def _values(option: Option) -> tuple[Setting, ...]:
    return tuple(option.values)[:_MANY]


def placed(row: Row) -> PlacementRow:
    return PLACEMENTS[row.placement]


def first_wrong(seeds: Iterable[int], found: Callable[[int], Collection[Any]]) -> tuple[int, Collection[Any]] | None:
    """The first seed with which anything is found, and what; all are tried if there is none."""
    return next(((seed, wrong) for seed in seeds if (wrong := found(seed))), None)
