"""The measurement window of a run: the whole run, or a number of deliveries after a warm-up.

A delivery is measured if it happens in the window, even if its message was sent before. A message is measured if it is
sent in the window.
"""

from typing import Final

from mobilesim.protocols.machine import Message
from mobilesim.recording.delivery_record import DeliveryRecord
from mobilesim.recording.sinks import Sink
from mobilesim.scenario.model import Scenario

NEVER: Final = 1 << 62


class Window:
    def __init__(self, scenario: Scenario) -> None:
        """The window opens after `opens` deliveries of the run, and closes after `closes` deliveries."""
        self.opens = 0 if scenario.warm_up is None else scenario.warm_up.deliveries
        self.closes = NEVER if scenario.deliveries is None else self.opens + scenario.deliveries
        self.since = 0
        self.opened, self.closed = self.opens == 0, False
        self.messages = self.deliveries = 0
        """While the window is open, the counts before its opening; after its end, the counts in the window."""

    def begin(self, now: int, messages: int, deliveries: int) -> None:
        self.opened, self.since = True, now
        self.messages, self.deliveries = messages, deliveries

    def end(self, messages: int, deliveries: int) -> None:
        self.messages, self.deliveries = self.measured(messages, deliveries)
        self.closed = True

    def measured(self, messages: int, deliveries: int) -> tuple[int, int]:
        """Return the numbers of measured messages and deliveries from the total numbers."""
        if self.closed:
            return self.messages, self.deliveries
        return (messages - self.messages, deliveries - self.deliveries) if self.opened else (0, 0)

    def through(self, sink: Sink) -> Sink:
        """Return a sink that forwards only measured rows."""
        if self.opened and self.closes == NEVER:
            return sink
        return WindowSink(sink, self)


class WindowSink(Sink):
    """Forwards only measured records."""

    def __init__(self, sink: Sink, window: Window) -> None:
        self._sink, self._window = sink, window

    def delivery(self, record: DeliveryRecord) -> None:
        if self._window.opened and not self._window.closed:
            self._sink.delivery(record)

    def message(self, message: Message, submitted: int, header: int, units: int) -> None:
        if self._window.opened and submitted >= self._window.since:
            self._sink.message(message, submitted, header, units)
