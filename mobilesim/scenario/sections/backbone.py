"""The wired network between the stations: its topology, its links, and their failures."""

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import Field

from mobilesim.scenario.sections import graph_checks as topology
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sections.cells import Cells
from mobilesim.scenario.values.fields import (
    MANY,
    Bandwidth,
    Flag,
    Fraction,
    GraphFile,
    Pair,
    Share,
    Time,
    Times,
    Whole,
    setting,
)
from mobilesim.scenario.values.validation_error import Fault

NOT_ON_PLANE: Final = "cells of a graph have no places; write 'latency', or cells of another shape"

_Positive = Annotated[Fraction, Field(gt=0), Share()]
_OF_RANDOM: Final = {"attachments": ("barabasi-albert",), "alpha": ("waxman",), "beta": ("waxman",)}
_OWN: Final = {"branching": ("tree", "triangle"), **_OF_RANDOM}
"""Keys that not all topologies have. A branching has always been written of all."""
_BETWEEN: Final = "The two stations that the link joins; station i serves cell i."


class LinkOverride(Section):
    between: Pair = Field(description=_BETWEEN, examples=[[0, 1]])
    latency: Time | None = setting(None, "Instead of the backbone's latency.")
    bandwidth: Bandwidth | None = setting(None, "Instead of the backbone's bandwidth.")
    jitter: Times | None = setting(None, "Instead of the backbone's jitter.")


class Outage(Section):
    between: Pair = Field(description=_BETWEEN, examples=[[0, 1]])
    at: Time = Field(description="When the link fails.", examples=["10 s"])
    duration: Annotated[Time, Field(gt=0)] = Field(description="How long it is down.", examples=["5 s"])


class Failures(Section):
    interval: Times | None = setting(
        None,
        "How long a link works until it fails, every link for itself; unless given, nothing fails but by schedule.",
        examples=["exponential 60 s"],
    )
    repair: Times = setting("exponential 5 s", "How long a link that has failed at random is down.")
    schedule: tuple[Outage, ...] = setting(
        (),
        "Links that fail at moments of your own.",
        examples=[[{"between": [0, 1], "at": "10 s", "duration": "5 s"}]],
    )

    def faults(self) -> Iterator[Fault]:
        if self.interval is None and not self.schedule:
            yield Fault("nothing fails here; write an interval, like 'exponential 60 s', or a schedule", ("interval",))
        if self.interval is not None and self.interval.mean == 0:
            yield Fault("links that fail at no interval would never work; write more than 0 s", ("interval",))


class Backbone(Section):
    topology: Literal["mesh", "ring", "star", "tree", "triangle", "barabasi-albert", "waxman", "graphml"] = setting(
        "mesh",
        "How the stations are wired, one per cell: 'mesh' (every pair), 'ring', 'star' (station 0 is the hub), "
        "'tree' (station 0 is the root), 'triangle' (a tree of full meshes, each of a station and its children), "
        "'barabasi-albert' and 'waxman' (drawn at random, anew in each replication), or 'graphml' (from file). In a "
        "mesh packets always take the direct link, elsewhere the path with the least mean delay.",
    )
    file: GraphFile | None = setting(
        None,
        "The GraphML file, for topology 'graphml'; as many nodes as there are cells.",
        examples=["backbone.graphml"],
    )
    branching: Annotated[Whole, Field(ge=1, le=MANY)] = setting(2, "Children of each station of a tree or triangle.")
    attachments: Annotated[Whole, Field(ge=1, le=MANY)] = setting(
        2,
        "For 'barabasi-albert': to how many stations each newcomer has a link; those with many links are likelier.",
    )
    alpha: _Positive = setting(0.4, "For 'waxman': the larger, the more of the links are long ones.")
    beta: _Positive = setting(
        0.8,
        "For 'waxman': the larger, the more links there are. Stations at a distance d, of L at most, have one with "
        "probability beta exp(-d / (alpha L)). Parts without any between them are joined by the shortest that do.",
    )
    latency: Time = setting("7 ms", "Propagation time of a link.")
    propagation: Literal["latency", "distance"] = setting(
        "latency",
        "'latency': that is all; 'distance': besides, 5 us per km between the stations of a link: on the plane of the "
        "cells, or along the great circle where a GraphML file has Latitude and Longitude.",
    )
    bandwidth: Bandwidth = setting("100 Mbit/s", "Bandwidth of a link, in each direction.")
    speeds: Literal["bandwidth", "file"] = setting(
        "bandwidth", "'bandwidth': that of all links; 'file': of those of which the GraphML file has no LinkSpeedRaw."
    )
    jitter: Times = setting("0 s", "A time or distribution that is added to each packet's propagation.")
    fifo: Flag = setting(False, "Whether packets from one station to another keep their order in spite of jitter.")
    links: tuple[LinkOverride, ...] = setting(
        (), "Single links that differ from the rest. A slow link of a mesh is not avoided; elsewhere it may be."
    )
    failures: Failures | None = setting(
        None,
        "Links that fail, in both directions, and are repaired; unless given, none does. Packets go around over what "
        "is left, or wait until there is a way. What was on a failed link is sent again from where it came from.",
        examples=[{"interval": "exponential 60 s", "repair": "exponential 5 s"}],
    )

    def unwritten(self) -> set[str]:
        """Return the keys of other topologies."""
        return {key for key, owners in _OF_RANDOM.items() if self.topology not in owners}

    def faults(self) -> Iterator[Fault]:
        yield from self._file_faults()
        yield from (self._stranger(key) for key in _OWN if self.topology not in _OWN[key] and self.changed(key))
        seen = set[tuple[int, int]]()
        for place, link in enumerate(self.links):
            pair = (min(link.between), max(link.between))
            if pair in seen:
                yield Fault(
                    f"the link between stations {pair[0]} and {pair[1]} is here twice", ("links", place, "between")
                )
            seen.add(pair)

    def _stranger(self, key: str) -> Fault:
        named = " or ".join(f"'topology: {owner}'" for owner in _OWN[key])
        return Fault(f"a {self.topology} has no such thing; write {named}, or leave it out", (key,))

    def _file_faults(self) -> Iterator[Fault]:
        if self.topology == "graphml":
            if self.file is None:
                yield Fault("topology 'graphml' needs a file", ("topology",))
            return
        if self.file is not None:
            yield Fault(
                f"a {self.topology} is not read from a file; write 'topology: graphml', or leave it out", ("file",)
            )
        if self.speeds == "file":
            yield Fault(f"a {self.topology} has no file; write 'topology: graphml', or 'bandwidth'", ("speeds",))


def faults(backbone: Backbone, cells: Cells) -> Iterator[Fault]:
    """What such cells do not have, as far as the scenario alone can tell."""
    if backbone.propagation == "distance" and backbone.topology != "graphml" and cells.shape == "graph":
        yield Fault(NOT_ON_PLANE, ("backbone", "propagation"))
    if cells.count is not None:
        yield from (Fault(fault.message, ("backbone", *fault.below)) for fault in _absent(backbone, cells.count))


def _absent(backbone: Backbone, stations: int) -> Iterator[Fault]:
    if fault := topology.drawn_fault(backbone.topology, stations, backbone.attachments):
        yield fault
    outages = () if backbone.failures is None else backbone.failures.schedule
    named: dict[tuple[str | int, ...], Pair] = {
        ("links", place): link.between for place, link in enumerate(backbone.links)
    }
    named |= {("failures", "schedule", place): outage.between for place, outage in enumerate(outages)}
    for below, between in named.items():
        if said := topology.link_fault(backbone.topology, between, stations, backbone.branching):
            yield Fault(said, (*below, "between"))
