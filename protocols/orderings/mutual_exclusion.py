"""Suzuki and Kasami: a distributed mutual exclusion algorithm (1985). It is a process's turn while it has the token.

Model. Channels are reliable; they need not keep order. There is one token, which process 0 has in the beginning.

Theory. A process numbers its requests and sends each to all others, which store the highest number of each process. The
token carries for each process the number of the last request that has been granted, and a queue. When its turn is over,
a process adds to the queue all those who are not in it and whose number is one above what was granted, and passes the
token to the first; if there is none, it keeps it until somebody asks, and may have turns of its own meanwhile. What has
been granted before it is heard of is known by its number.

Invariant. The token is at one process or on its way to one. Whoever asks is queued when the token is passed for the
first time after all have heard, if not before, and nobody is put in front: so every request is granted some day.

What it costs. A turn takes size - 1 requests and a token, and the time that these need; none if the token is there.

Here a turn is for sending, and the whole send queue (`protocols.mailbox.mailbox`) leaves in one turn: the turn ends
when the process is asked for its `pending_control`. The knowledge of earlier sends travels in the token, as its
`latest`.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import NOTHING, ActiveProcess, Addressed, Key

Send: TypeAlias = tuple[int, int]
"""A sender, and its time."""
Latest: TypeAlias = tuple[Send | None, ...]


@value
class Request(Stamp):
    number: int

    @property
    def integers(self) -> int:
        return 1


@value
class Token(Stamp):
    granted: tuple[int, ...]
    queue: tuple[int, ...]
    latest: Latest

    @property
    def integers(self) -> int:
        return len(self.granted) + len(self.queue) + 2 * len(self.latest)


class TurnProcess(ActiveProcess):
    __slots__ = ("asks", "index", "requests", "token", "wants")

    def __init__(self, index: int, size: int, latest: Latest) -> None:
        """`latest` is what the token says in the beginning."""
        self.index = index
        self.requests = [0] * size
        self.token = None if index else Token(index, (0,) * size, (), latest)
        self.wants = False
        """Whether it has requested the token and not used it yet."""
        self.asks = False
        """Whether that request has still to be sent."""

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        self.check(destinations)
        token = self.token
        if token is None:
            self._ask()
            return ()
        stamp, latest = self.stamped(destinations, token.latest)
        self.token = Token(self.index, self._granted(token.granted), token.queue, latest)
        return ((destinations, stamp),)

    def check(self, destinations: tuple[int, ...]) -> None:
        """Raise ValueError for destinations that cannot be served."""

    @abstractmethod
    def stamped(self, destinations: tuple[int, ...], latest: Latest) -> tuple[Stamp, Latest]:
        """Return the stamp of a message, and the latest sends after it."""

    def _ask(self) -> None:
        if not self.wants:
            self.wants = self.asks = True
            self.requests[self.index] += 1

    def _granted(self, granted: tuple[int, ...]) -> tuple[int, ...]:
        if not self.wants:
            return granted
        self.wants = False
        return (*granted[: self.index], self.requests[self.index], *granted[self.index + 1 :])

    def observe(self, stamp: Stamp) -> Sequence[Key]:
        if isinstance(stamp, Request):
            self.requests[stamp.sender] = max(self.requests[stamp.sender], stamp.number)
        elif isinstance(stamp, Token):
            self.token = Token(self.index, stamp.granted, stamp.queue, stamp.latest)
        return NOTHING

    def pending_control(self) -> Sequence[Addressed]:
        said: list[Addressed] = []
        if self.asks:
            self.asks = False
            others = tuple(process for process in range(len(self.requests)) if process != self.index)
            said.append((others, Request(self.index, self.requests[self.index])))
        if self.token is not None and not self.wants:
            said += self._passed(self.token)
        return said

    def _passed(self, token: Token) -> Sequence[Addressed]:
        numbers = enumerate(zip(self.requests, token.granted, strict=True))
        asking, queued = [process for process, (number, granted) in numbers if number > granted], {*token.queue}
        queue = (*token.queue, *(process for process in asking if process not in queued))
        if not queue:
            return ()
        self.token = None
        return ((queue[:1], Token(self.index, token.granted, queue[1:], token.latest)),)

    @property
    def integers(self) -> int:
        return len(self.requests) + (self.token.integers if self.token else 0)
