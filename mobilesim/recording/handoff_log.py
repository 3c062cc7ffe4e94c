"""The rows of `handoffs`: the time of every phase, and the packets of every hand-off.

A packet that reports a destination's new station to a message's origin belongs to the message, not to a hand-off.
"""

from array import array
from collections.abc import Mapping
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.results.quantities import HANDOFF_PACKETS
from mobilesim.scenario.sections.energy_and_costs import Sizes
from protocols.machine import HandoffPacket, Milestone, Phase

Column: TypeAlias = npt.NDArray[np.int64 | np.int32]

_NEVER: Final = -1
_PACKETS: Final = tuple(HANDOFF_PACKETS)
_TIMES: Final = ("left", "entered", "registered", "request", "enabled", "flush_ack", "complete")
_COUNTS: Final = (
    *("host", "visit", "from_station", "to_station", "reconnection", "inferred", "backlog"),
    *("buffered", "forwarded", "retransmitted"),
    *(f"{kind}_messages" for kind in HANDOFF_PACKETS),
)
_BYTES: Final = tuple(f"{kind}_bytes" for kind in HANDOFF_PACKETS)

_TIME_OF: Final = {phase: _TIMES.index(phase.value) for phase in Phase if phase.value in _TIMES}
_INFERRED: Final = _COUNTS.index("inferred")
_BUFFERED: Final = _COUNTS.index("buffered")
_FORWARDED: Final = _COUNTS.index("forwarded")
_RETRANSMITTED: Final = _COUNTS.index("retransmitted")
_MESSAGES: Final = _COUNTS.index(f"{_PACKETS[0]}_messages")


class HandoffLog:
    """Rows in the order in which hosts entered their cells, kept in flat arrays, since there may be millions."""

    def __init__(self, sizes: Sizes, hosts: int) -> None:
        self._sizes = sizes
        self._times = array("q")
        self._counts = array("i")
        self._bytes = array("q")
        self._rows = [array("i") for _ in range(hosts)]
        """By host, the row of each visit after the first."""
        self._settled = [0] * hosts
        """By host, the number of hand-offs that are complete, or would be complete if the host had not left."""
        self._index_of: dict[type[HandoffPacket], int] = {}

    def entered(
        self, host: int, visit: int, cells: tuple[int, int], times: tuple[int, int], *, reconnection: bool
    ) -> None:
        """`cells`: the old and the new cell. `times`: the times of leaving and entering them."""
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

    def packet_sent(self, packet: HandoffPacket) -> None:
        if (index := self._index_of.get(type(packet))) is None:
            index = self._index_of[type(packet)] = _PACKETS.index(packet.kind.value)
        row = self._rows[packet.host][packet.visit - 1]
        body = packet.payload + self._sizes.integer * (packet.header + packet.control)
        self._counts[row * len(_COUNTS) + _MESSAGES + index] += 1
        self._bytes[row * len(_BYTES) + index] += body + self._sizes.header

    def columns(self) -> Mapping[str, Column]:
        """Return the columns of the table without run constants. The times of missing events are negative."""
        result: dict[str, Column] = {}
        for names, flat, kind in (
            (_TIMES, self._times, np.int64),
            (_COUNTS, self._counts, np.int32),
            (_BYTES, self._bytes, np.int64),
        ):
            result.update(zip(names, np.frombuffer(flat, kind).reshape(-1, len(names)).T, strict=True))
        result["control_messages"] = np.sum(
            [result[f"{kind}_messages"] for kind in HANDOFF_PACKETS], axis=0, dtype=np.int32
        )
        result["control_bytes"] = np.sum([result[name] for name in _BYTES], axis=0)
        result["superseded"] = self._superseded(result["left"], result["complete"])
        return result

    def _superseded(self, left: Column, over: Column) -> Column:
        """Return whether the host had left for its next cell before the hand-off was complete."""
        superseded = np.zeros(len(left), np.int32)
        for visits in self._rows:
            rows = np.frombuffer(visits, np.int32)
            these, following = rows[:-1], rows[1:]
            superseded[these] = (over[these] == _NEVER) | (left[following] < over[these])
        return superseded
