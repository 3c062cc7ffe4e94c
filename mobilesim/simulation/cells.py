"""Simulation of a network of cells: hosts move between them, and machines communicate over simulated links.

Hosts send and move until the scenario's end. Then disconnected hosts reconnect or, if the scenario says so, stay away,
and the run goes on until no message is in transit.

Unless it is cut off, a host announces its disconnection to its station. It leaves the cell when the station has
received the announcement. Uplink frames are FIFO, so the station has then received all earlier frames of the host, too.
The announcement does not change the time at which the host reconnects.
"""

from collections.abc import Iterable, Mapping

from mobilesim.oracle.causal_order import Oracle
from mobilesim.protocols.machine import System
from mobilesim.protocols.packets import Message
from mobilesim.recording.link_counters import Columns
from mobilesim.recording.null_recorder import Recorder
from mobilesim.recording.recorder import RunRecorder
from mobilesim.simulation import final_tables
from mobilesim.simulation.counters import Counters
from mobilesim.simulation.dispatch import Dispatch
from mobilesim.simulation.links.link_failures import FailingLinks
from mobilesim.simulation.links.shared_lossy_wireless import wireless_channels
from mobilesim.simulation.links.wired import WiredLinks
from mobilesim.simulation.links.wireless import NOWHERE
from mobilesim.simulation.measured_processing import MeasuredDispatch
from mobilesim.simulation.measurement_window import Window
from mobilesim.simulation.overload import Server, Span, servers
from mobilesim.simulation.simulation import Simulation
from mobilesim.world.mobility import host_actions
from mobilesim.world.mobility.actions import Departure, Idle
from mobilesim.world.replication import World
from mobilesim.world.traffic.messages import station_traffic_sources

Move = tuple[int, Departure]
"""A host and its departure."""


Entry = tuple[int, Departure, int, int]
"""An entry into a cell: the host, its departure from the last cell, the number of this departure, and the time."""


