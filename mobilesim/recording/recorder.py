"""The record of a run: timelines of messages, hand-offs, disconnections, and the load of links and stations."""

from array import array
from collections.abc import Mapping
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.oracle.causal_order import Submission
from mobilesim.protocols.machine import Milestone, Phase, Station, System
from mobilesim.protocols.packets import FLUSH_ACK, NOTIFY, Copy, HandoffPacket, HandoffPacketKind, Message, Packet
from mobilesim.recording.delivery_record import NEVER
from mobilesim.recording.flood_timeline import FloodTimeline
from mobilesim.recording.loads import SAMPLE_EVERY, StateSize, StationLoad
from mobilesim.recording.message_timeline import MessageTimeline
from mobilesim.recording.null_recorder import Recorder
from mobilesim.recording.reachability import Reachability
from mobilesim.recording.sinks import Sink
from mobilesim.results.quantities import HANDOFF_PACKETS
from mobilesim.results.row_writer import RowWriter
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.energy_and_costs import Sizes

_SERVING: Final = (Phase.COMPLETE, Phase.ENABLED, Phase.RESUMED)
"""The phases of a hand-off in which the new station begins to send messages to the host."""

Column: TypeAlias = npt.NDArray[np.int64 | np.int32]

_TIMES: Final = ("left", "entered", "registered", "request", "enabled", "flush_ack", "complete")
_MESSAGES: Final = tuple(f"{kind}_messages" for kind in HANDOFF_PACKETS)
_BYTES: Final = tuple(f"{kind}_bytes" for kind in HANDOFF_PACKETS)
_CHUNK: Final = 1024
"""The number of rows that are added to the columns of hand-offs at once."""
_SENT: Final = 3 * 10_000
"""The length of the buffer of sent packets of hand-offs."""
_KINDS: Final = tuple(HandoffPacketKind(name) for name in HANDOFF_PACKETS)
_NOTIFY: Final = _KINDS.index(NOTIFY)
_FLUSH_ACK: Final = _KINDS.index(FLUSH_ACK)
_COUNTS: Final = (
    *("host", "visit", "from_station", "to_station", "reconnection", "inferred", "backlog"),
    *("buffered", "forwarded", "retransmitted", *_MESSAGES),
)


