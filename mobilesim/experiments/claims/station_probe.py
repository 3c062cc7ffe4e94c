"""A tap on the stations: what each of them gets and puts out, by the contract alone, whoever else watches the run."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, Protocol

from protocols.machine import (
    Copy,
    DataPacket,
    HandoffPacket,
    Message,
    Milestone,
    Packet,
    Purpose,
    Station,
    StationOutbox,
    Telemetry,
)

Handoff = tuple[int, int]
"""A host, and the visit into which its hand-off goes."""

DATA: Final = Purpose.DATA


class Listener(Protocol):
    """Who else wants to know what happens to messages at stations."""

    def stamped(self, copies: Sequence[Copy]) -> None:
        """Copies were sent, for the first time or on."""

    def came(self, copies: Sequence[Copy]) -> None: ...

    def lowered(self, message: Message, host: int) -> None:
        """A frame with a message was put on the air."""


class Tap:
    """What was heard at all stations of a run."""

    def __init__(self) -> None:
        self.headers: Counter[int] = Counter()
        """Packets with messages, by the integers of their ordering header."""
        self.handoffs: dict[Handoff, int] = {}
        """The packets of each hand-off that crossed the wire."""
        self.forwarded = 0
        """Packets that took a message over a link later than when it set out."""
        self.listener: Listener | None = None
        self._call = 0
        self._set_out: dict[int, int] = {}
        """By message, the call of a station in which it was first sent."""

    def on(self, stations: Sequence[Station]) -> list[Station]:
        return [_Tapped(self, index, station) for index, station in enumerate(stations)]

    def called(self) -> None:
        """What stations put out from now on, they put out for another reason than before."""
        self._call += 1

    def sent(self, source: int, target: int, packet: Packet) -> None:
        if isinstance(packet, HandoffPacket):
            handoff = (packet.host, packet.visit)
            self.handoffs[handoff] = self.handoffs.get(handoff, 0) + (source != target)
        elif isinstance(packet, DataPacket) and packet.purpose is DATA:
            self.headers[packet.header] += 1
            self.forwarded += self._later(packet.copies) and source != target
            if self.listener is not None:
                self.listener.stamped(packet.copies)

    def kept(self, copies: Sequence[Copy]) -> None:
        self._later(copies)
        if self.listener is not None:
            self.listener.stamped(copies)
            self.listener.came(copies)

    def _later(self, copies: Sequence[Copy]) -> bool:
        return self._set_out.setdefault(copies[0].message.id, self._call) != self._call

    def got(self, packet: Packet) -> None:
        if self.listener is not None and isinstance(packet, DataPacket) and packet.purpose is DATA:
            self.listener.came(packet.copies)

    def lowered(self, host: int, frame: Any) -> None:  # noqa: ANN401 - a packet; one of data has copies
        if self.listener is not None and frame.purpose is DATA:
            self.listener.lowered(frame.copies[0].message, host)

    def reached(self, milestone: Milestone) -> None:
        """A hand-off counts from its registration on, also if no packet ever crosses the wire for it."""
        if milestone.visit:
            self.handoffs.setdefault((milestone.host, milestone.visit), 0)


class _Tapped(Station):
    def __init__(self, tap: Tap, index: int, station: Station) -> None:
        self._tap = tap
        self._index = index
        self._station = station

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        self._tap.got(packet)
        self._station.receive(packet, self._tapped(out))

    def hear(self, host: int, frame: Packet, out: StationOutbox) -> None:
        self._station.hear(host, frame, self._tapped(out))

    def submit(self, message: Message, out: StationOutbox) -> None:
        self._station.submit(message, self._tapped(out))

    def wake(self, host: int, out: StationOutbox) -> None:
        self._station.wake(host, self._tapped(out))

    def _tapped(self, out: StationOutbox) -> StationOutbox:
        self._tap.called()
        return _Outbox(self._tap, self._index, out)

    @property
    def integers(self) -> int:
        return self._station.integers

    @property
    def pending(self) -> int:
        return self._station.pending

    @property
    def stored(self) -> tuple[int, int]:
        return self._station.stored


class _Outbox:
    def __init__(self, tap: Tap, index: int, out: StationOutbox) -> None:
        self._tap = tap
        self._index = index
        self._out = out
        self.telemetry = _TappedTelemetry(tap, out.telemetry)

    def send(self, station: int, packet: Packet) -> None:
        self._tap.sent(self._index, station, packet)
        self._out.send(station, packet)

    def transmit(self, host: int, frame: Packet) -> None:
        self._tap.lowered(host, frame)
        self._out.transmit(host, frame)

    def wake(self, host: int, after: int) -> None:
        self._out.wake(host, after)

    def drop(self, message: Message, host: int) -> None:
        self._out.drop(message, host)


class _TappedTelemetry(Telemetry):
    def __init__(self, tap: Tap, telemetry: Telemetry) -> None:
        self._tap = tap
        self._telemetry = telemetry

    def held(self, message: Message) -> None:
        self._telemetry.held(message)

    def reached(self, milestone: Milestone) -> None:
        self._tap.reached(milestone)
        self._telemetry.reached(milestone)

    def kept(self, copies: Sequence[Copy]) -> None:
        self._tap.kept(copies)
        self._telemetry.kept(copies)
