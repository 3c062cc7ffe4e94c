"""Hand-offs and disconnections, as rows: every phase's moment, and every packet that carries a hand-off out.

What tells a message's origin where its destination went is no part of a hand-off: it is paid for by the message.
"""

from mobilesim.scenario.model import Sizes
from protocols.machine import HandoffPacket, Milestone, Packet, Phase

Row = dict[str, object]

_COLUMNS = {
    Phase.REGISTERED: "registered",
    Phase.BEGUN: "begin",
    Phase.ENABLED: "enabled",
    Phase.LAST: "last",
    Phase.OVER: "over",
}


class Handoffs:
    """Rows in the order in which hosts entered their cells. Late phases and forwards still find their row."""

    __slots__ = ("_at", "_sizes", "rows")

    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._at: dict[tuple[int, int], Row] = {}
        self.rows: list[Row] = []

    def entered(
        self, host: int, visit: int, cells: tuple[int, int], times: tuple[int, int], *, reconnection: bool
    ) -> None:
        """`cells` and `times`: those of the leaving and of the entry."""
        row: Row = {
            "host": host,
            "visit": visit,
            "from_station": cells[0],
            "to_station": cells[1],
            "left": times[0],
            "entered": times[1],
            "reconnection": reconnection,
            "inferred": False,
            **dict.fromkeys(
                ("control_messages", "control_bytes", "state_bytes", "buffered", "forwarded", "retransmitted"), 0
            ),
        }
        self._at[host, visit] = row
        self.rows.append(row)

    def reached(self, milestone: Milestone, now: int) -> None:
        if milestone.phase is Phase.RESUMED:
            return
        row = self._at[milestone.host, milestone.visit]
        if milestone.phase is Phase.FORWARDED:
            _add(row, "forwarded", 1)
        elif milestone.inferred:
            row["inferred"] = True
        elif milestone.phase is not Phase.PASSED:
            row[_COLUMNS[milestone.phase]] = now
        if milestone.phase in {Phase.OVER, Phase.PASSED}:
            row["buffered"], row["retransmitted"] = milestone.buffered, milestone.retransmitted

    def controlled(self, packet: Packet) -> None:
        """A station put a control packet on the wire."""
        if isinstance(packet, HandoffPacket):
            row = self._at[packet.host, packet.visit]
            body = packet.payload + self._sizes.integer * (packet.header + packet.control)
            _add(row, "control_messages", 1)
            _add(row, "control_bytes", body + self._sizes.header)
            _add(row, "state_bytes", body if packet.moves_state else 0)


def _add(row: Row, column: str, amount: int) -> None:
    before = row[column]
    assert isinstance(before, int)
    row[column] = before + amount


class Disconnections:
    __slots__ = ("_away", "_draining", "rows")

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._away: dict[int, Row] = {}
        self._draining: dict[int, list[tuple[Row, set[int]]]] = {}

    def left(self, host: int, station: int, now: int) -> None:
        if host in self._away:
            return
        row: Row = {"host": host, "from_station": station, "left": now, "waiting": 0}
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

    def away(self, hosts: int, now: int) -> list[int]:
        """How long each host has been disconnected."""
        total = [0] * hosts
        for row in self.rows:
            host, left, returned = row["host"], row["left"], row.get("returned", now)
            assert isinstance(host, int)
            assert isinstance(left, int)
            assert isinstance(returned, int)
            total[host] += returned - left
        return total
