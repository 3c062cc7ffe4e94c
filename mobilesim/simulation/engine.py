"""The event queue of a simulation, and its clock. Times are whole nanoseconds.

A message crosses several links, and each hop is one event: an object that is put into the queue and acts when its time
comes. There are two implementations. In pure Python, `heapq` orders tuples. The compiled core has a binary heap of
events, because creating and comparing tuples would take most of the time there. Both run events in the same order: by
time, then by priority, and then in the order of scheduling.

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
    """Something that happens at a time. The queue sets `time` and `order`."""

    __slots__ = ("order", "time")
    time: i64
    order: i64

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


class BinaryHeapEngine(Engine):
    """The queue for the compiled core: a binary heap of events."""

    __slots__ = ("_heap",)

    def __init__(self) -> None:
        super().__init__()
        self._heap: list[Event] = []

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
        """Add an event at the end, and move it up past later events."""
        heap, time, order = self._heap, event.time, event.order
        heap.append(event)
        index: i64 = len(heap) - 1
        while index > 0:
            above: i64 = (index - 1) >> 1
            parent = heap[above]
            if parent.time < time or (parent.time == time and parent.order < order):
                break
            heap[index] = parent
            index = above
        heap[index] = event

    def _pop(self) -> Event:
        """Remove the first event. Put the last event at the top, and move it down past earlier events."""
        heap = self._heap
        event = heap.pop()
        size: i64 = len(heap)
        if not size:
            return event
        first = heap[0]
        time, order = event.time, event.order
        index: i64 = 0
        below: i64 = 1
        while below < size:
            child = heap[below]
            if below + 1 < size:
                other = heap[below + 1]
                if other.time < child.time or (other.time == child.time and other.order < child.order):
                    child = other
                    below += 1
            if time < child.time or (time == child.time and order < child.order):
                break
            heap[index] = child
            index = below
            below = 2 * index + 1
        heap[index] = event
        return first

    def advance(self, steps: int) -> bool:
        heap = self._heap
        left: i64 = steps
        try:
            while left and heap:
                left -= 1
                event = self._pop()
                self.time = event.time
                event.happen()
        finally:
            self.processed += steps - left
        return bool(heap)

    def next_time(self) -> int | None:
        return self._heap[0].time if self._heap else None

    def events(self) -> list[Event]:
        return list(self._heap)

    def end_scenario(self) -> None:
        remaining = [event for event in self._heap if not event.of_scenario]
        self._heap.clear()
        for event in remaining:
            self._insert(event)


def new_engine() -> Engine:
    """Return the queue that is faster on this core: pure Python, or the compiled core."""
    return HeapqEngine() if __file__.endswith(".py") else BinaryHeapEngine()
