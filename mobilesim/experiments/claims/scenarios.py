"""The worlds in which claims are measured: calm ones that grow, a restless one, and a crowded one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from mobilesim.scenario.model import Scenario
from protocols.catalogue import OptionValue, ProtocolRow, Serves

Audience = Literal["unicast", "multicast", "broadcast", "groups", "chained groups"]
"""Whom messages are for: one host, some, all others, or the others of a group. Groups in a chain form no cycle."""


def sizes(
    hosts: int, stations: int, k: int | None, destinations: int, groups: Sequence[Sequence[int]] = ()
) -> dict[str, int]:
    """What formulas are made of."""
    named = {"n_h": hosts, "n_s": stations, "k": k, "d": destinations}
    if groups:
        named |= {"g": len(groups), "m": sum(map(len, groups))}
    return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Point:
    """One size of a calm world; `k` only where the row has such an option."""

    hosts: int
    stations: int
    k: int | None
    audience: Audience = "multicast"
    groups: int = 0

    @property
    def values(self) -> dict[str, int]:
        return sizes(self.hosts, self.stations, self.k, self.destinations, self.groups * (range(_SIZE),))

    @property
    def destinations(self) -> int:
        return {"unicast": 1, "multicast": 2, "broadcast": self.hosts - 1}.get(self.audience, _SIZE - 1)

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in self.values.items() if name not in {"d", "m"})


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
    groups: tuple[int, ...] = (2, 4, 8, 16)


FULL: Final = Effort((4, 8, 16, 32, 64), (2, 4, 8, 16, 32), (1, 2, 4, 8), 10, "5 s", (2, 4, 8, 16, 32))
QUICK: Final = Effort((4, 8, 16, 32), (2, 4, 8, 16), (1, 2, 4), 5, "2 s")

_HOSTS: Final = 8
_RESTLESS: Final = 15
_STATIONS: Final = 4
_GROUPS: Final = 4
_SIZE: Final = 3
"""Of a group."""

_RULES: Final[dict[Audience, dict[str, str | int]]] = {
    "groups": {"rule": "ring", "size": _SIZE},
    "chained groups": {"rule": "blocks", "size": _SIZE, "overlap": 1},
}
"""Of the groups in a restless world."""

_SERVED: Final[dict[Serves, tuple[Audience, ...]]] = {
    "all": ("unicast", "multicast"),
    "unicasts": ("unicast",),
    "broadcasts": ("broadcast",),
    "groups": ("groups", "chained groups"),
}


def audiences(row: ProtocolRow) -> Sequence[Audience]:
    """Of all that the row serves, the widest last."""
    return _SERVED[row.serves]


def axes(row: ProtocolRow, effort: Effort) -> Sequence[Axis]:
    option = row.options.get("k")
    groups = _GROUPS if row.serves == "groups" else 0
    audience: Audience = "groups" if groups else audiences(row)[-1]
    start = Point(_HOSTS, _STATIONS, None if option is None else int(option.default), audience, groups)
    grown = [
        Axis("n_h", tuple(replace(start, hosts=hosts) for hosts in effort.hosts)),
        Axis("n_s", tuple(replace(start, stations=stations) for stations in effort.stations)),
    ]
    if option is not None:
        grown.append(Axis("k", tuple(replace(start, k=k) for k in effort.ks if k in option.values)))
    if groups:
        grown.append(Axis("g", tuple(replace(start, groups=groups) for groups in effort.groups)))
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
            **_sending(
                f"exponential {point.hosts * 25} ms",
                point.destinations,
                {"rule": "random", "number": point.groups, "size": _SIZE} if point.groups else None,
            ),
        }
    )


def _sending(interval: str, destinations: int, groups: object) -> dict[str, Any]:
    if groups is not None:
        return {"groups": groups, "workload": {"interval": interval}}
    kind = "unicast" if destinations == 1 else "multicast"
    return {"workload": {"kind": kind, "destinations": destinations, "interval": interval}}


def restless(effort: Effort, audience: Audience) -> Scenario:
    """Packets overtake one another, and hosts leave in the middle of everything, hand-offs included."""
    destinations = {"unicast": 1, "multicast": 3, "broadcast": _RESTLESS - 1}.get(audience, _SIZE - 1)
    return Scenario.model_validate(
        {
            "hosts": _RESTLESS,
            "cells": 6,
            "duration": effort.duration,
            "backbone": {"jitter": "exponential 40 ms"},
            "wireless": {"latency": "5 ms"},
            "mobility": {
                "dwell": "exponential 400 ms",
                "disconnect": {"probability": 0.1, "duration": "exponential 300 ms"},
            },
            **_sending("exponential 100 ms", destinations, _RULES.get(audience)),
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


def choices(row: ProtocolRow, k: int | None = None) -> dict[str, OptionValue]:
    """The row's options, at their defaults but for `k`."""
    chosen = {name: option.default for name, option in row.options.items()}
    return chosen if k is None else {**chosen, "k": k}