class RunRecorder(Recorder):
    def __init__(
        self,
        scenario: Scenario,
        system: System,
        homes: tuple[int, ...],
        sink: Sink,
        *,
        at_host: bool,
        floods: bool,
    ) -> None:
        """`at_host`: whether hosts order messages, and not stations. `floods`: whether messages go to all stations."""
        sizes, self.reachability, self._registration = (
            scenario.sizes,
            Reachability(homes),
            Reachability(homes, remembers=False),
        )
        new_timeline = FloodTimeline if floods else MessageTimeline
        self.message_timeline = new_timeline(self.reachability, self._registration, sink, at_host=at_host)
        super().__init__(self.message_timeline)
        self.handoffs = HandoffLog(sizes, len(homes))
        self.disconnections = DisconnectionLog()
        self.visits = [0] * len(homes)
        self._hosts = len(homes)
        self._system = system
        self._window = (0, 0)
        """The measurement window of a finished run: its begin, and its end, which it excludes."""
        self.measured_loads: list[StationLoad] = []
        """By station, its load in the window of a finished run."""
        self.measured_hosts: list[StateSize] = []
        """By host, the size of its state in the window of a finished run."""
        self._measured_counts: tuple[list[int], list[int], list[int]] = ([], [], [])
        self._count_from(0)
        self.cells = list(homes)
        """By host, the cell in which it is, or was last."""

    def submitted(self, message: Message, sent: Submission, now: int) -> None:
        self.timeline.submitted(message, sent, now)
        if message.source < self._hosts:
            self._submissions[message.source] += 1

    def open_window(self, now: int) -> None:
        self._window = (now, now)
        self._count_from(now)

    def _count_from(self, now: int) -> None:
        self._loads = [StationLoad(station, now) for station in self._system.stations]
        self._host_sizes = [StateSize(host.integers, now) for host in self._system.hosts]
        self._submissions, self._deliveries = [0] * self._hosts, [0] * self._hosts
        self._returns = [0] * self._hosts

    def close_window(self, now: int, until: int) -> None:
        self._window = (self._window[0], until)
        self.measured_loads = self._loads
        self._measured_counts = self._submissions, self._deliveries, self._returns
        self.measured_hosts = self._host_sizes
        for load, station in zip(self._loads, self._system.stations, strict=True):
            load.close(station, now)
        for size, host in zip(self._host_sizes, self._system.hosts, strict=True):
            size.finish(host.integers, now)
        self._count_from(now)

    @property
    def host_counts(self) -> tuple[list[int], list[int], list[int], list[int]]:
        """Return four lists: how many messages each host submitted and delivered, how often it returned to the cell it
        had left, and how many of its moves began, in the window of a finished run.
        """
        moves = np.bincount(self.handoff_columns()["host"], minlength=self._hosts).tolist()
        return (*self._measured_counts, moves)

    def handoff_columns(self) -> Mapping[str, Column]:
        """Return the columns of the hand-offs that began in the window of a finished run."""
        columns = self.handoffs.columns()
        since, until = self._window
        inside = (columns["left"] >= since) & (columns["left"] < until)
        return columns if inside.all() else {name: column[inside] for name, column in columns.items()}

    def disconnection_rows(self) -> "list[Row]":
        """Return the disconnections that began in the window of a finished run."""
        since, until = self._window
        return [row for row in self.disconnections.rows if since <= row["left"] < until]

    def unreachable(self, now: int) -> list[int]:
        return [self.reachability.total(host, now) for host in range(self._hosts)]

    def delivered(self, message: Message, host: int, overtaken: int, now: int) -> None:
        self.timeline.delivered(message, host, overtaken, now)
        count = self._deliveries[host] = self._deliveries[host] + 1
        if not count % SAMPLE_EVERY and self._host_sizes:
            self._host_sizes[host].sample(self._system.hosts[host].integers, now)
        self.disconnections.delivered(host, message.id, now)

    def dropped(self, message: Message, host: int, now: int) -> None:
        self.timeline.dropped(message, host, now)
        self.disconnections.dropped(host, message.id, now)

    def left(self, host: int, now: int, *, disconnects: bool) -> None:
        self.reachability.lose(host, now)
        self._registration.lose(host, now)
        if disconnects:
            self.disconnections.left(host, self.cells[host], now)

    def registered(self, host: int, now: int) -> None:
        self._registration.regain(host, now)

    def entered(self, host: int, station: int, times: tuple[int, int], *, reconnection: bool) -> None:
        if reconnection:
            waiting = {trace.message.id for trace in self.message_timeline.waiting[host]}
            self.disconnections.returned(host, station, times[1], waiting)
        if station != self.cells[host]:
            self.visits[host] += 1
            cells = (self.cells[host], station)
            self.handoffs.entered(host, self.visits[host], cells, times, reconnection=reconnection)
            self.cells[host] = station
        else:
            self._returns[host] += 1

    def reached(self, milestone: Milestone, station: int, cell: int, now: int) -> None:
        self.handoffs.reached(milestone, now)
        host, visit, phase = milestone.host, milestone.visit, milestone.phase
        if phase is Phase.REQUEST:
            self.timeline.withdrawn(host, visit, station)
        if phase is Phase.COMPLETE:
            self.timeline.installed(host, visit, station, now)
        if phase in _SERVING and cell == station and visit == self.visits[host]:
            self.reachability.regain(host, now)

    def packet_sent(self, packet: Packet, source: int, target: int, done: int) -> None:
        if isinstance(packet, HandoffPacket):
            self.handoffs.packet_sent(packet)

    def searching(self, station: int, hosts: int) -> None:
        self._loads[station].searches += hosts

    def crossed(self, copy: Copy, host: int, started: int, now: int) -> None:
        if copy.is_control:
            self.timeline.control_arrived(copy.stamp)
        else:
            self.timeline.crossed(copy, host, started, now)

    def packet_processed(self, station: int, machine: Station, packet: Packet, came: int, now: int) -> None:
        self.timeline.processed()
        self._loads[station].packet_processed(machine, packet, now)


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
        """Record a delivery for all disconnections of the host during which the message waited."""
        if not self._draining or (entries := self._draining.get(host)) is None:
            return
        for row, waiting in entries:
            waiting.discard(message)
            if not waiting:
                row["drained"] = now
        entries[:] = [entry for entry in entries if entry[1]]
        if not entries:
            del self._draining[host]

    def dropped(self, host: int, message: int, now: int) -> None:
        """Count a dropped message for the host's last disconnection. The message no longer waits."""
        row = self._last[host]
        row["dropped"] += 1
        self.delivered(host, message, now)

    def away(self, hosts: int, now: int, since: int = 0) -> list[int]:
        """Return the time for which each host was disconnected between `since` and `now`."""
        total = [0] * hosts
        for row in self.rows:
            total[row["host"]] += max(0, min(row.get("returned", now), now) - max(row["left"], since))
        return total


