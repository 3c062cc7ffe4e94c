"""A process's mailbox: what comes to it, and what it sends.

For most processes that is an inbox beside a process that stamps. One that speaks has an outlet too, in which its
messages wait, first in, first out, until it lets them go; and words, which travel as copies of no message.
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
        """What goes out for it, and may go at once."""
        pairs = self.process.send(message.destinations, message.group)
        return [Copy(message, targets, stamp) for targets, stamp in pairs]

    def pending_control(self, *, late: bool = False) -> list[Copy]:
        """What else may go out by now. Where a post `sends_control`, it is asked whenever what has come is done with,
        and once more, `late`, when the time is over that `timer` has named; that is asked after every `send` and
        `pending_control`.
        """
        return []

    def timer(self) -> int:
        """In how many nanoseconds to ask again; 0 if there is no need, or it has been told before."""
        return 0

    @property
    def held(self) -> Sequence[Message]:
        """What has been sent, and may not go out yet."""
        return ()


class MailboxOwner(Protocol):
    """A host that orders for itself."""

    mailbox: Mailbox


class ActiveMailbox(Mailbox):
    __slots__ = ("active", "send_queue", "timer_set")
    sends_control = True

    def __init__(self, process: ActiveProcess) -> None:
        super().__init__(process)
        self.active = process
        self.send_queue: deque[Message] = deque()
        self.timer_set = False
        """Whether somebody is going to ask again."""

    def send(self, message: Message) -> list[Copy]:
        self.send_queue.append(message)
        self.size += 1
        return self.pending_control()

    def arrive(self, item: Copy, *, inner: bool = False) -> Iterable[Copy]:
        """The process hears of a word too, which is not handed out."""
        keys: list[Key] = [*self.active.observe(item.stamp)]
        return self.released(keys) if item.is_control else self.came(item, keys)

    def pending_control(self, *, late: bool = False) -> list[Copy]:
        said: list[Copy] = []
        while self.send_queue and (going := super().send(self.send_queue[0])):
            self.send_queue.popleft()
            self.size -= 1
            said += going
        self.timer_set &= not late
        if late or not self.active.max_delay:
            said += [Copy(CONTROL_MESSAGE, targets, stamp) for targets, stamp in self.active.pending_control()]
        return said

    def timer(self) -> int:
        after = 0 if self.timer_set else self.active.max_delay
        self.timer_set |= after > 0
        return after

    @property
    def held(self) -> Sequence[Message]:
        return self.send_queue


def mailbox_for(process: Process) -> Mailbox:
    return ActiveMailbox(process) if isinstance(process, ActiveProcess) else Mailbox(process)
