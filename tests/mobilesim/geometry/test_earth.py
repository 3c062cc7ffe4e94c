"""Distances and projections of geographic points, compared with surveyed and published values."""

from itertools import combinations
from math import atan2, cos, degrees, dist, hypot, radians
from random import Random
from typing import Final

import pytest

from mobilesim.geometry.earth import GeoPoint, TangentPlane

# Geoscience Australia's example of Vincenty's formulae
FLINDERS_PEAK: Final = GeoPoint(-(37 + 57 / 60 + 3.72030 / 3600), 144 + 25 / 60 + 29.52440 / 3600)
BUNINYONG: Final = GeoPoint(-(37 + 39 / 60 + 10.15610 / 3600), 143 + 55 / 60 + 35.38390 / 3600)
LENGTH: Final = 54_972.271
AZIMUTH: Final = 306 + 52 / 60 + 5.37 / 3600


def test_a_surveyed_line_has_its_length() -> None:
    assert FLINDERS_PEAK.distance(BUNINYONG) == pytest.approx(LENGTH, abs=1e-3)
    assert BUNINYONG.distance(FLINDERS_PEAK) == pytest.approx(LENGTH, abs=1e-3)


def test_a_surveyed_line_has_its_length_and_direction_on_the_plane() -> None:
    east, north = TangentPlane(FLINDERS_PEAK).project(BUNINYONG)
    assert hypot(east, north) == pytest.approx(LENGTH, abs=1e-3)
    assert degrees(atan2(east, north)) % 360 == pytest.approx(AZIMUTH, abs=1e-5)


@pytest.mark.parametrize(
    ("one", "other", "metres", "tolerance"),
    (
        (GeoPoint(0, 0), GeoPoint(0, 1), 111_319.491, 0.01),
        (GeoPoint(0, 0), GeoPoint(1, 0), 110_574.389, 0.02),
        (GeoPoint(89, 0), GeoPoint(90, 0), 111_693.865, 0.02),
        (GeoPoint(0, 0), GeoPoint(90, 0), 10_001_965.729, 15_000),
        (GeoPoint(47, 8), GeoPoint(47, 8), 0, 0),
    ),
)
def test_distances_are_those_on_the_ellipsoid(one: GeoPoint, other: GeoPoint, metres: float, tolerance: float) -> None:
    assert one.distance(other) == pytest.approx(metres, abs=tolerance)


@pytest.mark.parametrize("latitude", (0.0, 45.0, -60.0, 75.0, 89.9))
@pytest.mark.parametrize(("reach", "error"), ((60_000, 1e-4), (1_000_000, 5e-3)))
def test_distances_on_the_plane_are_accurate_around_the_reference(latitude: float, reach: float, error: float) -> None:
    random, reference = Random(1), GeoPoint(latitude, 179.0)
    plane, high = TangentPlane(reference), degrees(reach / 6.37e6)
    wide = min(180.0, high / cos(radians(latitude)))
    drawn = (
        GeoPoint(min(90.0, latitude + high * random.uniform(-1, 1)), 179.0 + wide * random.uniform(-1, 1))
        for _ in range(60)
    )
    points = [point for point in drawn if reference.distance(point) < reach]
    assert len(points) > 20
    for one, other in combinations(points, 2):
        assert dist(plane.project(one), plane.project(other)) == pytest.approx(
            one.distance(other), rel=error, abs=reach * error / 10
        )


def test_points_keep_their_distance_from_the_reference_even_beyond_the_horizon() -> None:
    plane, far = TangentPlane(GeoPoint(47, 8)), GeoPoint(-33.9, 151.2)
    assert hypot(*plane.project(far)) == pytest.approx(GeoPoint(47, 8).distance(far))
