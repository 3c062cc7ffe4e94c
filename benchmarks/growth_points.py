"""The points of `python -m benchmarks.growth`, and their scenarios.

One quantity varies along an experiment; the load of hosts and stations does not. A host always sends a message per
second. The processing time of a packet at a station is inversely proportional to the number of hosts per station, so
that stations are busy for the same share of time. The backbone has 1 Gbit/s, or more if a header of the protocol would
otherwise take more than 32 ms. The number of hand-offs per message is the same for all numbers of hosts and of
messages. For all numbers of stations, the number of hand-off packets per message is about the same, because the time in
a cell is proportional to the number of stations.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any, Final

from benchmarks.simulator import with_free_location
from mobilesim.scenario.model import Scenario

HOSTS: Final = 1_000
STATIONS: Final = 100

NUMBERS_OF_HOSTS: Final = (100, 300, 1_000, 3_000, 10_000)
NUMBERS_OF_HOSTS_OF_PRS: Final = (30, 100, 300)
LARGE_NUMBER_OF_HOSTS_OF_PRS: Final = 1_000
"""A message of prs in transit has two matrices of 4 N^2 bytes, so a run with 1,000 hosts needs gigabytes."""

SHARE_OF_PRS: Final = 20
"""A run of prs has the messages of the other protocols divided by this number: all stations receive each message."""

LARGE_NUMBERS_OF_HOSTS: Final = (1_000, 10_000, 100_000)
NUMBERS_OF_STATIONS: Final = (10, 30, 100, 300, 1_000)
SHARES_OF_MESSAGES: Final = (100, 30, 10, 3, 1)
"""A point has the messages of the longest run divided by one of these numbers."""

_DWELL: Final = 30_000_000_000
_WORK: Final = 10_000
"""The time in a cell, and a station's work per packet, with HOSTS hosts and STATIONS stations."""
_GIGABIT: Final = 1_000_000_000
_INTEGERS_IN_32_MS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Experiment:
    """`quantity`: what varies. `observed`: whether runs have oracle and trace."""

    name: str
    quantity: str
    title: str
    observed: bool = True


EXPERIMENTS: Final = {
    each.name: each
    for each in (
        Experiment("hosts", "hosts", "Hosts"),
        Experiment("stations", "stations", "Stations"),
        Experiment("messages", "messages", "Messages"),
        Experiment("large", "hosts", "Up to 100,000 hosts, without oracle and trace", observed=False),
    )
}


@dataclass(frozen=True, slots=True)
class Point:
    """A scenario of an experiment. `value`: the value of the experiment's quantity."""

    experiment: str
    protocol: str
    value: int
    hosts: int
    stations: int
    messages: int

    @property
    def name(self) -> str:
        return f"{self.experiment}-{self.protocol}-{self.value}"


def points(messages: int, longest: int, *, large: bool) -> Iterator[Point]:
    """Yield the points. `longest`: the largest number of messages of a run. `large`: with up to 100,000 hosts."""
    yield from _numbers_of_hosts(messages, large=large)
    for stations in NUMBERS_OF_STATIONS:
        yield Point("stations", "av2", stations, HOSTS, stations, messages)
    for number in sorted({max(1, longest // share) for share in SHARES_OF_MESSAGES}):
        for protocol in ("av1", "av2"):
            yield Point("messages", protocol, number, HOSTS, STATIONS, number)
    for hosts in LARGE_NUMBERS_OF_HOSTS if large else ():
        for protocol in ("fifo", "av2"):
            yield Point("large", protocol, hosts, hosts, STATIONS, messages)


def _numbers_of_hosts(messages: int, *, large: bool) -> Iterator[Point]:
    for hosts in NUMBERS_OF_HOSTS:
        for protocol in ("av1", "av2"):
            yield Point("hosts", protocol, hosts, hosts, STATIONS, messages)
    for hosts in (*NUMBERS_OF_HOSTS_OF_PRS, *([LARGE_NUMBER_OF_HOSTS_OF_PRS] if large else [])):
        yield Point("hosts", "prs", hosts, hosts, STATIONS, max(1, messages // SHARE_OF_PRS))


def selected(found: Sequence[Point], names: Sequence[str]) -> list[Point]:
    """Return the points with these names, or with these names before a hyphen; all points if there are no names."""
    prefixes = tuple(f"{name}-" for name in names)
    return [point for point in found if not names or point.name in names or point.name.startswith(prefixes)]


def scenario(point: Point, *, moving: bool = True) -> Scenario:
    """Return the scenario of a point. `moving`: whether hosts change cells."""
    observed = EXPERIMENTS[point.experiment].observed
    rows, columns = _grid(point.stations)
    dwell = _DWELL * point.stations // STATIONS
    values: dict[str, Any] = {
        "name": "benchmark",
        "protocols": with_free_location(point.protocol),
        "hosts": point.hosts,
        "messages": point.messages,
        "cells": {"rows": rows, "columns": columns},
        "mobility": {"dwell": f"exponential {dwell} ns"} if moving else {"model": "static"},
        "workload": {"interval": "exponential 1 s"},
        "backbone": {"bandwidth": f"{_bandwidth(point)} bit/s", "jitter": "exponential 2 ms"},
        "processing": {"fixed": f"{_work(point)} ns", "per_integer": "0 s", "hosts": {"fixed": "0 s"}},
        "oracle": observed,
        "trace": observed,
    }
    return Scenario.model_validate(values)


def _grid(cells: int) -> tuple[int, int]:
    """Return the rows and columns of the grid that is nearest to a square."""
    rows = next(rows for rows in range(isqrt(cells), 0, -1) if cells % rows == 0)
    return rows, cells // rows


def _work(point: Point) -> int:
    return _WORK * HOSTS * point.stations // (point.hosts * STATIONS)


_INTEGERS: Final[dict[str, Callable[[Point], int]]] = {
    "av1": lambda point: point.hosts**2,
    "av2": lambda point: point.stations**2,
    "prs": lambda point: 2 * point.hosts**2,
    "fifo": lambda _: STATIONS,
}
"""The largest header of each protocol in integers."""


def _bandwidth(point: Point) -> int:
    return max(_GIGABIT, _GIGABIT * _INTEGERS[point.protocol](point) // _INTEGERS_IN_32_MS)
