"""Collects the events of a tape during a run. The compiled core has this module, because every packet is an event."""

from typing import Final

import numpy as np
from mypy_extensions import i64

from mobilesim.protocols.packets import Packet
from mobilesim.results.row_writer import RowWriter
from mobilesim.tape.events import COLUMNS, ENDLESS, NUMBERS, EventKind, Tape, TapeHeader
from mobilesim.tape.packet_kinds import kind_of

SUBMITTED: Final = NUMBERS[EventKind.SUBMITTED]
FRAME: Final = NUMBERS[EventKind.FRAME]
PACKET: Final = NUMBERS[EventKind.PACKET]
WAITED: Final = NUMBERS[EventKind.WAITED]
DELIVERED: Final = NUMBERS[EventKind.DELIVERED]
DROPPED: Final = NUMBERS[EventKind.DROPPED]
LEFT: Final = NUMBERS[EventKind.LEFT]
ENTERED: Final = NUMBERS[EventKind.ENTERED]
REGISTERED: Final = NUMBERS[EventKind.REGISTERED]
HANDOFF: Final = NUMBERS[EventKind.HANDOFF]
FAULT: Final = NUMBERS[EventKind.FAULT]


class TapeBuilder:
    """`since` and `until` cut off the events that end before this part of the run, or begin after it. The moves of
    hosts before it are kept, because they tell where the hosts are when it begins.
    """

    def __init__(self, since: int = 0, until: int = ENDLESS) -> None:
        self.since: i64 = since
        self.until: i64 = until
        self._rows = RowWriter()
        self._names: dict[str, int] = {"": 0}
        self._kinds: dict[type[Packet], int] = {}
        """By type of packet, the number of its kind."""

    def name(self, text: str) -> int:
        """Return the number of a text for the column `name`."""
        return self._names.setdefault(text, len(self._names))

    def kind(self, packet: Packet) -> int:
        """Return the number of the kind of a packet for the column `name`."""
        number = self._kinds.get(type(packet))
        if number is None:
            number = self._kinds[type(packet)] = self.name(kind_of(packet))
        return number

    def add(  # noqa: PLR0917 - called for every event, and keywords are slow
        self,
        kind: i64,
        time: i64,
        until: i64,
        node: i64,
        peer: i64,
        message: i64,
        host: i64,
        name: i64,
        detail: i64,
    ) -> None:
        """Add an event; see `mobilesim.tape.events` for the columns. `name`: a number that `name` has returned."""
        if (until < self.since or time > self.until) and kind not in (LEFT, ENTERED):
            return
        rows = self._rows
        rows.put(time)
        rows.put(until)
        rows.put(kind)
        rows.put(node)
        rows.put(peer)
        rows.put(message)
        rows.put(host)
        rows.put(name)
        rows.put(detail)

    def tape(self, header: TapeHeader) -> Tape:
        """Return the tape, sorted by time. Events at the same time stay in the order in which they were added.

        `header`: with the cells of the hosts at the start of the run. The tape has those at its own start.
        """
        numbers = self._rows.take().reshape(-1, len(COLUMNS))
        time, until, kind = numbers[:, 0], numbers[:, 1], numbers[:, 2]
        cells = list(header.cells)
        moved = ((kind == LEFT) | (kind == ENTERED)) & (time < self.since)
        for _, _, event, node, station, *_ in numbers[moved].tolist():
            cells[node - header.stations] = station if event == ENTERED else -1
        inside = numbers[(until >= self.since) & (time <= self.until) & ~moved]
        order = np.argsort(inside[:, 0], kind="stable")
        columns = {name: np.ascontiguousarray(inside[order, index]) for index, name in enumerate(COLUMNS)}
        return Tape(header.starting_in(cells, int(self.since), int(self.until)), columns, tuple(self._names))