class CellularSimulation(Simulation):
    def __init__(
        self,
        world: World,
        system: System,
        oracle: Oracle | None,
        recorder: Recorder,
        window: Window | None = None,
        *,
        at_host: bool,
    ) -> None:
        """`at_host`: hosts order messages. Then stations do not read ordering headers."""
        super().__init__(world, oracle, recorder, window)
        scenario, jitter = world.scenario, world.streams.stream("jitter")
        self.hosts, self.stations = list(system.hosts), list(system.stations)
        self.air = wireless_channels(self.engine, world, counted=recorder.records)
        links = WiredLinks if scenario.backbone.failures is None else FailingLinks
        self.wired = links(self.engine, world, jitter, reads_headers=not at_host, counted=recorder.records)
        self.dispatch = (Dispatch if scenario.processing.model == "fixed" else MeasuredDispatch)(self)
        self.air.lose_contact = self._cut_off
        self.rejoin = scenario.wireless.rejoin
        self.air.up.receiver, self.air.down.receiver = self.dispatch.uplinks, self.dispatch.downlinks
        self.wired.receiver = self.dispatch
        self.announced = scenario.mobility.disconnect.announced
        self.drops = scenario.mobility.disconnect.policy == "drop"
        self.leaving: dict[int, Move] = {}
        """By host, its departure, if the station has not received the announcement yet."""
        self.stays_away = scenario.mobility.at_end == "leave"
        self.drop_announced: set[int] = set()
        """Hosts that have announced at least one disconnection. Stations may drop messages for these hosts."""
        self.left_at = [NOWHERE] * scenario.hosts
        self.departures = [0] * scenario.hosts
        """By host, the number of its departures. Its entry into a cell is cancelled if another departure follows."""
        self.overlap = scenario.wireless.overlap
        self.overlapping: dict[int, int] = {}
        """By host that has entered a cell but keeps its last station, the time until which it reaches this station."""
        self.switched_off = [False] * scenario.hosts
        """By host, whether it has detected no cell since its disconnection. It may miss the beacon of a cell."""

    def start(self) -> None:
        super().start()
        self._sources = station_traffic_sources(self.world)
        for station, source in enumerate(self._sources):
            self._schedule(source.pause(), self._originate, station)
        self.wired.start(self._schedule)
        self._actions = host_actions(self.world)
        for host in range(len(self._actions)):
            self._plan(host)

    # Traffic

    def submit(self, host: int, message: Message) -> None:
        self.hosts[host].submit(message, self.dispatch.host_outboxes[host])

    def _originate(self, station: int) -> None:
        source = self._sources[station]
        message = self._message(len(self.hosts) + station, *source.address())
        self.dispatch.submit(station, message)
        if self.sent < self.limit:
            self._schedule(self.engine.time + source.pause(), self._originate, station)

    def dropped(self, message: Message, host: int) -> None:
        """Record that a station dropped a message, which counts as lost if the host has announced no disconnection."""
        if host not in self.drop_announced:
            return
        self.dropped_copies += 1
        if self.oracle is not None:
            self.oracle.dropped(message.id, message.source, host)
            self.recorder.dropped(message, host, self.engine.time)

    # Timers of machines

    def wake_host(self, host: int, after: int) -> None:
        self.engine.call_at(self.engine.time + after, self.hosts[host].wake, self.dispatch.host_outboxes[host])

    def wake_station(self, station: int, host: int, after: int) -> None:
        self.engine.call_at(self.engine.time + after, self.dispatch.wake, (station, host))

    # Movement. The times at which a host moves do not depend on the duration of hand-offs.

    def _plan(self, host: int) -> None:
        if host in self.died:
            return
        step = next(self._actions[host], None)
        if isinstance(step, Idle):
            self._schedule(max(step.until, self.engine.time), self._plan, host)
        elif step is not None:
            self._schedule(max(step.left, self.engine.time), self._leave, (host, step))

    def _leave(self, move: Move) -> None:
        host, departure = move
        if host in self.died:
            return
        self.departures[host] += 1
        announced = departure.disconnects and self.announced and not departure.cut_off
        if announced and self.air.radios[host].cell != NOWHERE:
            if self.drops:
                self.drop_announced.add(host)
            self.leaving[host] = move
            self.hosts[host].switch_off(self.dispatch.host_outboxes[host], stores=not self.drops)
        else:
            self._depart(move)

    def announcement_received(self, host: int) -> None:
        """Let a host depart after its station has received its announcement."""
        self.engine.call_at(self.engine.time, self._depart, self.leaving.pop(host))

    def _depart(self, move: Move) -> None:
        host, departure = move
        if host in self.died:
            return
        if self._overlaps(host, departure):
            until = self.overlapping[host] = self.engine.time + self.overlap
            self.engine.call_at(until, self._lose_last_station, (host, self.departures[host]))
        else:
            self._detach(host, disconnects=departure.disconnects)
        self._schedule_entry(host, departure)

    def _overlaps(self, host: int, departure: Departure) -> bool:
        """Return whether a host keeps its station while it enters another cell. In a third cell, it does not."""
        if not self.overlap or host in self.overlapping or departure.disconnects or departure.absent:
            return False
        return departure.entered <= self.engine.time and self.air.radios[host].cell not in {NOWHERE, departure.target}

    def _lose_last_station(self, kept: tuple[int, int]) -> None:
        host, number = kept
        if host in self.overlapping and number == self.departures[host]:
            self._detach(host, disconnects=False)

    def _detach(self, host: int, *, disconnects: bool) -> None:
        now = self.engine.time
        self.overlapping.pop(host, None)
        if self.air.radios[host].cell != NOWHERE:
            self.left_at[host] = now
        self.air.leave(host)
        self.hosts[host].detach()
        self.switched_off[host] |= disconnects
        self.recorder.left(host, now, disconnects=disconnects)

    def _cut_off(self, host: int) -> None:
        """Let a host lose the contact to its station. Unless it leaves before, it registers there again after a time.
        This does not change the times at which the host moves.
        """
        if (move := self.leaving.pop(host, None)) is not None:  # its announcement is lost
            self._depart(move)
            return
        if host in self.overlapping:  # it will detect its new station
            self._detach(host, disconnects=False)
            return
        station, rejoins = self.air.radios[host].cell, self.engine.time + self.rejoin
        self._detach(host, disconnects=False)
        departure = Departure(self.engine.time, rejoins, station, disconnects=False)
        self.engine.call_at(rejoins, self._rejoin, (host, departure, self.departures[host], rejoins))

    def _rejoin(self, entry: Entry) -> None:
        host, departure, number, _ = entry
        if number == self.departures[host]:
            self.air.detect(host, departure.target, self._attach, entry)

    def _schedule_entry(self, host: int, departure: Departure) -> None:
        """Schedule the entry of a host into a cell. If disconnected hosts stay away at the end, none enters later."""
        moment, move = max(self.engine.time, departure.entered), (host, departure)
        if self.stays_away and (departure.disconnects or departure.absent):
            self._schedule(moment, self._enter, move)
        else:
            self.engine.call_at(moment, self._enter, move)

    def _enter(self, move: Move) -> None:
        """Let a host enter a cell. The host detects the cell at the next beacon."""
        host, departure = move
        if host in self.died:
            return
        now = self.engine.time
        if departure.absent and now < self.end:
            self._await_return(host)
            return
        if departure.absent and self.stays_away:
            return
        if not departure.absent:
            self._plan(host)
        entry = (host, departure, self.departures[host], now)
        self.air.detect(host, departure.target, self._attach, entry)

    def _await_return(self, host: int) -> None:
        """Schedule the return of an absent host. The host's next action contains the cell and the time."""
        step = next(self._actions[host])
        assert isinstance(step, Departure)
        self._schedule_entry(host, step)

    def _attach(self, entry: Entry) -> None:
        host, departure, number, entered = entry
        if number != self.departures[host]:
            return
        if host in self.overlapping:
            change = min(self.overlapping[host], self.air.quiet_at(host))
            if change > self.engine.time:
                self.engine.call_at(change, self._attach, entry)
                return
            self._detach(host, disconnects=False)
        station = departure.target
        self.air.enter(host, station)
        times = (self.left_at[host], max(entered, self.left_at[host]))
        self.recorder.entered(host, station, times, reconnection=self.switched_off[host])
        self.switched_off[host] = False
        self.hosts[host].attach(station, self.dispatch.host_outboxes[host])

    @property
    def away(self) -> dict[int, int]:
        """Return for each host that stays away at the end the time at which it left."""
        if not self.stays_away:
            return {}
        outside = (
            host for host, radio in enumerate(self.air.radios) if radio.cell == NOWHERE and host not in self.died
        )
        return {host: self.left_at[host] for host in outside}

    @property
    def busiest(self) -> float:
        return max(self.wired.worked) / max(self.engine.time, 1)

    def servers(self, recorder: RunRecorder, during: Span) -> Iterable[Server]:
        return servers(self, recorder, during)

    def counters(self, *, settled: bool) -> Counters:
        air, processors, hosts = self.air, self.air.processors, range(len(self.hosts))
        directions = {"uplink": air.up, "downlink": air.down}
        demanded = {kind: dict(direction.occupied()) for kind, direction in directions.items()}
        if not settled:
            for host in hosts:
                air.stop(host)
        links = {kind: direction.snapshot(settled=settled) for kind, direction in directions.items()}
        return Counters(
            self.engine.time,
            {"wired": self.wired.snapshot() if settled else self.wired.carried, **links, "beacon": air.beacon_links()},
            demanded,
            self.wired.worked,
            [
                (
                    air.duplex(host) if settled else air.radios[host].both,
                    air.beacon_time(host),
                    *air.dozed(host),
                    air.cut_offs[host],
                )
                for host in hosts
            ],
            self.recorder.unreachable(self.engine.time),
            [(0, 0, 0) if processors is None else processors.so_far(host, self.engine.time) for host in hosts],
        )

    def restart_queue_peaks(self) -> None:
        self.air.up.restart_queue_peaks()
        self.air.down.restart_queue_peaks()
        for link in self.wired.used:
            link.restart_queue_peak(self.engine.time)

    def final_links(self) -> Mapping[str, Columns]:
        return final_tables.links(self.window_counters)

    def final_tables(self, recorder: RunRecorder) -> Mapping[str, Columns]:
        hosts = final_tables.hosts(self.window_counters, recorder, self.world.scenario.energy)
        away = final_tables.by_number(self.away, len(self.hosts))
        stations = final_tables.stations(self.window_counters, recorder)
        return {"stations": stations, "hosts": {**hosts, "away_since": away}}
