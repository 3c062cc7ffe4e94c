"""A process that may join and leave: its mailbox, its view, and the numbers of messages that the service needs.

It stores numbers only for members, and for processes that have left but have not been removed.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from mobilesim.protocols.machine import ProtocolError
from mobilesim.protocols.mailbox import Mailbox, mailbox_for
from mobilesim.protocols.membership import Farewell, Finished, Joined, Leave, Left, News, Notice, Removed
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.packets import Copy, Message
from mobilesim.protocols.view import View


class Member:
    """`delivered`, `sent`: by process, the number of messages from it and to it. `awaited`: by process that has left,
    the number of its messages to this process, if some of them are missing. `news`: packets for the service.
    """

    __slots__ = ("awaited", "delivered", "index", "mailbox", "news", "sent", "view")
    to_all: ClassVar[bool] = False
    """Whether each message is for all other members of the view."""

    def __init__(self, index: int, ordering: Ordering, view: View) -> None:
        self.index = index
        self.view = view
        self.mailbox: Mailbox = mailbox_for(ordering.member(index, view))
        self.sent: dict[int, int] = {}
        self.delivered: dict[int, int] = {}
        self.awaited: dict[int, int] = {}
        self.news: list[News] = []

    def send(self, message: Message) -> list[Copy]:
        sent = self.sent
        for to in message.destinations:
            sent[to] = sent.get(to, 0) + 1
        return self.mailbox.send(message)

    def arrive(self, copy: Copy) -> list[Copy]:
        """Accept a copy; return the copies that are delivered now."""
        return self._counted(self.mailbox.arrive(copy))

    def released_by_send(self) -> list[Copy]:
        """Return the copies that the last `send` has released (`Mailbox.released_by_send`)."""
        return self._counted(self.mailbox.released_by_send())

    def _counted(self, copies: Iterable[Copy]) -> list[Copy]:
        released, delivered = list(copies), self.delivered
        for copy in released:
            source = copy.message.source
            delivered[source] = delivered.get(source, 0) + 1
            if source in self.awaited:
                self._finish(source, self.awaited[source])
        return released

    def notice(self, notice: Notice) -> list[Copy]:
        """Accept a packet of the service; return the copies that are delivered now."""
        view, process = self.view, self.mailbox.process
        if isinstance(notice, Joined):
            view.members.add(notice.process)
            view.issued = notice.process + 1
        elif isinstance(notice, Left):
            view.members.discard(notice.process)
            view.leaving.add(notice.process)
            self.sent.pop(notice.process, None)
            process.left(notice.process)
            self._finish(notice.process, notice.messages)
        elif isinstance(notice, Removed):
            view.leaving.discard(notice.process)
            self.delivered.pop(notice.process, None)
            process.removed(notice.process)
        else:
            raise ProtocolError(f"process {self.index} has a view, and receives another one: {notice}")
        return []

    def _finish(self, leaver: int, messages: int) -> None:
        """Report a process that has left when all its messages, `messages` in number, have been delivered."""
        if self.delivered.get(leaver, 0) < messages:
            self.awaited[leaver] = messages
        else:
            self.awaited.pop(leaver, None)
            self._finished(leaver)

    def _finished(self, leaver: int) -> None:
        self.news.append(Finished(self.index, leaver))

    @property
    def held(self) -> Sequence[Message]:
        """The messages of this process that wait for the next view."""
        return ()

    @property
    def waiting(self) -> list[Copy]:
        """The copies that have arrived, but have not been delivered."""
        return self.mailbox.items()

    def take_sends(self) -> Sequence[tuple[Message, Message, list[Copy]]]:
        """Return the messages that have waited for the present view since the last call: each as it was submitted, and
        as it is sent to the other members of this view, and the copies to send. Without others, there are no copies.
        """
        return ()

    def take_news(self) -> list[News]:
        """Return the packets for the service since the last call."""
        news, self.news = self.news, []
        return news

    def leave(self) -> Farewell:
        """Return the last packet of this process, which stops now."""
        return Leave(self.index, tuple(sorted(self.sent.items())))
