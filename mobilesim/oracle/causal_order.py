"""The oracle computes happened-before exactly, with vector clocks. It observes only submissions, deliveries and drops.

Theory. A host's clock counts, for every host, the submissions that happened before. A submission increments the host's
own entry. A delivery takes the maximum of the host's clock and the message's clock. Message m' happened before message
m if and only if the entry of the source of m' in the clock of m is at least the number of m'.

A delivery of m at h breaks causal order if a message to h that happened before m has not been delivered at h. The
delivery breaks FIFO order if that message has the same source. A message that is still due at the end is lost. If a
station drops a message for a host, the message is no longer due at this host, and is not lost.

Short chains (`judge_short_chains`). A causal chain leads from m' to m through messages, the last of which is m. It has
one message if m' and m have the same source. It has two messages if the source of m has delivered m', or a later
message of the source of m', before it sent m. For this, `direct` has for each host and source the highest number of a
delivered message. Unlike a clock, it contains nothing that messages have carried.

Stations that send are sources like hosts, with the numbers after those of the hosts.

Representation. In memory, the entry of a clock for its own host (or for the source of its message) is always 0:
`submissions` and `Submission.number` hold this count instead. So a submission changes no clock, and refers to the clock
of its host without a copy. A delivery replaces the clock of the host.
"""

from collections.abc import Collection, Iterator
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from mypy_extensions import mypyc_attr

Clock: TypeAlias = npt.NDArray[np.unsignedinteger]

_KINDS: Final = (np.uint8, np.uint16, np.uint32, np.uint64)
"""The types of the entries of clocks. With many hosts, narrow types are faster, because clocks take less memory."""

_maximum: Final = np.maximum

_FULL: Final = 0xFF
"""The first number that a type cannot hold is a multiple of 256. So only multiples of 256 are checked for the limit."""


@mypyc_attr(acyclic=True)
class Submission:
    """A submitted message, and its number among those of its source."""

    __slots__ = ("clock", "direct", "message", "number", "source")

    def __init__(self, message: int, source: int, number: int, clock: Clock, direct: list[int] | None) -> None:
        self.message, self.source, self.number, self.clock = message, source, number, clock
        self.direct = direct
        """By source, the highest number of a message that the source of this message had delivered before."""

    def follows(self, source: int, number: int) -> bool:
        """Return whether submission `number` of `source` happened before this one, or is this one."""
        return number <= (self.number if source == self.source else int(self.clock.item(source)))


