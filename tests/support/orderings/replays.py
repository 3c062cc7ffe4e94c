"""Replays of executions with an ordering or a clock. Each step is described by a line of text."""

from collections.abc import Iterable, Mapping
from typing import Final

from mobilesim.conformance.causality import Causality, CheckedRun, OvertakenError
from mobilesim.conformance.executions import Arrived, Event, Sent
from mobilesim.protocols.clocks.known_links.allocation import allocate, full_vectors
from mobilesim.protocols.clocks.known_links.propagation import AllocatedClock, TimestampedMessage
from mobilesim.protocols.clocks.links import Links
from mobilesim.protocols.clocks.logical_clock import CausalRelation, Stamp
from mobilesim.protocols.mailbox import Mailbox, mailbox_for
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.orderings.synchronised.transport import Acknowledgement
from mobilesim.protocols.packets import Copy, Message
from tests.support.clocks.execution import Execution, Sending, allocated, truth
from tests.support.orderings.control_runs import grouped
from tests.support.orderings.dense_prs import SetsProcess, Tuples
from tests.support.orderings.shortest import Replay
from tests.support.orderings.stamps import Carries

CLAIMS: Final[Mapping[CausalRelation, str]] = {
    CausalRelation.BEFORE: "{one} was sent before {other}",
    CausalRelation.AFTER: "{other} was sent before {one}",
    CausalRelation.CONCURRENT: "{one} and {other} are concurrent",
}


class ExplainingCausality(Causality):
    """A check of causal order with exceptions that name the overtaken message."""

    def __init__(self) -> None:
        super().__init__()
        self.explanation = ""
        self.released: list[int] = []

    def delivered(self, message: int, target: int) -> None:
        overtaken = self.before[message] & self.due[target]
        self.released.append(message)
        if overtaken:
            first = (overtaken & -overtaken).bit_length() - 1
            self.explanation = f"p{target} delivers m{message} before m{first}, which happened before it"
        super().delivered(message, target)


class OrderingReplay(Replay):
    def __init__(self, ordering: Ordering, size: int, carries: Carries) -> None:
        self.run = CheckedRun(ordering, size)
        self.causality = self.run.causality = ExplainingCausality()
        self.carries = carries

    def apply(self, event: Event) -> None:
        self.causality.released = []
        try:
            self.handle(event)
        except OvertakenError:
            self.fault = self.causality.explanation
        else:
            self.fault = self.judged(event)

    def handle(self, event: Event) -> None:
        self.run.apply(event)

    def judged(self, event: Event) -> str:
        """Return a fault if no message is in transit, but a message has not been delivered."""
        causality = self.causality
        waiting = [(number, target) for target, some in causality.waiting.items() for number in some]
        if not waiting or sorted(waiting) != causality.missing:
            return ""
        number, target = min(waiting)
        return f"no message is in transit, and m{number} waits at p{target}"

    def row(self, event: Event) -> tuple[str, str]:
        message = event.message
        if isinstance(event, Sent):
            carried = dict.fromkeys(self.carries(self.run.stamps[message.id, to]) for to in message.destinations)
            return self._sent(message), f"carries {'; '.join(carried)}"
        left = f"p{event.target} receives {self.packet_name(message)} from p{message.source}"
        released = " ".join(f"m{one}" for one in self.causality.released)
        waits = f"m{message.id} waits" if message.id >= 0 else ""
        return left, f"p{event.target} delivers {released}" if released else waits

    def _sent(self, message: Message) -> str:
        to = " ".join(f"p{one}" for one in message.destinations)
        group = f" in g{message.group}" if message.group >= 0 else ""
        return f"p{message.source} sends {self.packet_name(message)}{group} to {to}"

    def packet_name(self, message: Message) -> str:
        return f"m{message.id}"


class SupersededReplay(OrderingReplay):
    """A replay that searches barriers of PRS for redundant messages: messages on which another message of the barrier
    depends.
    """

    verdict = "redundant"

    def __init__(self, ordering: Ordering, size: int, carries: Carries) -> None:
        super().__init__(ordering, size, carries)
        self.names: dict[tuple[int, int], int] = {}

    def apply(self, event: Event) -> None:
        super().apply(event)
        message = event.message
        if isinstance(event, Sent):
            number = 1 + sum(source == message.source for source, _ in self.names)
            self.names[message.source, number] = message.id

    def judged(self, event: Event) -> str:
        for index, inbox in enumerate(self.run.inboxes):
            assert isinstance(inbox.process, SetsProcess)
            for to, component in inbox.process.component.items():
                if fault := self._superseded(component):
                    return f"for p{to}, p{index} keeps {fault}"
        return ""

    def _superseded(self, component: Tuples) -> str:
        messages = sorted(self.names[one] for one in component if one in self.names)
        for other in messages:
            for one in messages:
                if self.causality.before[other] >> one & 1:
                    return f"m{one} and m{other}, although m{other} depends on m{one}"
        return ""


