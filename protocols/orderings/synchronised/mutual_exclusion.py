"""Suzuki and Kasami: a distributed mutual exclusion algorithm (1985). A process may send when it has the token.

Model. Channels are reliable, but need not be FIFO. There is one token; process 0 has it at the start.

Theory. A process numbers its requests and sends each request to all other processes, which store the highest number of
each process. The token carries for each process the number of its last granted request, and a queue of processes. At
the end of its turn, a process appends to the queue all processes with requests that are neither granted nor queued, and
passes the token to the first process of the queue. If the queue is empty, the process keeps the token until a request
arrives, and may have further turns meanwhile. A request that arrives after it was granted is recognized by its number.

Invariant. The token is at one process or in transit to one process. When all processes have received a request, the
request enters the queue with the next transfer of the token at the latest. New entries are appended at the end. So
every request is granted eventually.

Cost. A process with the token needs no message for a turn. Others need size - 1 requests and one token message.

Here a process sends its whole send queue (`protocols.mailbox`) in one turn. The turn ends with the call of
`pending_control`. The token carries the `latest` sends of earlier turns.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeAlias

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import NO_KEYS, ActiveProcess, Addressed, Key
from mobilesim.protocols.packets import Stamp

Send: TypeAlias = tuple[int, int]
"""The sender and the time of the send."""
Latest: TypeAlias = tuple[Send | None, ...]


@value
class Request(Stamp):
    number: int
    integers: ClassVar[int] = 1


@value
class Token(Stamp):
    granted: tuple[int, ...]
    queue: tuple[int, ...]
    latest: Latest

    @property
    def integers(self) -> int:
        return len(self.granted) + len(self.queue) + 2 * len(self.latest)


class TurnProcess(ActiveProcess):
    __slots__ = ("index", "requesting", "requests", "token", "unsent_request")

    def __init__(self, index: int, size: int, latest: Latest) -> None:
        """`latest`: the latest sends in the token at the start."""
        self.index = index
        self.requests = [0] * size
        self.token = None if index else Token(index, (0,) * size, (), latest)
        self.requesting = False
        """Whether this process has a request for a turn in which it has not sent yet."""
        self.unsent_request = False
        """Whether this request has not been sent to the other processes yet."""

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        self.check(destinations)
        if (token := self.token) is None:
            if not self.requesting:
                self.requesting = self.unsent_request = True
                self.requests[self.index] += 1
            return ()
        stamp, latest = self.stamped(destinations, token.latest)
        granted, index = token.granted, self.index
        if self.requesting:
            self.requesting = False
            granted = (*granted[:index], self.requests[index], *granted[index + 1 :])
        self.token = Token(index, granted, token.queue, latest)
        return ((destinations, stamp),)

    def check(self, destinations: tuple[int, ...]) -> None:
        """Raise ValueError for destinations that the ordering does not accept."""

    @abstractmethod
    def stamped(self, destinations: tuple[int, ...], latest: Latest) -> tuple[Stamp, Latest]:
        """Return the stamp of a message, and the latest sends including this message."""

    def observe(self, stamp: Stamp) -> Sequence[Key]:
        if isinstance(stamp, Request):
            self.requests[stamp.sender] = max(self.requests[stamp.sender], stamp.number)
        elif isinstance(stamp, Token):
            self.token = Token(self.index, stamp.granted, stamp.queue, stamp.latest)
        return NO_KEYS

    def pending_control(self) -> Sequence[Addressed]:
        control: list[Addressed] = []
        if self.unsent_request:
            self.unsent_request = False
            others = tuple(process for process in range(len(self.requests)) if process != self.index)
            control.append((others, Request(self.index, self.requests[self.index])))
        if (token := self.token) is not None and not self.requesting:
            numbers = enumerate(zip(self.requests, token.granted, strict=True))
            requesting, queued = [process for process, (number, granted) in numbers if number > granted], {*token.queue}
            if queue := (*token.queue, *(process for process in requesting if process not in queued)):
                self.token = None
                control.append((queue[:1], Token(self.index, token.granted, queue[1:], token.latest)))
        return control

    @property
    def integers(self) -> int:
        return len(self.requests) + (self.token.integers if self.token else 0)
