"""A SimPy environment that also schedules function calls: `call_at(time, function, argument)`.

A message crosses several links. A SimPy process or event for each link takes more computing time than the rest of the
simulation of the link, while a call is only one entry of the queue. Calls and SimPy events are in the same queue.
Events, processes, resources and failures work as in `simpy.Environment`, in the same order: by time, by priority, and
then in the order of scheduling. The simulation uses only whole nanoseconds.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, Final

import simpy
from simpy.core import EmptySchedule, StopSimulation
from simpy.events import NORMAL, Event, EventPriority

_FIRST: Final = EventPriority(-1)


class Engine(simpy.Environment):
    def __init__(self) -> None:
        super().__init__(0)
        self.time = 0
        self._heap: list[tuple[int, int, int, Callable[[Any], None], Any]] = []
        self._ticket = count()
        self.processed = 0

    @property
    def now(self) -> int:
        """The simulated time under its name in SimPy. The attribute `time` has the same value and is faster."""
        return self.time

    def call_at(self, time: int, function: Callable[[Any], None], argument: object) -> None:
        """Schedule a call. Calls at the same time run in the order of scheduling."""
        heappush(self._heap, (time, NORMAL, next(self._ticket), function, argument))

    def forget(self, *functions: Callable[[Any], None]) -> None:
        """Cancel all scheduled calls of these functions."""
        self._heap[:] = [entry for entry in self._heap if entry[3] not in functions]
        heapify(self._heap)

    def schedule(self, event: Event, priority: int = NORMAL, delay: float = 0) -> None:
        moment: Any = self.time + delay  # SimPy programs may use floats
        heappush(self._heap, (moment, priority, next(self._ticket), self._fire, event))

    def _fire(self, event: Event) -> None:
        """Process an event as `simpy.Environment.step` does."""
        callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
        for index, callback in enumerate(callbacks, 1):
            try:
                callback(event)
            except StopSimulation:
                event.callbacks = callbacks[index:]
                self.schedule(event, _FIRST)
                raise
        if not event._ok and not event.defused:  # noqa: SLF001 - SimPy has no public attribute for this
            failure = event._value  # noqa: SLF001
            raise type(failure)(*failure.args) from failure

    def peek(self) -> float:
        return self._heap[0][0] if self._heap else float("inf")

    def step(self) -> None:
        if not self._heap:
            raise EmptySchedule
        self.time, _, _, function, argument = heappop(self._heap)
        self.processed += 1
        function(argument)

    def advance(self, steps: int) -> bool:
        """Run up to `steps` steps; return whether more steps are left."""
        heap, pop = self._heap, heappop
        left = steps
        try:
            while heap and left:
                left -= 1
                self.time, _, _, function, argument = pop(heap)
                function(argument)
        finally:
            self.processed += steps - left
        return bool(heap)
