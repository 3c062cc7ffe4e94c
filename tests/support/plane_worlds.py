"""Hosts in the plane: their paths and positions, and statistical checks of samples."""

from collections.abc import Iterable, Iterator
from itertools import islice
from math import acosh, hypot, sqrt
from statistics import fmean, stdev
from typing import Any, Final

from mobilesim.scenario.model import Scenario
from mobilesim.world.mobility import host_actions, host_paths
from mobilesim.world.mobility.actions import Action, Departure
from mobilesim.world.mobility.segments import Segment
from mobilesim.world.replication import World, build_world

S: Final = 1_000_000_000
SIDE: Final = 2000.0
"""The side of the plane, in metres."""
SIGMAS: Final = 4.5
"""The accepted deviation of a sample with a fixed seed, in standard errors."""

WIDE: Final = {"rows": 1, "columns": 1, "spacing": "50000 km"}
"""A plane so large that no host reaches its edges."""

Points = list[tuple[float, float]]


def plane(model: str, *, hosts: int = 2, cells: object = None, crossing: object = None, **settings: object) -> World:
    """Build cells in the plane, by default 4 x 4 cells of 500 m. `settings` are settings of the mobility model."""
    mobility: dict[str, Any] = {"model": model, model.replace("-", "_"): settings, "crossing": crossing or {}}
    return build_world(Scenario.model_validate({"hosts": hosts, "cells": cells or 16, "mobility": mobility}), 0)


def host_path(where: World, host: int) -> Iterator[Segment]:
    return next(host_paths(where, (host,)))


def paths(where: World) -> list[Iterator[Segment]]:
    return [host_path(where, host) for host in range(where.scenario.hosts)]


def first(where: World, count: int) -> list[list[Segment]]:
    """Return the first `count` segments of the path of every host."""
    return [list(islice(trajectory, count)) for trajectory in paths(where)]


def at(trajectory: Iterable[Segment], times: Iterable[int]) -> Points:
    """Return the points of a path at ascending times."""
    found, segment = [], None
    walked = iter(trajectory)
    for time in times:
        while segment is None or segment.end <= time:
            segment = next(walked)
        found.append(on(segment, time))
    return found


def on(segment: Segment, time: int) -> tuple[float, float]:
    done = (time - segment.start) / (segment.end - segment.start)
    return segment.x + done * (segment.to_x - segment.x), segment.y + done * (segment.to_y - segment.y)


def length(segment: Segment) -> float:
    return float(sqrt((segment.to_x - segment.x) ** 2 + (segment.to_y - segment.y) ** 2))


def speed(segment: Segment) -> float:
    return length(segment) / (segment.end - segment.start) * S


def steps(where: World, count: int = 30) -> list[list[Action]]:
    return [list(islice(walker, count)) for walker in host_actions(where)]


def moves(where: World, until: int) -> Iterator[tuple[int, Departure]]:
    """Yield the departures before a time, in the order of the hosts."""
    for host, walker in enumerate(host_actions(where)):
        for step in walker:
            if (step.left if isinstance(step, Departure) else step.until) >= until:
                break
            if isinstance(step, Departure) and not step.absent:
                yield host, step


def places(where: World, *times: int) -> list[Points]:
    """Return the points of all hosts at each of these times."""
    return [list(points) for points in zip(*(at(trajectory, times) for trajectory in paths(where)), strict=True)]


def mean_distance(width: float, height: float) -> float:
    """Return the mean distance of two uniform points in a rectangle."""
    a, b, d = width, height, hypot(width, height)
    straight = a**3 / b**2 + b**3 / a**2 + d * (3 - a**2 / b**2 - b**2 / a**2)
    return straight / 15 + (b**2 / a * acosh(d / b) + a**2 / b * acosh(d / a)) / 6


def has_mean(samples: list[float], mean: float) -> bool:
    """Return whether independent samples have this mean, within the accepted deviation."""
    return abs(fmean(samples) - mean) <= SIGMAS * stdev(samples) / sqrt(len(samples))


def has_share(hits: int, of: int, share: float) -> bool:
    return abs(hits / of - share) <= SIGMAS * sqrt(share * (1 - share) / of)


def is_distributed(samples: list[float], at_most: Any) -> bool:  # noqa: ANN401 - P(X <= x) as a function of x
    """Return the result of a Kolmogorov-Smirnov test with an error probability of 0.001."""
    ordered, count = sorted(samples), len(samples)
    off = max(
        max(abs(at_most(value) - index / count), abs(at_most(value) - (index + 1) / count))
        for index, value in enumerate(ordered)
    )
    return bool(off < 1.95 / sqrt(count))
