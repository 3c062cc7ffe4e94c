"""Outboxes that note what a machine does."""

from protocols.machine import Message, Milestone, Packet


class StationNotes:
    def __init__(self) -> None:
        self.sent: list[tuple[int, Packet]] = []
        self.transmitted: list[tuple[int, Packet]] = []
        self.milestones: list[Milestone] = []

    def send(self, station: int, packet: Packet) -> None:
        self.sent.append((station, packet))

    def transmit(self, host: int, frame: Packet) -> None:
        self.transmitted.append((host, frame))

    def reached(self, milestone: Milestone) -> None:
        self.milestones.append(milestone)


class HostNotes:
    def __init__(self) -> None:
        self.transmitted: list[Packet] = []
        self.delivered: list[Message] = []

    def transmit(self, frame: Packet) -> None:
        self.transmitted.append(frame)

    def deliver(self, message: Message) -> None:
        self.delivered.append(message)