class ControlReplay(OrderingReplay):
    """A replay with control messages.

    If `prompt`, control messages are sent at once, otherwise only after the end of the execution. The arrival of a
    message that has not been sent has no effect.
    """

    def __init__(self, ordering: Ordering, size: int, carries: Carries, *, prompt: bool) -> None:
        super().__init__(ordering, size, carries)
        self.prompt = prompt
        self.mailboxes = [mailbox_for(ordering.process(index)) for index in range(size)]
        self.controls = 0
        self.control_in_transit = 0

    def handle(self, event: Event) -> None:
        self.control_sent = ()
        message = event.message
        if isinstance(event, Arrived):
            if (message.id, event.target) in self.run.stamps:
                self._arrive(message, event.target)
        elif message.id >= 0:
            self._send(message, self.mailboxes[message.source])

    def _send(self, message: Message, sender: Mailbox) -> None:
        self.causality.sent(message)
        self._out(message.source, sender.send(message) if self.prompt else Mailbox.send(sender, message))

    def _arrive(self, message: Message, target: int) -> None:
        if message.id >= 0:
            self.causality.arrived(message.id, target)
        else:
            self.control_in_transit -= 1
        copy = Copy(message, (target,), self.run.stamps[message.id, target])
        for released in self.mailboxes[target].arrive(copy):
            self.causality.delivered(released.message.id, target)
        if self.prompt:
            self._out(target, self.mailboxes[target].pending_control())

    def _out(self, source: int, copies: Iterable[Copy]) -> None:
        for copy in copies:
            number = self._says(source, copy) if copy.is_control else copy.message.id
            self.run.stamps |= {(number, target): copy.stamp for target in copy.targets}

    def _says(self, source: int, word: Copy) -> int:
        self.controls += 1
        self.control_in_transit += len(word.targets)
        self.control_sent = (*self.control_sent, Sent(Message(-self.controls, source, word.targets, 0, grouped(word))))
        return -self.controls

    def packet_name(self, message: Message) -> str:
        if message.id >= 0:
            return super().packet_name(message)
        stamp = self.run.stamps[message.id, message.destinations[0]]
        return "acknowledgement" if isinstance(stamp, Acknowledgement) else "resynch"

    def judged(self, event: Event) -> str:
        """Report no fault while a control message is in transit."""
        return "" if self.control_in_transit or not self.prompt else super().judged(event)


class ClocksReplay(Replay):
    """A replay that compares the clocks of an allocation with the true order of two messages."""

    def __init__(self, links: Links, number: int, clock: type[AllocatedClock], names: str) -> None:
        self.clocks = allocated(allocate(links, number, kept=0), clock)
        self.execution = Execution(links, [allocated(full_vectors(links), clock), self.clocks])
        self.names = names
        self.sendings: list[Sending] = []

    def apply(self, event: Event) -> None:
        message = event.message
        if isinstance(event, Sent):
            self.sendings.append(self.execution.send(message.source, message.destinations[0]))
            return
        self.execution.arrive(self.sendings[message.id])
        self.fault = self._judged(event.target)

    def _judged(self, receiver: int) -> str:
        *earlier, (last, (_, kept)) = self.execution.arrived[receiver]
        for other, (_, others_kept) in earlier:
            true = truth(other, last)
            output = self.clocks.compare(receiver, _message(others_kept), _message(kept))
            if output is not true:
                answer, fact = (
                    CLAIMS[order].format(one=f"m{other.number}", other=f"m{last.number}") for order in (output, true)
                )
                return f"the clocks of {self.names[receiver]} answer: {answer}; the oracle: {fact}"
        return ""

    def row(self, event: Event) -> tuple[str, str]:
        message, names = event.message, self.names
        sending = self.sendings[message.id]
        source = names[message.source]
        if isinstance(event, Sent):
            left = f"{source} sends m{message.id} to {names[message.destinations[0]]}"
            return left, f"carries {self._times(_message(sending.stamps[1]).times) or '-'}"
        _, (_, kept) = self.execution.arrived[event.target][-1]
        target = names[event.target]
        arrival = _message(kept).arrival
        return f"{target} receives m{message.id} from {source}", "" if arrival is None else f"arrival time {arrival}"

    def _times(self, times: Mapping[int, int]) -> str:
        return ", ".join(f"{self.names[process]}: {time}" for process, time in times.items())


def _message(stamp: Stamp) -> TimestampedMessage:
    assert isinstance(stamp, TimestampedMessage)
    return stamp
