"""The record of a run: timelines of messages, hand-offs, disconnections, and the load of links and stations."""

from collections.abc import Callable, Sequence
from typing import Final, Self, TypeAlias

from mobilesim.oracle.causal_order import Past
from mobilesim.recording.flood_timeline import FloodTimeline
from mobilesim.recording.handoff_log import HandoffLog
from mobilesim.recording.message_timeline import MessageTimeline, Sink
from mobilesim.recording.reachability import Reachability
from mobilesim.scenario.model import Scenario
from protocols.machine import HandoffPacket, HandoffPacketKind, Message, Milestone, Packet, Phase, Station

_SERVING: Final = (Phase.COMPLETE, Phase.ENABLED, Phase.RESUMED)
"""The phases from which on a station can reach a host of its cell, unless earlier messages are missing."""


def _ignore(*_arguments: object, **_keywords: object) -> None:
    """Do nothing."""


class NoRecorder:
    """Ignores all events: the recorder of a run without a trace, and its timeline."""

    records: Final = False

    def __getattr__(self, event: str) -> Callable[..., None]:
        setattr(self, event, _ignore)  # the next event of this kind finds the attribute
        return _ignore

    @property
    def timeline(self) -> Self:
        return self


class RunRecorder:
    records: Final = True

    def __init__(
        self,
        scenario: Scenario,
        stations: Sequence[Station],
        homes: tuple[int, ...],
        sink: Sink,
        *,
        at_host: bool,
        floods: bool,
    ) -> None:
        """`at_host`: hosts order messages, not stations. `floods`: every message goes to every station."""
        sizes, self.reachability = scenario.sizes, Reachability(homes)
        new_timeline = FloodTimeline if floods else MessageTimeline
        self.timeline = new_timeline(self.reachability, sink, at_host=at_host, integer=sizes.integer)
        self.handoffs = HandoffLog(sizes, len(homes))
        self.handoff_packet_sent = self.handoffs.packet_sent
        self.disconnections = DisconnectionLog()
        self.loads = [StationLoad(station) for station in stations]
        self.visits = [0] * len(homes)
        self._hosts = len(homes)
        self._window_counts: tuple[list[int], list[int]] | None = None
        self.open_window()
        self.cells = list(homes)
        """The last cell of each host, also while the host is in no cell."""

    def submitted(self, message: Message, past: Past, now: int) -> None:
        """`past`: the messages that happened before this one, according to the oracle."""
        self.timeline.submitted(message, past, now)
        if message.source < self._hosts:
            self._submissions[message.source] += 1

    def open_window(self) -> None:
        self._submissions, self._deliveries = [0] * self._hosts, [0] * self._hosts

    def close_window(self) -> None:
        self._window_counts = self.host_counts
        self.open_window()

    @property
    def host_counts(self) -> tuple[list[int], list[int]]:
        """Return how many messages each host has submitted and delivered in the window."""
        return self._window_counts or (self._submissions, self._deliveries)

    def delivered(self, message: Message, host: int, overtaken: int, now: int) -> None:
        """`overtaken`: the message that this one overtook, according to the oracle, or -1."""
        self.timeline.delivered(message, host, overtaken, now)
        self._deliveries[host] += 1
        self.disconnections.delivered(host, message.id, now)

    def dropped(self, message: Message, host: int, now: int) -> None:
        self.timeline.dropped(message, host, now)
        self.disconnections.dropped(host, message.id, now)

    def left(self, host: int, now: int, *, disconnects: bool) -> None:
        self.reachability.lose(host, now)
        if disconnects:
            self.disconnections.left(host, self.cells[host], now)

    def entered(self, host: int, station: int, times: tuple[int, int], *, reconnection: bool) -> None:
        """`times`: those of leaving the old cell and entering the new one."""
        if reconnection:
            self.disconnections.returned(host, station, times[1], set(self.timeline.waiting[host]))
        if station != self.cells[host]:
            self.visits[host] += 1
            cells = (self.cells[host], station)
            self.handoffs.entered(host, self.visits[host], cells, times, reconnection=reconnection)
            self.cells[host] = station

    def reached(self, milestone: Milestone, station: int, cell: int, now: int) -> None:
        """`station` reports the milestone; the host is in `cell`."""
        self.handoffs.reached(milestone, now)
        host, visit, phase = milestone.host, milestone.visit, milestone.phase
        if phase is Phase.REQUEST:
            self.timeline.withdrawn(host, visit, station)
        if phase is Phase.COMPLETE:
            self.timeline.installed(host, visit, station, now)
        if phase in _SERVING and cell == station and visit == self.visits[host]:
            self.reachability.regain(host, now)

    def packet_processed(self, station: int, machine: Station, packet: Packet, now: int) -> None:
        self.loads[station].packet_processed(machine, packet, now)


