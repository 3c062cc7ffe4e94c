"""The tables of links, stations and hosts at the end of a run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from mobilesim.recording.link_counters import LinkCounter, Links, total
from mobilesim.recording.recorder import RunRecorder
from mobilesim.results.quantities import BYTE_PURPOSES, RADIO_TIMES
from mobilesim.scenario.sections.energy_and_costs import Energy

if TYPE_CHECKING:
    from mobilesim.simulation.cells import CellularSimulation
    from mobilesim.simulation.static_network import StaticSimulation

Row = dict[str, object]

_SECOND: Final = 1e9
_MICRO: Final = 1e-6
_ALL_HOSTS: Final = -1
_UNUSED: Final = LinkCounter()


def links(simulation: "CellularSimulation") -> dict[str, Links]:
    """Return a counter for each direction of a used wired link, and for the uplinks and the downlinks of each cell."""
    up, down = _totals(simulation.air.up.links, 1), _totals(simulation.air.down.links, 1)
    return {
        "wired": simulation.wired.carried,
        "uplink": {(_ALL_HOSTS, station): counter for station, counter in up.items()},
        "downlink": {(station, _ALL_HOSTS): counter for station, counter in down.items()},
    }


def _totals(counters: Links, end: int) -> dict[int, LinkCounter]:
    """Return for each node the sum of the counters of its links. `end`: the index of the node in a pair of ends."""
    groups: dict[int, list[LinkCounter]] = {}
    for ends, counter in counters.items():
        groups.setdefault(ends[end], []).append(counter)
    return {node: total(group) for node, group in groups.items()}


def stations(simulation: "CellularSimulation", recorder: RunRecorder) -> list[Row]:
    now = simulation.engine.time
    for load, machine in zip(recorder.loads, simulation.stations, strict=True):
        load.sample(machine, now)
    return [
        {
            "station": station,
            "pending_peak": load.pending,
            "packets": load.packets,
            "processing": simulation.wired.worked[station],
            "state_peak": load.peak,
            "state_mean": load.mean(now),
            "copies_peak": load.copies,
            "copies_end": simulation.stations[station].stored[0],
            "tombstones_peak": load.tombstones,
            "tombstones_end": simulation.stations[station].stored[1],
        }
        for station, load in enumerate(recorder.loads)
    ]


def hosts(simulation: "CellularSimulation", recorder: RunRecorder) -> list[Row]:
    air, energy, now = simulation.air, simulation.world.scenario.energy, simulation.engine.time
    away = recorder.disconnections.away(len(simulation.hosts), now)
    sent, received = _totals(air.up.links, 0), _totals(air.down.links, 0)
    rows = _traffic(recorder, sent, received)
    for host, row in enumerate(rows):
        transmitting, receiving = sent.get(host, _UNUSED).busy, received.get(host, _UNUSED).received
        duplex, (dozing, wake_ups), disconnected = air.radios[host].both, air.dozed(host), away[host]
        idle = now - disconnected - transmitting - receiving + duplex - dozing
        times = (transmitting, receiving, duplex, idle, dozing, disconnected)
        unreachable = recorder.reachability.total(host, now) - disconnected
        row.update(_radio(energy, times, wake_ups), unreachable=unreachable)
    return rows


def static_hosts(simulation: "StaticSimulation", recorder: RunRecorder) -> list[Row]:
    """Return the rows of hosts that neither move nor have a radio."""
    links, unused = simulation.measured_links, {**_radio(Energy(), (0,) * len(RADIO_TIMES), 0), "unreachable": 0}
    return [row | unused for row in _traffic(recorder, _totals(links, 0), _totals(links, 1))]


def _traffic(recorder: RunRecorder, sent: dict[int, LinkCounter], received: dict[int, LinkCounter]) -> list[Row]:
    """Return the moves, messages and bytes of each host. Bytes that were lost count as sent, but not as received."""
    rows: list[Row] = []
    for host, (submitted, delivered) in enumerate(zip(*recorder.host_counts, strict=True)):
        up, down = sent.get(host, _UNUSED), received.get(host, _UNUSED)
        row: Row = {"host": host, "submitted": submitted, "delivered": delivered, "moves": recorder.visits[host]}
        for purpose in BYTE_PURPOSES:
            row[f"sent_{purpose}_bytes"] = getattr(up, purpose)
            row[f"received_{purpose}_bytes"] = getattr(down, purpose) - getattr(down.gone or _UNUSED, purpose)
        rows.append(row)
    return rows


def _radio(energy: Energy, times: Sequence[int], wake_ups: int) -> Row:
    """Return the time and the energy of each state of a radio. `times`: the times, in the order of `RADIO_TIMES`."""
    row: Row = {**dict(zip(RADIO_TIMES, times, strict=True)), "wake_ups": wake_ups}
    for state, time in zip(RADIO_TIMES.values(), times, strict=True):
        if state.energy:
            row[f"energy_{state.energy}"] = getattr(energy, state.energy) * time / _SECOND
    row["energy_switch"] = energy.switch * wake_ups * _MICRO
    return row
