"""A member of views that change by a flush: all messages of a view are delivered before the next view is installed.

Birman, Schiper and Stephenson (1991) deliver all messages of a view before the next view. The packets are those of
`mobilesim.protocols.membership`. Here, the members send nothing during the flush: messages of the application wait in a
send queue from `EndView` until the next view is installed, and are then for the members of the next view. All members
start each view with a new process of the ordering, so nothing is stored about the processes of earlier views.

A stamp has the number of its view. A message of the next view may arrive before this view is installed, and waits. No
process is further ahead, because the next view ends after all its members have installed it or left.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, TypeAlias

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.machine import ProtocolError
from mobilesim.protocols.mailbox import mailbox_for
from mobilesim.protocols.member import Member
from mobilesim.protocols.membership import (
    Ended,
    EndView,
    FlushService,
    MembershipService,
    NewView,
    Notice,
    Quit,
    Service,
)
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.packets import Copy, Message, Stamp
from mobilesim.protocols.view import View


@value
class ViewStamp(Stamp):
    """A stamp of the ordering, and the number of the view in which the message was sent."""

    view: int
    inner: Stamp

    @property
    def integers(self) -> int:
        return 1 + self.inner.integers

    @property
    def units(self) -> int:
        return 1 + self.inner.units


class FlushMember(Member):
    """`ending`: whether the view ends, so that nothing is sent. `next_view`: the next view, if it is known.
    `early_end`: whether the service has ended the next view, too. `queue`: the messages that wait for the next view.
    `later`: copies of messages that were sent in the next view. `sends`: the result of `take_sends`. `sent`,
    `delivered` and `awaited` are about the present view.
    """

    __slots__ = ("early_end", "ending", "later", "next_view", "ordering", "queue", "sends")
    to_all: ClassVar[bool] = True

    def __init__(self, index: int, ordering: Ordering, view: View) -> None:
        super().__init__(index, ordering, view)
        self.ordering = ordering
        self.ending = self.early_end = False
        self.next_view: NewView | None = None
        self.queue: list[Message] = []
        self.later: list[Copy] = []
        self.sends: list[tuple[Message, Message, list[Copy]]] = []

    def send(self, message: Message) -> list[Copy]:
        if self.ending:
            self.queue.append(message)
            return []
        number = self.view.number
        return [
            Copy(message, copy.targets, ViewStamp(self.index, number, copy.stamp)) for copy in super().send(message)
        ]

    def arrive(self, copy: Copy) -> list[Copy]:
        stamp = copy.stamp
        assert isinstance(stamp, ViewStamp)
        if stamp.view > self.view.number:
            self.later.append(copy)
            return []
        return [*super().arrive(Copy(copy.message, copy.targets, stamp.inner)), *self._install_if_complete()]

    def notice(self, notice: Notice) -> list[Copy]:
        if isinstance(notice, EndView):
            if notice.view == self.view.number:
                self._end()
            else:
                self.early_end = True
            return []
        if not isinstance(notice, NewView):
            raise ProtocolError(f"process {self.index} flushes its views, and receives {notice}")
        self.next_view = notice
        for source, messages in zip(sorted(self.view.members), notice.sent, strict=True):
            if source != self.index:
                self._finish(source, messages)
        return self._install_if_complete()

    def _finished(self, leaver: int) -> None:
        """The service does not ask for this."""

    def _end(self) -> None:
        self.ending = True
        self.news.append(Ended(self.index, self.view.number, self._messages))

    @property
    def _messages(self) -> int:
        """The number of messages in this view. Each of them is for all other members."""
        return max(self.sent.values(), default=0)

    def _install_if_complete(self) -> list[Copy]:
        """Install the next view if it is known and all messages of this view have been delivered. Return the copies of
        messages of the next view that are delivered now.
        """
        if self.next_view is None or self.awaited:
            return []
        self._install(self.next_view)
        later, self.later = self.later, []
        return [released for copy in later for released in self.arrive(copy)]

    def _install(self, new: NewView) -> None:
        view = self.view
        view.members.clear()
        view.members.update(new.members)
        view.issued, view.number = new.members[-1] + 1, new.number
        self.mailbox = mailbox_for(self.ordering.member(self.index, view))
        self.sent, self.delivered = {}, {}
        self.next_view, self.ending = None, False
        queue, self.queue = self.queue, []
        others = tuple(sorted(view.members - {self.index}))
        for before in queue:
            message = addressed(before, others)
            self.sends.append((before, message, self.send(message) if others else []))
        if self.early_end:
            self.early_end = False
            self._end()

    @property
    def held(self) -> Sequence[Message]:
        return self.queue

    @property
    def waiting(self) -> list[Copy]:
        return [*self.mailbox.items(), *self.later]

    def take_sends(self) -> Sequence[tuple[Message, Message, list[Copy]]]:
        sends, self.sends = self.sends, []
        return sends

    def leave(self) -> Quit:
        return Quit(self.index, self.view.number, self._messages)


def addressed(message: Message, destinations: tuple[int, ...]) -> Message:
    """Return a message with other destinations."""
    return Message(message.id, message.source, destinations, message.size, message.group)


ViewChange: TypeAlias = tuple[type[Service], type[Member]]
"""The service and the members of a way in which views change."""
VIEW_CHANGES: Final[Mapping[str, ViewChange]] = {
    "announced": (MembershipService, Member),
    "flushed": (FlushService, FlushMember),
}
"""By the name in the row of an ordering (`OrderingRow.views`)."""
