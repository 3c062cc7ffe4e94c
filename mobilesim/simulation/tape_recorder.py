"""Record a run on a tape: its messages, packets, frames, waits, moves and hand-offs."""

from typing import Final

from mobilesim.oracle.causal_order import Submission
from mobilesim.protocols.machine import Milestone, Station, System
from mobilesim.protocols.packets import Copy, Message, Packet
from mobilesim.recording.delivery_record import DeliveryRecord
from mobilesim.recording.recorder import RunRecorder
from mobilesim.recording.sinks import Sink
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.links.wireless import FrameReceiver
from mobilesim.tape.events import Arrival
from mobilesim.tape.packet_kinds import carried_host, carried_message
from mobilesim.tape.tape_builder import (
    DELIVERED,
    DROPPED,
    ENTERED,
    FRAME,
    HANDOFF,
    LEFT,
    PACKET,
    REGISTERED,
    SUBMITTED,
    WAITED,
    TapeBuilder,
)

RECEIVED: Final = int(Arrival.RECEIVED)
LOST: Final = int(Arrival.LOST)
IN_TRANSIT: Final = int(Arrival.IN_TRANSIT)


class TapeRecorder(RunRecorder):
    """A run's recorder that also writes a tape."""

    def __init__(
        self,
        scenario: Scenario,
        system: System,
        homes: tuple[int, ...],
        sink: Sink,
        tape: TapeBuilder,
        *,
        stations: int,
        at_host: bool,
        floods: bool,
    ) -> None:
        super().__init__(
            scenario,
            system,
            homes,
            TapeSink(sink, tape, stations, at_host=at_host),
            at_host=at_host,
            floods=floods,
        )
        self.tape, self.stations = tape, stations
        self._sent: dict[tuple[int, int], tuple[Packet, int, int]] = {}
        """The packets in transit, by the packet's id and target: the packet, the source, and when the source had worked
        on it.
        """

    def node(self, process: int) -> int:
        """Return the node of a host, or of a station that sends messages of its own."""
        return process - self._hosts if self.stations and process >= self._hosts else process + self.stations

    def submitted(self, message: Message, sent: Submission, now: int) -> None:
        super().submitted(message, sent, now)
        node = self.node(message.source)
        for host in message.destinations:
            self.tape.add(SUBMITTED, now, now, node, -1, message.id, host, 0, message.size)

    def delivered(self, message: Message, host: int, overtaken: int, now: int) -> None:
        super().delivered(message, host, overtaken, now)
        self.tape.add(DELIVERED, now, now, self.stations + host, -1, message.id, host, 0, overtaken)

    def dropped(self, message: Message, host: int, now: int) -> None:
        super().dropped(message, host, now)
        self.tape.add(DROPPED, now, now, self.cells[host], -1, message.id, host, 0, -1)

    def left(self, host: int, now: int, *, disconnects: bool) -> None:
        super().left(host, now, disconnects=disconnects)
        name = self.tape.name("disconnects" if disconnects else "moves")
        self.tape.add(LEFT, now, now, self.stations + host, self.cells[host], -1, host, name, -1)

    def entered(self, host: int, station: int, times: tuple[int, int], *, reconnection: bool) -> None:
        super().entered(host, station, times, reconnection=reconnection)
        self.tape.add(ENTERED, times[1], times[1], self.stations + host, station, -1, host, 0, self.visits[host])

    def registered(self, host: int, now: int) -> None:
        super().registered(host, now)
        self.tape.add(REGISTERED, now, now, self.stations + host, self.cells[host], -1, host, 0, -1)

    def reached(self, milestone: Milestone, station: int, cell: int, now: int) -> None:
        super().reached(milestone, station, cell, now)
        name = self.tape.name(milestone.phase.value.replace("_", " "))
        self.tape.add(HANDOFF, now, now, station, -1, -1, milestone.host, name, milestone.visit)

    def packet_sent(self, packet: Packet, source: int, target: int, done: int) -> None:
        super().packet_sent(packet, source, target, done)
        self._sent[id(packet), target] = (packet, source, done)

    def packet_processed(self, station: int, machine: Station, packet: Packet, came: int, now: int) -> None:
        super().packet_processed(station, machine, packet, came, now)
        _, source, done = self._sent.pop((id(packet), station))
        self._add_packet(packet, (source, station), (done, came), RECEIVED)

    def _add_packet(self, packet: Packet, ends: tuple[int, int], times: tuple[int, int], arrival: int) -> None:
        tape, message, host = self.tape, carried_message(packet), carried_host(packet)
        tape.add(PACKET, times[0], times[1], ends[0], ends[1], message, host, tape.kind(packet), arrival)

    def finish_tape(self, now: int) -> None:
        """Add the packets that are in transit when the run is stopped."""
        for (_, target), (packet, source, done) in self._sent.items():
            if done <= now:
                self._add_packet(packet, (source, target), (done, now), IN_TRANSIT)

    def crossed(self, copy: Copy, host: int, started: int, now: int) -> None:
        super().crossed(copy, host, started, now)
        message = -1 if copy.is_control else copy.message.id
        name = self.tape.name("control packet" if copy.is_control else "data")
        # Not all orderings write the sender into their stamps.
        sender = copy.message.source if copy.stamp.sender < 0 else copy.stamp.sender
        nodes = self.stations + sender, self.stations + host
        self.tape.add(PACKET, started, now, nodes[0], nodes[1], message, -1, name, RECEIVED)


