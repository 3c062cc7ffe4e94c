"""One process per host, its state on the host, headers on the air; the stations relay.

What every static ordering becomes when its processes simply move: Alagar and Venkatesan (1994), section 1.1, say why
nobody wants it (computation, storage and bandwidth of the host), and it is what their algorithms are measured
against.

A station keeps what a host has not acknowledged and hands it over when the host moves, exactly as `proxy` does, but
with no ordering of its own: messages go up and down with the stamps of their senders.
"""

from protocols.hostlink import Data, MobileHost
from protocols.inbox import Inbox
from protocols.machine import Copy, HostOutbox, Message, StationOutbox, System
from protocols.ordering import Orders, Process
from protocols.orderings.unordered import Unordered
from protocols.placements.proxy import ProxyStation, ProxyVisit, directories


class Relay(ProxyStation):
    __slots__ = ()

    def originate(self, visit: ProxyVisit, frame: Data, out: StationOutbox) -> None:
        for copy in frame.copies:
            self.dispatch(copy, out)

    def on_air(self, copy: Copy) -> int:
        return copy.stamp.integers


class OrderingHost(MobileHost):
    __slots__ = ("inbox", "process")

    def __init__(self, index: int, home: int, process: Process) -> None:
        super().__init__(index, home)
        self.process = process
        self.inbox: Inbox[Copy] = Inbox(process)

    def stamped(self, message: Message) -> tuple[tuple[Copy, ...], int]:
        pairs = self.process.send(message.destinations, message.group)
        copies = tuple(Copy(message, targets, stamp) for targets, stamp in pairs)
        return copies, sum(copy.stamp.integers for copy in copies)

    def arrived(self, frame: Data, out: HostOutbox) -> None:
        for copy in self.inbox.arrive(frame.copies[0]):
            out.deliver(copy.message)


def build(stations: int, homes: tuple[int, ...], ordering: Orders, location: str = "oracle") -> System:
    relays = [Relay(index, directory) for index, directory in enumerate(directories(stations, homes, location))]
    nothing = Unordered(len(homes))
    for host, home in enumerate(homes):
        relays[home].start(host, Inbox(nothing.process(host)))
    processes = ordering(len(homes))
    hosts = [OrderingHost(host, home, processes.process(host)) for host, home in enumerate(homes)]
    return System(relays, hosts)
