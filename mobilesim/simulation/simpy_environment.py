"""SimPy on the event queue of a simulation: its processes, stores, resources and conditions share the clock.

SimPy's events have the same order as in `simpy.Environment`. A delay is a whole number of nanoseconds.
"""

from typing import Final

import simpy
from simpy.core import EmptySchedule, StopSimulation
from simpy.events import NORMAL, EventPriority
from simpy.events import Event as SimpyEvent

from mobilesim.simulation.engine import Engine, Event

_FIRST: Final = EventPriority(-1)


class SimpyEnvironment(simpy.Environment):
    def __init__(self, engine: Engine) -> None:
        super().__init__(0)
        self.engine = engine

    @property
    def now(self) -> int:
        return self.engine.time

    def schedule(self, event: SimpyEvent, priority: int = NORMAL, delay: float = 0) -> None:
        if delay != int(delay):
            raise ValueError(f"a delay of {delay}: the clock counts whole nanoseconds")
        self.engine.push_prior(self.engine.time + int(delay), _Fire(self, event), priority)

    def peek(self) -> float:
        first = self.engine.next_time()
        return float("inf") if first is None else first

    def step(self) -> None:
        if self.engine.next_time() is None:
            raise EmptySchedule
        self.engine.advance(1)


class _Fire(Event):
    """Processes an event as `simpy.Environment.step` does."""

    __slots__ = ("environment", "event")

    def __init__(self, environment: SimpyEnvironment, event: SimpyEvent) -> None:
        self.environment = environment
        self.event = event

    def happen(self) -> None:
        event = self.event
        callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
        for index, callback in enumerate(callbacks, 1):
            try:
                callback(event)
            except StopSimulation:
                event.callbacks = callbacks[index:]
                self.environment.schedule(event, _FIRST)
                raise
        if not event._ok and not event.defused:  # noqa: SLF001 - SimPy has no public access to it
            failure = event._value  # noqa: SLF001
            raise type(failure)(*failure.args) from failure
