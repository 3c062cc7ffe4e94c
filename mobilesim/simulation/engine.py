"""The event queue of a simulation, and its clock. Times are whole nanoseconds.

A message crosses several links, and each hop is one event: an object that is put into the queue and acts when its time
comes. There are two implementations. In pure Python, `heapq` orders tuples. The compiled core (code compiled by mypyc)
has a pairing heap of events, because creating and comparing tuples would take most of the time there. Both run events
in the same order: by time, then by priority, and then in the order of scheduling.

`mobilesim.simulation.simpy_environment` runs SimPy's processes, stores and resources on the same queue.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Any, ClassVar, Final

from mypy_extensions import i64

NORMAL: Final = 1
"""The priority of events, unless a SimPy program chooses another. Lower priorities run first."""

_PRIORITY_SHIFT: Final = 56
"""An order is the priority in the upper bits, and the number of events scheduled before in the lower bits."""


class Event:
    """Something that happens at a time. The queue sets the attributes. `below`, `beside`: its first child and its next
    sibling in a `PairingHeapEngine`.
    """

    __slots__ = ("below", "beside", "order", "time")
    time: i64
    order: i64
    below: "Event | None"
    beside: "Event | None"

    @property
    def of_scenario(self) -> bool:
        """Return whether the event belongs to the scenario, which may end before the run."""
        return False

    def happen(self) -> None:
        raise NotImplementedError


class Call(Event):
    """A call of a function with one argument."""

    __slots__ = ("argument", "function")

    def __init__(self, function: Callable[[Any], None], argument: object) -> None:
        self.function = function
        self.argument = argument

    def happen(self) -> None:
        self.function(self.argument)


class ScenarioCall(Call):
    """A call that does not happen after the scenario's end."""

    __slots__ = ()
    of_scenario: ClassVar[bool] = True


class Engine(ABC):
    """A queue of events. `time`: the time of the current event. `processed`: the number of past events."""

    __slots__ = ("processed", "scheduled", "time")

    def __init__(self) -> None:
        self.time = 0
        self.processed = 0
        self.scheduled = NORMAL << _PRIORITY_SHIFT
        """The order of the next event of normal priority."""

    @abstractmethod
    def push(self, time: int, event: Event) -> None:
        """Schedule an event. Events at the same time happen in the order of scheduling."""

    @abstractmethod
    def push_prior(self, time: int, event: Event, priority: int) -> None:
        """Schedule an event of another priority than normal."""

    @abstractmethod
    def advance(self, steps: int) -> bool:
        """Run up to `steps` events; return whether more events are left."""

    @abstractmethod
    def next_time(self) -> int | None:
        """Return the time of the next event, or None if there is none."""

    @abstractmethod
    def events(self) -> list[Event]:
        """Return all scheduled events, in any order."""

    @abstractmethod
    def end_scenario(self) -> None:
        """Cancel all events of the scenario."""

    def call_at(self, time: int, function: Callable[[Any], None], argument: object) -> None:
        """Schedule a call."""
        self.push(time, Call(function, argument))


class HeapqEngine(Engine):
    """The queue for pure Python: `heapq` with an entry (time, order, event) for each event."""

    __slots__ = ("_heap",)

    def __init__(self) -> None:
        super().__init__()
        self._heap: list[tuple[int, int, Event]] = []

    def push(self, time: int, event: Event) -> None:
        order = self.scheduled
        self.scheduled = order + 1
        heappush(self._heap, (time, order, event))

    def push_prior(self, time: int, event: Event, priority: int) -> None:
        order = self.scheduled
        self.scheduled = order + 1
        heappush(self._heap, (time, order + (priority - NORMAL << _PRIORITY_SHIFT), event))

    def advance(self, steps: int) -> bool:
        heap, pop = self._heap, heappop
        left = steps
        try:
            while heap and left:
                left -= 1
                self.time, _, event = pop(heap)
                event.happen()
        finally:
            self.processed += steps - left
        return bool(heap)

    def next_time(self) -> int | None:
        return self._heap[0][0] if self._heap else None

    def events(self) -> list[Event]:
        return [event for _, _, event in self._heap]

    def end_scenario(self) -> None:
        self._heap[:] = [entry for entry in self._heap if not entry[2].of_scenario]
        heapify(self._heap)


class PairingHeapEngine(Engine):
    """The queue for the compiled core: a pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986).

    The events are the nodes of a tree in which no event is earlier than its parent. Compiled code checks the class of
    each item that it reads from a list, but not of an attribute, so a tree is faster than a binary heap in a list.
    """

    __slots__ = ("_first",)

    def __init__(self) -> None:
        super().__init__()
        self._first: Event | None = None

    def push(self, time: int, event: Event) -> None:
        event.order = self.scheduled
        self.scheduled += 1
        event.time = time
        self._insert(event)

    def push_prior(self, time: int, event: Event, priority: int) -> None:
        event.order = self.scheduled + (priority - NORMAL << _PRIORITY_SHIFT)
        self.scheduled += 1
        event.time = time
        self._insert(event)

    def _insert(self, event: Event) -> None:
        event.below = event.beside = None
        first = self._first
        self._first = event if first is None else _joined(first, event)

    def advance(self, steps: int) -> bool:
        left: i64 = steps
        try:
            while left:
                event = self._first
                if event is None:
                    break
                left -= 1
                child, event.below = event.below, None
                self._first = None if child is None else _joined_children(child)
                self.time = event.time
                event.happen()
        finally:
            self.processed += steps - left
        return self._first is not None

    def next_time(self) -> int | None:
        return None if self._first is None else self._first.time

    def events(self) -> list[Event]:
        found: list[Event] = [] if self._first is None else [self._first]
        for event in found:
            found += [follower for follower in (event.below, event.beside) if follower is not None]
        return found

    def end_scenario(self) -> None:
        remaining = [event for event in self.events() if not event.of_scenario]
        self._first = None
        for event in remaining:
            self._insert(event)


def _joined(one: Event, other: Event) -> Event:
    """Make the later one of two roots a child of the earlier one; return the earlier one."""
    if other.time < one.time or (other.time == one.time and other.order < one.order):
        one, other = other, one
    other.beside = one.below
    one.below = other
    return one


def _joined_children(child: Event) -> Event:
    """Join a list of siblings in pairs from left to right, and then these pairs from right to left; return the root."""
    pairs: Event | None = None
    rest: Event | None = child
    while rest is not None:
        one, other = rest, rest.beside
        rest = None
        if other is not None:
            rest = other.beside
            one = _joined(one, other)
        one.beside = pairs
        pairs = one
    assert pairs is not None
    root, rest = pairs, pairs.beside
    while rest is not None:
        one, rest = rest, rest.beside
        root = _joined(root, one)
    root.beside = None
    return root


def new_engine() -> Engine:
    """Return the faster queue for this code: a pairing heap if the code is compiled, or else `heapq`."""
    return HeapqEngine() if __file__.endswith(".py") else PairingHeapEngine()