class HandoffLog:
    """The rows of `handoffs`, in the order in which hosts entered their cells.

    There may be millions of rows, so each column is a flat array. Only packets of type `HandoffPacket` are counted, and
    not those by which stations learn the locations of hosts.
    """

    def __init__(self, sizes: Sizes, hosts: int) -> None:
        self._framing, self._integer = sizes.header, sizes.integer
        names = (*_TIMES, *_COUNTS, *_BYTES)
        self._columns: dict[str, array[int]] = {name: array("i" if name in _COUNTS else "q") for name in names}
        self._size = 0
        self._rows = [array("i") for _ in range(hosts)]
        """By host, the row of each visit after the first."""
        self._settled = [0] * hosts
        """By host, the number of hand-offs that are complete, or would be complete if the host had not left."""
        self._sent = RowWriter()
        """Three numbers for each packet that is not counted in the columns yet: its row, its kind, and its bytes."""

    def entered(
        self, host: int, visit: int, cells: tuple[int, int], times: tuple[int, int], *, reconnection: bool
    ) -> None:
        """`cells`: the old and the new cell. `times`: when the host left the old cell and entered the new cell."""
        rows = self._rows[host]
        backlog = len(rows) - self._settled[host]
        row, columns = self._size, self._columns
        if row == len(columns["host"]):
            for name, column in columns.items():
                column.extend(array(column.typecode, [NEVER if name in _TIMES else 0]) * _CHUNK)
        self._size += 1
        rows.append(row)
        columns["left"][row], columns["entered"][row] = times
        columns["from_station"][row], columns["to_station"][row] = cells
        columns["host"][row], columns["visit"][row] = host, visit
        columns["reconnection"][row], columns["backlog"][row] = reconnection, backlog

    def reached(self, milestone: Milestone, now: int) -> None:
        phase = milestone.phase
        if phase is Phase.RESUMED:
            return
        columns, row = self._columns, self._rows[milestone.host][milestone.visit - 1]
        if phase is Phase.FORWARDED:
            columns["forwarded"][row] += 1
        elif milestone.inferred:
            columns["inferred"][row] = 1
        elif phase is not Phase.PASSED:
            columns[phase.value][row] = now
        columns["buffered"][row] += milestone.buffered
        columns["retransmitted"][row] += milestone.retransmitted
        if phase is Phase.COMPLETE or phase is Phase.PASSED:
            self._settled[milestone.host] += 1

    def packet_sent(self, packet: HandoffPacket) -> None:
        sent = self._sent
        sent.put(self._rows[packet.host][packet.visit - 1])
        kind = packet.kind
        sent.put(_NOTIFY if kind is NOTIFY else _FLUSH_ACK if kind is FLUSH_ACK else _KINDS.index(kind))
        integers = packet.header + packet.control
        sent.put(self._framing + packet.payload + self._integer * integers)
        if len(sent) >= _SENT:
            self._count_sent()

    def _count_sent(self) -> None:
        """Count the packets of `_sent` in the columns."""
        rows, kinds, sizes = self._sent.take().reshape(-1, 3).T
        for kind, (messages, octets) in enumerate(zip(_MESSAGES, _BYTES, strict=True)):
            of_kind = kinds == kind
            chosen = rows[of_kind]
            np.add.at(np.frombuffer(self._columns[messages], np.int32), chosen, np.ones(len(chosen), np.int32))
            np.add.at(np.frombuffer(self._columns[octets], np.int64), chosen, sizes[of_kind])

    def columns(self) -> Mapping[str, Column]:
        """Return the columns of the table, except those that name the run. The times of missing events are negative."""
        if self._sent:
            self._count_sent()
        result: dict[str, Column] = {
            name: np.frombuffer(column[: self._size], np.int32 if column.typecode == "i" else np.int64)
            for name, column in self._columns.items()
        }
        result["control_messages"] = np.sum([result[name] for name in _MESSAGES], axis=0, dtype=np.int32)
        result["control_bytes"] = np.sum([result[name] for name in _BYTES], axis=0)
        result["superseded"] = self._superseded(result["left"], result["complete"])
        return result

    def _superseded(self, left: Column, over: Column) -> Column:
        """Return for each hand-off whether the host had left for its next cell before the hand-off was complete."""
        superseded = np.zeros(len(left), np.int32)
        for visits in self._rows:
            rows = np.frombuffer(visits, np.int32)
            these, following = rows[:-1], rows[1:]
            superseded[these] = (over[these] == NEVER) | (left[following] < over[these])
        return superseded
