"""The membership service, of one of two kinds: it numbers the processes that join, and informs members of all changes.

How processes learn of joins and leaves is network management, and no part of an ordering (Kshemkalyani and Singhal
1998, section 4.5). Here one node, the service, sees all changes, and its packets to one process keep their order. All
packets are values of this module, and `integers` is their size.

Announced views (`MembershipService`): each change is told while messages are sent.

- A process asks to join (`Join`). The service gives it the next id and sends it the view (`Welcome`), which includes
  the processes that have left but have not been removed. It sends the members the new id (`Joined`).
- A process that leaves stops at once. It sends the service the number of its messages to each member (`Leave`). The
  service sends each member the number of messages that were for this member (`Left`). From then on, members do not send
  to the process any more, and remove what they store about messages to it.
- A member that has delivered all messages of the process informs the service (`Finished`). When all members of that
  time have done so, or have left, the service sends `Removed` to the present members, which remove what they store
  about messages from the process. Earlier, one of these messages could still be the cause of another message.

Flushed views (`FlushService`): all messages of a view are delivered before its members install the next view, as in
Birman, Schiper and Stephenson 1991. Views have numbers, and each member sends its messages to all others.

- When a process asks to join (`Join`) or a member leaves (`Quit`), the service ends the view (`EndView`). Each member
  stops sending, and answers with the number of its messages in this view (`Ended`). A process that leaves has reported
  this number when it left. Changes that reach the service before the last answer are part of the same next view.
- After the last answer, the service sends the next view to its members (`NewView`), with the numbers of messages of all
  members of the old view. A member of the old view installs the next view after it has delivered all these messages. A
  process that joins installs it at once.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final, TypeAlias

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.machine import ProtocolError
from mobilesim.protocols.view import View


@value
class Join:
    """A request to join."""

    integers: ClassVar[int] = 0


@value
class Welcome:
    """The view of a new process. The largest member is the process itself, because ids increase."""

    members: tuple[int, ...]
    leaving: tuple[int, ...]

    @property
    def index(self) -> int:
        return self.members[-1]

    @property
    def view(self) -> View:
        return View(self.members, self.leaving, self.index + 1)

    @property
    def integers(self) -> int:
        return 1 + len(self.members) + len(self.leaving)


@value
class Joined:
    process: int
    integers: ClassVar[int] = 1


@value
class Leave:
    """`sent`: the members to which the process sent messages, each with the number of these messages."""

    process: int
    sent: tuple[tuple[int, int], ...]

    @property
    def integers(self) -> int:
        return 1 + 2 * len(self.sent)


@value
class Left:
    """`messages`: the number of messages that the process sent to the receiver of this packet."""

    process: int
    messages: int
    integers: ClassVar[int] = 2


@value
class Finished:
    """The sender has delivered all messages of a process that left."""

    sender: int
    process: int
    integers: ClassVar[int] = 1


@value
class Removed:
    process: int
    integers: ClassVar[int] = 1


@value
class EndView:
    """The receiver sends no more messages in this view."""

    view: int
    integers: ClassVar[int] = 1


@value
class Ended:
    """A member has sent this number of messages in a view, and sends no more in this view."""

    process: int
    view: int
    messages: int
    integers: ClassVar[int] = 2


@value
class Quit:
    """A process has left. It had sent this number of messages in its last view."""

    process: int
    view: int
    messages: int
    integers: ClassVar[int] = 3


@value
class NewView:
    """`number`: the number of this view. `sent`: for each member of the view before, in the order of ids, the number of
    its messages; () for a process that joins.
    """

    number: int
    members: tuple[int, ...]
    sent: tuple[int, ...]

    @property
    def view(self) -> View:
        return View(self.members, (), self.members[-1] + 1, self.number)

    @property
    def integers(self) -> int:
        return 1 + len(self.members) + len(self.sent)


Request: TypeAlias = Join | Leave | Finished | Ended | Quit
"""A packet to the service."""
News: TypeAlias = Finished | Ended
"""A packet to the service by which a member answers."""
Farewell: TypeAlias = Leave | Quit
"""The last packet of a process."""
Notice: TypeAlias = Welcome | Joined | Left | Removed | EndView | NewView
"""A packet of the service."""
Notices: TypeAlias = Sequence[tuple[int, Notice]]
"""Packets of the service, each with its receiver."""


class Service(ABC):
    """`issued`: the number of ids that have been given. `members`: the members of the present view."""

    __slots__ = ("issued", "members")

    def __init__(self, processes: int) -> None:
        self.issued = processes
        self.members: set[int] = set(range(processes))

    @abstractmethod
    def process(self, request: Request) -> Notices:
        """Return the packets that answer a request."""


class MembershipService(Service):
    """`unfinished`: by process that has left, the members that may still have to deliver messages of it."""

    __slots__ = ("unfinished",)

    def __init__(self, processes: int) -> None:
        super().__init__(processes)
        self.unfinished: dict[int, set[int]] = {}

    def process(self, request: Request) -> Notices:
        if isinstance(request, Join):
            return self._join()
        if isinstance(request, Leave):
            return self._leave(request)
        if isinstance(request, Finished):
            return self._finish(request.process, request.sender)
        raise ProtocolError(f"the service announces views, and receives {request}")

    def _join(self) -> Notices:
        new, before = self.issued, sorted(self.members)
        self.issued += 1
        self.members.add(new)
        return [(new, Welcome((*before, new), tuple(self.unfinished))), *[(to, Joined(new)) for to in before]]

    def _leave(self, leave: Leave) -> Notices:
        leaver, sent = leave.process, dict(leave.sent)
        self.members.discard(leaver)
        rest = sorted(self.members)
        self.unfinished[leaver] = set(rest)
        notices: list[tuple[int, Notice]] = [(to, Left(leaver, sent.get(to, 0))) for to in rest]
        for other in list(self.unfinished):
            notices += self._finish(other, leaver)
        return notices

    def _finish(self, leaver: int, member: int) -> Notices:
        waiting = self.unfinished.get(leaver)
        if waiting is None:
            return NO_NOTICES
        waiting.discard(member)
        if waiting:
            return NO_NOTICES
        del self.unfinished[leaver]
        return [(to, Removed(leaver)) for to in sorted(self.members)]


class FlushService(Service):
    """`number`: the number of the present view. `ending`: whether the view ends. `joining`: the processes of the next
    view that have asked to join. `gone`: the members that have left. `sent`: by member that has answered or left, the
    number of its messages in the view.
    """

    __slots__ = ("ending", "gone", "joining", "number", "sent")

    def __init__(self, processes: int) -> None:
        super().__init__(processes)
        self.number = 0
        self.ending = False
        self.joining: list[int] = []
        self.gone: set[int] = set()
        self.sent: dict[int, int] = {}

    def process(self, request: Request) -> Notices:
        if isinstance(request, Join):
            self.joining.append(self.issued)
            self.issued += 1
        elif isinstance(request, Quit):
            # A process that has not installed this view has sent nothing in it.
            self.sent[request.process] = request.messages if request.view == self.number else 0
            self.gone.add(request.process)
        elif not isinstance(request, Ended):
            raise ProtocolError(f"the service flushes views, and receives {request}")
        elif request.view != self.number or request.process in self.gone:
            # The process has left since, and its last packet has overtaken this one.
            return NO_NOTICES
        else:
            self.sent[request.process] = request.messages
        ends: list[tuple[int, Notice]] = []
        if not self.ending:
            self.ending = True
            ends += [(to, EndView(self.number)) for to in sorted(self.members - self.gone)]
        return [*ends, *(self._next() if self.sent.keys() == self.members else NO_NOTICES)]

    def _next(self) -> Notices:
        """Begin the next view."""
        old, sent = self.members, tuple([number for _, number in sorted(self.sent.items())])
        self.number += 1
        self.members = old - self.gone | set(self.joining)
        self.ending, self.joining, self.gone, self.sent = False, [], set(), {}
        members = tuple(sorted(self.members))
        return [(to, NewView(self.number, members, sent if to in old else ())) for to in members]


NO_NOTICES: Final[Notices] = ()
