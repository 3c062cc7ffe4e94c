"""The models `group`, `commuter`, `hotspot` and `stampede`, compared with their definitions."""

from itertools import islice
from math import atan2, hypot, log, pi, sqrt
from statistics import fmean
from typing import Final

import pytest

from mobilesim.errors import UserError
from mobilesim.scenario.sections.mobility_models import Group
from mobilesim.world.mobility.models.group import leader
from tests.support.plane_worlds import (
    SIDE,
    SIGMAS,
    S,
    at,
    first,
    has_mean,
    has_share,
    is_distributed,
    length,
    mean_distance,
    paths,
    places,
    plane,
    speed,
)

# Groups


def test_members_are_anywhere_within_the_radius_of_their_leader() -> None:
    where = plane("group", hosts=60, size=3, radius="80 m", step="5 s")
    assert where.plane is not None
    times = range(0, 250 * S, 5 * S)
    walk = Group.model_validate(where.scenario.mobility.model_settings)
    off = []
    for host, trajectory in enumerate(paths(where)):
        ahead = at(leader(walk, where.plane, where.streams, host // 3), times)
        off += [(x - to_x, y - to_y) for (x, y), (to_x, to_y) in zip(at(trajectory, times), ahead, strict=True)]
    assert is_distributed([hypot(*apart) for apart in off], lambda far: far / 80)
    assert is_distributed([atan2(y, x) for x, y in off], lambda angle: (angle + pi) / (2 * pi))


def test_members_of_a_group_stay_together_and_groups_do_not() -> None:
    (points,) = places(plane("group", hosts=40, size=4, radius="30 m"), 500 * S)
    apart = {
        same: [
            hypot(x - to_x, y - to_y)
            for one, (x, y) in enumerate(points)
            for other, (to_x, to_y) in enumerate(points)
            if one < other and (one // 4 == other // 4) is same
        ]
        for same in (True, False)
    }
    assert max(apart[True]) <= 60
    assert fmean(apart[False]) > 500


def test_a_group_larger_than_the_plane_is_refused() -> None:
    with pytest.raises(
        UserError, match=r"^mobility\.group\.radius: 1000 m around a leader do not fit a plane of 2000 m"
    ):
        plane("group", radius="1 km")


# Commuters

HOUR: Final = 3600 * S


def test_commuters_travel_in_rush_hours_between_home_and_work() -> None:
    where = plane("commuter", hosts=1500, start_time="6 h", downtown="200 m")
    home, noon, evening, night = places(where, 0, 6 * HOUR, 14 * HOUR, 22 * HOUR)
    assert home == evening == night
    assert all(hypot(x - 1000, y - 1000) <= 200.001 for x, y in noon)
    assert is_distributed([x for x, _ in home], lambda x: x / SIDE)
    trips = [[segment for segment in islice(trajectory, 8) if length(segment) > 0] for trajectory in paths(where)]
    for trip, begin in ((0, 1), (1, 10), (2, 25)):
        left = [each[trip].start / HOUR - begin for each in trips]
        assert is_distributed(left, lambda part: min(max(part, 0), 1))
    assert is_distributed([speed(each[0]) for each in trips], lambda v: min(max((v - 5) / 10, 0), 1))


def test_commuters_arrive_at_work_within_the_rush_hour_plus_the_longest_trip() -> None:
    where = plane("commuter", hosts=300)
    arrived = [next(segment.end for segment in trajectory if length(segment) > 0) for trajectory in paths(where)]
    assert max(arrived) <= HOUR + hypot(SIDE, SIDE) / 5 * S
    assert fmean(arrived) / S == pytest.approx(1800 + mean_distance(SIDE, SIDE) * log(3) / 10, rel=0.1)


def test_a_scenario_may_begin_during_a_trip() -> None:
    early, late = (plane("commuter", hosts=50, start_time=begins) for begins in ("7 h", "7.5 h"))
    pairs = zip(places(late, 0, HOUR), places(early, HOUR // 2, HOUR * 3 // 2), strict=True)
    assert all(one == pytest.approx(other) for points in pairs for one, other in zip(*points, strict=True))


def test_a_commuter_who_arrives_after_the_evening_began_leaves_at_once() -> None:
    slow = {"min_speed": "0.1 m/s", "max_speed": "0.1 m/s", "rush": "0 s", "morning": "7 h", "evening": "7.1 h"}
    for trajectory in first(plane("commuter", hosts=20, **slow), 3):
        moved = [segment for segment in trajectory if length(segment) > 0]
        assert moved[1].start == max(moved[0].end, HOUR // 10)


# Hot spots and stampedes


def test_destinations_are_in_the_hot_spot_with_the_configured_probability() -> None:
    where = plane("hotspot", hosts=200, attraction=0.3, centre=["300 m", "400 m"], radius="100 m")
    targets = [(segment.to_x, segment.to_y) for trajectory in first(where, 22) for segment in trajectory[2:]]
    close = [far for x, y in targets if (far := hypot(x - 300, y - 400)) <= 100]
    by_chance = 0.7 * pi * 100**2 / SIDE**2
    assert has_share(len(close), len(targets), 0.3 + by_chance)
    assert is_distributed(close, lambda far: (far / 100) ** 2)


@pytest.mark.full
@pytest.mark.parametrize("attraction", (0.5, 1.0))
def test_distances_to_a_hot_spot_are_stationary_from_the_start(attraction: float) -> None:
    where = plane("hotspot", hosts=2500, attraction=attraction, radius="200 m", max_speed="10 m/s", pause="30 s")
    far = [[hypot(x - 1000, y - 1000) for x, y in points] for points in places(where, 0, 2000 * S)]
    now, later = (sum(each < 100 for each in points) / len(points) for points in far)
    assert abs(now - later) < SIGMAS * sqrt(2 * now * (1 - now) / 2500)


def test_a_spot_outside_of_the_plane_is_refused() -> None:
    with pytest.raises(
        UserError, match=r"^mobility\.hotspot\.centre: \(2001 m, 0 m\) is outside of the plane of 2000 m"
    ):
        plane("hotspot", centre=["2001 m", "0 m"])


STAMPEDE: Final = {
    "centre": ["500 m", "600 m"],
    "radius": "40 m",
    "start_time": "100 s",
    "min_speed": "20 m/s",
    "max_speed": "20 m/s",
}


def test_in_a_stampede_hosts_move_to_one_place_and_back_home() -> None:
    where = plane("stampede", hosts=300, **STAMPEDE, reaction="5 s", stay="200 s")
    before, there, after = places(where, 104 * S, 240 * S, 600 * S)
    assert before == places(where, 0)[0] == after
    assert all(hypot(x - 500, y - 600) <= 40.001 for x, y in there)
    assert is_distributed([x for x, _ in before], lambda x: x / SIDE)


def test_stampeding_hosts_have_random_speeds_and_random_stops() -> None:
    where = plane(
        "stampede", hosts=1500, centre=["1000 m", "900 m"], radius="120 m", min_speed="3 m/s", max_speed="9 m/s"
    )
    runs = [[segment for segment in trajectory if length(segment) > 0] for trajectory in first(where, 4)]
    assert {len(segments) for segments in runs} == {2}
    for back in (0, 1):
        assert is_distributed([speed(segments[back]) for segments in runs], lambda v: (v - 3) / 6)
    off = [(segments[0].to_x - 1000, segments[0].to_y - 900) for segments in runs]
    assert is_distributed([hypot(*apart) for apart in off], lambda far: (far / 120) ** 2)
    assert is_distributed([atan2(y, x) for x, y in off], lambda angle: (angle + pi) / (2 * pi))


def test_a_share_of_the_hosts_joins_a_stampede_after_reaction_times() -> None:
    where = plane("stampede", hosts=1500, **STAMPEDE, share=0.3, reaction="exponential 10 s")
    gone = [next((segment for segment in trajectory if length(segment) > 0), None) for trajectory in first(where, 2)]
    runners = [segment for segment in gone if segment is not None]
    assert has_share(len(runners), 1500, 0.3)
    assert has_mean([segment.start / S - 100 for segment in runners], 10.0)


def test_a_stampede_may_be_repeated() -> None:
    where = plane("stampede", hosts=40, **STAMPEDE, interval="10 min", reaction="0 s", share=0.5)
    starts = [
        segment.start
        for trajectory in first(where, 40)
        for segment in trajectory
        if length(segment) > 0 and hypot(segment.x - 500, segment.y - 600) > 41
    ]
    assert {start % (600 * S) for start in starts} == {100 * S}
    assert len({start // (600 * S) for start in starts}) > 5
