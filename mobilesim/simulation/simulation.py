"""What every run has: a clock, hosts that talk until the scenario's end, and somebody who hears of deliveries.

`advance` runs a while and returns, so that whoever drives it can report, or stop. How messages travel is for the kinds
of network to say: `mobilesim.simulation.cells`, `mobilesim.simulation.static_network`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, Final

from mobilesim.oracle.causal_order import Oracle
from mobilesim.recording.message_timeline import Tracked, Trip
from mobilesim.recording.recorder import Watch
from mobilesim.scenario.message_file import Messages, messages
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.overload import Overload, Span, Workplace, overload, sending
from mobilesim.world.random_streams import sampler
from mobilesim.world.replication import World
from mobilesim.world.traffic.messages import all_others, traffic_sources
from mobilesim.world.traffic.replies import Answer, Replies
from protocols.machine import Message

ENDLESS: Final = 1 << 62

Rows = list[dict[str, object]]


class Simulation(ABC):
    def __init__(self, world: World, oracle: Oracle | None, watch: Watch | None) -> None:
        scenario = world.scenario
        self.world = world
        self.oracle = oracle
        self.watch = watch
        self.engine = Engine()
        self.end = ENDLESS if scenario.duration is None else scenario.duration
        self.limit = ENDLESS if scenario.messages is None else scenario.messages
        self.sent = self.delivered_copies = self.dropped_copies = 0
        self.began = 0
        """When the first message was sent."""
        self.died: dict[int, int] = {}
        """When the battery of a host was empty."""

    def _start_talking(self) -> None:
        workload = self.world.scenario.workload
        self._replies = Replies(workload, self.world) if workload.replies is not None else None
        self._talkers = traffic_sources(self.world)
        if workload.replay is not None:
            self._start_replay(messages(workload.replay))
        elif not self._talkers and workload.stations is None and self.end == ENDLESS:
            # Nobody will ever have sent so many messages: groups may have been drawn without any of the senders.
            self.end = 0
        for host, talker in self._talkers.items():
            self._intend(talker.first(), self._talk, host)

    def _intend(self, moment: int, function: Callable[[Any], None], argument: object) -> None:
        """What hosts would do after the end is not even waited for: it would only lengthen the run."""
        if moment <= self.end:
            self.engine.call_at(moment, function, argument)

    def advance(self, steps: int) -> bool:
        """Run up to so many steps; whether there is more to do."""
        return self.engine.advance(steps)

    @property
    def progress(self) -> float:
        """How much of the scenario has been played, from 0 to 1."""
        return min(1.0, max(self.engine.time / (self.end or 1), self.sent / self.limit))

    @property
    def measured(self) -> tuple[int, int]:
        """The messages that were sent, and their deliveries."""
        return self.sent, self.delivered_copies

    def _talk(self, host: int) -> None:
        talker = self._talkers[host]
        self._begin(host, *talker.address())
        if self.sent < self.limit:
            self._intend(self.engine.time + talker.pause(), self._talk, host)

    def _begin(self, host: int, destinations: tuple[int, ...], group: int, size: int) -> None:
        """Something that answers nothing."""
        message = self._message(host, destinations, group, size)
        if self._replies is not None:
            self._replies.started(message)
        if self.watch is not None:
            self.watch.submitted[host] += 1
        self.submit(host, message)

    @abstractmethod
    def submit(self, host: int, message: Message) -> None:
        """A host's application sends."""

    @property
    def intentions(self) -> tuple[Callable[[Any], None], ...]:
        """What nobody does any more once the scenario is over."""
        return (self._talk, self._answer, self._replay)

    # Conversations

    def _later(self, after: int, answer: Answer) -> None:
        self._intend(self.engine.time + after, self._answer, answer)

    def _answer(self, answer: Answer) -> None:
        assert self._replies is not None
        message = self._message(answer.host, answer.to, -1, answer.size)
        self._replies.answered(answer, message)
        if self.watch is not None:
            self.watch.submitted[answer.host] += 1
        self.submit(answer.host, message)

    # Messages from a file

    def _start_replay(self, recorded: Messages) -> None:
        self._recorded = recorded
        self._default_size = sampler(self.world.scenario.workload.payload, self.world.streams.stream("payload"))
        self._intend(recorded.times[0], self._replay, 0)

    def _replay(self, number: int) -> None:
        recorded = self._recorded
        source, size = recorded.sources[number], recorded.sizes[number]
        whom = recorded.destinations[number] or all_others(self.world.scenario.hosts, source)
        self._begin(source, whom, -1, self._default_size() if size < 0 else size)
        if self.sent >= self.limit:
            return
        if number + 1 < len(recorded):
            self._intend(recorded.times[number + 1], self._replay, number + 1)
        elif self.end == ENDLESS:
            self._is_over()

    def _is_over(self) -> None:
        """Nobody does anything of his own any more."""
        self.end = self.engine.time
        self.engine.forget(*self.intentions)

    def _message(self, source: int, destinations: tuple[int, ...], group: int, size: int) -> Message:
        number = self.sent
        if not number:
            self.began = self.engine.time
        self.sent += 1
        if self.sent == self.limit:
            self._is_over()
        if self.oracle is not None:
            self.oracle.submitted(number, source, destinations)
        if self.watch is None:
            return Message(number, source, destinations, size, group)
        message = Tracked(number, source, destinations, size, group, trip=Trip(self.engine.time))
        self.watch.journeys.submitted(message)
        return message

    def delivered(self, message: Message, host: int) -> None:
        self.delivered_copies += 1
        if self.watch is not None:
            now = self.engine.time
            self.watch.journeys.delivered(message, host, now)
            self.watch.delivered[host] += 1
            self.watch.disconnections.delivered(host, message.id, now)
        elif self.oracle is not None:
            self.oracle.delivered(message.id, message.source, host)
        if self._replies is not None:
            self._replies.delivered(message, host, self._later)

    @property
    def stranded(self) -> int:
        """What is due still, from or to hosts that are gone for good."""
        return 0

    @property
    def busiest(self) -> float:
        """Which part of the time the station with most work was at work; 0 where there are no stations."""
        return 0.0

    @property
    def ended(self) -> int:
        """When the scenario was over, and all that was left was to deliver; or the run, if it was cut short."""
        return min(self.end, self.engine.time)

    @cached_property
    def overload(self) -> Overload | None:
        """Whether anything was asked for more than it could do, once the run is over. Known where somebody watched."""
        return None if self.watch is None else overload(self.workplaces(self.watch, sending(self)))

    @abstractmethod
    def workplaces(self, watch: Watch, during: Span) -> Iterable[Workplace]:
        """Whatever does one thing at a time, with how long it could while hosts were sending."""

    @abstractmethod
    def census(self, watch: Watch) -> Mapping[str, Rows]:
        """The tables of links, stations and hosts, at the end."""
