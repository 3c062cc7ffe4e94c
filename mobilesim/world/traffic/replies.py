"""Conversations: who answers what, after how long. What is drawn for an answer hangs on what began the conversation and
on how far it has come, never on the order of deliveries: a protocol that delivers later changes nobody's mind.
"""

from collections.abc import Callable
from hashlib import blake2b
from typing import NamedTuple

from mobilesim.scenario.model import Workload
from mobilesim.world.random_streams import sampler
from mobilesim.world.replication import World
from protocols.machine import Message


class Thread(NamedTuple):
    """Where a conversation has got to. `name`: of how it began and of all who have answered since."""

    name: str
    answers: int

    def after(self, host: int) -> "Thread":
        """A long one has no longer a name than a short one."""
        name = blake2b(f"{self.name}/{host}".encode(), digest_size=16).hexdigest()
        return Thread(name, self.answers + 1)


class Answer(NamedTuple):
    host: int
    to: tuple[int, ...]
    size: int
    thread: Thread


class Replies:
    __slots__ = ("_chance", "_draw", "_most", "_sent", "_size", "_streams", "_threads", "_to_all")

    def __init__(self, workload: Workload, world: World) -> None:
        replies = workload.replies
        assert replies is not None
        self._chance, self._most, self._to_all = replies.probability, replies.max_rounds, replies.to == "all"
        self._draw, self._size, self._streams = replies.think_time, workload.payload, world.streams
        self._sent = [0] * world.scenario.hosts
        self._threads: dict[int, tuple[Thread, int]] = {}
        """Of what is under way, and for how many it still is."""

    def begun(self, message: Message) -> None:
        """A host has sent something that is no answer."""
        name = f"{message.source}/{self._sent[message.source]}"
        self._threads[message.id] = Thread(name, 0), len(message.destinations)
        self._sent[message.source] += 1

    def answered(self, answer: Answer, message: Message) -> None:
        self._threads[message.id] = answer.thread, len(answer.to)

    def _whom(self, message: Message, host: int) -> tuple[int, ...]:
        if not self._to_all:
            return (message.source,)
        return tuple(sorted({message.source, *message.destinations} - {host}))

    def heard(self, message: Message, host: int, later: Callable[[int, Answer], None]) -> None:
        """A host has got a message: it may think of an answer, and give it `later`."""
        if message.id not in self._threads:
            return
        thread, left = self._threads.pop(message.id)
        if left > 1:
            self._threads[message.id] = thread, left - 1
        if thread.answers == self._most:
            return
        stream = self._streams.stream(f"reply/{thread.name}", host)
        if self._chance < 1 and stream.random() >= self._chance:
            return
        after, size = sampler(self._draw, stream)(), sampler(self._size, stream)()
        later(after, Answer(host, self._whom(message, host), size, thread.after(host)))
