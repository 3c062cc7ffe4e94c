"""The worlds in which claims are measured: calm ones that grow, a restless one, and a crowded one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mobilesim.scenario.model import Scenario
from protocols.catalogue import Row, Setting


def sizes(hosts: int, stations: int, k: int | None, destinations: int) -> dict[str, int]:
    """What formulas are made of."""
    named = {"n_h": hosts, "n_s": stations, "k": k, "d": destinations}
    return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Point:
    """One size of a calm world; `k` only where the row has such an option."""

    hosts: int
    stations: int
    k: int | None

    @property
    def values(self) -> dict[str, int]:
        return sizes(self.hosts, self.stations, self.k, _DESTINATIONS)

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in self.values.items() if name != "d")


@dataclass(frozen=True, slots=True)
class Axis:
    """`variable` grows, and nothing else does."""

    variable: str
    points: tuple[Point, ...]

    @property
    def sizes(self) -> list[int]:
        return [point.values[self.variable] for point in self.points]


@dataclass(frozen=True, slots=True)
class Effort:
    """How large calm worlds grow, and how often and how long the others run."""

    hosts: tuple[int, ...]
    stations: tuple[int, ...]
    ks: tuple[int, ...]
    replications: int
    duration: str


FULL: Final = Effort((4, 8, 16, 32, 64), (2, 4, 8, 16, 32), (1, 2, 4, 8), 10, "5 s")
QUICK: Final = Effort((4, 8, 16, 32), (2, 4, 8, 16), (1, 2, 4), 5, "2 s")

_HOSTS: Final = 8
_STATIONS: Final = 4
_DESTINATIONS: Final = 2


def axes(row: Row, effort: Effort) -> Sequence[Axis]:
    option = row.options.get("k")
    k = None if option is None else int(option.default)
    grown = [
        Axis("n_h", tuple(Point(hosts, _STATIONS, k) for hosts in effort.hosts)),
        Axis("n_s", tuple(Point(_HOSTS, stations, k) for stations in effort.stations)),
    ]
    if option is not None:
        ks = [k for k in effort.ks if k in option.values]
        grown.append(Axis("k", tuple(Point(_HOSTS, _STATIONS, k) for k in ks)))
    return grown


def calm(point: Point) -> Scenario:
    """Hosts dwell far longer than a hand-off lasts, so that no two of one host run into each other."""
    return Scenario.model_validate(
        {
            "hosts": point.hosts,
            "cells": point.stations,
            "duration": "6 s",
            "backbone": {"jitter": "uniform 0 ms 30 ms"},
            "mobility": {"dwell": "uniform 1 s 2 s", "next": "uniform", "start": "spread"},
            "workload": {
                "kind": "multicast",
                "destinations": _DESTINATIONS,
                "interval": f"exponential {point.hosts * 25} ms",
            },
        }
    )


def restless(effort: Effort, destinations: int) -> Scenario:
    """Packets overtake one another, and hosts leave in the middle of everything, hand-offs included."""
    kind = "unicast" if destinations == 1 else "multicast"
    return Scenario.model_validate(
        {
            "hosts": 15,
            "cells": 6,
            "duration": effort.duration,
            "backbone": {"jitter": "exponential 40 ms"},
            "wireless": {"latency": "5 ms"},
            "mobility": {
                "dwell": "exponential 400 ms",
                "disconnect": {"probability": 0.1, "duration": "exponential 300 ms"},
            },
            "workload": {"kind": kind, "destinations": destinations, "interval": "exponential 100 ms"},
        }
    )


def crowded(effort: Effort, dwell: str | None) -> Scenario:
    """So many hosts in a cell that dividing its station makes a difference. Without `dwell` nobody moves."""
    moving = {"model": "static"} if dwell is None else {"dwell": f"exponential {dwell}"}
    return Scenario.model_validate(
        {
            "hosts": 32,
            "cells": 4,
            "duration": effort.duration,
            "backbone": {"jitter": "exponential 40 ms"},
            "mobility": {"start": "spread", **moving},
            "workload": {"interval": "exponential 100 ms"},
        }
    )


def choices(row: Row, k: int | None = None) -> dict[str, Setting]:
    """The row's options, at their defaults but for `k`."""
    chosen = {name: option.default for name, option in row.options.items()}
    return chosen if k is None else {**chosen, "k": k}
