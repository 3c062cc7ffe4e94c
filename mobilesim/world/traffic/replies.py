"""Conversations: the replies to messages, with their senders and their delays.

The random numbers for an answer depend only on the first message and on the earlier answers of its conversation, and
not on the order of deliveries. So all protocols have the same conversations.
"""

from hashlib import blake2b
from typing import NamedTuple

from mobilesim.protocols.packets import Message
from mobilesim.scenario.sections.workload import Workload
from mobilesim.world.random_streams import sampler
from mobilesim.world.replication import World


class Thread(NamedTuple):
    """The state of a conversation. `name` identifies its first message and the senders of its answers."""

    name: str
    answers: int

    def after(self, host: int) -> "Thread":
        # The name is a digest, so that names do not become longer with each answer.
        name = blake2b(f"{self.name}/{host}".encode(), digest_size=16).hexdigest()
        return Thread(name, self.answers + 1)


class Answer(NamedTuple):
    host: int
    to: tuple[int, ...]
    size: int
    thread: Thread


class Replies:
    def __init__(self, workload: Workload, world: World) -> None:
        replies = workload.replies
        assert replies is not None
        self._probability, self._most, self._to_all = replies.probability, replies.max_rounds, replies.to == "all"
        self._draw, self._size, self._streams = replies.think_time, workload.payload, world.streams
        self._sent = [0] * len(world.starting_cells)
        self._threads: dict[int, tuple[Thread, int]] = {}
        """By message id: the conversation, and the number of outstanding deliveries."""

    def started(self, message: Message) -> None:
        """Start a conversation with a message that is not an answer."""
        name = f"{message.source}/{self._sent[message.source]}"
        self._threads[message.id] = Thread(name, 0), len(message.destinations)
        self._sent[message.source] += 1

    def answered(self, answer: Answer, message: Message) -> None:
        self._threads[message.id] = answer.thread, len(answer.to)

    def delivered(self, message: Message, host: int) -> tuple[int, Answer] | None:
        """Draw whether a host answers a message. Return the time until the answer and the answer, or None."""
        if message.id not in self._threads:
            return None
        thread, left = self._threads.pop(message.id)
        if left > 1:
            self._threads[message.id] = thread, left - 1
        if thread.answers == self._most:
            return None
        stream = self._streams.stream(f"reply/{thread.name}", host)
        if self._probability < 1 and stream.random() >= self._probability:
            return None
        after, size = sampler(self._draw, stream)(), sampler(self._size, stream)()
        others = message.destinations if self._to_all else ()
        return after, Answer(host, tuple(sorted({message.source, *others} - {host})), size, thread.after(host))
