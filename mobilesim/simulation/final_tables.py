"""The tables of links, stations and hosts at the end of a run."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from mobilesim.recording.link_counters import LinkCounter, Links, total
from mobilesim.recording.recorder import RunRecorder
from mobilesim.results.quantities import BYTE_PURPOSES
from mobilesim.scenario.sections.energy_and_costs import Energy

if TYPE_CHECKING:
    from mobilesim.simulation.cells import CellularSimulation
    from mobilesim.simulation.static_network import StaticSimulation

Row = dict[str, object]

_SECOND: Final = 1e9
_MICRO: Final = 1e-6
_ALL_HOSTS: Final = -1


def links(simulation: "CellularSimulation") -> list[Row]:
    """Return a row for each direction of a used wired link, and for the uplinks and the downlinks of each cell."""
    up, down = _by_station(simulation.air.up.links), _by_station(simulation.air.down.links)
    return [
        *wired_links(simulation.wired.carried),
        *({"kind": "uplink", "source": _ALL_HOSTS, "target": station, **counter.row()} for station, counter in up),
        *({"kind": "downlink", "source": station, "target": _ALL_HOSTS, **counter.row()} for station, counter in down),
    ]


def wired_links(carried: Links) -> list[Row]:
    return [
        {"kind": "wired", "source": source, "target": target, **counter.row()}
        for (source, target), counter in sorted(carried.items())
    ]


def _by_station(counters: Links) -> Iterator[tuple[int, LinkCounter]]:
    for station, of_station in sorted(_grouped(counters, 1).items()):
        yield station, total(of_station)


def _grouped(counters: Links, end: int) -> dict[int, list[LinkCounter]]:
    groups: dict[int, list[LinkCounter]] = {}
    for ends, counter in counters.items():
        groups.setdefault(ends[end], []).append(counter)
    return groups


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
    count = len(simulation.hosts)
    ups, downs = _by_host(air.up.links, 0, count), _by_host(air.down.links, 0, count)
    away, (submissions, deliveries) = recorder.disconnections.away(count, now), recorder.host_counts
    return [
        {
            "host": host,
            "submitted": submissions[host],
            "delivered": deliveries[host],
            "moves": recorder.visits[host],
            **_bytes(ups[host], downs[host]),
            **_radio(
                _Times(ups[host].busy, downs[host].received, air.both[host], *air.dozed(host), away[host], now), energy
            ),
            "unreachable": recorder.reachability.total(host, now) - away[host],
            "disconnected": away[host],
        }
        for host in range(count)
    ]


def static_hosts(simulation: "StaticSimulation", recorder: RunRecorder) -> list[Row]:
    """Return the rows of hosts that neither move nor have a radio."""
    count = len(simulation.mailboxes)
    unused = {"moves": 0, **_radio(_Times(*[0] * 7), Energy()), "unreachable": 0, "disconnected": 0}
    submissions, deliveries = recorder.host_counts
    sent, received = _by_host(simulation.measured_links, 0, count), _by_host(simulation.measured_links, 1, count)
    return [
        {
            "host": host,
            "submitted": submissions[host],
            "delivered": deliveries[host],
            **_bytes(sent[host], received[host]),
            **unused,
        }
        for host in range(count)
    ]


def _by_host(counters: Links, end: int, hosts: int) -> list[LinkCounter]:
    groups = _grouped(counters, end)
    return [total(groups.get(host, ())) for host in range(hosts)]


def _bytes(sent: LinkCounter, down: LinkCounter) -> Mapping[str, object]:
    """Bytes that were lost on a link were sent, but not received."""
    lost = down.gone or LinkCounter()
    return {
        **{f"sent_{purpose}_bytes": getattr(sent, purpose) for purpose in BYTE_PURPOSES},
        **{f"received_{purpose}_bytes": getattr(down, purpose) - getattr(lost, purpose) for purpose in BYTE_PURPOSES},
    }


class _Times(NamedTuple):
    """The use of a host's radio up to `now`. `both`: it sent and received at once. `away`: it was off."""

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
