"""SES with lists of pairs, as printed: the reference implementation of `protocols.orderings.ses`, and variants."""

from collections.abc import Sequence
from typing import TypeAlias

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Key, Ordering, Process
from mobilesim.protocols.packets import Stamp

Time: TypeAlias = tuple[int, ...]


def later(one: Time, other: Time) -> Time:
    return tuple(map(max, one, other))


@value
class Pairs(Stamp):
    time: Time
    """The vector time of the send."""
    pairs: tuple[tuple[int, Time], ...]
    destinations: tuple[int, ...]

    @property
    def integers(self) -> int:
        return len(self.time) + sum(1 + len(time) for _, time in self.pairs)


class DenseSes(Ordering):
    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size

    def process(self, index: int) -> "DenseSesProcess":
        return DenseSesProcess(index, self.size)


class DenseSesProcess(Process):
    __slots__ = ("index", "pairs", "time")

    def __init__(self, index: int, size: int) -> None:
        self.index = index
        self.time: Time = (0,) * size
        self.pairs: dict[int, Time] = {}

    def tick(self) -> None:
        index, time = self.index, self.time
        self.time = (*time[:index], time[index] + 1, *time[index + 1 :])

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        self.tick()
        stamp = Pairs(self.index, self.time, tuple(sorted(self.pairs.items())), destinations)
        self.pairs |= dict.fromkeys(destinations, self.time)
        return ((destinations, stamp),)

    def missing(self, stamp: Stamp) -> Key | None:
        """Return the index of an entry of the vector time and the value that this entry must reach, or None."""
        assert isinstance(stamp, Pairs)
        expected = dict(stamp.pairs).get(self.index, ())
        return next(((place, time) for place, time in enumerate(expected) if time > self.time[place]), None)

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Pairs)
        before = self.time
        self.time = later(before, stamp.time)
        for process, time in (*stamp.pairs, *((process, stamp.time) for process in stamp.destinations)):
            if process != self.index:
                self.pairs[process] = later(time, self.pairs.get(process, time))
        return [(place, time + 1) for place, old in enumerate(before) for time in range(old, self.time[place])]

    @property
    def integers(self) -> int:
        return len(self.time) + sum(1 + len(time) for time in self.pairs.values())


class Ticking(DenseSes):
    """SES in which deliveries advance the vector time, as printed."""

    __slots__ = ()

    def process(self, index: int) -> "TickingProcess":
        return TickingProcess(index, self.size)


class TickingProcess(DenseSesProcess):
    __slots__ = ()

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        keys = super().deliver(stamp)
        self.tick()
        return keys


class Forgetful(DenseSes):
    """SES as printed for unicasts: the receiver of a multicast does not record the other destinations."""

    __slots__ = ()

    def process(self, index: int) -> "ForgetfulProcess":
        return ForgetfulProcess(index, self.size)


class ForgetfulProcess(DenseSesProcess):
    __slots__ = ()

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Pairs)
        return super().deliver(Pairs(stamp.sender, stamp.time, stamp.pairs, ()))
