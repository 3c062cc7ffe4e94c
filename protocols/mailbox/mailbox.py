"""A process's post: what comes to it, and what it sends.

For most processes that is an inbox beside a process that stamps. One that speaks has an outlet too, in which its
messages wait, first in, first out, until it lets them go; and words, which travel as copies of no message.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import ClassVar, Protocol

from protocols.machine import WORD, Copy, Message
from protocols.mailbox.inbox import Inbox
from protocols.ordering import Key, Process, Speaker


class Post(Inbox[Copy]):
    __slots__ = ()
    speaks: ClassVar[bool] = False

    def send(self, message: Message) -> list[Copy]:
        """What goes out for it, and may go at once."""
        pairs = self.process.send(message.destinations, message.group)
        return [Copy(message, targets, stamp) for targets, stamp in pairs]

    def speak(self, *, late: bool = False) -> list[Copy]:
        """What else may go out by now. Where a post `speaks`, it is asked whenever what has come is done with, and once
        more, `late`, when the time is over that `alarm` has named; that is asked after every `send` and `speak`.
        """
        return []

    def alarm(self) -> int:
        """In how many nanoseconds to ask again; 0 if there is no need, or it has been told before."""
        return 0

    @property
    def held(self) -> Sequence[Message]:
        """What has been sent, and may not go out yet."""
        return ()


class Posted(Protocol):
    """A host that orders for itself."""

    post: Post


class SpeakingPost(Post):
    __slots__ = ("armed", "outlet", "speaker")
    speaks = True

    def __init__(self, process: Speaker) -> None:
        super().__init__(process)
        self.speaker = process
        self.outlet: deque[Message] = deque()
        self.armed = False
        """Whether somebody is going to ask again."""

    def send(self, message: Message) -> list[Copy]:
        self.outlet.append(message)
        self.size += 1
        return self.speak()

    def arrive(self, item: Copy, *, inner: bool = False) -> Iterable[Copy]:
        """The process hears of a word too, which is not handed out."""
        keys: list[Key] = [*self.speaker.hear(item.stamp)]
        return self.released(keys) if item.is_word else self.came(item, keys)

    def speak(self, *, late: bool = False) -> list[Copy]:
        said: list[Copy] = []
        while self.outlet and (going := super().send(self.outlet[0])):
            self.outlet.popleft()
            self.size -= 1
            said += going
        self.armed &= not late
        if late or not self.speaker.patience:
            said += [Copy(WORD, targets, stamp) for targets, stamp in self.speaker.speak()]
        return said

    def alarm(self) -> int:
        after = 0 if self.armed else self.speaker.patience
        self.armed |= after > 0
        return after

    @property
    def held(self) -> Sequence[Message]:
        return self.outlet


def post(process: Process) -> Post:
    return SpeakingPost(process) if isinstance(process, Speaker) else Post(process)
