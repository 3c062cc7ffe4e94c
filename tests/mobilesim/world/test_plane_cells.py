"""Cells on a plane: their adjacency, their regions, and the nearest station."""

from fractions import Fraction
from itertools import combinations, pairwise
from math import inf, pi, sqrt
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mobilesim.errors import UserError
from mobilesim.geometry.voronoi import Polygon, Site, regions
from mobilesim.scenario.sections.cells import Cells
from mobilesim.world.cells import neighbours, plane_cells
from mobilesim.world.plane_cells import PlaneCells

WIDTH, HEIGHT = 64, 40

INNER: Final = st.tuples(st.integers(1, WIDTH - 1), st.integers(1, HEIGHT - 1))
SCATTERED: Final = st.lists(INNER, min_size=1, max_size=12, unique=True)
IN_LINE: Final = st.builds(
    lambda start, step, count: [
        (x, y)
        for x, y in ((start[0] + turn * step[0], start[1] + turn * step[1]) for turn in range(count))
        if 0 < x < WIDTH and 0 < y < HEIGHT
    ],
    INNER,
    st.tuples(st.integers(-9, 9), st.integers(1, 9)),
    st.integers(1, 12),
)
IN_ROWS: Final = st.builds(
    lambda start, step, rows, columns: [
        (start[0] + column * step, start[1] + row * step) for row in range(rows) for column in range(columns)
    ],
    st.tuples(st.integers(1, 20), st.integers(1, 20)),
    st.integers(1, 6),
    st.integers(1, 4),
    st.integers(1, 4),
)
IN_HEAPS: Final = st.builds(
    lambda middles, steps: sorted(
        {(min(x + right, WIDTH - 1), min(y + up, HEIGHT - 1)) for x, y in middles for right, up in steps}
    ),
    st.lists(INNER, min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=4, unique=True),
)
ROUND_A_MIDDLE: Final = [(30 + x, 20 + y) for x, y in ((5, 0), (4, 3), (3, 4), (0, 5), (-3, 4), (-5, 0), (0, -5))]
SITES: Final = SCATTERED | IN_LINE | IN_ROWS | IN_HEAPS
PLACE: Final = st.tuples(st.floats(-WIDTH, 2 * WIDTH), st.floats(-HEIGHT, 2 * HEIGHT))


def plane_of(sites: list[tuple[int, int]], radius: float | None = None) -> PlaneCells:
    found = regions(sites, WIDTH, HEIGHT)
    return PlaneCells(tuple(sites), found.neighbours, WIDTH, HEIGHT, found.rim, radius)


def lattice(**settings: Any) -> PlaneCells:  # noqa: ANN401 - settings
    return plane_cells(Cells.model_validate(settings))


def have_a_border(sites: list[tuple[int, int]], one: int, other: int) -> bool:
    """Return whether two sites are adjacent by definition: no other site is nearer to a part of their bisector within
    the rectangle.
    A point on the bisector is the midpoint plus a multiple of its direction. The multiple is from `low` to `high`.
    """
    (one_x, one_y), (other_x, other_y) = sites[one], sites[other]
    middle = Fraction(one_x + other_x, 2), Fraction(one_y + other_y, 2)
    across = one_y - other_y, other_x - one_x
    limits = [((-1, 0), 0), ((1, 0), WIDTH), ((0, -1), 0), ((0, 1), HEIGHT)]
    for x, y in (site for place, site in enumerate(sites) if place not in {one, other}):
        normal = 2 * (x - one_x), 2 * (y - one_y)
        limits.append((normal, x * x + y * y - one_x * one_x - one_y * one_y))
    low: Fraction | float = -inf
    high: Fraction | float = inf
    for (right, up), most in limits:
        slope, left = right * across[0] + up * across[1], most - right * middle[0] - up * middle[1]
        if slope > 0:
            high = min(high, left / slope)
        elif slope < 0:
            low = max(low, left / slope)
        elif left <= 0:
            return False
    return low < high


def area(polygon: Polygon) -> float:
    return sum(x * after_y - after_x * y for (x, y), (after_x, after_y) in pairwise([*polygon, polygon[0]])) / 2


@given(SITES)
@example(ROUND_A_MIDDLE)
@example([(1, 1)])
def test_cells_touch_if_their_voronoi_regions_share_a_border(sites: list[tuple[int, int]]) -> None:
    touching = plane_of(sites).neighbours
    for one, other in combinations(range(len(sites)), 2):
        assert (other in touching[one]) == (one in touching[other]) == have_a_border(sites, one, other), (one, other)
    assert all(site not in around for site, around in enumerate(touching))


