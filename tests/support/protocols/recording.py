"""Outboxes that note what a machine does."""

from collections.abc import Sequence

from protocols.machine import Copy, Message, Milestone, Packet


class StationNotes:
    def __init__(self) -> None:
        self.sent: list[tuple[int, Packet]] = []
        self.transmitted: list[tuple[int, Packet]] = []
        self.milestones: list[Milestone] = []
        self.own: list[Copy] = []
        self.refused: list[tuple[int, int]] = []
        self.alarms: list[tuple[int, int]] = []
        self.waits: list[Message] = []

    def send(self, station: int, packet: Packet) -> None:
        self.sent.append((station, packet))

    def transmit(self, host: int, frame: Packet) -> None:
        self.transmitted.append((host, frame))

    def reached(self, milestone: Milestone) -> None:
        self.milestones.append(milestone)

    def kept(self, copies: Sequence[Copy]) -> None:
        self.own += copies

    def wake(self, host: int, after: int) -> None:
        self.alarms.append((host, after))

    def held(self, message: Message) -> None:
        self.waits.append(message)

    def dropped(self, message: Message, host: int) -> None:
        self.refused.append((message.id, host))


class HostNotes:
    def __init__(self) -> None:
        self.transmitted: list[Packet] = []
        self.delivered: list[Message] = []
        self.waits: list[Message] = []
        self.let: list[Message] = []
        self.alarms: list[int] = []

    def transmit(self, frame: Packet) -> None:
        self.transmitted.append(frame)

    def deliver(self, message: Message) -> None:
        self.delivered.append(message)

    def wake(self, after: int) -> None:
        self.alarms.append(after)

    def held(self, message: Message) -> None:
        self.waits.append(message)

    def let_go(self, message: Message) -> None:
        self.let.append(message)
