"""The rows of `handoffs`: the time of every phase, and the packets of every hand-off.

A packet that reports a destination's new station to a message's origin belongs to the message, not to a hand-off.
"""

from array import array
from collections.abc import Mapping
from itertools import chain, repeat
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.results.quantities import HANDOFF_PACKETS
from mobilesim.scenario.sections.energy_and_costs import Sizes
from protocols.machine import HandoffPacket, Milestone, Phase

Column: TypeAlias = npt.NDArray[np.int64 | np.int32]

_NEVER: Final = -1
_TIMES: Final = ("left", "entered", "registered", "request", "enabled", "flush_ack", "complete")
_MESSAGES: Final = tuple(f"{kind}_messages" for kind in HANDOFF_PACKETS)
_BYTES: Final = tuple(f"{kind}_bytes" for kind in HANDOFF_PACKETS)
_COUNTS: Final = (
    *("host", "visit", "from_station", "to_station", "reconnection", "inferred", "backlog"),
    *("buffered", "forwarded", "retransmitted", *_MESSAGES),
)


class HandoffLog:
    """Rows in the order in which hosts entered their cells. There may be millions, so each column is a flat array."""

    def __init__(self, sizes: Sizes, hosts: int) -> None:
        self._sizes = sizes
        names = (*_TIMES, *_COUNTS, *_BYTES)
        self._columns: dict[str, array[int]] = {name: array("i" if name in _COUNTS else "q") for name in names}
        self._rows = [array("i") for _ in range(hosts)]
        """By host, the row of each visit after the first."""
        self._settled = [0] * hosts
        """By host, the number of hand-offs that are complete, or would be complete if the host had not left."""

    def entered(
        self, host: int, visit: int, cells: tuple[int, int], times: tuple[int, int], *, reconnection: bool
    ) -> None:
        """`cells`: the old and the new cell. `times`: the times of leaving and entering them."""
        rows = self._rows[host]
        backlog = len(rows) - self._settled[host]
        rows.append(len(self._columns["host"]))
        values = (*times, *[_NEVER] * (len(_TIMES) - 2), host, visit, *cells, reconnection, 0, backlog)
        for column, value in zip(self._columns.values(), chain(values, repeat(0)), strict=False):
            column.append(value)

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
        row, kind = self._rows[packet.host][packet.visit - 1], packet.kind.value
        body = packet.payload + self._sizes.integer * (packet.header + packet.control)
        self._columns[f"{kind}_messages"][row] += 1
        self._columns[f"{kind}_bytes"][row] += body + self._sizes.header

    def columns(self) -> Mapping[str, Column]:
        """Return the columns of the table without run constants. The times of missing events are negative."""
        result: dict[str, Column] = {
            name: np.frombuffer(column, np.int32 if column.typecode == "i" else np.int64)
            for name, column in self._columns.items()
        }
        result["control_messages"] = np.sum([result[name] for name in _MESSAGES], axis=0, dtype=np.int32)
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
