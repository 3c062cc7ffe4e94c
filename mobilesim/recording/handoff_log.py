"""Hand-offs and disconnections, as rows: every phase's moment, and every packet that carries a hand-off out.

What tells a message's origin where its destination went is no part of a hand-off: it is paid for by the message.
"""

from array import array
from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from mobilesim.results.quantities import HANDOFF_PACKETS
from mobilesim.scenario.model import Sizes
from protocols.machine import HandoffPacket, Milestone, Phase

Row = dict[str, object]

_NEVER: Final = -1

_PACKETS: Final = tuple(HANDOFF_PACKETS)
_TIMES: Final = ("left", "entered", "registered", "request", "enabled", "flush_ack", "complete")
_COUNTS: Final = (
    *("host", "visit", "from_station", "to_station", "reconnection", "inferred", "backlog"),
    *("buffered", "forwarded", "retransmitted"),
    *(f"{kind}_messages" for kind in HANDOFF_PACKETS),
)
_BYTES: Final = tuple(f"{kind}_bytes" for kind in HANDOFF_PACKETS)

_TIME_OF: Final = {
    Phase.REGISTERED: _TIMES.index("registered"),
    Phase.REQUEST: _TIMES.index("request"),
    Phase.ENABLED: _TIMES.index("enabled"),
    Phase.FLUSH_ACK: _TIMES.index("flush_ack"),
    Phase.COMPLETE: _TIMES.index("complete"),
}
_INFERRED: Final = _COUNTS.index("inferred")
_BUFFERED: Final = _COUNTS.index("buffered")
_FORWARDED: Final = _COUNTS.index("forwarded")
_RETRANSMITTED: Final = _COUNTS.index("retransmitted")
_MESSAGES: Final = _COUNTS.index(f"{_PACKETS[0]}_messages")


