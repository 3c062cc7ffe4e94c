"""Orderings in which a send releases waiting messages, and a broken variant that does not return the keys of sends."""

from collections.abc import Sequence
from typing import ClassVar

from mobilesim.protocols.ordering import NO_KEYS, ActiveProcess, Addressed, Key, Ordering, Process
from mobilesim.protocols.packets import Stamp


class AfterSend(Ordering):
    """An ordering for messages of all kinds: a message waits until its receiver has sent a message."""

    def process(self, index: int) -> Process:
        return AfterSendProcess(index)


class AfterSendProcess(Process):
    __slots__ = ("index", "sent")
    releases_at_send: ClassVar[bool] = True

    def __init__(self, index: int) -> None:
        self.index = index
        self.sent = False

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        self.sent = True
        return ((destinations, Stamp(self.index)),)

    def sent_keys(self) -> Sequence[Key]:
        return ("sent",)

    def missing(self, stamp: Stamp) -> Key | None:
        return None if self.sent else "sent"

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        return NO_KEYS

    @property
    def integers(self) -> int:
        return 1


class Forgetful(AfterSend):
    def process(self, index: int) -> Process:
        return ForgetfulProcess(index)


class ForgetfulProcess(AfterSendProcess):
    __slots__ = ()

    def sent_keys(self) -> Sequence[Key]:
        return NO_KEYS


class AfterAnswer(Ordering):
    """A message waits until its receiver has sent a message or a control message. A process sends a control message to
    its successor after each delivery.
    """

    def process(self, index: int) -> Process:
        return AfterAnswerProcess(index, (index + 1) % self.size)


class AfterAnswerProcess(ActiveProcess):
    __slots__ = ("due", "index", "sent", "successor")
    releases_at_send: ClassVar[bool] = True

    def __init__(self, index: int, successor: int) -> None:
        self.index = index
        self.successor = successor
        self.sent = False
        self.due = False

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        self.sent = True
        return ((destinations, Stamp(self.index)),)

    def sent_keys(self) -> Sequence[Key]:
        return ("sent",) if self.sent else NO_KEYS

    def observe(self, stamp: Stamp) -> Sequence[Key]:
        return NO_KEYS

    def missing(self, stamp: Stamp) -> Key | None:
        return None if self.sent else "sent"

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        self.due = True
        return NO_KEYS

    def pending_control(self) -> Sequence[Addressed]:
        if not self.due:
            return ()
        self.due = False
        self.sent = True
        return (((self.successor,), Stamp(self.index)),)

    @property
    def integers(self) -> int:
        return 1
