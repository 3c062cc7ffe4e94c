"""Links, stations and hosts at the end of a run, one row each."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from mobilesim.recording.link_counters import Links, Tally, total
from mobilesim.recording.recorder import Watch
from mobilesim.results.quantities import BYTE_PURPOSES
from mobilesim.scenario.model import Energy

if TYPE_CHECKING:
    from mobilesim.simulation.cells import Cells

Row = dict[str, object]

_SECOND: Final = 1e9
_MICRO: Final = 1e-6
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
    everybody = range(len(simulation.hosts))
    up, down = _grouped(simulation.air.up.links, 0), _grouped(simulation.air.down.links, 0)
    ups = [total(up.get(host, ())) for host in everybody]
    downs = [total(down.get(host, ())) for host in everybody]
    both = simulation.air.both
    energy, now = simulation.world.scenario.energy, simulation.engine.time
    away = watch.disconnections.away(len(simulation.hosts), now)
    return [
        {
            "host": host,
            "submitted": watch.submitted[host],
            "delivered": watch.delivered[host],
            "moves": watch.visits[host],
            **_bytes(ups[host], downs[host]),
            **_radio(
                _Times(ups[host].busy, downs[host].received, both[host], *simulation.air.dozed(host), away[host], now),
                energy,
            ),
            "unreachable": watch.reach.total(host, now) - away[host],
            "disconnected": away[host],
        }
        for host in everybody
    ]


def _bytes(up: Tally, down: Tally) -> Mapping[str, object]:
    """What was lost on the air was sent; nobody received it."""
    lost = down.gone or Tally()
    return {
        **{f"sent_{purpose}_bytes": getattr(up, purpose) for purpose in BYTE_PURPOSES},
        **{f"received_{purpose}_bytes": getattr(down, purpose) - getattr(lost, purpose) for purpose in BYTE_PURPOSES},
    }


class _Times(NamedTuple):
    """What a host's radio did up to `now`; some of the time it sent and received at once. Away, it is off."""

    transmitting: int
    receiving: int
    both: int
    dozing: int
    wake_ups: int
    away: int
    now: int

    @property
    def idle(self) -> int:
        return self.now - self.away - self.transmitting - self.receiving + self.both - self.dozing


def _radio(times: _Times, energy: Energy) -> Mapping[str, object]:
    return {
        "transmitting": times.transmitting,
        "receiving": times.receiving,
        "duplex": times.both,
        "idle": times.idle,
        "dozing": times.dozing,
        "wake_ups": times.wake_ups,
        "energy_transmit": energy.transmit * times.transmitting / _SECOND,
        "energy_receive": energy.receive * times.receiving / _SECOND,
        "energy_idle": energy.idle * times.idle / _SECOND,
        "energy_doze": energy.doze * times.dozing / _SECOND,
        "energy_switch": energy.switch * times.wake_ups * _MICRO,
    }
