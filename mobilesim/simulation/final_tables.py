"""The tables of links, stations and hosts, from what was counted in the measurement window."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mobilesim.recording import link_counters
from mobilesim.recording.link_counters import Columns, Links
from mobilesim.recording.loads import StateSize
from mobilesim.recording.recorder import RunRecorder
from mobilesim.results.quantities import BYTE_PURPOSES, RADIO_TIMES
from mobilesim.scenario.sections.energy_and_costs import Energy
from mobilesim.simulation.counters import Counters

Table = dict[str, npt.NDArray[Any]]

_SECOND: Final = 1e9
_MICRO: Final = 1e-6
_NULL: Final = -1
"""In a column that may be null, a negative number becomes null; so does a column that is missing."""

_LOADS: Final = {
    "pending_peak": "pending",
    "packets": "packets",
    "searches": "searches",
    "search_packets": "search_packets",
    "location_updates": "location_updates",
    "state_peak": "peak",
    "state_mean": "mean",
    "copies_peak": "copies",
    "copies_end": "copies_end",
    "tombstones_peak": "tombstones",
    "tombstones_end": "tombstones_end",
}
"""Columns of the table of stations, with the attributes of a station's load."""


def links(counted: Counters) -> Mapping[str, Columns]:
    """Return the counts of each direction of the used wired links, and of the uplinks, the downlinks and the beacons of
    each cell.
    """
    of_kind = {kind: link_counters.columns(links) for kind, links in counted.links.items()}
    # The ends of uplinks and of downlinks are a host and a station, in this order.
    up, down = (link_counters.by_end(of_kind[kind], "target") for kind in ("uplink", "downlink"))
    down = {**down, "source": down["target"], "target": down["source"]}
    return {"wired": of_kind["wired"], "uplink": up, "downlink": down, "beacon": of_kind["beacon"]}


def stations(counted: Counters, recorder: RunRecorder) -> Table:
    loads = recorder.measured_loads[: len(counted.worked)]  # a static network has none
    columns = {name: np.array([getattr(load, field) for load in loads]) for name, field in _LOADS.items()}
    return {"station": np.arange(len(loads)), "processing": np.array(counted.worked), **columns}


def hosts(counted: Counters, recorder: RunRecorder, energy: Energy) -> Table:
    count, span = len(counted.radios), counted.time - counted.since
    uplinks, downlinks = counted.links["uplink"], counted.links["downlink"]
    sent, received = _of_hosts(uplinks, "source", count), _of_hosts(downlinks, "source", count)
    transmitting, receiving = sent["busy"], received["busy"] - received["missed"]
    duplex, beacons, dozing, wake_ups, cut_offs = np.array(counted.radios).reshape(-1, 5).T
    disconnected = np.array(recorder.disconnections.away(count, counted.time, counted.since))
    computing = np.array([worked for worked, *_ in counted.computing])
    idle = span - disconnected - transmitting - receiving + duplex - beacons - dozing
    times = (transmitting, receiving, duplex, beacons, idle, dozing, disconnected, computing)
    return {
        **_traffic(recorder, sent, received, _of_hosts(_lost(downlinks), "source", count)),
        **_energies(energy, times, wake_ups),
        "unreachable": np.array(counted.unreachable) - disconnected,
        "cut_offs": cut_offs,
        **_sizes(recorder.measured_hosts),
    }


def static_hosts(counted: Counters, recorder: RunRecorder) -> Table:
    """Return the columns of hosts that neither move nor have a radio."""
    sent = counted.links.get("bus") or counted.links.get("wired") or {}
    received = counted.links.get("received", sent)
    count = len(recorder.host_counts[0])
    tables = [_of_hosts(sent, "source", count)]
    tables += [_of_hosts(links, "target", count) for links in (received, _lost(received))]
    none = np.zeros(count, np.int64)
    return {
        **_traffic(recorder, *tables),
        **_energies(Energy(), [none] * len(RADIO_TIMES), none),
        "unreachable": none,
        "cut_offs": none,
        **(_sizes(recorder.measured_hosts) if recorder.measured_hosts else {}),  # hosts that join have no sizes
    }


def by_number(values: Mapping[int, int], count: int) -> npt.NDArray[np.int64]:
    """Return a column of `count` rows with these values, and null in all other rows."""
    return np.array([values.get(number, _NULL) for number in range(count)], np.int64)


def _lost(links: Links) -> Links:
    return {ends: counter.gone for ends, counter in links.items() if counter.gone is not None}


def _of_hosts(links: Links, end: str, count: int) -> Table:
    """Return the total counts of the links of each host. `end`: 'source' or 'target', the host's end of a link."""
    totals = link_counters.by_end(link_counters.columns(links), end)
    present = totals[end] >= 0
    table = {name: np.zeros(count, np.int64) for name in link_counters.COUNTS}
    for name, column in table.items():
        column[totals[end][present]] = totals[name][present]
    return table


def _traffic(recorder: RunRecorder, sent: Table, received: Table, lost: Table) -> Table:
    """Return the moves, messages and bytes of each host. Bytes that were lost count as sent, but not as received."""
    counts = dict(zip(("submitted", "delivered", "returns", "moves"), map(np.array, recorder.host_counts), strict=True))
    numbers = np.arange(len(counts["moves"]))
    table = {"host": numbers, **counts, "view_packets": np.zeros_like(numbers), "view_bytes": np.zeros_like(numbers)}
    for purpose in BYTE_PURPOSES:
        name = f"{purpose}_bytes"
        table[f"sent_{name}"], table[f"received_{name}"] = sent[name], received[name] - lost[name]
    return table


def _energies(energy: Energy, times: Sequence[npt.NDArray[Any]], wake_ups: npt.NDArray[Any]) -> Table:
    """Return the time and the energy of each state of a radio and of the processor. `times`: the times, in the order of
    `RADIO_TIMES`.
    """
    table: Table = {**dict(zip(RADIO_TIMES, times, strict=True)), "wake_ups": wake_ups}
    for state, time in zip(RADIO_TIMES.values(), times, strict=True):
        if state.energy:
            table[f"energy_{state.energy}"] = getattr(energy, state.power or state.energy) * time / _SECOND
    table["energy_switch"] = energy.switch * wake_ups * _MICRO
    return table


def _sizes(sizes: Sequence[StateSize]) -> Table:
    return {
        "state_mean": np.array([size.mean for size in sizes], np.float64),
        "state_peak": np.array([size.peak for size in sizes], np.int64),
    }
