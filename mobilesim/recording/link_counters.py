"""Counters of packets, bytes and busy time, for each direction of a wired link, and of each host in each cell."""

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

import numpy as np
import numpy.typing as npt
from mypy_extensions import i64

from mobilesim.protocols.packets import ACK, CONTROL, HANDOFF, LOCATION, ORDERING, Packet, Purpose
from mobilesim.results.quantities import BYTE_PURPOSES
from mobilesim.results.row_writer import RowWriter
from mobilesim.scenario.sections.energy_and_costs import Sizes

Columns = Mapping[str, npt.NDArray[np.int64]]


@dataclass(slots=True, eq=False)
class LinkCounter:
    """The traffic of one link in one direction.

    `missed`: the part of `busy` spent on frames for a host that had left. `shared`: the bytes that further hosts have
    received from transmissions to several hosts. `gone`: the traffic that was lost on the
    wireless channel or on a failed link. `starts`: the start times of the packets in the queue.
    """

    # The compiled core counts most packets within one line of the processor's cache.
    packets: i64 = 0
    bytes: i64 = 0
    busy: i64 = 0
    framing: i64 = 0
    payload: i64 = 0
    ordering: i64 = 0
    ack: i64 = 0
    handoff: i64 = 0
    location: i64 = 0
    control: i64 = 0
    missed: i64 = 0
    shared: i64 = 0
    queue_peak: i64 = 0
    gone: "LinkCounter | None" = None
    starts: deque[int] | None = None

    def count(  # noqa: PLR0917 - called for every packet, and keywords are slow
        self, purpose: Purpose, payload: i64, ordering: i64, control: i64, framing: i64, size: i64, busy: i64
    ) -> None:
        """Count a packet: its bytes by kind, its size on the link, and the time for which the link is busy."""
        self.packets += 1
        self.bytes += size
        self.busy += busy
        self.framing += framing
        if purpose is ACK:
            self.ack += control
        elif purpose is HANDOFF:
            self.handoff += payload + ordering + control
        elif purpose is LOCATION:
            self.location += payload + ordering + control
        elif purpose is CONTROL:
            self.control += payload + ordering + control
        else:
            # The payload of a message on its way to a process that only passes it on belongs to the ordering.
            if purpose is ORDERING:
                self.ordering += payload
            else:
                self.payload += payload
            self.ordering += ordering
            if control:
                self.control += control

    def add(self, packet: Packet, sizes: Sizes, busy: int, times: int = 1) -> None:
        """Count a packet `times` times. If `times` is negative, subtract packets that are already counted."""
        payload, framing = times * packet.payload, times * sizes.header
        ordering, control = times * sizes.integer * packet.header, times * sizes.integer * packet.control
        size = framing + payload + ordering + control
        self.count(packet.purpose, payload, ordering, control, framing, size, times * busy)
        self.packets += times - 1

    def queued(self, start: int, now: int) -> None:
        """Count a packet in the queue: it waits until `start` for earlier packets."""
        if (starts := self.starts) is None:
            starts = self.starts = deque()
        while starts and starts[0] <= now:
            starts.popleft()
        starts.append(start)
        self.queue_peak = max(self.queue_peak, len(starts))

    def restart_queue_peak(self, now: int) -> None:
        """Measure the longest queue from now on."""
        self.queue_peak = 0 if self.starts is None else sum(1 for start in self.starts if start > now)

    def lost(self) -> "LinkCounter":
        """Return the counter of packets that are lost in transit or before they start."""
        if self.gone is None:
            self.gone = LinkCounter()
        return self.gone

    @property
    def received(self) -> int:
        """Return the busy time spent on frames for a host that was present."""
        return self.busy - self.missed

    def write(self, rows: RowWriter) -> None:
        """Write the counts in the order of `COUNTS`."""
        rows.put(self.queue_peak)
        rows.put(self.packets)
        rows.put(self.bytes)
        rows.put(self.busy)
        rows.put(self.payload)
        rows.put(self.ordering)
        rows.put(self.handoff)
        rows.put(self.location)
        rows.put(self.control)
        rows.put(self.ack)
        rows.put(self.framing)
        gone = self.gone
        rows.put(0 if gone is None else gone.packets)
        rows.put(0 if gone is None else gone.bytes)
        rows.put(self.shared)
        rows.put(self.missed)


