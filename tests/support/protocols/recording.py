"""Outboxes that record the outputs of a machine."""

from mobilesim.explorer.machine_driver import LiveDriver
from mobilesim.protocols.machine import HostOutbox, Milestone, StationOutbox, System, Telemetry
from mobilesim.protocols.packets import Message, Packet


class MilestoneLog(Telemetry):
    def __init__(self) -> None:
        self.milestones: list[Milestone] = []

    def reached(self, milestone: Milestone) -> None:
        self.milestones.append(milestone)


class ObservedMachines(LiveDriver):
    """Machines whose milestones are recorded."""

    def __init__(self, system: System) -> None:
        log = MilestoneLog()
        super().__init__(system, log)
        self.milestones = log.milestones


class StationNotes(StationOutbox):
    def __init__(self) -> None:
        log = MilestoneLog()
        super().__init__(log)
        self.sent: list[tuple[int, Packet]] = []
        self.transmitted: list[tuple[int, Packet]] = []
        self.milestones = log.milestones
        self.refused: list[tuple[int, int]] = []
        self.timers: list[tuple[int, int]] = []

    def send(self, station: int, packet: Packet) -> None:
        self.sent.append((station, packet))

    def transmit(self, host: int, frame: Packet) -> None:
        self.transmitted.append((host, frame))

    def wake(self, host: int, after: int) -> None:
        self.timers.append((host, after))

    def drop(self, message: Message, host: int) -> None:
        self.refused.append((message.id, host))


class HostNotes(HostOutbox):
    def __init__(self) -> None:
        super().__init__()
        self.transmitted: list[Packet] = []
        self.delivered: list[Message] = []
        self.timers: list[int] = []

    def transmit(self, frame: Packet) -> None:
        self.transmitted.append(frame)

    def deliver(self, message: Message) -> None:
        self.delivered.append(message)

    def wake(self, after: int) -> None:
        self.timers.append(after)
