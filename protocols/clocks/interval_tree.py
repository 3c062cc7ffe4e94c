"""Almeida, Baquero and Fonte: interval tree clocks, a logical clock for dynamic systems (2008).

A process has an identity, a part of the interval from 0 to 1, and an event tree, a function of this interval. An event
raises the function somewhere in the process's own part. A receipt takes the maximum of two functions. a happened before
b if and only if the function of a is nowhere above that of b, and they differ. The answers are exact.

Here the set of processes is fixed: at the start, one identity is forked evenly among them. (The paper's clocks are made
for processes that come and go.) A message carries the event tree, without an identity.

Size. An event tree in preorder has one integer for each node, and one bit for each node that tells leaves from inner
nodes; 32 bits are one integer. A process keeps its identity as well: one bit for each node and one for each leaf.

Representation. A timestamp also has the values of its function in the parts of all processes, so that comparisons take
no walk through two trees. They are not counted.
"""

from typing import Final

from mobilesim.protocols.clocks.interval_trees import Events, Identity, after_event, heights, identities, joined, nodes
from mobilesim.protocols.clocks.logical_clock import ClockSystem, Network, ProcessClock, are_below, compare_stamps
from mobilesim.protocols.frozen_value import value

_BITS: Final = 32


@value
class TreeStamp:
    """`heights`: by process, the value of the function in its part."""

    events: Events
    heights: tuple[int, ...]

    @property
    def integers(self) -> int:
        return integers_of(self.events)

    def precedes(self, other: "TreeStamp") -> bool:
        return are_below(self.heights, other.heights)


class IntervalTreeClock(ProcessClock[TreeStamp]):
    __slots__ = ("_processes", "events", "identity")

    def __init__(self, identity: Identity, processes: int) -> None:
        self._processes = processes
        self.identity = identity
        self.events: Events = 0

    @property
    def integers(self) -> int:
        own = nodes(self.identity)
        return integers_of(self.events) + -(-(own + (own + 1) // 2) // _BITS)

    def tick(self) -> None:
        self.events = after_event(self.identity, self.events)

    def stamp(self) -> TreeStamp:
        return TreeStamp(self.events, tuple(heights(self.events, self._processes)))

    def receive(self, stamp: TreeStamp) -> TreeStamp:
        self.events = joined(self.events, stamp.events)
        self.tick()
        return stamp


def integers_of(events: Events) -> int:
    number = nodes(events)
    return number + -(-number // _BITS)


def build(network: Network) -> ClockSystem[TreeStamp]:
    return ClockSystem(
        [IntervalTreeClock(identity, network.size) for identity in identities(network.size)], compare_stamps
    )
