"""The wired network between the stations: its topology, its links, and their failures."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field

from mobilesim.errors import counted
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.fields import (
    Bandwidth,
    Count,
    Flag,
    Fraction,
    InputFile,
    Pair,
    Share,
    Time,
    Times,
    file_schema,
    optional,
    required,
    setting,
)
from mobilesim.scenario.values.validation_error import Fault, repeated
from mobilesim.scenario.yaml_document import Place

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

NOT_ON_PLANE: Final = "cells of a graph have no positions; write 'latency', or cells of another shape"

_Positive = Annotated[Fraction, Field(gt=0), Share()]
_RANDOM_KEYS: Final = {"attachments": ("barabasi-albert",), "alpha": ("waxman",), "beta": ("waxman",)}
_TOPOLOGY_KEYS: Final = {"branching": ("tree", "triangle"), **_RANDOM_KEYS}
"""The keys that apply only to some topologies. A scenario's normal form has `branching` for all topologies."""
_MOST_PAIRED: Final = 2000
_BETWEEN: Final = "The two stations that the link joins; station i serves cell i."


class LinkOverride(Section):
    between: Pair = required(_BETWEEN, [0, 1])
    latency: Time | None = optional("Overrides the backbone's latency.")
    bandwidth: Bandwidth | None = optional("Overrides the backbone's bandwidth.")
    jitter: Times | None = optional("Overrides the backbone's jitter.")


class Outage(Section):
    between: Pair = required(_BETWEEN, [0, 1])
    at: Time = required("The time at which the link fails.", "10 s")
    duration: Annotated[Time, Field(gt=0)] = required("The duration of the failure.", "5 s")


class Failures(Section):
    interval: Times | None = optional(
        "The time to failure, drawn for each link independently; by default, links fail only by schedule.",
        "exponential 60 s",
    )
    repair: Times = setting("exponential 5 s", "The time to repair after a random failure.")
    schedule: tuple[Outage, ...] = setting(
        (), "Failures of single links at given times.", [{"between": [0, 1], "at": "10 s", "duration": "5 s"}]
    )

    def faults(self) -> Iterator[Fault]:
        if self.interval is None and not self.schedule:
            yield Fault("no failures; write an interval, like 'exponential 60 s', or a schedule", ("interval",))
        if self.interval is not None and self.interval.mean == 0:
            yield Fault("with an interval of 0 s links would never work; write more than 0 s", ("interval",))


