"""Broken variants of `transport`, which wait for other acknowledgements than the paper requires."""

from collections.abc import Sequence

from mobilesim.protocols.ordering import Addressed, Key
from mobilesim.protocols.orderings.synchronised.transport import Acknowledgement, Plain, Transport, TransportProcess
from mobilesim.protocols.packets import Stamp


class ToMany(Transport):
    """A variant with multicasts: a multicast is sent when all copies of the previous multicast are acknowledged."""

    __slots__ = ()

    def process(self, index: int) -> TransportProcess:
        return ToManyProcess(index)


class ToManyProcess(TransportProcess):
    __slots__ = ("copies",)

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.copies = 0

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        if self.copies:
            return ()
        self.copies = len(destinations)
        return ((destinations, Plain(self.index)),)

    def observe(self, stamp: Stamp) -> Sequence[Key]:
        self.copies -= isinstance(stamp, Acknowledgement)
        return super().observe(stamp)


class OnEachChannel(Transport):
    """A variant in which a sender may have one unacknowledged message per receiver, instead of one in all."""

    __slots__ = ()

    def process(self, index: int) -> TransportProcess:
        return OnEachChannelProcess(index)


class OnEachChannelProcess(TransportProcess):
    __slots__ = ("receivers",)

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.receivers: set[int] = set()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        (receiver,) = destinations
        if receiver in self.receivers:
            return ()
        self.receivers.add(receiver)
        return ((destinations, Plain(self.index)),)

    def observe(self, stamp: Stamp) -> Sequence[Key]:
        if isinstance(stamp, Acknowledgement):
            self.receivers.remove(stamp.sender)
        return super().observe(stamp)
