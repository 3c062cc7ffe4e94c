"""The wireless hop: the frames between a host and the station of its cell, and the frame numbers that move with a host.

When a host leaves its cell, all frames in transit are lost, in both directions. The rules are numbered as in
`docs/hand-off.md`; rules between stations are in `protocols.handoff.visits`.

- C1  A host numbers its *visits* and its *registrations*. A visit begins when the host enters a cell other than its
      previous one. A registration follows every entry, also into the same cell after a disconnection.
- C2  A station acknowledges `Register(registration, visit, trail, last_received)` at once. `trail` has the cells before
      this one, from the cell of the last acknowledged registration on. After the acknowledgement, the host retransmits
      all unacknowledged uplink frames in their order.
- C5  Uplink frames are numbered. The station with the host's state accepts only the frame with the next number. This
      number is a part of the state.
- C6  Downlink frames are numbered. The host accepts only the frame with the next number. Unacknowledged frames move to
      the new station with their numbers. The new station deletes the frames that the host has reported as received.
- C7  A host registers at every entry, even into the same cell.
- C9  A host that is about to switch off may announce this with `SwitchOff`. Then its station transmits nothing to it
      until its next registration. Frames for it are stored like unacknowledged ones, or messages for it are dropped.

A host needs no timer for retransmissions, since no frame is lost while the host is in a cell.
"""

from typing import ClassVar

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.machine import Host, HostOutbox, ProtocolError
from mobilesim.protocols.packets import ACK, DATA, HANDOFF, ORDERING, UNSTAMPED, Copy, Message, Packet, Purpose


@value
class Data(Packet):
    """A frame with the stamped copies of one message. `integers`: the size of their stamps in the frame. `addresses`:
    the number of destinations in an uplink frame; 0 in a downlink frame.
    """

    number: int
    copies: tuple[Copy, ...]
    integers: int
    addresses: int = 0
    purpose: ClassVar[Purpose] = DATA

    @property
    def payload(self) -> int:
        return self.copies[0].message.size

    @property
    def header(self) -> int:
        return self.integers

    @property
    def control(self) -> int:
        return 1 + self.addresses


@value
class ControlFrame(Data):
    purpose: ClassVar[Purpose] = ORDERING


@value
class Ack(Packet):
    """Acknowledges all frames up to `number`."""

    number: int
    purpose: ClassVar[Purpose] = ACK
    payload: ClassVar[int] = 0
    header: ClassVar[int] = 0
    control: ClassVar[int] = 1


@value
class Register(Packet):
    purpose: ClassVar[Purpose] = HANDOFF
    registration: int
    visit: int
    trail: tuple[int, ...]
    last_received: int

    @property
    def control(self) -> int:
        return 3 + len(self.trail)


@value
class Registered(Packet):
    purpose: ClassVar[Purpose] = HANDOFF
    registration: int
    control: ClassVar[int] = 1


@value
class SwitchOff(Packet):
    """The announcement of a host that it receives nothing until its next registration. `stores`: whether messages for
    it are to be stored until then, or to be dropped.
    """

    purpose: ClassVar[Purpose] = HANDOFF
    registration: int
    stores: bool
    control: ClassVar[int] = 2


class Sender:
    """Numbers the frames of one direction, and stores each frame until it is acknowledged."""

    __slots__ = ("next", "unacknowledged")

    def __init__(self) -> None:
        self.next = 0
        self.unacknowledged: list[Data] = []

    def enqueue(self, copies: tuple[Copy, ...], integers: int, addresses: int = 0, kind: type[Data] = Data) -> Data:
        # Code compiled by mypyc calls a class by its name several times as fast as through a variable.
        frame = (
            kind(self.next, copies, integers, addresses)
            if kind is not Data
            else Data(self.next, copies, integers, addresses)
        )
        self.next += 1
        self.unacknowledged.append(frame)
        return frame

    def acknowledge(self, number: int) -> None:
        waiting = self.unacknowledged
        while waiting and waiting[0].number <= number:
            waiting.pop(0)


class Receiver:
    """Accepts only the frame with the next number. `last` is the number of the last accepted frame."""

    __slots__ = ("last",)

    def __init__(self) -> None:
        self.last = -1

    def accept(self, frame: Data) -> bool:
        if frame.number != self.last + 1:
            return False
        self.last += 1
        return True


class MobileHost(Host):
    """A host whose messages are ordered at stations."""

    __slots__ = ("index", "off", "receiver", "registered", "registration", "sender", "trail", "visit")

    def __init__(self, index: int, home: int) -> None:
        self.index = index
        self.sender = Sender()
        self.receiver = Receiver()
        self.visit = 0
        self.registration = 0
        self.trail: tuple[int, ...] = (home,)
        self.registered = True
        self.off = False
        """Whether the host has announced that it switches off, and has not entered a cell since."""

    @property
    def integers(self) -> int:
        return sum([frame.header + frame.control for frame in self.sender.unacknowledged])

    def submit(self, message: Message, out: HostOutbox) -> None:
        copy = Copy(message, message.destinations, UNSTAMPED)
        self.send(self.sender.enqueue((copy,), 0, len(message.destinations)), out)

    def send(self, frame: Data, out: HostOutbox) -> None:
        # A host without an acknowledged registration transmits its stored frames after the acknowledgement.
        if self.registered and not self.off:
            out.transmit(frame)

    def attach(self, station: int, out: HostOutbox) -> None:
        self.registration += 1
        self.off = False
        if station != self.trail[-1]:
            self.visit += 1
            self.trail = (*self.trail, station)
        out.transmit(Register(self.registration, self.visit, self.trail[:-1], self.receiver.last))

    def switch_off(self, out: HostOutbox, *, stores: bool) -> None:
        self.off = True
        out.transmit(SwitchOff(self.registration, stores))

    def detach(self) -> None:
        self.registered = False

    def expects(self, frame: Packet) -> bool:
        return type(frame) is Data and frame.number == self.receiver.last + 1

    def receive_frame(self, frame: Packet, out: HostOutbox) -> None:
        if type(frame) is Data or type(frame) is ControlFrame:
            if self.receiver.accept(frame):
                self.arrived(frame, out)
            out.transmit(Ack(self.receiver.last))
        elif type(frame) is Ack:
            self.sender.acknowledge(frame.number)
        elif type(frame) is Registered and frame.registration == self.registration:
            self.registered = True
            self.trail = self.trail[-1:]
            for waiting in self.sender.unacknowledged:
                self.send(waiting, out)
        else:
            raise ProtocolError(f"host {self.index}, in registration {self.registration}, received {frame}")

    def arrived(self, frame: Data, out: HostOutbox) -> None:
        out.deliver(frame.copies[0].message)
