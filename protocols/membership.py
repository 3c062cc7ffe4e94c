"""The membership service: it numbers the processes that join, and informs the members of every change.

How processes learn of joins and leaves is network management, and no part of an ordering (Kshemkalyani and Singhal
1998, section 4.5). Here one node, the service, sees all changes, and its packets to one process keep their order. All
packets are values of this module, and `integers` is their size.

- A process asks to join (`Join`). The service gives it the next id and sends it the view (`Welcome`), which includes
  the processes that have left but have not been removed. It sends the members the new id (`Joined`).
- A process that leaves stops at once. It sends the service the number of its messages to each member (`Leave`). The
  service sends each member the number of messages that were for this member (`Left`). From then on, members do not send
  to the process any more, and remove what they store about messages to it.
- A member that has delivered all messages of the process informs the service (`Finished`). When all members of that
  time have done so, or have left, the service sends `Removed` to the present members, which remove what they store
  about messages from the process. Earlier, one of these messages could still be the cause of another message.
"""

from collections.abc import Sequence
from typing import ClassVar, Final, TypeAlias

from mobilesim.protocols.frozen_value import value
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


Request: TypeAlias = Join | Leave | Finished
"""A packet to the service."""
Notice: TypeAlias = Welcome | Joined | Left | Removed
"""A packet of the service."""
Notices: TypeAlias = Sequence[tuple[int, Notice]]
"""Packets of the service, each with its receiver."""


class MembershipService:
    """`unfinished`: by process that has left, the members that may still have to deliver messages of it."""

    __slots__ = ("issued", "members", "unfinished")

    def __init__(self, processes: int) -> None:
        self.issued = processes
        self.members: set[int] = set(range(processes))
        self.unfinished: dict[int, set[int]] = {}

    def process(self, request: Request) -> Notices:
        """Return the packets that answer a request."""
        if isinstance(request, Join):
            return self._join()
        if isinstance(request, Leave):
            return self._leave(request)
        return self._finish(request.process, request.sender)

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


NO_NOTICES: Final[Notices] = ()
