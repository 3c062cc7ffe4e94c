"""Mattern and Fünfrocken: a non-blocking lightweight implementation of causal order message delivery (1995), as
Kshemkalyani and Singhal (1998, section 7.1) describe it.

Model. Every message is for one process. Channels are reliable; they need not keep order.

Theory. A message carries no control information. A process has at most one message in transit: the next message leaves
its output buffer when the receiver's input buffer has acknowledged the previous one. The application is not blocked: it
puts its messages into the output buffer. Messages are delivered at their arrival.

Lemma. If m is sent before m', then m arrives before m' leaves its output buffer. If one process sends both, m' is
behind m in the buffer, and leaves after the acknowledgement of m. If the sender of m' has delivered m before, m has
arrived. All other cases are chains of these two, since a message leaves before it arrives. Hence two causally ordered
messages to one process arrive, and are delivered, in causal order. No delivery is delayed.

Multicasts violate the lemma. Let p0 send m to p1 and p2. p1 delivers m at its arrival, and may send m' to p2 while the
other copy of m is still in transit: waiting for both acknowledgements delays only p0.

Cost. An acknowledgement for every message, and the wait in the output buffer, which is inhibition: a process sends at
most one message in a round trip, even if two messages have different destinations.

Representation. The output buffer is the send queue of `protocols.mailbox`. A process stores whether it has a message in
transit, and the processes to which it has to send an acknowledgement. A process never waits for two acknowledgements,
so they name no message and have no integers.

Deviation from the print, which calls the computation equivalent to a synchronous one. This holds between the buffers,
but not between the processes, since two of them may have messages in transit to each other. The lemma does not need it.
"""

from collections.abc import Sequence

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import NO_KEYS, ActiveProcess, Addressed, Key, Ordering


@value
class Plain(Stamp):
    """The stamp of a message, with its sender only."""


@value
class Acknowledgement(Stamp):
    """Acknowledges the receiver's only message in transit."""


class Transport(Ordering):
    def process(self, index: int) -> "TransportProcess":
        return TransportProcess(index)


class TransportProcess(ActiveProcess):
    __slots__ = ("index", "out", "owed")

    def __init__(self, index: int) -> None:
        self.index = index
        self.out = False
        """Whether a message of this process has not been acknowledged."""
        self.owed: list[int] = []
        """The processes to which an acknowledgement must be sent."""

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        if len(destinations) != 1:
            raise ValueError(f"transport orders messages to one other process, not to {len(destinations)}")
        if self.out:
            return ()
        self.out = True
        return ((destinations, Plain(self.index)),)

    def observe(self, stamp: Stamp) -> Sequence[Key]:
        if isinstance(stamp, Acknowledgement):
            self.out = False
        else:
            self.owed.append(stamp.sender)
        return NO_KEYS

    def missing(self, stamp: Stamp) -> None:
        return None

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        return NO_KEYS

    def pending_control(self) -> Sequence[Addressed]:
        if not self.owed:
            return ()
        owed, self.owed = self.owed, []
        return [((sender,), Acknowledgement(self.index)) for sender in owed]

    @property
    def integers(self) -> int:
        return 1 + len(self.owed)
