"""A process's mailbox: an inbox, for an active process a send queue and a timer, and for a process that passes on
messages of others, the copies to send.

The inbox stores each blocked message under the key of one delivery that the message waits for, so a delivery examines
only the messages under its own keys. If it releases several messages, they are delivered in the order of their arrival,
as far as causal order permits. The send queue is FIFO: messages of the application wait in it until the process
stamps them. A control message is a copy of `CONTROL_MESSAGE`, or a copy whose receiver only passes it on.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import ClassVar, Final, Generic, Protocol, TypeVar

from mobilesim.protocols.ordering import ActiveProcess, Addressed, Key, Process, RelayProcess, check_destinations
from mobilesim.protocols.packets import CONTROL_MESSAGE, Copy, Message, Stamp


class Item(Protocol):
    """A stamped item: a copy of a message, or a packet of the placement that runs the process."""

    @property
    def stamp(self) -> Stamp: ...


I = TypeVar("I", bound=Item)  # noqa: E741 - the usual kind of name
ANY_NUMBER: Final = 1 << 60
"""The number of processes of a mailbox for which it is unknown."""
_INNER: Final = 1 << 40
"""Items from a process of the same station have numbers lower by this, so that they are before all others."""


class Inbox(Generic[I]):
    __slots__ = ("arrivals", "blocked", "process", "size")

    def __init__(self, process: Process) -> None:
        self.process = process
        self.arrivals = 0
        """The number of items that had to wait, since no item waited."""
        self.blocked: dict[Key, list[tuple[int, I]]] = {}
        """By key of a missing delivery: the items that wait for it, with their numbers in the order of arrival."""
        self.size = 0

    def arrive(self, item: I, *, inner: bool = False) -> Iterable[I]:
        """Accept an item; return the items that are released now. After each delivery, the next one is the earliest
        arrival among the items that the process may deliver then. Items from a process of the same station (`inner`)
        are before all others. The process delivers a blocked item only when the iteration reaches this item. So the
        caller has processed the previous item completely before the state of the process changes again.
        """
        process, stamp = self.process, item.stamp
        if (key := process.missing(stamp)) is not None:
            self.blocked.setdefault(key, []).append(self._numbered(item, inner=inner))
            return ()
        keys = process.deliver(stamp)
        woken = self._woken(keys) if self.size else []
        return self._and_then(item, woken) if woken else (item,)

    def _numbered(self, item: I, *, inner: bool = False) -> tuple[int, I]:
        """Count an item as waiting; return it with its number."""
        number = self.arrivals
        self.arrivals = number + 1
        self.size += 1
        return (number - _INNER if inner else number, item)

    def _woken(self, keys: Sequence[Key]) -> list[tuple[int, I]]:
        """Take out the items that waited for one of the keys; return them as a heap."""
        woken: list[tuple[int, I]] = []
        for key in keys:
            woken += self.blocked.pop(key, ())
        heapify(woken)
        return woken

    def _and_then(self, item: I, woken: list[tuple[int, I]]) -> Iterator[I]:
        yield item
        yield from self._released(woken)

    def _released(self, woken: list[tuple[int, I]]) -> Iterator[I]:
        """Yield the items of a heap that the process may deliver, and the items that these deliveries release."""
        process, blocked = self.process, self.blocked
        while woken:
            numbered = heappop(woken)
            item = numbered[1]
            if (key := process.missing(item.stamp)) is not None:
                blocked.setdefault(key, []).append(numbered)
                continue
            self.size -= 1
            if not self.size:
                self.arrivals = 0
            for met in process.deliver(item.stamp):
                for other in blocked.pop(met, ()):
                    heappush(woken, other)
            yield item

    def released_by_send(self) -> Iterable[I]:
        """Return the items that the sends of the process release. If the process sets `releases_at_send`, the placement
        calls this method after it has sent the stamps of a `send`, and before the next call of the process.
        """
        return self._released(self._woken(self.process.sent_keys()))

    def items(self) -> list[I]:
        """Return the waiting items, in the order in which they would be released if all could be delivered."""
        waiting = [numbered for items in self.blocked.values() for numbered in items]
        heapify(waiting)
        return [heappop(waiting)[1] for _ in range(len(waiting))]


class Mailbox(Inbox[Copy]):
    __slots__ = ("processes",)

    def __init__(self, process: Process, processes: int = ANY_NUMBER) -> None:
        super().__init__(process)
        self.processes = processes

    @property
    def sends_control(self) -> bool:
        return False

    @property
    def relays(self) -> bool:
        """Whether other processes may send the copies of a message on behalf of the sender."""
        return False

    def stamp(self, message: Message) -> Sequence[Addressed]:
        """Return the stamps of a message, each with its destinations. A message with wrong destinations is refused."""
        check_destinations(message, self.processes)
        return self.process.send(message.destinations, message.group)

    def send(self, message: Message) -> list[Copy]:
        """Accept a message of the application; return the copies to send now."""
        check_destinations(message, self.processes)
        return self._copies(message)

    def _copies(self, message: Message) -> list[Copy]:
        """Return the copies to send of a message with right destinations."""
        stamped = self.process.send(message.destinations, message.group)
        return [Copy(message, targets, stamp) for targets, stamp in stamped]

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
        woken = self._woken(self.active.observe(item.stamp))
        if not item.is_control:
            heappush(woken, self._numbered(item, inner=inner))
        return self._released(woken)

    def pending_control(self, *, late: bool = False) -> list[Copy]:
        copies: list[Copy] = []
        while self.send_queue and (released := self._copies(self.send_queue[0])):
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
        return self._released(self._woken(keys))

    def timer(self) -> int:
        after = 0 if self.timer_set else self.active.max_delay
        self.timer_set |= after > 0
        return after

    @property
    def held(self) -> Sequence[Message]:
        return self.send_queue


class RelayMailbox(Mailbox):
    __slots__ = ("outgoing", "relay")
    sends_control: ClassVar[bool] = True
    relays: ClassVar[bool] = True

    def __init__(self, process: RelayProcess, processes: int = ANY_NUMBER) -> None:
        super().__init__(process, processes)
        self.relay = process
        self.outgoing: list[Copy] = []
        """The copies that are to be passed on."""

    def send(self, message: Message) -> list[Copy]:
        return _with_relays_last(super().send(message))

    def arrive(self, item: Copy, *, inner: bool = False) -> Iterable[Copy]:
        for copy in self._released([self._numbered(item, inner=inner)]):
            message = copy.message
            onward = [Copy(message, targets, stamp) for targets, stamp in self.relay.onward(copy.stamp)]
            self.outgoing += _with_relays_last(onward)
            if not copy.is_control:
                yield copy

    def pending_control(self, *, late: bool = False) -> list[Copy]:
        copies, self.outgoing = self.outgoing, []
        return copies


def _with_relays_last(copies: list[Copy]) -> list[Copy]:
    """Return the copies of a message with those for destinations first, so that one frame can carry all of these."""
    return [copy for copy in copies if not copy.is_control] + [copy for copy in copies if copy.is_control]


def mailbox_for(process: Process, processes: int = ANY_NUMBER) -> Mailbox:
    """Return the mailbox of a process. It refuses messages to processes that are not below `processes`."""
    if isinstance(process, RelayProcess):
        return RelayMailbox(process, processes)
    if isinstance(process, ActiveProcess):
        return ActiveMailbox(process, processes)
    return Mailbox(process, processes)
