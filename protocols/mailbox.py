"""A process's mailbox: an inbox, and for an active process a send queue and a timer.

The inbox stores each blocked message under the key of one delivery that the message waits for, so a delivery examines
only the messages under its own keys. The send queue is FIFO: messages of the application wait in it until the process
stamps them. A control message is a copy of `CONTROL_MESSAGE`.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, Final, Generic, Protocol, TypeAlias, TypeVar

from mobilesim.protocols.machine import CONTROL_MESSAGE, Copy, Message, Stamp
from mobilesim.protocols.ordering import ActiveProcess, Addressed, Key, Process, check_destinations


class Item(Protocol):
    """A stamped item: a copy of a message, or a packet of the placement that runs the process."""

    @property
    def stamp(self) -> Stamp: ...


I = TypeVar("I", bound=Item)  # noqa: E741 - the usual kind of name
ANY_NUMBER: Final = 1 << 60
"""The number of processes of a mailbox for which it is unknown."""
Blocked: TypeAlias = dict[Key, list[I]]


class Inbox(Generic[I]):
    __slots__ = ("blocked", "inner", "process", "size")

    def __init__(self, process: Process) -> None:
        self.process = process
        self.blocked: Blocked[I] = {}
        self.inner: Blocked[I] = {}
        self.size = 0

    def arrive(self, item: I, *, inner: bool = False) -> Iterable[I]:
        """Accept an item; return the items that are released now, in the order of their deliveries. The process
        delivers a blocked item only when the iteration reaches this item. So the caller has processed the previous item
        completely before the state of the process changes again. Items from a process of the same station (`inner`) are
        released before other items that wait for the same delivery.
        """
        process, stamp = self.process, item.stamp
        if (key := process.missing(stamp)) is not None:
            (self.inner if inner else self.blocked).setdefault(key, []).append(item)
            self.size += 1
            return ()
        woken = process.deliver(stamp)
        return self._and_then(item, [*woken]) if self.size else (item,)

    def _and_then(self, item: I, keys: list[Key]) -> Iterator[I]:
        yield item
        yield from self.released(keys)

    def released(self, keys: list[Key]) -> Iterator[I]:
        """Yield the items that waited for one of the keys. Each delivery appends its own keys to the list."""
        yield from self._inner(keys, 0)
        for key in keys:
            for other in self.blocked.pop(key, ()):
                start = len(keys)
                if self._deliver_or_block(other, self.blocked, keys):
                    yield other
                    yield from self._inner(keys, start)

    def released_by_send(self) -> Iterable[I]:
        """Return the items that the sends of the process release. If the process sets `releases_at_send`, the placement
        calls this method after it has sent the stamps of a `send`, and before the next call of the process.
        """
        keys: list[Key] = [*self.process.sent_keys()]
        return self.released(keys)

    def _inner(self, keys: list[Key], start: int) -> Iterator[I]:
        """Yield the inner items that waited for a key at index `start` or later in the list."""
        while start < len(keys):
            for other in self.inner.pop(keys[start], ()):
                if self._deliver_or_block(other, self.inner, keys):
                    yield other
            start += 1

    def _deliver_or_block(self, item: I, blocked: Blocked[I], keys: list[Key]) -> bool:
        if (missing := self.process.missing(item.stamp)) is not None:
            blocked.setdefault(missing, []).append(item)
            return False
        self.size -= 1
        keys.extend(self.process.deliver(item.stamp))
        return True

    def items(self) -> list[I]:
        return [item for blocked in (self.inner, self.blocked) for items in blocked.values() for item in items]


class Mailbox(Inbox[Copy]):
    __slots__ = ("processes",)

    def __init__(self, process: Process, processes: int = ANY_NUMBER) -> None:
        super().__init__(process)
        self.processes = processes

    @property
    def sends_control(self) -> bool:
        return False

    def stamp(self, message: Message) -> Sequence[Addressed]:
        """Return the stamps of a message, each with its destinations. A message with wrong destinations is refused."""
        check_destinations(message, self.processes)
        return self.process.send(message.destinations, message.group)

    def send(self, message: Message) -> list[Copy]:
        """Accept a message of the application; return the copies to send now."""
        return [Copy(message, targets, stamp) for targets, stamp in self.stamp(message)]

    def pending_control(self, *, late: bool = False) -> list[Copy]:
        """Return the copies of messages and control messages to send now. If `sends_control` is set, the placement
        calls this method after every arrival. It calls the method with `late` when the timer expires, and before it
        moves the mailbox.
        """
        return []

    def timer(self) -> int:
        """Return the nanoseconds until a call of `pending_control` with `late`, or 0 for no new timer. The placement
        calls this method after every `send` and `pending_control`.
        """
        return 0

    @property
    def held(self) -> Sequence[Message]:
        """The messages in the send queue."""
        return ()


class ActiveMailbox(Mailbox):
    __slots__ = ("active", "met_by_sends", "send_queue", "timer_set")
    sends_control: ClassVar[bool] = True

    def __init__(self, process: ActiveProcess, processes: int = ANY_NUMBER) -> None:
        super().__init__(process, processes)
        self.active = process
        self.met_by_sends: list[Key] = []
        """The keys that sends have met since the last call of `released_by_send`."""
        self.send_queue: deque[Message] = deque()
        self.timer_set = False
        """Whether a timer is running."""

    def send(self, message: Message) -> list[Copy]:
        check_destinations(message, self.processes)
        self.send_queue.append(message)
        self.size += 1
        return self.pending_control()

    def arrive(self, item: Copy, *, inner: bool = False) -> Iterable[Copy]:
        # The process observes the stamps of control messages, but control messages are not delivered.
        keys: list[Key] = [*self.active.observe(item.stamp)]
        if item.is_control:
            return self.released(keys)
        if (key := self.process.missing(item.stamp)) is not None:
            self.blocked.setdefault(key, []).append(item)
            self.size += 1
            return self.released(keys)
        return self._and_then(item, [*keys, *self.process.deliver(item.stamp)])

    def pending_control(self, *, late: bool = False) -> list[Copy]:
        copies: list[Copy] = []
        while self.send_queue and (released := super().send(self.send_queue[0])):
            self.send_queue.popleft()
            self.size -= 1
            copies += released
            self._note_sent_keys()
        self.timer_set &= not late
        if late or not self.active.max_delay:
            copies += [Copy(CONTROL_MESSAGE, targets, stamp) for targets, stamp in self.active.pending_control()]
            self._note_sent_keys()
        return copies

    def _note_sent_keys(self) -> None:
        if self.process.releases_at_send:
            self.met_by_sends += self.process.sent_keys()

    def released_by_send(self) -> Iterable[Copy]:
        keys, self.met_by_sends = self.met_by_sends, []
        return self.released(keys)

    def timer(self) -> int:
        after = 0 if self.timer_set else self.active.max_delay
        self.timer_set |= after > 0
        return after

    @property
    def held(self) -> Sequence[Message]:
        return self.send_queue


def mailbox_for(process: Process, processes: int = ANY_NUMBER) -> Mailbox:
    """Return the mailbox of a process. It refuses messages to processes that are not below `processes`."""
    if isinstance(process, ActiveProcess):
        return ActiveMailbox(process, processes)
    return Mailbox(process, processes)