Recorder: TypeAlias = RunRecorder | NoRecorder

_SAMPLE_EVERY: Final = 32
"""The size of the state is sampled after this number of packets, and when the state of a host leaves or arrives."""

_MOVES_STATE: Final = (HandoffPacketKind.REQUEST, HandoffPacketKind.STATE_TRANSFER)


class StationLoad:
    """The size of the state, the message store and the queue of a station over time."""

    def __init__(self, station: Station) -> None:
        self._size = self.peak = station.integers
        self._since = self._area = 0
        self._stores = type(station).stored is not Station.stored
        self.packets = self.pending = self.copies = self.tombstones = 0

    def packet_processed(self, station: Station, packet: Packet, now: int) -> None:
        self.packets += 1
        self.pending = max(self.pending, station.pending)
        if self._stores:
            copies, tombstones = station.stored
            self.copies = max(self.copies, copies)
            self.tombstones = max(self.tombstones, tombstones)
        if not self.packets % _SAMPLE_EVERY or (isinstance(packet, HandoffPacket) and packet.kind in _MOVES_STATE):
            self.sample(station, now)

    def sample(self, station: Station, now: int) -> None:
        self._area += self._size * (now - self._since)
        self._size, self._since = station.integers, now
        self.peak = max(self.peak, self._size)

    def mean(self, now: int) -> float:
        return (self._area + self._size * (now - self._since)) / now if now else float(self._size)


Row: TypeAlias = dict[str, int]


class DisconnectionLog:
    """The rows of `disconnections`: when hosts left and returned, and the messages that waited for them."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._away: dict[int, Row] = {}
        self._last: dict[int, Row] = {}
        self._draining: dict[int, list[tuple[Row, set[int]]]] = {}

    def left(self, host: int, station: int, now: int) -> None:
        if host in self._away:
            return
        row: Row = {"host": host, "from_station": station, "left": now, "waiting": 0, "dropped": 0}
        self._last[host] = self._away[host] = row
        self.rows.append(row)

    def returned(self, host: int, station: int, now: int, waiting: set[int]) -> None:
        """`waiting`: the messages for this host that have been submitted but not delivered."""
        if (row := self._away.pop(host, None)) is None:
            return
        row.update(returned=now, to_station=station, waiting=len(waiting))
        if waiting:
            self._draining.setdefault(host, []).append((row, waiting))
        else:
            row["drained"] = now

    def delivered(self, host: int, message: int, now: int) -> None:
        """Count the message. A host may disconnect again before all messages of its first absence are delivered."""
        if (entries := self._draining.get(host)) is None:
            return
        for row, waiting in entries:
            waiting.discard(message)
            if not waiting:
                row["drained"] = now
        entries[:] = [entry for entry in entries if entry[1]]
        if not entries:
            del self._draining[host]

    def dropped(self, host: int, message: int, now: int) -> None:
        """Count the message for the last disconnection of the host. The message no longer waits."""
        row = self._last[host]
        row["dropped"] += 1
        self.delivered(host, message, now)

    def away(self, hosts: int, now: int, since: int = 0) -> list[int]:
        """Return the time for which each host was disconnected between `since` and `now`."""
        total = [0] * hosts
        for row in self.rows:
            total[row["host"]] += max(0, min(row.get("returned", now), now) - max(row["left"], since))
        return total
