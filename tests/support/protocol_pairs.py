"""Pairs of the catalogue, and seeds of random schedules for each pair.

Most seeds are used for one causal ordering and for `unordered`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from random import Random
from typing import Any, Final

import pytest

from mobilesim.protocols.catalogue import PLACEMENTS, pairs
from mobilesim.protocols.catalogue_rows import Option, OptionValue, PlacementRow, ProtocolRow

SLOW_SEEDS: Final = range(10_000, 20_000)
MOST_TESTED: Final = ("rst", "unordered")
PAIRS: Final = [row for row in pairs() if row.ordering in MOST_TESTED]


def _seed_count(row: ProtocolRow) -> int:
    """Return the number of seeds that `make test` uses for a pair. `make test-slow` uses the following seeds."""
    return 50 if row.ordering in MOST_TESTED else 20


def _pairs_with_seeds() -> Iterator[Any]:
    """Yield each pair with its seeds."""
    for row in pairs():
        few = _seed_count(row)
        others = (*range(few, 250), *(SLOW_SEEDS if row.ordering in MOST_TESTED else SLOW_SEEDS[:1_000]))
        yield pytest.param(row, range(few), id=f"{row.name}-few")
        yield pytest.param(row, others, marks=pytest.mark.slow, id=f"{row.name}-others")


with_seeds = pytest.mark.parametrize(("row", "seeds"), list(_pairs_with_seeds()))

_MAX_VALUES: Final = 4


def options(row: ProtocolRow, random: Random) -> Mapping[str, OptionValue]:
    """Return random values of the row's options, for any channels. The values of numeric options are small."""
    needs_fifo, chosen = row.ordering_row.needs_fifo, dict[str, OptionValue]()
    for name, option in row.options.items():
        drawn = random.choice([each for each in _values(option) if (name, each) not in needs_fifo])
        unused = option.needs is not None and option.needs not in chosen.items()
        chosen[name] = option.default if unused else drawn
    return chosen


def _values(option: Option) -> tuple[OptionValue, ...]:
    return tuple(option.values)[:_MAX_VALUES]


def placement_of(row: ProtocolRow) -> PlacementRow:
    return PLACEMENTS[row.placement]


def first_finding(seeds: Iterable[int], found: Callable[[int], Collection[Any]]) -> tuple[int, Collection[Any]] | None:
    """Return the first seed that has findings, and the findings, or None if no seed has any."""
    return next(((seed, wrong) for seed in seeds if (wrong := found(seed))), None)
