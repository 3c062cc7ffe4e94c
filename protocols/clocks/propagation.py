"""Propagation algorithms 1 to 4 of Meldal, Sankar and Vera (1991), which are one: what differs are the sets.

A clock ticks before every event, a receipt too, and then takes the sender's time plus one from a message. With full
sets this is the algorithm of Fidge and Mattern (Lemma 4). An arrival time is the gateway's own time *after* the tick of
the receipt, which the print leaves open: before it, it may equal the time of the gateway's last send, and whoever
answers that send would seem to have been sent after a message which was still under way.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from protocols.clocks.allocation import Allocation
from protocols.clocks.links import members
from protocols.frozen_value import value


@value
class Message:
    """`number` is the sending sequence of its sender; where links are FIFO it need not travel."""

    sender: int
    number: int
    times: Mapping[int, int]
    arrival: int | None = None

    @property
    def integers(self) -> int:
        return len(self.times)


class Clock:
    __slots__ = ("_allocation", "_process", "_sent", "times")

    def __init__(self, allocation: Allocation, process: int) -> None:
        self._allocation = allocation
        self._process = process
        self._sent = 0
        self.times = dict.fromkeys(members(allocation.clocks[process]), 0)

    def tick(self) -> None:
        """Before an event; whose own clock nobody needs has none."""
        if self._process in self.times:
            self.times[self._process] += 1

    def send(self, receiver: int) -> Message:
        (message,) = self.multicast((receiver,))
        return message

    def multicast(self, receivers: Iterable[int]) -> list[Message]:
        """One event. The print has unicasts alone; here all copies have one number, and one time of their sender's."""
        self.tick()
        self._sent += 1
        return [Message(self._process, self._sent, self._carried(receiver)) for receiver in receivers]

    def _carried(self, receiver: int) -> dict[int, int]:
        return {p: self.times[p] for p in _listed(self._allocation.carried(self._process, receiver))}

    def receive(self, message: Message) -> Message:
        """The message as its receiver keeps it, for comparisons."""
        self.tick()
        for process, time in message.times.items():
            known = time + 1 if process == message.sender else time
            if self.times.get(process, known) < known:
                self.times[process] = known
        return Message(message.sender, message.number, message.times, self._arrival())

    def _arrival(self) -> int | None:
        is_gateway = self._allocation.gateways >> self._process & 1
        return self.times[self._process] if is_gateway else None


@lru_cache(maxsize=1024)
def _listed(some: int) -> tuple[int, ...]:
    return tuple(members(some))
