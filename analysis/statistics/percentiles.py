"""Exact percentiles of more rows than fit into memory, in a few passes over them.

Rows fall into cells by the leading bits of their floating-point form, which is in the order of the rows themselves: a
thousand cells from one power of two to the next. Only the cells that hold a wanted row are looked into: their rows are
kept, or, if they are too many, fall into finer cells by the bits that follow. Where no bits are left rows are equal.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

PERCENTS: Final = range(101)

Numbers: TypeAlias = npt.NDArray[np.int64]
Pieces: TypeAlias = Callable[[], Iterable[Numbers]]
"""All rows, from the first again with every call."""

Level: TypeAlias = tuple[int, Numbers]
"""Which bits tell its cells apart, and the numbers from 0 of those that are looked into; others have -1."""

_KEPT: Final = 1 << 22
_WIDTH: Final = 9
_SHIFTS: Final = (42, 33, 24, 15, 6, 0)
_LEAST: Final = int(np.array(0.5).view(np.int64))
"""In place of all that is below one: of times, that is zero."""


def percentile_index(percent: int, count: int) -> int:
    """Return the index of the least of `count` sorted values that at least `percent` in a hundred do not exceed."""
    return max(0, -(-percent * count // 100) - 1)


def percentiles(pieces: Pieces, count: int, kept: int = _KEPT) -> tuple[int, ...]:
    """From the least to the greatest in steps of a hundredth, of `count` rows. Of none there are none."""
    if not count:
        return ()
    ranks = np.array([percentile_index(percent, count) for percent in PERCENTS])
    levels: list[Level] = []
    for shift in _SHIFTS:
        if count <= kept:
            break
        numbers, ranks, count = _narrowed(_histogram(pieces, levels, shift), ranks)
        levels.append((shift, numbers))
    inside = (rows for rows, _, _ in _sifted(pieces, levels)) if levels else pieces()
    return tuple((_sorted(inside, ranks) if count <= kept else _counted(inside, ranks)).tolist())


def _sifted(pieces: Pieces, levels: list[Level]) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
    """The rows that are in cells which are looked into, with their bits and the numbers of their cells."""
    for piece in pieces():
        rows, bits = piece, np.maximum(piece.astype(np.float64).view(np.int64), _LEAST) - _LEAST
        cells = bits >> (_SHIFTS[0] + _WIDTH)
        for shift, numbers in levels:
            cells = numbers[_finer(cells, bits, shift)]
            found = cells >= 0
            rows, bits, cells = rows[found], bits[found], cells[found]
        yield rows, bits, cells


def _finer(cells: Numbers, bits: Numbers, shift: int) -> Numbers:
    return (cells << _WIDTH) | ((bits >> shift) & ((1 << _WIDTH) - 1))


def _histogram(pieces: Pieces, levels: list[Level], shift: int) -> Numbers:
    """How many rows there are in each cell, as far as there are any."""
    total = np.zeros(0, np.int64)
    for _, bits, cells in _sifted(pieces, levels):
        found = np.bincount(_finer(cells, bits, shift), minlength=len(total))
        found[: len(total)] += total
        total = found
    return total


def _narrowed(histogram: Numbers, ranks: Numbers) -> tuple[Numbers, Numbers, int]:
    """The cells that hold these ranks, the ranks among the rows of those alone, and how many rows that are."""
    ends = np.cumsum(histogram)
    places = np.searchsorted(ends, ranks, side="right")
    wanted = np.unique(places)
    numbers = np.full(len(histogram), -1)
    numbers[wanted] = np.arange(len(wanted))
    sizes = histogram[wanted]
    skipped = (ends[wanted] - sizes) - (np.cumsum(sizes) - sizes)
    return numbers, ranks - skipped[numbers[places]], int(sizes.sum())


def _sorted(pieces: Iterable[Numbers], ranks: Numbers) -> Numbers:
    rows = np.concatenate(list(pieces))
    rows.partition(np.unique(ranks))
    return rows[ranks]


def _counted(pieces: Iterable[Numbers], ranks: Numbers) -> Numbers:
    """Of too many rows, which for once are few that come again and again."""
    counts: Counter[int] = Counter()
    for piece in pieces:
        values, times = np.unique(piece, return_counts=True)
        counts.update(dict(zip(values.tolist(), times.tolist(), strict=True)))
    values, times = np.array(sorted(counts.items())).T
    found: Numbers = values[np.searchsorted(np.cumsum(times), ranks, side="right")]
    return found
