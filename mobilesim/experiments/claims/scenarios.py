"""The scenarios in which claims are measured: networks that grow, high mobility, and dense cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from mobilesim.protocols.catalogue_rows import OptionValue, ProtocolRow, Serves
from mobilesim.scenario.model import Scenario

Addressing = Literal["unicast", "multicast", "broadcast", "groups", "chained groups"]
"""The destinations of a message: one, some or all other hosts, or those of a group. Chained groups form no cycle."""


def formula_variables(
    hosts: int, stations: int, k: OptionValue | None, destinations: int, groups: Sequence[Sequence[int]] = ()
) -> dict[str, int]:
    variables = {"n_h": hosts, "n_s": stations, "k": k, "d": destinations}
    if groups:
        variables |= {"g": len(groups), "m": sum(map(len, groups))}
    return {name: int(value) for name, value in variables.items() if value is not None}


def _destinations(addressing: Addressing, hosts: int, *, multicast: int) -> int:
    return {"unicast": 1, "multicast": multicast, "broadcast": hosts - 1}.get(addressing, _GROUP_SIZE - 1)


@dataclass(frozen=True, slots=True)
class NetworkSize:
    """`k` is None for rows that have no such option."""

    hosts: int
    stations: int
    k: int | None
    addressing: Addressing = "multicast"
    groups: int = 0

    @property
    def variables(self) -> dict[str, int]:
        groups = self.groups * (range(_GROUP_SIZE),)
        return formula_variables(self.hosts, self.stations, self.k, self.destinations, groups)

    @property
    def destinations(self) -> int:
        return _destinations(self.addressing, self.hosts, multicast=2)

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in self.variables.items() if name not in {"d", "m"})


@dataclass(frozen=True, slots=True)
class SizeAxis:
    variable: str
    sizes: tuple[NetworkSize, ...]

    @property
    def values(self) -> list[int]:
        return [size.variables[self.variable] for size in self.sizes]


@dataclass(frozen=True, slots=True)
class Effort:
    """The values on each axis, and the replications and the duration of runs that are not on an axis."""

    hosts: tuple[int, ...]
    stations: tuple[int, ...]
    ks: tuple[int, ...]
    replications: int
    duration: str
    groups: tuple[int, ...] = (2, 4, 8, 16)


FULL: Final = Effort((4, 8, 16, 32, 64), (2, 4, 8, 16, 32), (1, 2, 4, 8), 10, "5 s", (2, 4, 8, 16, 32))
QUICK: Final = Effort((4, 8, 16, 32), (2, 4, 8, 16), (1, 2, 4), 5, "2 s")

_HOSTS: Final = 8
_MOBILE_HOSTS: Final = 15
_STATIONS: Final = 4
_GROUPS: Final = 4
_GROUP_SIZE: Final = 3
_JITTER: Final = "exponential 40 ms"

_GROUPS_AT_HIGH_MOBILITY: Final[dict[Addressing, dict[str, str | int]]] = {
    "groups": {"rule": "ring", "size": _GROUP_SIZE},
    "chained groups": {"rule": "blocks", "size": _GROUP_SIZE, "overlap": 1},
}

_SERVED: Final[dict[Serves, tuple[Addressing, ...]]] = {
    "all": ("unicast", "multicast"),
    "unicasts": ("unicast",),
    "broadcasts": ("broadcast",),
    "groups": ("groups", "chained groups"),
}


def addressings(row: ProtocolRow) -> Sequence[Addressing]:
    """Return the kinds of messages that the protocol supports; the last kind has the most destinations."""
    return _SERVED[row.serves]


def size_axes(row: ProtocolRow, effort: Effort) -> Sequence[SizeAxis]:
    option = row.options.get("k")
    groups = _GROUPS if row.serves == "groups" else 0
    addressing: Addressing = "groups" if groups else addressings(row)[-1]
    start = NetworkSize(_HOSTS, _STATIONS, None if option is None else int(option.default), addressing, groups)
    axes = [
        SizeAxis("n_h", tuple(replace(start, hosts=hosts) for hosts in effort.hosts)),
        SizeAxis("n_s", tuple(replace(start, stations=stations) for stations in effort.stations)),
    ]
    if option is not None:
        axes.append(SizeAxis("k", tuple(replace(start, k=k) for k in effort.ks if k in option.values)))
    if groups:
        axes.append(SizeAxis("g", tuple(replace(start, groups=groups) for groups in effort.groups)))
    return axes


def low_mobility(size: NetworkSize) -> Scenario:
    """Return a scenario in which hosts dwell far longer than hand-offs last, so that these do not overlap."""
    groups = {"rule": "random", "number": size.groups, "size": _GROUP_SIZE} if size.groups else None
    messages = _messages(f"exponential {size.hosts * 25} ms", size.destinations, groups)
    mobility = {"dwell": "uniform 1 s 2 s", "next": "uniform", "start": "spread"}
    return _scenario(size.hosts, size.stations, "6 s", "uniform 0 ms 30 ms", mobility=mobility, **messages)


def high_mobility(effort: Effort, addressing: Addressing) -> Scenario:
    """Return a scenario in which packets overtake one another, and hosts leave cells during hand-offs."""
    groups = _GROUPS_AT_HIGH_MOBILITY.get(addressing)
    messages = _messages("exponential 100 ms", _destinations(addressing, _MOBILE_HOSTS, multicast=3), groups)
    absence = {"probability": 0.1, "duration": "exponential 300 ms"}
    mobility = {"dwell": "exponential 400 ms", "disconnect": absence}
    wireless = {"latency": "5 ms"}
    return _scenario(_MOBILE_HOSTS, 6, effort.duration, _JITTER, mobility=mobility, wireless=wireless, **messages)


def dense_cells(effort: Effort, dwell: str | None) -> Scenario:
    """Return a scenario with many hosts per cell, so that k has an effect. Without `dwell`, hosts do not move."""
    movement = {"model": "static"} if dwell is None else {"dwell": f"exponential {dwell}"}
    workload = {"interval": "exponential 100 ms"}
    return _scenario(32, 4, effort.duration, _JITTER, mobility={"start": "spread", **movement}, workload=workload)


def _messages(interval: str, destinations: int, groups: object) -> dict[str, Any]:
    if groups is not None:
        return {"groups": groups, "workload": {"interval": interval}}
    kind = "unicast" if destinations == 1 else "multicast"
    return {"workload": {"kind": kind, "destinations": destinations, "interval": interval}}


def _scenario(hosts: int, cells: int, duration: str, jitter: str, **sections: object) -> Scenario:
    network = {"hosts": hosts, "cells": cells, "duration": duration, "backbone": {"jitter": jitter}}
    return Scenario.model_validate({**network, **sections})


def formula_options(options: Mapping[str, OptionValue]) -> dict[str, int]:
    """Return the options that are variables of formulas: those with whole numbers, except k, which is one anyway."""
    return {name: value for name, value in options.items() if type(value) is int and name != "k"}


def option_values(row: ProtocolRow, **changed: OptionValue | None) -> dict[str, OptionValue]:
    """Return the default options of the row with the changes that are not None."""
    defaults = {name: option.default for name, option in row.options.items()}
    return defaults | {name: value for name, value in changed.items() if value is not None}
