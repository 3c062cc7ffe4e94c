"""The measurement window of a run: the whole run, a time, or a number of deliveries after a warm-up.

Everything belongs to the window by the time at which it happens: a delivery by its delivery, even if its message was
sent before; a message by its submission; a hand-off or a disconnection by its begin; a packet by the time at which it
is passed to its link; energy by the time at which it is used. So consecutive windows share nothing and miss nothing.
"""

from typing import Final

from mobilesim.protocols.packets import Message
from mobilesim.recording.delivery_record import DeliveryRecord
from mobilesim.recording.sinks import Sink
from mobilesim.scenario.model import Scenario

NEVER: Final = 1 << 62


class Window:
    def __init__(self, scenario: Scenario) -> None:
        """The window opens after `opens` deliveries of the run and closes after `closes` deliveries, or, if the
        scenario gives times, opens at `since` and closes before `until`.
        """
        measure = scenario.measure
        self.ends_with_sending = measure is not None
        """Whether the window closes when hosts stop sending, unless it has closed before."""
        self.opens = 0 if scenario.warm_up is None else scenario.warm_up.deliveries
        self.closes = NEVER if scenario.deliveries is None else self.opens + scenario.deliveries
        self.since = 0 if measure is None else measure.since
        self.until = NEVER if measure is None or measure.until is None else measure.until
        self.opened, self.closed = self.opens == 0 == self.since, False
        self.whole = self.opened and not self.ends_with_sending and self.closes == NEVER
        """Whether the window is the whole run, until no message is in transit."""
        self.first, self.last = (0, NEVER) if self.opened else (NEVER, NEVER)
        """The number of the first message that is sent in the window, and of the first message after it."""
        self.ended = 0
        """The time at which the window closed."""
        self.messages = self.deliveries = 0
        """While the window is open, the counts before its opening; after its end, the counts in the window."""

    def begin(self, now: int, messages: int, deliveries: int) -> None:
        self.opened, self.since = True, now
        self.messages, self.deliveries, self.first = messages, deliveries, messages

    def end(self, now: int, until: int, messages: int, deliveries: int) -> None:
        """Close the window. `until`: its end, which it excludes: now, or later if it includes this moment."""
        self.ended, self.until, self.last = now, until, messages
        self.messages, self.deliveries = self.measured(messages, deliveries)
        self.closed = True

    def measured(self, messages: int, deliveries: int) -> tuple[int, int]:
        """Return the numbers of measured messages and deliveries from the total numbers."""
        if self.closed:
            return self.messages, self.deliveries
        return (messages - self.messages, deliveries - self.deliveries) if self.opened else (0, 0)

    def through(self, sink: Sink) -> Sink:
        """Return a sink that forwards only measured rows."""
        return sink if self.whole else WindowSink(sink, self)


class WindowSink(Sink):
    """Forwards only measured records."""

    def __init__(self, sink: Sink, window: Window) -> None:
        self._sink, self._window = sink, window

    def delivery(self, record: DeliveryRecord) -> None:
        if self._window.opened and not self._window.closed:
            self._sink.delivery(record)

    def message(self, message: Message, submitted: int, header: int, units: int) -> None:
        if self._window.first <= message.id < self._window.last:
            self._sink.message(message, submitted, header, units)
