"""Orderings and clocks at work, step by step, and what each step looks like in a line of text."""

from collections.abc import Iterable, Mapping
from typing import Final

from protocols.clocks.allocation import allocate, full_vectors
from protocols.clocks.determination import CausalRelation, by_arrivals
from protocols.clocks.links import Links
from protocols.clocks.propagation import AllocatedClock
from protocols.machine import Copy, Message
from protocols.mailbox import Mailbox, mailbox_for
from protocols.ordering import Ordering
from protocols.orderings.transport import Acknowledgement
from tests.support.clocks.execution import Execution, Sending, truth
from tests.support.orderings.causality import Causality, OvertakenError, Trial
from tests.support.orderings.dense_prs import SetsProcess, Tuples
from tests.support.orderings.shortest import Bench
from tests.support.orderings.speaking import grouped
from tests.support.orderings.stamps import Carries
from tests.support.protocols.network import Arrived, Happening, Sent

CLAIMS: Final[Mapping[CausalRelation, str]] = {
    CausalRelation.BEFORE: "{one} was sent before {other}",
    CausalRelation.AFTER: "{other} was sent before {one}",
    CausalRelation.CONCURRENT: "neither of {one} and {other} was sent before the other",
}


class Blaming(Causality):
    """Says which message has been overtaken."""

    def __init__(self) -> None:
        super().__init__()
        self.blame = ""
        self.released: list[int] = []

    def delivered(self, message: int, target: int) -> None:
        overtaken = self.before[message] & self.due[target]
        self.released.append(message)
        if overtaken:
            first = (overtaken & -overtaken).bit_length() - 1
            self.blame = f"p{target} delivers m{message} before m{first}, which happened before it"
        super().delivered(message, target)


class OrderingBench(Bench):
    def __init__(self, ordering: Ordering, size: int, carries: Carries) -> None:
        self.trial = Trial(ordering, size)
        self.causality = self.trial.causality = Blaming()
        self.carries = carries

    def happens(self, happening: Happening) -> None:
        self.causality.released = []
        try:
            self.takes(happening)
        except OvertakenError:
            self.fault = self.causality.blame
        else:
            self.fault = self.judged(happening)

    def takes(self, happening: Happening) -> None:
        self.trial.happens(happening)

    def judged(self, happening: Happening) -> str:
        """When all that has been sent has come, all of it must have been delivered."""
        causality = self.causality
        waiting = [(number, target) for target, some in causality.waiting.items() for number in some]
        if not waiting or sorted(waiting) != causality.missing:
            return ""
        number, target = min(waiting)
        return f"nothing is under way any more, and m{number} waits at p{target}"

    def told(self, happening: Happening) -> tuple[str, str]:
        message = happening.message
        if isinstance(happening, Sent):
            carried = dict.fromkeys(self.carries(self.trial.stamps[message.id, to]) for to in message.destinations)
            return self._sent(message), f"carries {'; '.join(carried)}"
        left = f"p{happening.target} gets {self.named(message)} from p{message.source}"
        released = " ".join(f"m{one}" for one in self.causality.released)
        waits = f"m{message.id} waits" if message.id >= 0 else ""
        return left, f"p{happening.target} delivers {released}" if released else waits

    def _sent(self, message: Message) -> str:
        to = " ".join(f"p{one}" for one in message.destinations)
        group = f" in g{message.group}" if message.group >= 0 else ""
        return f"p{message.source} sends {self.named(message)}{group} to {to}"

    def named(self, message: Message) -> str:
        return f"m{message.id}"


class SupersededBench(OrderingBench):
    """The barriers of PRS: what waits for a message need not name what that message waits for itself."""

    verdict = "waste"

    def __init__(self, ordering: Ordering, size: int, carries: Carries) -> None:
        super().__init__(ordering, size, carries)
        self.names: dict[tuple[int, int], int] = {}

    def happens(self, happening: Happening) -> None:
        super().happens(happening)
        message = happening.message
        if isinstance(happening, Sent):
            number = 1 + sum(source == message.source for source, _ in self.names)
            self.names[message.source, number] = message.id

    def judged(self, happening: Happening) -> str:
        for index, inbox in enumerate(self.trial.inboxes):
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
                    return f"m{one} beside m{other}, which waits for it there anyway"
        return ""