class Backbone(Section):
    topology: Literal["mesh", "ring", "star", "tree", "triangle", "barabasi-albert", "waxman", "graphml"] = setting(
        "mesh",
        "The topology of the wired network, with one station per cell: 'mesh' (every pair), 'ring', 'star' (station "
        "0 is the hub), 'tree' (station 0 is the root), 'triangle' (a tree of complete graphs, each of a station and "
        "its children), 'barabasi-albert' and 'waxman' (random graphs, drawn in each replication), or 'graphml' "
        "(from file). In a mesh packets take the direct link; in other topologies, the path with the least mean "
        "delay.",
    )
    file: Annotated[InputFile, file_schema("a GraphML file", "backbone.graphml")] | None = optional(
        "The GraphML file, for topology 'graphml', with one node for each cell.", "backbone.graphml"
    )
    branching: Count = setting(2, "Children of each station of a tree or triangle.")
    attachments: Count = setting(
        2, "For 'barabasi-albert': the number of links of each added station, which prefers stations with many links."
    )
    alpha: _Positive = setting(0.4, "For 'waxman': the share of long links grows with alpha.")
    beta: _Positive = setting(
        0.8,
        "For 'waxman': the number of links grows with beta. Two stations at distance d are linked with probability "
        "beta exp(-d / (alpha L)), L being the largest distance. Separate components are joined by the shortest links.",
    )
    latency: Time = setting("7 ms", "Propagation time of a link.")
    propagation: Literal["latency", "distance"] = setting(
        "latency",
        "'latency': a link's propagation time is its latency; 'distance': its latency plus 5 us per km between its "
        "stations, on the plane of the cells or along the great circle if a GraphML file has Latitude and Longitude.",
    )
    bandwidth: Bandwidth = setting("100 Mbit/s", "Bandwidth of a link, in each direction.")
    speeds: Literal["bandwidth", "file"] = setting(
        "bandwidth",
        "'bandwidth': all links have the backbone's bandwidth; 'file': links have the LinkSpeedRaw of the GraphML "
        "file, if any.",
    )
    jitter: Times = setting("0 s", "A time, or a distribution, that is added to the propagation time of each packet.")
    fifo: Flag = setting(False, "Whether packets between two stations keep their order despite jitter.")
    links: tuple[LinkOverride, ...] = setting(
        (), "Overrides for single links. Routing avoids slow links, except in a mesh."
    )
    failures: Failures | None = optional(
        "Failures and repairs of links, in both directions; by default, none. Packets are routed around failed links, "
        "or wait for a route. Packets on a link that fails are sent again by the station that had sent them on it.",
        {"interval": "exponential 60 s", "repair": "exponential 5 s"},
    )

    def unwritten(self) -> set[str]:
        return {key for key, owners in _RANDOM_KEYS.items() if self.topology not in owners}

    def faults(self) -> Iterator[Fault]:
        yield from self._file_faults()
        for key, owners in _TOPOLOGY_KEYS.items():
            if self.topology not in owners and self.changed(key):
                named = " or ".join(f"'topology: {owner}'" for owner in owners)
                yield Fault(
                    f"does not apply to topology '{self.topology}'; write {named}, or leave this key out", (key,)
                )
        for index in repeated(frozenset(link.between) for link in self.links):
            one, other = sorted(self.links[index].between)
            yield Fault(f"the link between stations {one} and {other} occurs twice", ("links", index, "between"))

    def _file_faults(self) -> Iterator[Fault]:
        kind = self.topology
        if kind == "graphml" and self.file is None:
            yield Fault("topology 'graphml' needs a file", ("topology",))
        if kind != "graphml" and self.file is not None:
            yield Fault(
                f"a {kind} is not read from a file; write 'topology: graphml', or leave this key out", ("file",)
            )
        if kind != "graphml" and self.speeds == "file":
            yield Fault(f"a {kind} has no file; write 'topology: graphml', or 'bandwidth'", ("speeds",))

    def misfits(self, scenario: "Scenario") -> Iterator[Fault]:
        cells = scenario.cells
        if self.propagation == "distance" and self.topology != "graphml" and cells.shape == "graph":
            yield Fault(NOT_ON_PLANE, ("propagation",))
        if cells.count is None:
            return
        if fault := drawn_fault(self.topology, cells.count, self.attachments):
            yield fault
        named: list[tuple[Place, Pair]] = [(("links", index), link.between) for index, link in enumerate(self.links)]
        for index, outage in enumerate(() if self.failures is None else self.failures.schedule):
            named.append((("failures", "schedule", index), outage.between))
        for below, between in named:
            if message := link_fault(self.topology, between, cells.count, self.branching):
                yield Fault(message, (*below, "between"))


def drawn_fault(kind: str, stations: int, attachments: int) -> Fault | None:
    """Return the fault of a random backbone of this kind with this number of stations, or None."""
    if kind == "barabasi-albert" and stations <= attachments:
        message = (
            f"{attachments} links of each added station need more than {counted(stations, 'station')}; write fewer"
        )
        return Fault(message, ("attachments",))
    if kind == "waxman" and stations > _MOST_PAIRED:
        reason = f"{stations} stations are too many for 'waxman', which draws every pair"
        return Fault(f"{reason}; the maximum is {_MOST_PAIRED}", ("topology",))
    return None


def link_fault(kind: str, between: Pair, stations: int, branching: int) -> str | None:
    """Return the reason why a backbone of this kind lacks this link; None if it has it, or if a file determines it."""
    one, other = sorted(between)
    if one == other:
        return f"a link joins two different stations, not {one} with itself"
    if one < 0 or other >= stations:
        return f"there is no station {one if one < 0 else other}; stations are numbered from 0 to {stations - 1}"
    if kind in {"barabasi-albert", "waxman"}:
        return f"the links of a {kind} are drawn in each replication; leave this entry out, or write another topology"
    if _joined(kind, one, other, stations, branching):
        return None
    return f"a {kind} of {counted(stations, 'station')} has no link between {one} and {other}"


def _joined(kind: str, one: int, other: int, stations: int, branching: int) -> bool:
    match kind:
        case "ring":
            return other - one in {1, stations - 1}
        case "star":
            return one == 0
        case "tree":
            return (other - 1) // branching == one
        case "triangle":
            apex = (other - 1) // branching
            return one == apex or (one > 0 and (one - 1) // branching == apex)
    return True