class TapeSink(Sink):
    """Puts the waits of each delivered message on the tape, and passes on the records."""

    def __init__(self, sink: Sink, tape: TapeBuilder, stations: int, *, at_host: bool) -> None:
        self._sink, self._tape, self._stations, self._at_host = sink, tape, stations, at_host
        self._uplink, self._order = tape.name("uplink"), tape.name("order")
        self._downlink, self._host = tape.name("downlink"), tape.name("host")

    def delivery(self, record: DeliveryRecord) -> None:
        self._sink.delivery(record)
        tape, message, host, cause = self._tape, record.message, record.destination, record.waited_for
        started, source = record.uplink_started, record.source
        ready = record.submitted + record.sender_work
        if started > ready:
            tape.add(WAITED, ready, started, self._stations + source, -1, message, host, self._uplink, -1)
        arrived, handed, station = record.arrived, record.handed, record.station
        if handed > arrived:
            why = -1 if self._at_host else cause
            tape.add(WAITED, arrived, handed, station, -1, message, host, self._order, why)
        if record.downlink_started > handed:
            tape.add(WAITED, handed, record.downlink_started, station, -1, message, host, self._downlink, -1)
        if record.delivered > record.heard:
            node, why = self._stations + host, cause if self._at_host else -1
            tape.add(WAITED, record.heard, record.delivered, node, -1, message, host, self._host, why)

    def message(self, message: Message, submitted: int, header: int, units: int) -> None:
        self._sink.message(message, submitted, header, units)


class TapeFrames(FrameReceiver):
    """Puts the frames of one direction on the tape, and passes them on."""

    def __init__(self, receiver: FrameReceiver, tape: TapeBuilder, engine: Engine, stations: int, *, up: bool) -> None:
        self._receiver, self._tape, self._engine, self._stations, self._up = receiver, tape, engine, stations, up

    def received(self, host: int, station: int, frame: Packet, started: int, work: int) -> None:
        tape, node, arrived = self._tape, self._stations + host, self._engine.time
        message = carried_message(frame)
        if self._up:
            tape.add(FRAME, started, arrived, node, station, message, host, tape.kind(frame), RECEIVED)
        else:
            tape.add(FRAME, started, arrived - work, station, node, message, host, tape.kind(frame), RECEIVED)
        self._receiver.received(host, station, frame, started, work)

    def repeated(self, host: int, frame: Packet, times: int) -> None:
        self._receiver.repeated(host, frame, times)

    def lost(self, host: int, station: int, frame: Packet, started: int) -> None:
        tape, node, now = self._tape, self._stations + host, self._engine.time
        ends = (node, station) if self._up else (station, node)
        tape.add(FRAME, min(started, now), now, *ends, carried_message(frame), host, tape.kind(frame), LOST)
