"""Exact quantiles of more rows (whole numbers) than fit into memory, in a few passes over the rows.

Rows are assigned to bins by the leading bits of their floating-point form, which has the same order as the rows. The
first pass has about a thousand bins between two powers of two. Only bins with a requested rank are selected. If the
selected rows are few, they are sorted in memory; otherwise the next bits assign them to finer bins. In the last bins,
all rows of a bin are equal.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

PERCENTS: Final = range(101)
MILLION: Final = 1_000_000
TAIL: Final = tuple(sorted({MILLION - round(10 ** (6 - power / 8)) for power in range(17, 49)}))
"""Shares above 99 %, in millionths. The remaining shares fall from 1 % to one in a million in equal ratios."""
SHARES: Final = (*(MILLION // 100 * percent for percent in PERCENTS), *TAIL)
"""The shares of rows, in millionths, of which quantiles are computed."""

Numbers: TypeAlias = npt.NDArray[np.int64]
Pieces: TypeAlias = Callable[[], Iterable[Numbers]]
"""Each call returns all rows, from the first on."""

Level: TypeAlias = tuple[int, Numbers]
"""The shift of the bits that define the bins, and the index of each selected bin; other bins have -1."""

_KEPT: Final = 1 << 22
"""The maximum number of rows in memory."""
_WIDTH: Final = 9
_SHIFTS: Final = (42, 33, 24, 15, 6, 0)
_LEAST: Final = int(np.array(0.5).view(np.int64))
"""The least bits of a row. A row with fewer bits is zero, because rows are whole numbers."""


def quantile_index(share: int, count: int) -> int:
    """Return the index of a quantile in `count` sorted values, by the nearest-rank method. `share`: in millionths."""
    return max(0, -(-share * count // MILLION) - 1)


def quantiles(pieces: Pieces, count: int, kept: int = _KEPT) -> tuple[int, ...]:
    """Return the quantiles of `count` rows at `SHARES`; () without rows. `kept`: the maximum of rows in memory."""
    if not count:
        return ()
    ranks = np.array([quantile_index(share, count) for share in SHARES])
    levels: list[Level] = []
    for shift in _SHIFTS:
        if count <= kept:
            break
        numbers, ranks, count = _narrowed(_histogram(pieces, levels, shift), ranks)
        levels.append((shift, numbers))
    inside = (rows for rows, _, _ in _selected_rows(pieces, levels)) if levels else pieces()
    return tuple((_sorted(inside, ranks) if count <= kept else _counted(inside, ranks)).tolist())


def _selected_rows(pieces: Pieces, levels: list[Level]) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
    """Yield the rows of selected bins, with their bits and the indices of their bins."""
    for piece in pieces():
        rows, bits = piece, np.maximum(piece.astype(np.float64).view(np.int64), _LEAST) - _LEAST
        bins = bits >> (_SHIFTS[0] + _WIDTH)
        for shift, numbers in levels:
            bins = numbers[_finer(bins, bits, shift)]
            selected = bins >= 0
            rows, bits, bins = rows[selected], bits[selected], bins[selected]
        yield rows, bits, bins


def _finer(bins: Numbers, bits: Numbers, shift: int) -> Numbers:
    return (bins << _WIDTH) | ((bits >> shift) & ((1 << _WIDTH) - 1))


def _histogram(pieces: Pieces, levels: list[Level], shift: int) -> Numbers:
    """Return the number of rows in each bin, up to the last bin with rows."""
    total = np.zeros(0, np.int64)
    for _, bits, bins in _selected_rows(pieces, levels):
        counts = np.bincount(_finer(bins, bits, shift), minlength=len(total))
        counts[: len(total)] += total
        total = counts
    return total


def _narrowed(histogram: Numbers, ranks: Numbers) -> tuple[Numbers, Numbers, int]:
    """Select the bins with these ranks.

    Return the new index of each bin (-1 if it is not selected), the ranks among the rows of the selected bins, and the
    number of these rows.
    """
    ends = np.cumsum(histogram)
    bins = np.searchsorted(ends, ranks, side="right")
    selected = np.unique(bins)
    numbers = np.full(len(histogram), -1)
    numbers[selected] = np.arange(len(selected))
    sizes = histogram[selected]
    skipped = (ends[selected] - sizes) - (np.cumsum(sizes) - sizes)
    return numbers, ranks - skipped[numbers[bins]], int(sizes.sum())


def _sorted(pieces: Iterable[Numbers], ranks: Numbers) -> Numbers:
    rows = np.concatenate(list(pieces))
    rows.partition(np.unique(ranks))
    return rows[ranks]


def _counted(pieces: Iterable[Numbers], ranks: Numbers) -> Numbers:
    """Return the rows of these ranks from counts of equal rows, without sorting all rows in memory."""
    counts: Counter[int] = Counter()
    for piece in pieces:
        values, times = np.unique(piece, return_counts=True)
        counts.update(dict(zip(values.tolist(), times.tolist(), strict=True)))
    values, times = np.array(sorted(counts.items())).T
    ranked: Numbers = values[np.searchsorted(np.cumsum(times), ranks, side="right")]
    return ranked
