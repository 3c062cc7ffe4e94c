"""Pairs and seeds of random schedules: most seeds for one causal ordering and for `unordered`."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from random import Random
from typing import Any, Final

import pytest

from protocols.catalogue import PLACEMENTS, pairs
from protocols.catalogue_rows import Option, OptionValue, PlacementRow, ProtocolRow

OTHERS: Final = range(10_000, 20_000)
MOST: Final = ("rst", "unordered")
PAIRS: Final = [row for row in pairs() if row.ordering in MOST]


def _few(row: ProtocolRow) -> int:
    """Return how many seeds `make test` takes for a pair; `make test-slow` continues from there."""
    return 100 if row.ordering in MOST else 40


def _sown() -> Iterator[Any]:
    """Yield each pair with its seeds."""
    for row in pairs():
        few = _few(row)
        others = (*range(few, 250), *(OTHERS if row.ordering in MOST else OTHERS[:1_000]))
        yield pytest.param(row, range(few), id=f"{row.name}-few")
        yield pytest.param(row, others, marks=pytest.mark.slow, id=f"{row.name}-others")


sown = pytest.mark.parametrize(("row", "seeds"), list(_sown()))

_MANY: Final = 4


def options(row: ProtocolRow, random: Random) -> Mapping[str, OptionValue]:
    """Return random settings of the row's options; for numbers, small values."""
    return {name: random.choice(_values(option)) for name, option in row.options.items()}


def _values(option: Option) -> tuple[OptionValue, ...]:
    return tuple(option.values)[:_MANY]


def placed(row: ProtocolRow) -> PlacementRow:
    return PLACEMENTS[row.placement]


def first_wrong(seeds: Iterable[int], found: Callable[[int], Collection[Any]]) -> tuple[int, Collection[Any]] | None:
    """Return the first seed with findings, and the findings, or None after all seeds."""
    return next(((seed, wrong) for seed in seeds if (wrong := found(seed))), None)