class SpeakingBench(OrderingBench):
    """What is to be said besides messages is said at once if `prompt`, and otherwise after the end of the execution.

    What has not gone out yet cannot arrive: nothing happens then.
    """

    def __init__(self, ordering: Ordering, size: int, carries: Carries, *, prompt: bool) -> None:
        super().__init__(ordering, size, carries)
        self.prompt = prompt
        self.posts = [mailbox_for(ordering.process(index)) for index in range(size)]
        self.words = 0
        self.unheard = 0

    def takes(self, happening: Happening) -> None:
        self.says = ()
        message = happening.message
        if isinstance(happening, Arrived):
            if (message.id, happening.target) in self.trial.stamps:
                self._arrive(message, happening.target)
        elif message.id >= 0:
            self._send(message, self.posts[message.source])

    def _send(self, message: Message, sender: Mailbox) -> None:
        self.causality.sent(message)
        self._out(message.source, sender.send(message) if self.prompt else Mailbox.send(sender, message))

    def _arrive(self, message: Message, target: int) -> None:
        if message.id >= 0:
            self.causality.arrived(message.id, target)
        else:
            self.unheard -= 1
        copy = Copy(message, (target,), self.trial.stamps[message.id, target])
        for released in self.posts[target].arrive(copy):
            self.causality.delivered(released.message.id, target)
        if self.prompt:
            self._out(target, self.posts[target].pending_control())

    def _out(self, source: int, copies: Iterable[Copy]) -> None:
        for copy in copies:
            number = self._says(source, copy) if copy.is_control else copy.message.id
            self.trial.stamps |= {(number, target): copy.stamp for target in copy.targets}

    def _says(self, source: int, word: Copy) -> int:
        self.words += 1
        self.unheard += len(word.targets)
        self.says = (*self.says, Sent(Message(-self.words, source, word.targets, 0, grouped(word))))
        return -self.words

    def named(self, message: Message) -> str:
        if message.id >= 0:
            return super().named(message)
        stamp = self.trial.stamps[message.id, message.destinations[0]]
        return "acknowledgement" if isinstance(stamp, Acknowledgement) else "resynch"

    def judged(self, happening: Happening) -> str:
        """While a word is to come, nothing has been waited for in vain."""
        return "" if self.unheard or not self.prompt else super().judged(happening)


class ClocksBench(Bench):
    """What the receiver of two messages is told of their order, by the clocks of an allocation."""

    def __init__(self, links: Links, number: int, clock: type[AllocatedClock], names: str) -> None:
        self.allocation = allocate(links, number, kept=0)
        self.execution = Execution(links, [full_vectors(links), self.allocation], clock)
        self.names = names
        self.sendings: list[Sending] = []

    def happens(self, happening: Happening) -> None:
        message = happening.message
        if isinstance(happening, Sent):
            self.sendings.append(self.execution.send(message.source, message.destinations[0]))
            return
        self.execution.arrive(self.sendings[message.id])
        self.fault = self._judged(happening.target)

    def _judged(self, receiver: int) -> str:
        *earlier, (last, kept) = self.execution.arrived[receiver]
        for other, others_kept in earlier:
            true = truth(other, last)
            said = by_arrivals(self.allocation, receiver, others_kept[1], kept[1])
            if said is not true:
                told, fact = (
                    CLAIMS[order].format(one=f"m{other.number}", other=f"m{last.number}") for order in (said, true)
                )
                return f"{self.names[receiver]} is told that {told}, and {fact}"
        return ""

    def told(self, happening: Happening) -> tuple[str, str]:
        message, names = happening.message, self.names
        sending = self.sendings[message.id]
        source = names[message.source]
        if isinstance(happening, Sent):
            left = f"{source} sends m{message.id} to {names[message.destinations[0]]}"
            return left, f"carries {self._times(sending.copies[1].times) or '-'}"
        _, kept = self.execution.arrived[happening.target][-1]
        target = names[happening.target]
        arrival = kept[1].arrival
        return f"{target} gets m{message.id} from {source}", "" if arrival is None else f"arrival time {arrival}"

    def _times(self, times: Mapping[int, int]) -> str:
        return ", ".join(f"{self.names[process]}: {time}" for process, time in times.items())
