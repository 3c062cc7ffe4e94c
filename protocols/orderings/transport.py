"""Mattern and Fünfrocken: a non-blocking lightweight implementation of causal order message delivery (1995), as
Kshemkalyani and Singhal (1998, section 7.1) describe it.

Model. Every message is for one process. Channels are reliable; they need not keep order.

Theory. A message carries no control information. A process has one message in transit at a time, whatever its
destination: the next one leaves its output buffer when the receiver's input buffer has acknowledged the previous one.
The application is not blocked: it puts its messages into the output buffer. Arrivals are delivered at once.

Lemma. If m is sent before m', then m arrives before m' leaves its output buffer. If one process sends both, m' is
behind m in the buffer, and leaves after the acknowledgement of m. If the sender of m' has delivered m before, m has
arrived. All other cases are chains of these two, and a message arrives after it has left. Hence, of two messages to one
process, the first arrives first, and is delivered first. No delivery is delayed.

Why messages for one process only. Let p0 send m to p1 and p2. p1 delivers m at once, and is free to send m' to p2 while
the other copy of m is still in transit: waiting for both acknowledgements delays only p0.

What it costs. An acknowledgement for every message, and the wait in the output buffer, which is inhibition: a process
sends at most one message in a round trip, even if there is no order to keep between two messages.

Representation. The output buffer is the send queue of `protocols.mailbox`; a process stores whether it has a
message in transit, and the processes that wait for its acknowledgement. A process never waits for two acknowledgements,
so they name no message and have no integers.

Deviation from the print, which calls the computation equivalent to a synchronous one. This holds between the buffers,
but not between the processes, since two of them may have messages in transit to each other. The lemma does not need it.
"""

from collections.abc import Sequence

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import NOTHING, ActiveProcess, Addressed, Key, Ordering


@value
class Plain(Stamp):
    """The stamp of a message: its sender only."""


@value
class Acknowledgement(Stamp):
    """Acknowledges the only message that its receiver has in transit."""


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
        """The processes that wait for an acknowledgement."""

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        if len(destinations) != 1:
            raise ValueError(f"transport orders messages for one other process, and not for {len(destinations)}")
        if self.out:
            return ()
        self.out = True
        return ((destinations, Plain(self.index)),)

    def observe(self, stamp: Stamp) -> Sequence[Key]:
        if isinstance(stamp, Acknowledgement):
            self.out = False
        else:
            self.owed.append(stamp.sender)
        return NOTHING

    def pending_control(self) -> Sequence[Addressed]:
        if not self.owed:
            return ()
        owed, self.owed = self.owed, []
        return [((sender,), Acknowledgement(self.index)) for sender in owed]

    def missing(self, stamp: Stamp) -> Key | None:
        return None

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        return NOTHING

    @property
    def integers(self) -> int:
        return 1 + len(self.owed)
