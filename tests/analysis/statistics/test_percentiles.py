"""Percentiles computed in a few passes, compared with percentiles of all sorted rows."""

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mobilesim.analysis.statistics.percentiles import SHARES, Numbers, quantile_index, quantiles

WHOLE = st.integers(-(2**63), 2**63 - 1)
TIMES = st.integers(0, 2**40)
CLOSE = st.integers(2**40, 2**40 + 50)
FEW = st.sampled_from([0, 1, 7, 10**9])
RUNS = st.one_of([st.lists(st.lists(rows, max_size=40), max_size=12) for rows in (WHOLE, TIMES, CLOSE, FEW)])


def pieces(runs: list[list[int]]) -> list[Numbers]:
    return [np.array(run, np.int64) for run in runs]


def reference(runs: list[list[int]]) -> tuple[int, ...]:
    rows = sorted(row for run in runs for row in run)
    return tuple(rows[quantile_index(share, len(rows))] for share in SHARES) if rows else ()


@pytest.mark.full
@given(RUNS, st.integers(0, 60))
@example([[], [5] * 40, [], [5] * 40], 0)
@example([[-3, 2**63 - 1, -(2**63), 0, 2**53, 2**53 + 1]], 0)
def test_percentiles_equal_those_of_all_sorted_rows(runs: list[list[int]], kept: int) -> None:
    assert quantiles(lambda: pieces(runs), sum(map(len, runs)), kept) == reference(runs)


@pytest.mark.parametrize(
    "draw",
    (
        lambda random: random.lognormal(18, 2, 20_000),
        lambda random: random.exponential(1e8, 20_000),
        lambda random: random.integers(10**11, 10**11 + 1_000, 20_000),
        lambda _: np.full(20_000, 5_340_000),
    ),
    ids=("spread over many powers", "exponential", "close together", "equal"),
)
def test_few_rows_are_in_memory_at_a_time(draw: Callable[[np.random.Generator], Numbers]) -> None:
    rows = draw(np.random.default_rng(7)).astype(np.int64)
    passes = []

    def again() -> Iterator[Numbers]:
        passes.append(len(rows))
        yield from np.array_split(rows, 16)

    found = quantiles(again, len(rows), kept=2_000)
    rows.sort()
    assert found == tuple(rows[[quantile_index(share, len(rows)) for share in SHARES]].tolist())
    assert 2 <= len(passes) <= 7


@given(st.integers(0, 100), st.integers(1, 500))
def test_a_rank_is_the_first_index_that_reaches_its_share(percent: int, count: int) -> None:
    index = quantile_index(10_000 * percent, count)
    assert 0 <= index < count
    assert Fraction(index + 1, count) >= Fraction(percent, 100)
    assert index == 0 or Fraction(index, count) < Fraction(percent, 100)
