"""The common part of all simulations: a clock, applications that send until the scenario's end, and an oracle.

`advance` runs a number of steps and returns, so that its caller can report progress or stop the run. The subclasses for
the two kinds of networks are in `mobilesim.simulation.cells` and `mobilesim.simulation.static_network`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Final

from mobilesim.oracle.causal_order import Oracle
from mobilesim.protocols.packets import Message
from mobilesim.recording.link_counters import Columns
from mobilesim.recording.null_recorder import Recorder
from mobilesim.recording.recorder import RunRecorder
from mobilesim.scenario.message_file import messages
from mobilesim.simulation.counters import Counters
from mobilesim.simulation.engine import NORMAL, Event, ScenarioCall, new_engine
from mobilesim.simulation.measurement_window import NEVER, Window
from mobilesim.simulation.overload import Overload, Server, Span, measured_span, overload
from mobilesim.world.random_streams import sampler
from mobilesim.world.replication import World
from mobilesim.world.traffic.messages import TrafficSource, all_others, traffic_sources
from mobilesim.world.traffic.replies import Answer, Replies

ENDLESS: Final = 1 << 62


class NextMessage(Event):
    """The time of a host's next message."""

    __slots__ = ("host", "simulation", "source")
    of_scenario: ClassVar[bool] = True

    def __init__(self, simulation: "Simulation", host: int, source: TrafficSource) -> None:
        self.simulation, self.host, self.source = simulation, host, source

    def happen(self) -> None:
        self.simulation.send_next(self)


