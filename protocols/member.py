"""A process that may join and leave: its mailbox, its view, and the numbers of messages that the service needs.

It stores numbers only for members, and for processes that have left but have not been removed.
"""

from collections.abc import Iterable

from mobilesim.protocols.machine import Copy, Message, ProtocolError
from mobilesim.protocols.mailbox import Mailbox, mailbox_for
from mobilesim.protocols.membership import Finished, Joined, Leave, Left, Notice, Removed
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.view import View


class Member:
    """`delivered`, `sent`: by process, the number of messages from it and to it. `awaited`: by process that has left,
    the number of its messages to this process, if some of them are missing. `news`: packets for the service.
    """

    __slots__ = ("awaited", "delivered", "index", "mailbox", "news", "sent", "view")

    def __init__(self, index: int, ordering: Ordering, view: View) -> None:
        self.index = index
        self.view = view
        self.mailbox: Mailbox = mailbox_for(ordering.member(index, view))
        self.sent: dict[int, int] = {}
        self.delivered: dict[int, int] = {}
        self.awaited: dict[int, int] = {}
        self.news: list[Finished] = []

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

    def notice(self, notice: Notice) -> None:
        """Accept a packet of the service."""
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

    def _finish(self, leaver: int, messages: int) -> None:
        """Report a process that has left when all its messages, `messages` in number, have been delivered."""
        if self.delivered.get(leaver, 0) < messages:
            self.awaited[leaver] = messages
        else:
            self.awaited.pop(leaver, None)
            self.news.append(Finished(self.index, leaver))

    def take_news(self) -> list[Finished]:
        """Return the packets for the service since the last call."""
        news, self.news = self.news, []
        return news

    def leave(self) -> Leave:
        """Return the last packet of this process, which stops now."""
        return Leave(self.index, tuple(sorted(self.sent.items())))
