"""The assumptions of the simulation that decide comparisons of protocols: their defaults, prices, and other values.

`docs/model.md` lists them. A run notes those that are free in it (the column `free` of `runs`), and `mobilesim
recommend` and `mobilesim pareto` vary them over the stated range, to find out whether a result depends on them.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from mobilesim.scenario.loader import Change
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.protocol_choice import ProtocolChoice, brief
from mobilesim.scenario.values.units import BANDWIDTH, TIME

Overrides: TypeAlias = Mapping[str, str]
"""Settings of a scenario by their keys, as YAML."""

_FASTER: Final = 10
_SLOWER: Final = 10
_LOCATIONS: Final = ("home", "lazy", "free")


@dataclass(frozen=True, slots=True)
class Assumption:
    """`default`: what is simulated by default. `price`: the keys that set a price. `why`: the reason of the default.

    `free`: returns what costs nothing in the runs of a protocol, or None. `others`: yields the other values, with a
    name and the settings; `stated`: these values in words.
    """

    name: str
    default: str
    why: str
    price: str
    free: Callable[[Scenario, ProtocolChoice], str | None]
    stated: str
    others: Callable[[Scenario], Iterator[tuple[str, Overrides]]]


def _free_location(_: Scenario, choice: ProtocolChoice) -> str | None:
    free = dict(choice.options).get("location") == "free"
    return "stations know the cell of every host (location: free)" if free else None


def _other_locations(scenario: Scenario) -> Iterator[tuple[str, Overrides]]:
    """Yield the protocols with each other location service, without the protocols that this does not change."""
    for location in _LOCATIONS if scenario.network == "cells" else ():
        changed = [
            _with_location(choice, location)
            for choice in scenario.protocols
            if dict(choice.options).get("location", location) != location
        ]
        if changed:
            yield f"location {location}", {"protocols": json.dumps(changed)}


def _with_location(choice: ProtocolChoice, location: str) -> dict[str, str | int | bool]:
    written = brief(choice)
    keys = {"name": written} if isinstance(written, str) else written
    return {**{key: value for key, value in keys.items() if key not in {"location", "area"}}, "location": location}


def _free_processing(scenario: Scenario, _: ProtocolChoice) -> str | None:
    if scenario.network == "static":
        return None
    processing = scenario.processing
    found = []
    if processing.model == "fixed" and not (processing.fixed or processing.per_integer):
        found.append("stations process packets in no time (processing: 0 s)")
    if not any(processing.of_hosts):
        found.append("hosts process frames in no time (processing.hosts: 0 s)")
    return "; ".join(found) or None


def _other_processing(scenario: Scenario) -> Iterator[tuple[str, Overrides]]:
    if scenario.network != "cells" or scenario.processing.model != "fixed":
        return
    prices = {"processing.per_integer": scenario.processing.per_integer}
    if (of_hosts := scenario.processing.hosts.per_integer) is not None:
        prices["processing.hosts.per_integer"] = of_hosts
    if prices["processing.per_integer"] >= _FASTER:
        yield f"processing / {_FASTER}", {key: TIME.write(price // _FASTER) for key, price in prices.items()}
        yield f"processing x {_SLOWER}", {key: TIME.write(price * _SLOWER) for key, price in prices.items()}


def _no_others(_: Scenario) -> Iterator[tuple[str, Overrides]]:
    yield from ()


def _never_free(_: Scenario, __: ProtocolChoice) -> str | None:
    return None


def _other_bandwidths(scenario: Scenario) -> Iterator[tuple[str, Overrides]]:
    if scenario.network == "cells":
        wireless = scenario.wireless
        for name, up, down in (
            ("bandwidth / 2", wireless.up // 2, wireless.down // 2),
            ("bandwidth x 2", wireless.up * 2, wireless.down * 2),
        ):
            yield name, {"wireless.uplink": BANDWIDTH.write(up), "wireless.downlink": BANDWIDTH.write(down)}


def _other_media(scenario: Scenario) -> Iterator[tuple[str, Overrides]]:
    if scenario.network == "cells" and scenario.wireless.medium == "dedicated":
        yield "shared medium", {"wireless.medium": "shared"}


ASSUMPTIONS: Final = (
    Assumption(
        "location",
        "A station that has a message for a host of another cell asks the host's home station (placements `proxy` and "
        "`resident`).",
        "Other placements pay for this knowledge in their hand-offs, and Mobile IP does in this way.",
        "`location` of a protocol",
        _free_location,
        "home, lazy and free",
        _other_locations,
    ),
    Assumption(
        "processing",
        "Stations work on every wired packet that they send or receive, and hosts on every frame, in proportion to its "
        "integers.",
        "With 250 ns per integer, the crossing in figure 1 of Alagar and Venkatesan is where they print it.",
        "`processing.fixed`, `processing.per_integer`, and the same keys of `processing.hosts`",
        _free_processing,
        "a tenth and ten times the price of an integer",
        _other_processing,
    ),
    Assumption(
        "bandwidth",
        "Wireless channels have the bandwidth of the scenario.",
        "It is known best for the network in question.",
        "`wireless.bandwidth`, `wireless.uplink`, `wireless.downlink`",
        _never_free,
        "half and twice the bandwidth",
        _other_bandwidths,
    ),
    Assumption(
        "medium",
        "Each host has a channel of its own in each direction.",
        "The papers assume it; cells with one channel for all hosts are slower.",
        "`wireless.medium`",
        _never_free,
        "one channel for all hosts of a cell",
        _other_media,
    ),
    Assumption(
        "beacons",
        "A host detects a cell at once; with `wireless.beacon`, at the next beacon of its station, which is ideal.",
        "The papers assume beacons that cost nothing. They are equal under all protocols.",
        "`wireless.beacon`, `wireless.beacon_frames`",
        _never_free,
        "not varied",
        _no_others,
    ),
    Assumption(
        "overlap of cells",
        "A host loses its station when it enters another cell.",
        "The papers assume that a host is in one cell at a time.",
        "`wireless.overlap`",
        _never_free,
        "not varied",
        _no_others,
    ),
)


def free(scenario: Scenario, choice: ProtocolChoice) -> str:
    """Return what costs nothing in the runs of a protocol, although it could have a price; '' for nothing."""
    return "; ".join(filter(None, (assumption.free(scenario, choice) for assumption in ASSUMPTIONS)))


def variants(scenario: Scenario) -> dict[str, dict[str, Change]]:
    """Return the variants of a scenario under other assumptions, by name."""
    others = (each for assumption in ASSUMPTIONS for each in assumption.others(scenario))
    return {
        name: {key: Change(text, f"assumption '{name}', {key}") for key, text in settings.items()}
        for name, settings in others
    }
