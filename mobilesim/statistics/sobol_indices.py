"""First-order and total Sobol indices with confidence intervals, from the matrices of Saltelli et al. (2010).

The first-order index of a factor is the share of the variance of an output that the factor explains alone; the total
index also has its interactions with other factors. A and B have independent rows of factors; the matrix of factor i has
the rows of A with factor i of B. First-order indices are estimated as by Saltelli et al., total ones as by Jansen
(1999).

An output is a mean over random replications. The same replications are used at all points, so a product of outputs of
one replication would have the variance of the replication in it, and total indices would be too large. Therefore each
product is one of outputs of two different replications: its mean has no noise, and the indices are those of the
expected output. With one replication this is impossible, and the indices are those of the output of this replication.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]

_RESAMPLES: Final = 1_000
_ENDS: Final = (2.5, 97.5)
MIN_ROWS: Final = 8
"""With fewer rows, resampling says little about the uncertainty of an index."""


@dataclass(frozen=True, slots=True)
class Index:
    """A Sobol index with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SobolIndices:
    """The indices of all factors. `rows`: the number of rows of A.

    `noise`: the share of the variance between single runs that is between replications of equal points; None with one
    replication.
    """

    first: tuple[Index, ...]
    total: tuple[Index, ...]
    rows: int
    replications: int
    noise: float | None


def sobol_indices(a: Array, b: Array, mixed: Array) -> SobolIndices | None:
    """Return the indices; None with too few rows, or if the output does not vary significantly between points.

    `a`, `b`: outputs by row and replication. `mixed`: those of the matrix of each factor.
    """
    rows, replications = a.shape
    if rows < MIN_ROWS:
        return None
    means = (a.mean(axis=0) + b.mean(axis=0)) / 2
    spread = max(np.ptp(a), np.ptp(b))
    if not spread:
        return None
    a, b, mixed = (a - means) / spread, (b - means) / spread, (mixed - means) / spread
    draws = np.random.default_rng(0)
    row_weights = np.vstack([np.full(rows, 1 / rows), draws.multinomial(rows, [1 / rows] * rows, _RESAMPLES) / rows])
    pairs = np.stack(
        [_pairs(np.ones(replications)), *(_pairs(_counts(draws, replications)) for _ in range(_RESAMPLES))]
    )
    products = _Products(row_weights, pairs)
    centre = row_weights @ ((a + b) / 2)
    variance = (products.mean(a, a) + products.mean(b, b)) / 2 - np.einsum("nr,nrs,ns->n", centre, pairs, centre)
    if np.percentile(variance[1:], _ENDS[0]) <= 0 or variance[0] <= 0:
        return None
    first = tuple(_index(products.mean(b, each - a) / variance) for each in mixed)
    total = tuple(_index(products.mean(a - each, a - each) / 2 / variance) for each in mixed)
    return SobolIndices(first, total, rows, replications, _noise(a, b, float(variance[0])))


@dataclass(frozen=True, slots=True)
class _Products:
    """The estimate and its resamples. `rows`: the weights of rows. `pairs`: the weights of pairs of replications."""

    rows: Array
    pairs: Array

    def mean(self, left: Array, right: Array) -> Array:
        """Return for each resample the weighted mean of the products of outputs of two replications."""
        count = left.shape[1]
        products = (left[:, :, None] * right[:, None, :]).reshape(len(left), count * count)
        by_pair = (self.rows @ products).reshape(-1, count, count)
        return np.asarray((by_pair * self.pairs).sum(axis=(1, 2)))


def _pairs(counts: Array) -> Array:
    """Return the weights of pairs of different replications, with these numbers of copies of each replication."""
    weights = np.outer(counts, counts)
    if len(counts) > 1:
        np.fill_diagonal(weights, 0)
    return np.asarray(weights / weights.sum())


def _counts(draws: np.random.Generator, replications: int) -> Array:
    """Return how often each replication is in a resample with at least two different ones."""
    while True:
        counts = draws.multinomial(replications, [1 / replications] * replications)
        if replications == 1 or np.count_nonzero(counts) > 1:
            return counts.astype(float)


def _index(values: Array) -> Index:
    low, high = np.percentile(values[1:], _ENDS)
    return Index(float(values[0]), float(low), float(high))


def _noise(a: Array, b: Array, variance: float) -> float | None:
    if a.shape[1] == 1:
        return None
    within = float((a.var(axis=1, ddof=1).mean() + b.var(axis=1, ddof=1).mean()) / 2)
    return within / (within + variance)
