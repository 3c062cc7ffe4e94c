"""The tables of links, stations and hosts, from what was counted in the measurement window."""

from collections.abc import Sequence
from typing import Final

from mobilesim.recording.link_counters import ALL_HOSTS, LinkCounter, Links, total
from mobilesim.recording.recorder import RunRecorder
from mobilesim.results.quantities import BYTE_PURPOSES, RADIO_TIMES
from mobilesim.scenario.sections.energy_and_costs import Energy
from mobilesim.simulation.counters import Counters

Row = dict[str, object]

_SECOND: Final = 1e9
_MICRO: Final = 1e-6
_UNUSED: Final = LinkCounter()


def links(counted: Counters) -> dict[str, Links]:
    """Return a counter for each direction of a used wired link, and for the uplinks, the downlinks and the beacons of
    each cell.
    """
    up, down = _totals(counted.links["uplink"], 1), _totals(counted.links["downlink"], 1)
    return {
        "wired": counted.links["wired"],
        "uplink": {(ALL_HOSTS, station): counter for station, counter in up.items()},
        "downlink": {(station, ALL_HOSTS): counter for station, counter in down.items()},
        "beacon": counted.links["beacon"],
    }


def _totals(counters: Links, end: int) -> dict[int, LinkCounter]:
    """Return for each node the sum of the counters of its links. `end`: the index of the node in a pair of ends."""
    groups: dict[int, list[LinkCounter]] = {}
    for ends, counter in counters.items():
        groups.setdefault(ends[end], []).append(counter)
    return {node: total(group) for node, group in groups.items()}


def stations(counted: Counters, recorder: RunRecorder) -> list[Row]:
    return [
        {
            "station": station,
            "pending_peak": load.pending,
            "packets": load.packets,
            "searches": load.searches,
            "search_packets": load.search_packets,
            "location_updates": load.location_updates,
            "processing": processing,
            "state_peak": load.peak,
            "state_mean": load.mean,
            "copies_peak": load.copies,
            "copies_end": load.copies_end,
            "tombstones_peak": load.tombstones,
            "tombstones_end": load.tombstones_end,
        }
        for station, (load, processing) in enumerate(zip(recorder.measured_loads, counted.worked, strict=True))
    ]


def hosts(counted: Counters, recorder: RunRecorder, energy: Energy) -> list[Row]:
    since, until = counted.since, counted.time
    away = recorder.disconnections.away(len(counted.radios), until, since)
    sent, received = _totals(counted.links["uplink"], 0), _totals(counted.links["downlink"], 0)
    rows = _traffic(recorder, sent, received)
    for host, row in enumerate(rows):
        transmitting, receiving = sent.get(host, _UNUSED).busy, received.get(host, _UNUSED).received
        duplex, beacons, dozing, wake_ups, cut_offs = counted.radios[host]
        disconnected = away[host]
        idle = until - since - disconnected - transmitting - receiving + duplex - beacons - dozing
        computing, *_ = counted.computing[host]
        times = (transmitting, receiving, duplex, beacons, idle, dozing, disconnected, computing)
        row.update(_energies(energy, times, wake_ups), unreachable=counted.unreachable[host] - disconnected)
        row["cut_offs"] = cut_offs
        size = recorder.measured_hosts[host]
        row.update(state_mean=size.mean, state_peak=size.peak)
    return rows


def static_hosts(counted: Counters, recorder: RunRecorder) -> list[Row]:
    """Return the rows of hosts that neither move nor have a radio."""
    sent = counted.links.get("bus") or counted.links.get("wired") or {}
    received = counted.links.get("received", sent)
    unused = {**_energies(Energy(), (0,) * len(RADIO_TIMES), 0), "unreachable": 0, "cut_offs": 0}
    rows = [row | unused for row in _traffic(recorder, _totals(sent, 0), _totals(received, 1))]
    for row, size in zip(rows, recorder.measured_hosts, strict=False):  # hosts that join and leave have no sizes
        row.update(state_mean=size.mean, state_peak=size.peak)
    return rows


def _traffic(recorder: RunRecorder, sent: dict[int, LinkCounter], received: dict[int, LinkCounter]) -> list[Row]:
    """Return the moves, messages and bytes of each host. Bytes that were lost count as sent, but not as received."""
    rows: list[Row] = []
    for host, (submitted, delivered, returns, moves) in enumerate(zip(*recorder.host_counts, strict=True)):
        up, down = sent.get(host, _UNUSED), received.get(host, _UNUSED)
        row: Row = {"host": host, "submitted": submitted, "delivered": delivered, "moves": moves, "returns": returns}
        row.update(view_packets=0, view_bytes=0)
        for purpose in BYTE_PURPOSES:
            row[f"sent_{purpose}_bytes"] = getattr(up, purpose)
            row[f"received_{purpose}_bytes"] = getattr(down, purpose) - getattr(down.gone or _UNUSED, purpose)
        rows.append(row)
    return rows


def _energies(energy: Energy, times: Sequence[int], wake_ups: int) -> Row:
    """Return the time and the energy of each state of a radio and of the processor. `times`: the times, in the order of
    `RADIO_TIMES`.
    """
    row: Row = {**dict(zip(RADIO_TIMES, times, strict=True)), "wake_ups": wake_ups}
    for state, time in zip(RADIO_TIMES.values(), times, strict=True):
        if state.energy:
            row[f"energy_{state.energy}"] = getattr(energy, state.power or state.energy) * time / _SECOND
    row["energy_switch"] = energy.switch * wake_ups * _MICRO
    return row