class Oracle:
    __slots__ = (
        *("causal", "clocks", "delivered_copies", "direct", "dropped_copies", "due", "duplicates", "fifo", "short"),
        *("sources", "submissions", "width"),
    )

    def __init__(self, sources: int) -> None:
        """`sources`: the number of hosts, plus the number of stations if these send."""
        self.sources = sources
        self.width = 0
        self.submissions = [0] * sources
        """By source, the number of its messages."""
        self.clocks: list[Clock | None] = [None] * sources
        """By host or station; None until it is needed for the first time."""
        self.due: list[dict[int, list[Submission]]] = [{} for _ in range(sources)]
        """By host and source, the messages that the host has not delivered, in the order of submission."""
        self.causal = self.fifo = self.duplicates = self.delivered_copies = self.dropped_copies = 0
        self.direct: list[list[int]] | None = None
        """By host and source, the highest number of a delivered message; None if short chains are not judged."""
        self.short = 0
        """The number of deliveries that break causal order along a chain of one or two messages, if this is judged."""

    def judge_short_chains(self) -> None:
        """Also count violations along chains of one or two messages. Call this before the first submission."""
        self.direct = [[0] * self.sources for _ in range(self.sources)]

    def _clock(self, host: int) -> Clock:
        if (clock := self.clocks[host]) is None:
            clock = self.clocks[host] = np.zeros(self.sources, _KINDS[self.width])
        return clock

    def _widen(self, number: int) -> None:
        """Widen all clocks if they cannot hold `number`."""
        if number > np.iinfo(_KINDS[self.width]).max:
            self.width += 1
            kind = _KINDS[self.width]
            self.clocks = [None if clock is None else clock.astype(kind) for clock in self.clocks]
            for sources in self.due:
                for queue in sources.values():
                    for sent in queue:
                        sent.clock = sent.clock.astype(kind, copy=False)

    def submitted(self, message: int, source: int, destinations: tuple[int, ...]) -> Submission:
        number = self.submissions[source] + 1
        self.submissions[source] = number
        if not number & _FULL:
            self._widen(number)
        direct = None if self.direct is None else self.direct[source].copy()
        sent = Submission(message, source, number, self._clock(source), direct)
        for host in destinations:
            sources = self.due[host]
            if (queue := sources.get(source)) is None:
                sources[source] = [sent]
            else:
                queue.append(sent)
        return sent

    def readdressed(self, message: int, source: int, before: tuple[int, ...], after: tuple[int, ...]) -> None:
        """Change the destinations of a message that has waited in the send queue of its source."""
        place = _place(self.due[before[0]][source], message)
        sent = self.due[before[0]][source][place]
        for host in before:
            if host not in after:
                queue = self.due[host][source]
                _remove(_place(queue, message), queue, self.due[host], source)
        for host in after:
            if host not in before:
                self.due[host].setdefault(source, []).append(sent)

    def outstanding(self, message: int, source: int, host: int) -> Submission | None:
        """Return a message that is due at a host; None if it was delivered or dropped there, or is for other hosts."""
        queue = self.due[host].get(source, [])
        place = _place(queue, message)
        return None if place < 0 else queue[place]

    def delivered(self, message: int, source: int, host: int) -> int:
        """Check a delivery; return the message that it overtook, or -1."""
        sources = self.due[host]
        queue = sources.get(source)
        place = -1 if queue is None else _place(queue, message)
        if queue is None or place < 0:
            self.duplicates += 1
            return -1
        sent = queue[place]
        overtaken = self._overtaken(sent, source, sources) if place or len(sources) > 1 else -1
        if self.direct is not None:
            overtaken = self._along_short_chain(sent, host, overtaken)
        _remove(place, queue, sources, source)
        clock = self.clocks[host] = _maximum(self._clock(host), sent.clock)
        if clock.item(source) < sent.number:
            clock[source] = sent.number
        clock[host] = 0
        self.delivered_copies += 1
        return overtaken

    def dropped(self, message: int, source: int, host: int) -> bool:
        """Record a drop; return whether the message was due. If not, the drop counts as a duplicate."""
        sources = self.due[host]
        queue = sources.get(source)
        place = -1 if queue is None else _place(queue, message)
        if queue is None or place < 0:
            self.duplicates += 1
            return False
        _remove(place, queue, sources, source)
        self.dropped_copies += 1
        return True

    def _overtaken(self, sent: Submission, source: int, sources: dict[int, list[Submission]]) -> int:
        first = sources[source][0]
        if first is not sent:
            self.fifo += 1
            self.causal += 1
            return first.message
        for other, queue in sources.items():
            if other != source and sent.follows(other, queue[0].number):
                self.causal += 1
                return queue[0].message
        return -1

    def _along_short_chain(self, sent: Submission, host: int, overtaken: int) -> int:
        """Record a delivery. If it overtook messages, return one at the shortest chain that was found."""
        assert self.direct is not None
        assert sent.direct is not None
        if overtaken >= 0:
            for source, queue in self.due[host].items():
                known = sent.number - 1 if source == sent.source else sent.direct[source]
                if queue[0].number <= known:
                    self.short += 1
                    overtaken = queue[0].message
                    break
        delivered = self.direct[host]
        delivered[sent.source] = max(delivered[sent.source], sent.number)
        return overtaken

    def undeliverable(self, gone: Collection[int]) -> int:
        """Return the number of copies that are still due and were sent by or to the hosts `gone`."""
        return sum(
            len(queue)
            for host, sources in enumerate(self.due)
            for source, queue in sources.items()
            if host in gone or source in gone
        )

    def lost(self) -> Iterator[tuple[int, int]]:
        """Yield (message, host) for each message that is still due at a host."""
        for host, sources in enumerate(self.due):
            for queue in sources.values():
                yield from ((sent.message, host) for sent in queue)


def _place(queue: list[Submission], message: int) -> int:
    """Return the index of a message in a queue, or -1."""
    for place, sent in enumerate(queue):
        if sent.message == message:
            return place
    return -1


def _remove(place: int, queue: list[Submission], sources: dict[int, list[Submission]], source: int) -> None:
    """Remove a message from the queue of its source."""
    if len(queue) == 1:
        del sources[source]
    else:
        del queue[place]