class Simulation(ABC):
    def __init__(self, world: World, oracle: Oracle | None, recorder: Recorder, window: Window | None = None) -> None:
        """Without an oracle, messages are not recorded. `window`: by default, that of the scenario."""
        scenario = world.scenario
        self.window = Window(scenario) if window is None else window
        self.mark = self.window.opens or self.window.closes
        """The number of deliveries at which the window opens or, if it is open already, closes."""
        self._before_window: Counters | None = None
        self._until_window_end: Counters | None = None
        self.world = world
        self.oracle = oracle
        self.recorder = recorder
        self.engine = new_engine()
        self.end = ENDLESS if scenario.duration is None else scenario.duration
        self.limit = ENDLESS if scenario.messages is None else scenario.messages
        self.sent = self.delivered_copies = self.dropped_copies = self.left_copies = 0
        self.began = 0
        """The time of the first message."""
        self.died: dict[int, int] = {}
        """By host, the time at which its battery was empty."""

    def start(self) -> None:
        """Schedule the first events. This method is called once."""
        self._schedule_window()
        workload = self.world.scenario.workload
        self._replies = Replies(workload, self.world) if workload.replies is not None else None
        self._traffic = self.host_traffic()
        if workload.replay is not None:
            self._recorded = messages(workload.replay)
            self._default_size = sampler(workload.payload, self.world.streams.stream("payload"))
            self._schedule(self._recorded.times[0], self._replay, 0)
        elif not self._traffic and workload.stations is None and self.end == ENDLESS:
            # No host sends, for example because no random group contains a sender: end the scenario at once.
            self.end = 0
        for host, source in self._traffic.items():
            self._schedule_message(NextMessage(self, host, source), source.first())

    def host_traffic(self) -> dict[int, TrafficSource]:
        """Return the sources of the messages of hosts."""
        return traffic_sources(self.world)

    def _schedule(self, moment: int, function: Callable[[Any], None], argument: object) -> None:
        """Schedule an event of the scenario, unless it is after the scenario's end."""
        if moment <= self.end:
            self.engine.push(moment, ScenarioCall(function, argument))

    def advance(self, steps: int) -> bool:
        """Run up to `steps` steps; return whether more steps are left."""
        return self.engine.advance(steps)

    @property
    def progress(self) -> float:
        """Return the fraction of the scenario that has been simulated."""
        counted = max(self.sent / self.limit, self.delivered_copies / self.window.closes)
        return min(1.0, max(self.engine.time / (self.end or 1), counted))

    def _end_scenario(self) -> None:
        self.end = self.engine.time
        self.engine.end_scenario()
        if self.window.ends_with_sending:
            self._close_window_after(self.end)

    # The measurement window

    @property
    def measured(self) -> tuple[int, int]:
        """Return the number of messages that were sent in the window, and the number of deliveries in it."""
        return self.window.measured(self.sent, self.delivered_copies)

    def _schedule_window(self) -> None:
        """Schedule the begin and the end of a window with times. At its end, the window excludes this moment. A window
        without an end includes the moment at which hosts stop sending.
        """
        window = self.window
        if not (window.opened or window.opens):
            self.engine.push_prior(window.since, ScenarioCall(self._open_window, None), NORMAL - 1)
        if window.until != NEVER:
            self.engine.push_prior(window.until, ScenarioCall(self._close_window, window.until), NORMAL - 1)
        elif window.ends_with_sending and self.end != ENDLESS:
            self._close_window_after(self.end)

    def _close_window_after(self, moment: int) -> None:
        """Schedule the end of the window after all events of a moment."""
        self.engine.push_prior(moment, ScenarioCall(self._close_window, moment + 1), NORMAL + 1)

    def _open_window(self, _: None) -> None:
        now = self.engine.time
        self.window.begin(now, self.sent, self.delivered_copies)
        self.recorder.open_window(now)
        if self.recorder.records:
            self._before_window = self.counters(settled=True)
            self.restart_queue_peaks()

    def _close_window(self, until: int) -> None:
        """End the window, unless it has ended. `until`: its end, which it excludes."""
        if self.window.opened and not self.window.closed:
            self._measure(until, settled=True)

    def _measure(self, until: int, *, settled: bool) -> None:
        now = self.engine.time
        self.window.end(now, until, self.sent, self.delivered_copies)
        self.recorder.close_window(now, until)
        if self.recorder.records:
            self._until_window_end = self.counters(settled=settled)

    def finish(self) -> None:
        """End the run. If it was interrupted, cancel what is in transit. Tables are read after this."""
        if not self.window.opened:
            self._open_window(None)
        if not self.window.closed:
            self._measure(NEVER if self.window.whole else self.engine.time + 1, settled=False)

    @property
    def window_counters(self) -> Counters:
        """Return what was counted in the measurement window of a finished run."""
        assert self._until_window_end is not None
        return self._until_window_end.after(self._before_window)

    @abstractmethod
    def counters(self, *, settled: bool) -> Counters:
        """Return the present counters. `settled`: without what wireless channels still have to transmit. If not, the
        run has ended, and this is cancelled.
        """

    @abstractmethod
    def restart_queue_peaks(self) -> None:
        """Measure the longest queues of links from now on."""

    # Messages of traffic sources

    def send_next(self, event: "NextMessage") -> None:
        """Send the next message of a host, and schedule the event again for the message after it."""
        host = event.host
        if host in self.died:
            return
        source = event.source
        destinations, group, size = source.address()
        self._begin(host, destinations, group, size)
        if self.sent < self.limit:
            self._schedule_message(event, self.engine.time + source.pause())

    def _schedule_message(self, event: "NextMessage", moment: int) -> None:
        if moment <= self.end:
            self.engine.push(moment, event)

    def _begin(self, host: int, destinations: tuple[int, ...], group: int, size: int) -> None:
        message = self._message(host, destinations, group, size)
        if self._replies is not None:
            self._replies.started(message)
        self.submit(host, message)

    @abstractmethod
    def submit(self, host: int, message: Message) -> None: ...

    # Replies

    def _answer(self, answer: Answer) -> None:
        if answer.host in self.died:
            return
        assert self._replies is not None
        message = self._message(answer.host, answer.to, -1, answer.size)
        self._replies.answered(answer, message)
        self.submit(answer.host, message)

    # Messages from a file

    def _replay(self, number: int) -> None:
        recorded = self._recorded
        source, size = recorded.sources[number], recorded.sizes[number]
        destinations = recorded.destinations[number] or all_others(self.world.scenario.hosts, source)
        size = self._default_size() if size < 0 else size
        if source not in self.died:
            self._begin(source, destinations, -1, size)
        if self.sent >= self.limit:
            return
        if number + 1 < len(recorded):
            self._schedule(recorded.times[number + 1], self._replay, number + 1)
        elif self.end == ENDLESS:
            self._end_scenario()

    # From submission to delivery

    def _message(self, source: int, destinations: tuple[int, ...], group: int, size: int) -> Message:
        number, now = self.sent, self.engine.time
        if not number:
            self.began = now
        self.sent += 1
        if self.sent == self.limit:
            self._end_scenario()
        message = Message(number, source, destinations, size, group)
        if self.oracle is not None:
            sent = self.oracle.submitted(number, source, destinations)
            self.recorder.submitted(message, sent, now)
        return message

    def delivered(self, message: Message, host: int) -> None:
        self.delivered_copies += 1
        if self.oracle is not None:
            overtaken = self.oracle.delivered(message.id, message.source, host)
            self.recorder.delivered(message, host, overtaken, self.engine.time)
        if self._replies is not None and (reply := self._replies.delivered(message, host)):
            after, answer = reply
            self._schedule(self.engine.time + after, self._answer, answer)
        if self.delivered_copies == self.mark:
            self._reach_mark()

    def _reach_mark(self) -> None:
        """Open the window after its warm-up, or close it after its last delivery. Hosts then stop sending."""
        if not self.window.opened:
            self.mark = self.window.closes
            self._open_window(None)
        else:
            self._close_window(self.engine.time + 1)
            self._end_scenario()

    # The end of the run

    @property
    def away(self) -> dict[int, int]:
        """Return for each host that stays away at the end the time at which it left."""
        return {}

    @property
    def undeliverable(self) -> tuple[int, int]:
        """Return how many deliveries were not made because a host's battery was empty, and because a host is away."""
        oracle, away = self.oracle, self.away
        if oracle is None or not (self.died or away):
            return 0, 0
        stranded = oracle.undeliverable(self.died)
        return stranded, oracle.undeliverable({**self.died, **away}) - stranded

    @property
    def host_count(self) -> int:
        """Return the number of hosts, with those that have left."""
        return self.world.scenario.hosts

    @property
    def busiest(self) -> float:
        """Return the utilisation of the busiest station; 0 if there are no stations."""
        return 0.0

    @property
    def ended(self) -> int:
        """Return the time of the scenario's end, or the time at which the run was stopped before the end."""
        return min(self.end, self.engine.time)

    @cached_property
    def overload(self) -> Overload | None:
        """Return the overload in the window of a finished run; None without overload or without a trace."""
        recorder = self.recorder
        return overload(self.servers(recorder, measured_span(self))) if isinstance(recorder, RunRecorder) else None

    @abstractmethod
    def servers(self, recorder: RunRecorder, during: Span) -> Iterable[Server]:
        """Return the links and stations with their work and the time for which they were available."""

    @abstractmethod
    def final_links(self) -> Mapping[str, Columns]:
        """Return the counts of all links in the window, by the kind of link."""

    @abstractmethod
    def final_tables(self, recorder: RunRecorder) -> Mapping[str, Columns]:
        """Return the columns of the tables of stations and hosts."""
