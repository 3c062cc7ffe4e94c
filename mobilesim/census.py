"""Links, stations and hosts at the end of a run, one row each."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from mobilesim.ledger import Links, Tally, total
from mobilesim.scenario.model import Energy
from mobilesim.tables import PURPOSES
from mobilesim.watch import Watch

if TYPE_CHECKING:
    from mobilesim.simulation.cells import Cells

Row = dict[str, object]

_SECOND: Final = 1e9
_NOBODY: Final = -1


def links(simulation: "Cells") -> list[Row]:
    """Every direction of every wired link that carried something, and the air of every cell, up and down."""
    wired = [
        {"kind": "wired", "source": source, "target": target, **tally.row()}
        for (source, target), tally in sorted(simulation.wires.tallies.items())
    ]
    up = _by_station(simulation.air.up.links)
    down = _by_station(simulation.air.down.links)
    return [
        *wired,
        *({"kind": "uplink", "source": _NOBODY, "target": station, **tally.row()} for station, tally in up),
        *({"kind": "downlink", "source": station, "target": _NOBODY, **tally.row()} for station, tally in down),
    ]


def _by_station(tallies: Links) -> Iterator[tuple[int, Tally]]:
    for station, of_station in sorted(_grouped(tallies, 1).items()):
        yield station, total(of_station)


def _grouped(tallies: Links, end: int) -> dict[int, list[Tally]]:
    groups: dict[int, list[Tally]] = {}
    for pair, tally in tallies.items():
        groups.setdefault(pair[end], []).append(tally)
    return groups


def stations(simulation: "Cells", watch: Watch) -> list[Row]:
    now = simulation.engine.time
    for load, machine in zip(watch.loads, simulation.stations, strict=True):
        load.sample(machine, now)
    return [
        {
            "station": station,
            "pending_peak": load.pending,
            "packets": load.packets,
            "processing": simulation.wires.worked[station],
            "state_peak": load.peak,
            "state_mean": load.mean(now),
            "copies_peak": load.copies,
            "copies_end": simulation.stations[station].stored[0],
            "tombstones_peak": load.tombstones,
            "tombstones_end": simulation.stations[station].stored[1],
        }
        for station, load in enumerate(watch.loads)
    ]


def hosts(simulation: "Cells", watch: Watch) -> list[Row]:
    up, down = _grouped(simulation.air.up.links, 0), _grouped(simulation.air.down.links, 0)
    energy, now = simulation.place.scenario.energy, simulation.engine.time
    away = watch.disconnections.away(len(simulation.hosts), now)
    return [
        {
            "host": host,
            "submitted": watch.submitted[host],
            "delivered": watch.delivered[host],
            "moves": watch.visits[host],
            **_radio(total(up.get(host, ())), total(down.get(host, ())), away[host], now, energy),
            "unreachable": watch.reach.total(host, now) - away[host],
            "disconnected": away[host],
        }
        for host in range(len(simulation.hosts))
    ]


def _radio(up: Tally, down: Tally, away: int, now: int, energy: Energy) -> Mapping[str, object]:
    """What was lost on the air cost its sender; nobody received it. A host that is disconnected has its radio off."""
    lost = down.gone or Tally()
    transmitting, receiving = up.busy, down.busy + down.unsent - lost.busy
    idle = max(0, now - away - transmitting - receiving)
    return {
        **{f"sent_{purpose}_bytes": getattr(up, purpose) for purpose in PURPOSES},
        **{f"received_{purpose}_bytes": getattr(down, purpose) - getattr(lost, purpose) for purpose in PURPOSES},
        "transmitting": transmitting,
        "receiving": receiving,
        "energy_transmit": energy.transmit * transmitting / _SECOND,
        "energy_receive": energy.receive * receiving / _SECOND,
        "energy_idle": energy.idle * idle / _SECOND,
    }