@given(SITES)
@example(ROUND_A_MIDDLE)
def test_regions_partition_the_rectangle_by_the_nearest_site(sites: list[tuple[int, int]]) -> None:
    plane = plane_of(sites)
    polygons = plane.polygons()
    assert sum(map(area, polygons)) == pytest.approx(WIDTH * HEIGHT)
    for cell, polygon in enumerate(polygons):
        assert area(polygon) > 0
        for x, y in polygon:
            assert -1e-9 < x < WIDTH + 1e-9
            assert -1e-9 < y < HEIGHT + 1e-9
            least = min(plane.squared(other, x, y) for other in range(len(sites)))
            assert plane.squared(cell, x, y) == pytest.approx(least, rel=1e-9, abs=1e-9)


@given(SITES, PLACE, st.integers(0, 11))
@example(ROUND_A_MIDDLE, (30.0, 20.0), 3)
@example([(1, 20), (32, 5), (63, 20)], (30.0, 79.0), 2)  # the regions of the first and last site meet outside
def test_the_nearest_site_is_found_from_any_cell_and_any_point(
    sites: list[tuple[int, int]], place: tuple[float, float], start: int
) -> None:
    plane = plane_of(sites)
    found = plane.nearest(*place, near=start % len(sites))
    least = min(plane.squared(cell, *place) for cell in range(len(sites)))
    assert plane.squared(found, *place) == pytest.approx(least, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("shape", ("grid", "hex"))
@pytest.mark.parametrize("size", ((1, 1), (1, 5), (5, 1), (2, 2), (6, 7), (9, 4)), ids=str)
def test_the_cells_of_a_lattice_are_the_regions_of_its_sites(shape: str, size: tuple[int, int]) -> None:
    plane = lattice(shape=shape, rows=size[0], columns=size[1], spacing="120 m")
    found = regions(plane.sites, plane.width, plane.height)
    assert plane.neighbours == found.neighbours
    assert set(found.rim) <= set(plane.rim)


def test_squares_have_the_width_of_the_spacing_and_fill_the_plane() -> None:
    plane = lattice(rows=2, columns=3, spacing="100 m")
    assert list(plane.sites) == [(50, 50), (150, 50), (250, 50), (50, 150), (150, 150), (250, 150)]
    assert (plane.width, plane.height) == (300, 200)
    assert {area(polygon) for polygon in plane.polygons()} == {100 * 100}


def test_hexagons_have_the_spacing_to_their_six_neighbours() -> None:
    plane = lattice(shape="hex", rows=5, columns=5, spacing="80 m")
    middle = 12
    assert [sqrt(plane.squared(other, *plane.sites[middle])) for other in plane.neighbours[middle]] == pytest.approx(
        [80] * 6
    )
    assert area(plane.polygons()[middle]) == pytest.approx(80 * 80 * sqrt(3) / 2)


def test_every_place_is_covered_unless_stations_have_a_radius() -> None:
    assert lattice(rows=1, columns=2).covers(0, 999, 0)
    plane = lattice(rows=1, columns=2, spacing="100 m", radius="30 m")
    assert plane.covers(0, 50, 79)
    assert plane.covers(0, 50, 80)
    assert not plane.covers(0, 50, 81)
    assert not plane.covers(1, 50, 50)


def test_a_graph_of_cells_has_no_plane() -> None:
    with pytest.raises(UserError, match=r"^cells\.shape: a graph has no coordinates; write 'grid', 'hex', or 'sites' "):
        lattice(shape="graph", edges=[[0, 1]])


@pytest.mark.parametrize("shape", ("grid", "hex"))
def test_the_neighbours_of_cells_are_those_of_their_plane(shape: str) -> None:
    cells = Cells.model_validate({"shape": shape, "rows": 4, "columns": 3})
    assert neighbours(cells) == plane_cells(cells).neighbours


def test_sites_rounded_from_a_lattice_have_the_borders_of_the_lattice() -> None:
    sites: list[Site] = [(column * 0.1, row * 0.1) for row in range(1, 7) for column in range(1, 7)]
    assert max(map(len, regions(sites, 0.7, 0.7).neighbours)) == 4


@pytest.mark.parametrize(
    ("radius", "share"), ((None, 0.0), ("250 m", 1 - pi / 4), ("400 m", 0.0), ("100 m", 1 - pi / 25))
)
def test_the_uncovered_share_of_the_plane_is_measured(radius: str | None, share: float) -> None:
    cells = {"rows": 3, "columns": 4, "spacing": "500 m", "radius": radius}
    assert plane_cells(Cells.model_validate(cells)).unreached() == pytest.approx(share, abs=0.01)
