"""Lemma 8 of Kshemkalyani and Singhal (1998) with dictionaries of messages, and broken variants.

This is the reference implementation of `protocols.orderings.ks_short_chains`.
"""

from collections.abc import Sequence
from typing import TypeAlias

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Key, Ordering, Process
from mobilesim.protocols.packets import Stamp

Latest: TypeAlias = dict[int, int]
"""By process, the number of a message to it."""


@value
class TwoVectors(Stamp):
    """`mine` is vector (1), `yours` is vector (2), by sender."""

    number: int
    mine: tuple[tuple[int, int], ...]
    yours: tuple[tuple[int, int], ...]


class DenseShortChains(Ordering):
    """`kind`: the class of the processes."""

    __slots__ = ("kind",)

    def __init__(self, size: int, kind: "type[DenseProcess] | None" = None) -> None:
        super().__init__(size)
        self.kind = kind or DenseProcess

    def process(self, index: int) -> "DenseProcess":
        return self.kind(index)


class DenseProcess(Process):
    __slots__ = ("delivered", "heard", "index", "number")

    def __init__(self, index: int) -> None:
        self.index = index
        self.number = 0
        self.heard: dict[int, Latest] = {index: {}}
        """By process, the vector (1) of its latest message that was delivered here; for this process, its own."""
        self.delivered: set[tuple[int, int]] = set()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        self.number += 1
        before, mine = dict(self.heard), tuple(sorted(self.after(destinations).items()))
        self.heard[self.index] = {**self.heard[self.index], **dict.fromkeys(destinations, self.number)}
        return [
            (
                (to,),
                TwoVectors(
                    self.index,
                    self.number,
                    mine,
                    tuple([(sender, sent[to]) for sender, sent in sorted(before.items()) if to in sent]),
                ),
            )
            for to in destinations
        ]

    def after(self, destinations: tuple[int, ...]) -> Latest:
        """Return vector (1) of a message."""
        return {**self.heard[self.index], **dict.fromkeys(destinations, self.number)}

    def missing(self, stamp: TwoVectors) -> Key | None:
        return next((send for send in stamp.yours if send not in self.delivered), None)

    def deliver(self, stamp: TwoVectors) -> Sequence[Key]:
        self.delivered.add((stamp.sender, stamp.number))
        self.heard[stamp.sender] = dict(stamp.mine)
        return ((stamp.sender, stamp.number),)

    @property
    def integers(self) -> int:
        return 0


class BeforeSend(DenseProcess):
    """Vector (1) is from before the send, so it lacks the other copies of a multicast."""

    __slots__ = ()

    def after(self, destinations: tuple[int, ...]) -> Latest:
        return self.heard[self.index]


class Unheard(DenseProcess):
    """Vector (1) of a message is not stored. This is FIFO order."""

    __slots__ = ()

    def deliver(self, stamp: TwoVectors) -> Sequence[Key]:
        keys = super().deliver(stamp)
        del self.heard[stamp.sender]
        return keys


def short_chains(kind: type[DenseProcess], size: int) -> Ordering:
    return DenseShortChains(size, kind)
