"""Manhattan: positions of hosts on the streets of a grid, and their turns, at the start and later."""

from math import log
from typing import Any, Final

import pytest

from mobilesim.errors import UserError
from mobilesim.world.mobility.segments import Segment
from mobilesim.world.replication import World
from tests.support.plane_worlds import SIDE, S, first, has_share, is_distributed, length, places, plane, speed


def headings(trajectory: list[Segment]) -> list[tuple[int, int]]:
    return [
        (round((segment.to_x - segment.x) / length(segment)), round((segment.to_y - segment.y) / length(segment)))
        for segment in trajectory
    ]


def turns(where: World) -> dict[str, list[int]]:
    """Return the turns at crossings (0 straight on, 1 left, -1 right) within the grid, at the end of a street on an
    edge, and along an edge. Corners are omitted.
    """
    found: dict[str, list[int]] = {"within": [], "end": [], "edge": []}
    for trajectory in first(where, 80):
        walked = [segment for segment in trajectory if length(segment) > 0]
        for segment, old, new in zip(walked, headings(walked), headings(walked[1:]), strict=False):
            at_edge = [not 0 < place < SIDE for place in (segment.to_x, segment.to_y)]
            if not all(at_edge):
                faces = at_edge[0] == (old[0] != 0)
                kind = "within" if not any(at_edge) else "end" if faces else "edge"
                found[kind].append(old[0] * new[1] - old[1] * new[0])
    return found


def test_hosts_turn_at_crossings_with_the_configured_probability() -> None:
    found = turns(plane("manhattan", hosts=60, turn=0.3))["within"]
    assert len(found) > 3000
    for turn, share in ((0, 0.7), (1, 0.15), (-1, 0.15)):
        assert has_share(found.count(turn), len(found), share)


def test_at_the_edge_of_the_grid_the_other_directions_share_the_probability() -> None:
    found = turns(plane("manhattan", hosts=100, turn=0.5, block="500 m"))
    assert min(map(len, found.values())) > 500
    assert 0 not in found["end"]
    assert has_share(found["end"].count(1), len(found["end"]), 0.5)
    assert has_share(found["edge"].count(0), len(found["edge"]), 2 / 3)


def test_hosts_keep_to_the_streets_and_start_anywhere_on_them() -> None:
    ahead = first(plane("manhattan", hosts=2000, block="300 m", max_speed="5 m/s"), 3)
    for segment in (segment for trajectory in ahead for segment in trajectory):
        across = segment.y if segment.x != segment.to_x else segment.x
        assert (across - 100) / 300 == pytest.approx(round((across - 100) / 300))
        assert 0.999 <= speed(segment) <= 5.001
    along = [trajectory[0] for trajectory in ahead]
    for heading in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        assert has_share(headings(along).count(heading), len(along), 0.25)
    assert is_distributed([length(segment) / 300 for segment in along], lambda part: part)
    assert is_distributed([speed(segment) for segment in along], lambda v: log(min(max(v, 1), 5)) / log(5))


def test_blocks_that_are_larger_than_the_plane_are_refused() -> None:
    with pytest.raises(UserError, match=r"^mobility\.manhattan\.block: blocks of 3000 m are larger than the plane of "):
        plane("manhattan", block="3 km")


GRIDS: Final[dict[str, dict[str, Any]]] = {
    "wide": {"block": "200 m"},
    "narrow": {"block": "400 m", "cells": {"rows": 5, "columns": 1}},
    "single": {"block": "500 m", "cells": {"rows": 1, "columns": 1}},
}


@pytest.mark.full
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("turn", (0.0, 0.3, 1.0))
def test_the_number_of_hosts_on_the_outermost_streets_is_stationary(grid: str, turn: float) -> None:
    """Each outer street has (2 - turn) / (2 turn) times as many hosts as an inner one."""
    settings = GRIDS[grid]
    where = plane("manhattan", hosts=1200, turn=turn, min_speed="4 m/s", max_speed="10 m/s", **settings)
    assert where.plane is not None
    block = float(settings["block"].removesuffix(" m"))
    across, up = int(where.plane.width // block), int(where.plane.height // block)
    outer, inner = 2 * (across + up), across * (up - 1) + up * (across - 1)
    share = outer * (2 - turn) / (outer * (2 - turn) + inner * 2 * turn)
    west, south = (where.plane.width - across * block) / 2, (where.plane.height - up * block) / 2
    for points in places(where, 0, 30 * S, 600 * S):
        far = [min(x - west, west + across * block - x, y - south, south + up * block - y) for x, y in points]
        assert has_share(sum(each < 1e-3 for each in far), len(far), share)


@pytest.mark.full
@pytest.mark.parametrize("turn", (0.2, 0.8))
def test_initial_streets_have_the_stationary_distribution(turn: float) -> None:
    """There are nine streets in each direction. Each street has the same share of hosts at the start and later."""
    where = plane("manhattan", hosts=6000, turn=turn, block="250 m")

    def lines(segments: list[Segment]) -> list[float]:
        found = dict.fromkeys(((upright, line) for upright in (False, True) for line in range(9)), 0)
        for segment in segments:
            upright = segment.x == segment.to_x
            found[upright, round((segment.x if upright else segment.y) / 250)] += 1
        return [count / len(segments) for count in found.values()]

    ahead = first(where, 12)
    now, then = lines([trajectory[0] for trajectory in ahead]), lines([trajectory[11] for trajectory in ahead])
    for one, other in zip(now, then, strict=True):
        assert abs(one - other) < 4.5 * (2 * one * (1 - one) / 6000) ** 0.5
