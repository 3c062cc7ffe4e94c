"""What models share whose hosts walk, pause and walk on: speeds and pauses as their settings say, and steady over time.

The leader of a group is one of them, though no host.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from math import log
from statistics import fmean
from typing import Any, Final

import pytest

from mobilesim.scenario.sections.mobility_models import Group
from mobilesim.world.mobility import Leg
from mobilesim.world.mobility.models.group import leader
from tests.support.plane_worlds import SIDE, S, has_share, is_distributed, length, plane, speed, ways

HOSTS: Final = 1500
SLOW, FAST = 2.0, 8.0
PAUSE: Final = 30.0
HABITS: Final = ("waypoint", "hotspot", "leader", "manhattan")
TIMES: Final = (0, 10, 25, 40, 80, 1000)
"""In seconds: at the start, within the first pause, after it, and long after."""


def walkers(habit: str) -> list[Iterator[Leg]]:
    pace: dict[str, Any] = {"slowest": SLOW, "fastest": FAST, "pause": "uniform 10 s 50 s"}
    if habit == "leader":
        where = plane("group", radius="50 m", **pace)
        assert where.ground is not None
        walk, ground = Group.model_validate(where.scenario.mobility.walk), where.ground
        return [leader(walk, ground, where.streams, number) for number in range(HOSTS)]
    own = {"block": "200 m"} if habit == "manhattan" else {}
    return ways(plane(habit, hosts=HOSTS, **pace, **own))


@cache
def later(habit: str) -> list[Leg]:
    """Ten legs of everybody, when the first ones are over."""
    return [leg for way in walkers(habit) for leg in islice(way, 6, 16)]


def moves(habit: str) -> list[Leg]:
    return [leg for leg in later(habit) if length(leg) > 0]


def lasted(leg: Leg) -> float:
    return (leg.end - leg.start) / S


@cache
def met(habit: str) -> dict[int, list[Leg]]:
    """What everybody is doing at these times."""
    found: dict[int, list[Leg]] = {time: [] for time in TIMES}
    for way in walkers(habit):
        leg = next(way)
        for time in TIMES:
            while leg.end <= time * S:
                leg = next(way)
            found[time].append(leg)
    return found


@pytest.mark.full
@pytest.mark.parametrize("habit", HABITS)
def test_all_speeds_are_equally_likely(habit: str) -> None:
    assert is_distributed([speed(leg) for leg in moves(habit)], lambda v: (v - SLOW) / (FAST - SLOW))


@pytest.mark.parametrize("habit", HABITS)
def test_pauses_last_as_long_as_is_said_one_after_each_leg(habit: str) -> None:
    pauses = [lasted(leg) for leg in later(habit) if length(leg) == 0]
    assert len(pauses) == HOSTS * 5
    assert is_distributed(pauses, lambda time: (time - 10) / 40)


@pytest.mark.full
@pytest.mark.parametrize("habit", HABITS)
@pytest.mark.parametrize("time", TIMES)
def test_as_many_pause_at_any_time(habit: str, time: int) -> None:
    pausing = sum(length(leg) == 0 for leg in met(habit)[time])
    assert has_share(pausing, HOSTS, PAUSE / (PAUSE + fmean(map(lasted, moves(habit)))))


@pytest.mark.full
@pytest.mark.parametrize("habit", HABITS)
@pytest.mark.parametrize("time", TIMES)
def test_slow_hosts_are_met_under_way_more_often_than_fast_ones(habit: str, time: int) -> None:
    speeds = [speed(leg) for leg in met(habit)[time] if length(leg) > 0]
    assert is_distributed(speeds, lambda v: log(min(max(v, SLOW), FAST) / SLOW) / log(FAST / SLOW))


def test_leaders_walk_anywhere_but_close_to_the_edges() -> None:
    targets = [(leg.to_x, leg.to_y) for leg in moves("leader")]
    for axis in zip(*targets, strict=True):
        assert is_distributed(list(axis), lambda at: (at - 50) / (SIDE - 100))
