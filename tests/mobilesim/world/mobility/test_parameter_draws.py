"""Speeds and pauses of the models in which hosts move and pause in turn: as configured, and stationary.
The leader of a group moves in this way too, although it is not a host.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from math import log
from statistics import fmean
from typing import Any, Final

import pytest

from mobilesim.scenario.sections.mobility_models import Group
from mobilesim.world.mobility.models.group import leader
from mobilesim.world.mobility.segments import Segment
from tests.support.plane_worlds import SIDE, S, has_share, is_distributed, length, paths, plane, speed

HOSTS: Final = 1500
SLOW, FAST = 2.0, 8.0
PAUSE: Final = 30.0
KINDS: Final = ("waypoint", "hotspot", "leader", "manhattan")
TIMES: Final = (0, 10, 25, 40, 80, 1000)
"""Times in seconds: at the start, within the first pause, after it, and much later."""


def host_paths_of(kind: str) -> list[Iterator[Segment]]:
    pace: dict[str, Any] = {"min_speed": SLOW, "max_speed": FAST, "pause": "uniform 10 s 50 s"}
    if kind == "leader":
        where = plane("group", radius="50 m", **pace)
        assert where.plane is not None
        walk, cells = Group.model_validate(where.scenario.mobility.model_settings), where.plane
        return [leader(walk, cells, where.streams, number) for number in range(HOSTS)]
    own = {"block": "200 m"} if kind == "manhattan" else {}
    return paths(plane(kind, hosts=HOSTS, **pace, **own))


@cache
def later(kind: str) -> list[Segment]:
    """Return ten segments of every host, without the first segments of its path."""
    return [segment for trajectory in host_paths_of(kind) for segment in islice(trajectory, 6, 16)]


def moves(kind: str) -> list[Segment]:
    return [segment for segment in later(kind) if length(segment) > 0]


def lasted(segment: Segment) -> float:
    return (segment.end - segment.start) / S


@cache
def current_segments(kind: str) -> dict[int, list[Segment]]:
    """Return the current segment of every host at each of TIMES."""
    found: dict[int, list[Segment]] = {time: [] for time in TIMES}
    for trajectory in host_paths_of(kind):
        segment = next(trajectory)
        for time in TIMES:
            while segment.end <= time * S:
                segment = next(trajectory)
            found[time].append(segment)
    return found


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_all_speeds_are_equally_likely(kind: str) -> None:
    assert is_distributed([speed(segment) for segment in moves(kind)], lambda v: (v - SLOW) / (FAST - SLOW))


@pytest.mark.parametrize("kind", KINDS)
def test_each_movement_is_followed_by_a_pause_of_the_configured_length(kind: str) -> None:
    pauses = [lasted(segment) for segment in later(kind) if length(segment) == 0]
    assert len(pauses) == HOSTS * 5
    assert is_distributed(pauses, lambda time: (time - 10) / 40)


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time", TIMES)
def test_the_number_of_pausing_hosts_is_stationary(kind: str, time: int) -> None:
    pausing = sum(length(segment) == 0 for segment in current_segments(kind)[time])
    assert has_share(pausing, HOSTS, PAUSE / (PAUSE + fmean(map(lasted, moves(kind)))))


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time", TIMES)
def test_at_a_given_time_slow_speeds_of_moving_hosts_are_more_frequent(kind: str, time: int) -> None:
    speeds = [speed(segment) for segment in current_segments(kind)[time] if length(segment) > 0]
    assert is_distributed(speeds, lambda v: log(min(max(v, SLOW), FAST) / SLOW) / log(FAST / SLOW))


def test_leaders_walk_everywhere_except_close_to_the_edges() -> None:
    targets = [(segment.to_x, segment.to_y) for segment in moves("leader")]
    for axis in zip(*targets, strict=True):
        assert is_distributed(list(axis), lambda at: (at - 50) / (SIDE - 100))
