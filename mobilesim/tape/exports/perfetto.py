"""A trace in the JSON format of Chrome, which Perfetto and chrome://tracing open.

Every node is a track. What it sends, receives, submits and delivers is a short slice, and an arrow connects the slices
of a packet. Slices of a track must nest, so none is longer than the time until the next one begins. Waits may overlap,
so they are asynchronous slices.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from mobilesim.tape.events import EventKind, Tape
from mobilesim.tape.exports.happenings import Happening, happenings

_LONGEST: Final = 1_000
"""The longest slice, in nanoseconds."""
_GROUPS: Final = {1: "hosts", 2: "stations"}

Row = dict[str, Any]


def perfetto(tape: Tape) -> str:
    """Return the JSON document."""
    rows = [*_tracks(tape), *_slices(tape, happenings(tape)), *_waits(tape), *_marks(tape)]
    return json.dumps({"displayTimeUnit": "ms", "traceEvents": rows}, separators=(",", ":"))


def _track(tape: Tape, node: int) -> Row:
    return {"pid": 1 if tape.station(node) is None else 2, "tid": node + 1}


def _moment(tape: Tape, time: int) -> float:
    """Return a time in microseconds. A step of a counter-example is drawn as a millisecond."""
    return time * 1_000.0 if tape.header.unit == "step" else time / 1_000


def _tracks(tape: Tape) -> Iterator[Row]:
    for number, name in _GROUPS.items():
        yield {"ph": "M", "name": "process_name", "pid": number, "tid": 0, "args": {"name": name}}
    for node in tape.nodes:
        yield {"ph": "M", "name": "thread_name", **_track(tape, node), "args": {"name": tape.node_name(node)}}


def _slices(tape: Tape, found: list[Happening]) -> Iterator[Row]:
    times: dict[int, list[int]] = defaultdict(list)
    for each in found:
        if not times[each.node] or times[each.node][-1] != each.time:
            times[each.node].append(each.time)
    longest = {
        (node, time): min(_LONGEST, following - time)
        for node, moments in times.items()
        for time, following in zip(moments, [*moments[1:], moments[-1] + _LONGEST], strict=True)
    }
    for index, each in enumerate(found):
        track, moment = _track(tape, each.node), _moment(tape, each.time)
        length = 1_000.0 if tape.header.unit == "step" else longest[each.node, each.time] / 1_000
        yield {"ph": "X", "name": each.text, "cat": each.event.kind.value, **track, "ts": moment, "dur": length}
        if each.cause >= 0:
            cause = found[each.cause]
            arrow = {"name": each.event.kind.value, "cat": "message", "id": index}
            yield {"ph": "s", **arrow, **_track(tape, cause.node), "ts": _moment(tape, cause.time)}
            yield {"ph": "f", "bp": "e", **arrow, **track, "ts": moment}


def _waits(tape: Tape) -> Iterator[Row]:
    for number, event in enumerate(tape.events()):
        if event.kind is EventKind.WAITED:
            name = f"m{event.message} waits for {event.name}"
            about = {"for": f"m{event.detail}"} if event.detail >= 0 else {}
            common = {"name": name, "cat": "wait", "id": f"w{number}", **_track(tape, event.node)}
            yield {"ph": "b", **common, "ts": _moment(tape, event.time), "args": about}
            yield {"ph": "e", **common, "ts": _moment(tape, event.until)}


def _marks(tape: Tape) -> Iterator[Row]:
    """Yield an instant for each move, each phase of a hand-off, each fault and each dropped message."""
    for event in tape.events():
        match event.kind:
            case EventKind.LEFT | EventKind.ENTERED | EventKind.REGISTERED:
                text = f"{event.kind.value} s{event.peer}"
            case EventKind.HANDOFF:
                text = f"h{event.host}: {event.name}"
            case EventKind.DROPPED:
                text = f"drops m{event.message}"
            case EventKind.FAULT:
                text = f"fault: {event.name}"
            case _:
                continue
        track = _track(tape, max(event.node, 0))
        yield {"ph": "i", "s": "t", "name": text, "cat": event.kind.value, **track, "ts": _moment(tape, event.time)}
