"""A process's mailbox: an inbox, and for an active process a send queue and a timer.

Messages wait in the send queue, first in, first out, until the process releases them. Control messages travel as copies
of `CONTROL_MESSAGE`.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import ClassVar, Protocol

from protocols.machine import CONTROL_MESSAGE, Copy, Message
from protocols.mailbox.inbox import Inbox
from protocols.ordering import ActiveProcess, Key, Process


class Mailbox(Inbox[Copy]):
    __slots__ = ()
    sends_control: ClassVar[bool] = False

    def send(self, message: Message) -> list[Copy]:
        """Send a message; return the copies that may leave at once."""
        pairs = self.process.send(message.destinations, message.group)
        return [Copy(message, targets, stamp) for targets, stamp in pairs]

    def pending_control(self, *, late: bool = False) -> list[Copy]:
        """Return the messages and control messages that may leave by now.

        If the mailbox `sends_control`, this is called after every arrival, and with `late` when the timer expires.
        """
        return []

    def timer(self) -> int:
        """Return the nanoseconds after which to call `pending_control` with `late`; 0 if none is due or one is set.

        To be called after every `send` and `pending_control`.
        """
        return 0

    @property
    def held(self) -> Sequence[Message]:
        """The messages in the send queue."""
        return ()


class MailboxOwner(Protocol):
    """A host that orders its messages itself."""

    mailbox: Mailbox


class ActiveMailbox(Mailbox):
    __slots__ = ("active", "send_queue", "timer_set")
    sends_control = True

    def __init__(self, process: ActiveProcess) -> None:
        super().__init__(process)
        self.active = process
        self.send_queue: deque[Message] = deque()
        self.timer_set = False
        """Whether a timer has been returned and has not expired yet."""

    def send(self, message: Message) -> list[Copy]:
        self.send_queue.append(message)
        self.size += 1
        return self.pending_control()

    def arrive(self, item: Copy, *, inner: bool = False) -> Iterable[Copy]:
        # The process observes control messages too, but they are not delivered.
        keys: list[Key] = [*self.active.observe(item.stamp)]
        return self.released(keys) if item.is_control else self.arrive_with_keys(item, keys)

    def pending_control(self, *, late: bool = False) -> list[Copy]:
        copies: list[Copy] = []
        while self.send_queue and (released := super().send(self.send_queue[0])):
            self.send_queue.popleft()
            self.size -= 1
            copies += released
        self.timer_set &= not late
        if late or not self.active.max_delay:
            copies += [Copy(CONTROL_MESSAGE, targets, stamp) for targets, stamp in self.active.pending_control()]
        return copies

    def timer(self) -> int:
        after = 0 if self.timer_set else self.active.max_delay
        self.timer_set |= after > 0
        return after

    @property
    def held(self) -> Sequence[Message]:
        return self.send_queue


def mailbox_for(process: Process) -> Mailbox:
    return ActiveMailbox(process) if isinstance(process, ActiveProcess) else Mailbox(process)
