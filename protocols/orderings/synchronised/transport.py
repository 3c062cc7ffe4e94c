"""Mattern and Fünfrocken: a non-blocking lightweight implementation of causal order message delivery (1995), as
Kshemkalyani and Singhal (1998, section 7.1) describe it.

Model. Every message is for one process. Channels are reliable, but need not be FIFO.

Theory. A message carries no control information. A process has at most one message in transit: the next message leaves
its output buffer when the receiver's input buffer has acknowledged the previous one. The application is not blocked: it
puts its messages into the output buffer. Messages are delivered at their arrival.

Lemma. If m is sent before m', then m arrives before m' leaves its output buffer. If one process sends both, m' is
behind m in the buffer, and leaves after the acknowledgement of m. If the sender of m' has delivered m before, m has
arrived. Every other case is a chain of these two cases, since a message leaves its buffer before it arrives. Hence two
causally ordered messages to one process arrive, and are delivered, in causal order. No delivery is delayed.

Synchronous communication. The paper's section also has unicasts with synchronous communication: a process sends a
message only when its previous message has been delivered, so no control information is needed. This is the same rule.
Messages are delivered at their arrival, so an acknowledgement also shows the delivery. When a message leaves its output
buffer, all messages that were sent before it, in causal order, have been delivered.

The lemma does not hold for multicasts. Example: p0 sends m to p1 and p2. p1 delivers m at its arrival, and may send m'
to p2 while the copy of m to p2 is in transit. If p0 waited for both acknowledgements, this would not delay p1.

Cost. Every message has an acknowledgement. The wait in the output buffer is inhibition: a process sends at most one
message in a round trip, even if the messages have different destinations.

Representation. The output buffer is the send queue of `protocols.mailbox`. A process stores whether it has a message in
transit, and the processes to which it has to send an acknowledgement. An acknowledgement contains no message number,
since a process waits for at most one acknowledgement at a time.

Deviation from the paper. The paper calls the computation equivalent to a synchronous one. This is true between the
buffers. It is false between the processes: two processes may have messages in transit to each other. The lemma does not
need this equivalence.
"""

from collections.abc import Sequence

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import NO_KEYS, ActiveProcess, Addressed, Key, Ordering
from mobilesim.protocols.packets import Stamp


@value
class Plain(Stamp):
    """The stamp of a message. It contains only the sender."""


@value
class Acknowledgement(Stamp):
    """Acknowledges the only message that the receiver of this stamp has in transit."""


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
