"""A backbone without cells, and packets for it."""

from dataclasses import dataclass
from random import Random
from typing import Any

from mobilesim.protocols.packets import Packet
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.engine import new_engine
from mobilesim.simulation.links.wired import PacketReceiver, WiredLinks
from mobilesim.world.replication import build_world


@dataclass
class SizedPacket(Packet):
    """A packet with a given number of bytes, of integers in an ordering's header, and of other integers, of which
    `stored` are stamps of messages that move with a host's state.
    """

    name: int
    size: int = 0
    integers: int = 0
    others: int = 0
    stored: int = 0

    @property
    def payload(self) -> int:
        return self.size

    @property
    def header(self) -> int:
        return self.integers

    @property
    def control(self) -> int:
        return self.others

    @property
    def stored_stamps(self) -> int:
        return self.stored


class ReadPackets(PacketReceiver):
    def __init__(self, backbone: "RecordedBackbone") -> None:
        self.backbone = backbone

    def packet_processed(self, station: int, packet: Packet, came: int) -> None:
        self.backbone.note(station, packet, came)


class RecordedBackbone:
    """A backbone that records packets when their station has read them. Packet headers and integers have no bytes."""

    def __init__(self, stations: int = 4, *, reads_headers: bool = True, **settings: Any) -> None:  # noqa: ANN401
        still = {"model": "static"}
        scenario = Scenario.model_validate(
            {"cells": stations, "mobility": still, "sizes": {"header": "0 B", "integer": "0 B"}, **settings}
        )
        self.engine = new_engine()
        world = build_world(scenario, 0)
        self.wired = WiredLinks(self.engine, world, Random(1), reads_headers=reads_headers)
        self.wired.receiver = ReadPackets(self)
        self.read: list[tuple[int, int, int, int]] = []

    def note(self, station: int, packet: Packet, came: int) -> None:
        assert isinstance(packet, SizedPacket)
        self.read.append((packet.name, station, came, self.engine.time))

    def send(self, moment: int, source: int, target: int, packet: SizedPacket) -> None:
        self.engine.call_at(moment, self._send, (source, target, packet))

    def _send(self, arguments: tuple[int, int, SizedPacket]) -> None:
        self.wired.send(*arguments)

    def run(self) -> list[tuple[int, int, int, int]]:
        """Run a backbone; return (packet, station, arrival time, time of reading) in the order of reading."""
        while self.engine.advance(1000):
            pass
        return self.read


FREE = {"fixed": "0 s", "per_integer": "0 s"}
