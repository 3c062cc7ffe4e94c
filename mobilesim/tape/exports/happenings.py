"""The sends, receptions, submissions and deliveries of a tape, one after another, as exports need them."""

from collections.abc import Iterator
from typing import NamedTuple

from mobilesim.tape.events import Arrival, Event, EventKind, Tape

_LEGS = (EventKind.FRAME, EventKind.PACKET)


class Happening(NamedTuple):
    """Something that happens at one node at one time. `cause`: the index of the happening that it follows from, at
    another node: the send of what is received, or the submission of what is delivered; or -1.
    """

    time: int
    node: int
    text: str
    cause: int
    event: Event


def happenings(tape: Tape) -> list[Happening]:
    """Return the happenings in the order of time. What is sent comes before what is received at the same time."""
    unordered: list[tuple[int, int, int, Event]] = []
    submissions: set[int] = set()
    for number, event in enumerate(tape.events()):
        if event.kind in _LEGS:
            unordered.append((event.time, 1, number, event))
            if event.detail == Arrival.RECEIVED:
                unordered.append((event.until, 2, number, event))
        elif event.kind is EventKind.SUBMITTED:
            if event.message not in submissions:
                submissions.add(event.message)
                unordered.append((event.time, 0, number, event))
        elif event.kind is EventKind.DELIVERED:
            unordered.append((event.time, 3, number, event))
    unordered.sort(key=lambda each: each[:3])
    return list(_linked(tape, unordered))


def _linked(tape: Tape, ordered: list[tuple[int, int, int, Event]]) -> Iterator[Happening]:
    sent: dict[int, int] = {}
    submitted: dict[int, int] = {}
    for index, (time, stage, number, event) in enumerate(ordered):
        what = event.name if event.message < 0 else f"{event.name} m{event.message}"
        if stage == 0:
            submitted[event.message] = index
            yield Happening(time, event.node, f"submit m{event.message}", -1, event)
        elif stage == 1:
            sent[number] = index
            yield Happening(time, event.node, f"send {what} to {tape.node_name(event.peer)}", -1, event)
        elif stage == 2:
            cause = sent.get(number, -1)
            yield Happening(time, event.peer, f"receive {what} from {tape.node_name(event.node)}", cause, event)
        else:
            yield Happening(time, event.node, f"deliver m{event.message}", submitted.get(event.message, -1), event)