class Handoffs:
    """Rows in the order in which hosts entered their cells, as numbers side by side: there may be a great many.

    Late phases and forwards still find their row.
    """

    __slots__ = ("_bytes", "_counts", "_places", "_rows", "_settled", "_sizes", "_times")

    def __init__(self, sizes: Sizes, hosts: int) -> None:
        self._sizes = sizes
        self._times = array("q")
        self._counts = array("i")
        self._bytes = array("q")
        self._rows = [array("i") for _ in range(hosts)]
        """By host, the row of each visit but the first, which no hand-off led to."""
        self._settled = [0] * hosts
        """By host, how many hand-offs are over, or would be if the host had not gone on."""
        self._places: dict[type[HandoffPacket], int] = {}

    def entered(
        self, host: int, visit: int, cells: tuple[int, int], times: tuple[int, int], *, reconnection: bool
    ) -> None:
        """`cells` and `times`: those of the leaving and of the entry."""
        rows = self._rows[host]
        backlog = len(rows) - self._settled[host]
        rows.append(len(self._times) // len(_TIMES))
        self._times.extend((*times, _NEVER, _NEVER, _NEVER, _NEVER, _NEVER))
        self._counts.extend((host, visit, *cells, reconnection, 0, backlog, 0, 0, 0, *(0 for _ in HANDOFF_PACKETS)))
        self._bytes.extend(0 for _ in HANDOFF_PACKETS)

    def reached(self, milestone: Milestone, now: int) -> None:
        phase = milestone.phase
        if phase is Phase.RESUMED:
            return
        row = self._rows[milestone.host][milestone.visit - 1]
        counts, base = self._counts, row * len(_COUNTS)
        if phase is Phase.FORWARDED:
            counts[base + _FORWARDED] += 1
        elif milestone.inferred:
            counts[base + _INFERRED] = 1
        elif phase is not Phase.PASSED:
            self._times[row * len(_TIMES) + _TIME_OF[phase]] = now
        counts[base + _BUFFERED] += milestone.buffered
        counts[base + _RETRANSMITTED] += milestone.retransmitted
        if phase is Phase.COMPLETE or phase is Phase.PASSED:
            self._settled[milestone.host] += 1

    def controlled(self, packet: HandoffPacket) -> None:
        """A station put a packet of a hand-off on the wire to another one."""
        place = self._places.get(type(packet))
        if place is None:
            place = self._places[type(packet)] = _PACKETS.index(packet.kind.value)
        row = self._rows[packet.host][packet.visit - 1]
        body = packet.payload + self._sizes.integer * (packet.header + packet.control)
        self._counts[row * len(_COUNTS) + _MESSAGES + place] += 1
        self._bytes[row * len(_BYTES) + place] += body + self._sizes.header

    def columns(self) -> Mapping[str, npt.NDArray[np.int64 | np.int32]]:
        """What the table has, beside what all tables have. A time that never came is negative."""
        found: dict[str, npt.NDArray[np.int64 | np.int32]] = {}
        for names, flat, kind in (
            (_TIMES, self._times, np.int64),
            (_COUNTS, self._counts, np.int32),
            (_BYTES, self._bytes, np.int64),
        ):
            found.update(zip(names, np.frombuffer(flat, kind).reshape(-1, len(names)).T, strict=True))
        found["control_messages"] = np.sum(
            [found[f"{kind}_messages"] for kind in HANDOFF_PACKETS], axis=0, dtype=np.int32
        )
        found["control_bytes"] = np.sum([found[name] for name in _BYTES], axis=0)
        found["superseded"] = self._superseded(found["left"], found["complete"])
        return found

    def _superseded(
        self, left: npt.NDArray[np.int64 | np.int32], over: npt.NDArray[np.int64 | np.int32]
    ) -> npt.NDArray[np.int32]:
        """Whether the host had left for its next cell before the hand-off was over."""
        superseded = np.zeros(len(left), np.int32)
        for visits in self._rows:
            rows = np.frombuffer(visits, np.int32)
            these, following = rows[:-1], rows[1:]
            superseded[these] = (over[these] == _NEVER) | (left[following] < over[these])
        return superseded


class Disconnections:
    __slots__ = ("_away", "_draining", "_last", "rows")

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._away: dict[int, Row] = {}
        self._last: dict[int, Row] = {}
        self._draining: dict[int, list[tuple[Row, set[int]]]] = {}

    def left(self, host: int, station: int, now: int) -> None:
        if host in self._away:
            return
        row: Row = {"host": host, "from_station": station, "left": now, "waiting": 0, "dropped": 0}
        self._last[host] = row
        self._away[host] = row
        self.rows.append(row)

    def returned(self, host: int, station: int, now: int, waiting: set[int]) -> None:
        """`waiting`: the messages for this host that have been sent and not delivered."""
        row = self._away.pop(host, None)
        if row is None:
            return
        row.update(returned=now, to_station=station, waiting=len(waiting))
        if waiting:
            self._draining.setdefault(host, []).append((row, waiting))
        else:
            row["drained"] = now

    def delivered(self, host: int, message: int, now: int) -> None:
        """A host may have gone again before all has reached it that waited the first time."""
        entries = self._draining.get(host)
        if entries is None:
            return
        for row, waiting in entries:
            waiting.discard(message)
            if not waiting:
                row["drained"] = now
        entries[:] = [entry for entry in entries if entry[1]]
        if not entries:
            del self._draining[host]

    def dropped(self, host: int, message: int, now: int) -> None:
        """Counts for the last time that the host disconnected, and is waited for no more."""
        row = self._last[host]
        dropped = row["dropped"]
        assert isinstance(dropped, int)
        row["dropped"] = dropped + 1
        self.delivered(host, message, now)

    def away(self, hosts: int, now: int, since: int = 0) -> list[int]:
        """How long each host has been disconnected by then."""
        total = [0] * hosts
        for row in self.rows:
            host, left, returned = row["host"], row["left"], row.get("returned", now)
            assert isinstance(host, int)
            assert isinstance(left, int)
            assert isinstance(returned, int)
            total[host] += max(0, min(returned, now) - max(left, since))
        return total
