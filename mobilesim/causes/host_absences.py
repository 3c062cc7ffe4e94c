"""The causes of a time for which a host was out of reach or could not send: its hand-offs and disconnections."""

from collections.abc import Iterator, Mapping
from typing import Final

from mobilesim.causes.cause import Cause
from mobilesim.causes.tables import NEVER, Absence, Delivery, RunTables

_STAGES: Final = {
    "registered": "until the new station had its registration",
    "request": "until the old station had the request for its state",
    "enabled": "until the new station had its unacknowledged messages",
    "flush_ack": "until all stations had answered the old station",
    "complete": "until the new station could send it any message",
}


def named(absence: Absence) -> str:
    if absence.visit:
        move = f"from s{absence.from_station} to s{absence.to_station}"
        return f"hand-off {absence.visit} of h{absence.host} {move}"
    return f"disconnection of h{absence.host} from s{absence.from_station}"


def cause_of_absence(absence: Absence, begin: int, end: int, last: str, stages: Mapping[str, str] = _STAGES) -> Cause:
    """Return the hand-off or disconnection as the cause of a time. `last`: what took the time after the last of its
    `stages`.
    """
    return Cause(
        "handoff" if absence.visit else "disconnection",
        begin,
        end,
        named(absence),
        named=True,
        host=absence.host,
        station=absence.to_station,
        causes=tuple(_stages(absence, begin, end, last, stages)),
    )


def _stages(absence: Absence, begin: int, end: int, last: str, stages: Mapping[str, str]) -> Iterator[Cause]:
    ends = [("between_cells", absence.entered, "switched off" if absence.switched_off else "between the cells")]
    ends += [(phase, absence.phases.get(phase, NEVER), text) for phase, text in stages.items()]
    start = begin
    for what, moment, text in ends:
        until = end if what == "between_cells" and moment < 0 else min(moment, end)
        if until > start:
            yield Cause(what, start, until, text, named=True, host=absence.host)
            start = until
    if end > start:
        yield Cause("after_stages", start, end, last, named=True, host=absence.host)


def causes_of_absence(
    tables: RunTables, host: int, begin: int, end: int, *, sending: bool = False
) -> tuple[Cause, ...]:
    """Return the causes of a time for which a host could not be reached or, if `sending`, could not send."""
    last = (
        f"until h{host} had the answer to its registration" if sending else f"until messages for h{host} could be sent"
    )
    stages = {"registered": _STAGES["registered"]} if sending else _STAGES
    absences = tables.absences_of(host)
    found: list[Cause] = []
    start = begin
    for index, absence in enumerate(absences):
        following = absences[index + 1].left if index + 1 < len(absences) else end
        over = _over(absence, sending=sending)
        if absence.left >= end or 0 <= over <= start:
            continue
        if absence.left > start:
            found.append(_without_row(tables, host, start, absence.left))
            start = absence.left
        stop = max(start, min(end, following))
        if stop > start:
            found.append(cause_of_absence(absence, start, stop, last, stages))
            start = stop
    if end > start:
        found.append(_without_row(tables, host, start, end))
    return tuple(found)


def _over(absence: Absence, *, sending: bool) -> int:
    return absence.phases.get("registered", absence.until) if sending else absence.until


def _without_row(tables: RunTables, host: int, begin: int, end: int) -> Cause:
    """Return the cause of an absence that has no row: a return to the same cell, or one from before the window."""
    if begin < tables.run["measured_from"]:
        text = f"h{host} was out of reach since a time before the measurement window, which has no row in the tables"
        return Cause("absence", begin, end, text, host=host)
    counts = tables.host_rows.get(host, {})
    back = counts.get("returns", 0) - sum(not absence.visit for absence in tables.absences_of(host))
    if 0 < counts.get("cut_offs", 0) >= back:
        text = f"h{host} was cut off, because a frame was given up, and registered again in the same cell"
    elif back > 0:
        text = f"h{host} had left its cell and returned to it"
    else:
        return Cause("absence", begin, end, f"h{host} was out of reach, and no row of the tables shows why", host=host)
    return Cause("return", begin, end, text, named=True, host=host)


def causes_of_detour(tables: RunTables, delivery: Delivery, begin: int, end: int) -> tuple[Cause, ...]:
    """Return the hand-off because of which a message was forwarded: the last one into the cell of its last station, or
    the last one that the old station knew of, if the host left this cell before it received the message.
    """
    moves = [absence for absence in tables.absences_of(delivery.destination) if absence.left < end and absence.visit]
    into = [absence for absence in moves if absence.to_station == delivery.station]
    known = into or [absence for absence in moves if 0 <= absence.phases["request"] < end]
    if not known:
        return causes_of_absence(tables, delivery.destination, begin, end)
    about = named(known[-1]), delivery.destination, known[-1].to_station
    return (Cause("handoff", begin, end, about[0], named=True, host=about[1], station=about[2]),)