COUNTS: Final = (
    *("queue_peak", "packets", "bytes", "busy"),
    *(f"{purpose}_bytes" for purpose in BYTE_PURPOSES),
    *("lost_packets", "lost_bytes", "shared_bytes", "missed"),
)
_COLUMNS: Final = ("source", "target", *COUNTS)
_ADDED: Final = ("packets", "bytes", "busy", "missed", "shared", *BYTE_PURPOSES)
_values: Final = attrgetter(*_ADDED)


def total(counters: Collection[LinkCounter]) -> LinkCounter:
    whole = LinkCounter()
    for name, values in zip(_ADDED, zip(*map(_values, counters), strict=True), strict=False):
        setattr(whole, name, sum(values))
    whole.queue_peak = max([counter.queue_peak for counter in counters], default=0)
    gone = [counter.gone for counter in counters if counter.gone is not None]
    whole.gone = total(gone) if gone else None
    return whole


def difference(now: LinkCounter, before: LinkCounter) -> LinkCounter:
    """Return what was counted between two states of a counter. The longest queue is that of the later state."""
    change = LinkCounter()
    for name, amount, subtracted in zip(_ADDED, _values(now), _values(before), strict=True):
        setattr(change, name, amount - subtracted)
    change.queue_peak = now.queue_peak
    if now.gone is not None:
        change.gone = difference(now.gone, before.gone or LinkCounter())
    return change


ALL_HOSTS: Final = -1
"""The end of a link that stands for all hosts."""

Links = dict[tuple[int, int], LinkCounter]
"""Counters by (host, station) for a wireless channel, or by (source, target) for a wired link."""


class LinksSnapshot:
    """The counters of links at one moment, and what was in transit then.

    A frame or packet counts in the window in which it was passed to its link. So if it is lost after this moment, or is
    taken back, this counts before the moment, too.
    """

    __slots__ = ("_in_transit", "links")

    def __init__(self, links: Links, in_transit: Iterable[object]) -> None:
        self.links: Links = {ends: total((counter,)) for ends, counter in links.items()}
        self._in_transit = set(in_transit)

    def counter_of(self, item: object, ends: tuple[int, int]) -> LinkCounter | None:
        """Return the counter of a link if an item was in transit there at this moment."""
        return self.links.get(ends) if item in self._in_transit else None


def columns(links: Links) -> Columns:
    """Return the columns `source`, `target` and `COUNTS`, with a row for each link, in the order of the ends."""
    rows = RowWriter()
    for ends in sorted(links):
        rows.put(ends[0])
        rows.put(ends[1])
        links[ends].write(rows)
    return dict(zip(_COLUMNS, rows.take().reshape(-1, len(_COLUMNS)).T, strict=True))


def by_end(links: Columns, end: str) -> Columns:
    """Return the totals of the links with the same `end` ('source' or 'target'). Their other end is `ALL_HOSTS`."""
    order = np.argsort(links[end], kind="stable")
    nodes, starts = np.unique(links[end][order], return_index=True)
    totals = {name: np.add.reduceat(links[name][order], starts) for name in COUNTS}
    totals["queue_peak"] = np.maximum.reduceat(links["queue_peak"][order], starts)
    return {"source": np.full_like(nodes, ALL_HOSTS), "target": np.full_like(nodes, ALL_HOSTS), **totals, end: nodes}


def joined(kinds: Mapping[str, Columns]) -> Columns:
    """Return the columns of the table `links`. `kind` is an index in `kinds`."""
    tables = list(kinds.values())
    kind = np.repeat(np.arange(len(tables)), [len(table["source"]) for table in tables])
    return {"kind": kind, **{name: np.concatenate([table[name] for table in tables]) for name in _COLUMNS}}
