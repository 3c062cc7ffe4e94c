"""Sobol sequences and Latin hypercubes: their stratification, and that points remain when points are added."""

import pytest

from mobilesim.statistics.latin_hypercube import latin_hypercube
from mobilesim.statistics.sobol_sequence import DIMENSIONS, shifted_points, sobol_points

PUBLISHED = (
    (0.5, 0.5, 0.5, 0.5, 0.5),
    (0.75, 0.25, 0.25, 0.25, 0.75),
    (0.25, 0.75, 0.75, 0.75, 0.25),
    (0.375, 0.375, 0.625, 0.875, 0.375),
    (0.875, 0.875, 0.125, 0.375, 0.875),
)
"""The first points after the origin, with the direction numbers of Joe and Kuo."""


def test_the_sequence_has_the_published_points() -> None:
    assert tuple(shifted_points(6, [0] * 5)[1:]) == PUBLISHED


@pytest.mark.parametrize("seed", (0, 1, 77))
def test_every_dimension_of_a_sobol_sequence_has_one_point_in_each_dyadic_interval(seed: int) -> None:
    points = sobol_points(256, DIMENSIONS, seed)
    for column in zip(*points, strict=True):
        for power in range(9):
            assert sorted(int(number * 2**power) for number in column[: 2**power]) == list(range(2**power))


def test_pairs_of_the_first_dimensions_fill_the_square_evenly() -> None:
    points = sobol_points(1024, 2, 5)
    for power in range(11):
        boxes = {(int(x * 2**power), int(y * 2 ** (10 - power))) for x, y in points}
        assert len(boxes) == 1024


def test_no_two_dimensions_are_equal() -> None:
    columns = list(zip(*shifted_points(64, [0] * DIMENSIONS), strict=True))
    assert len(set(columns)) == DIMENSIONS


@pytest.mark.parametrize("count", (1, 2, 3, 12, 64, 96, 100))
def test_every_interval_of_a_latin_hypercube_has_one_point(count: int) -> None:
    for column in zip(*latin_hypercube(count, 4, 9), strict=True):
        assert sorted(int(number * count) for number in column) == list(range(count))


def test_points_remain_when_a_sample_is_extended() -> None:
    assert sobol_points(50, 3, 7) == sobol_points(200, 3, 7)[:50]
    assert latin_hypercube(24, 3, 7) == latin_hypercube(96, 3, 7)[:24]


def test_another_seed_gives_other_points() -> None:
    assert not set(sobol_points(64, 3, 1)) & set(sobol_points(64, 3, 2))
    assert not set(latin_hypercube(64, 3, 1)) & set(latin_hypercube(64, 3, 2))
