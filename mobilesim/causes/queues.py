"""The causes of waiting in queues: the frames and the messages in front, as far as the tables have them."""

from collections.abc import Iterator
from dataclasses import dataclass

from mobilesim.causes.cause import Cause
from mobilesim.causes.delivery_path import Piece
from mobilesim.causes.host_absences import named
from mobilesim.causes.names import message_name
from mobilesim.causes.tables import AT_STATIONS, NEVER, Delivery, Medium, RunTables


@dataclass(frozen=True, slots=True)
class _Frame:
    """A frame on the channel. For an acknowledgement, `begin` is when it was due, and `end` is not known."""

    begin: int
    end: int
    message: int


def queue_causes(tables: RunTables, delivery: Delivery, piece: Piece) -> tuple[Cause, ...]:
    """Return the frames that used the channel while the frame of a delivery waited for it, oldest first.

    A frame ends where the next one begins, because the tables have the times with propagation. They have no times of
    acknowledgements: a time between two frames belongs to the acknowledgement that was due first.
    """
    frames = sorted(_frames(tables, delivery, piece), key=lambda frame: frame.begin)
    since = min([piece.begin, *(frame.begin for frame in frames)])
    due = sorted(_acknowledgements(tables, delivery, piece, since), key=lambda frame: frame.begin)
    found: list[Cause] = []
    start = piece.begin
    for index, frame in enumerate(frames):
        following = frames[index + 1].begin if index + 1 < len(frames) else piece.end
        begin, end = max(start, frame.begin), min(frame.end, max(following, frame.begin), piece.end)
        if end > begin:
            found += _between(tables, delivery, piece, (start, begin), due)
            text = f"behind {message_name(tables, frame.message)}"
            found.append(Cause("frame", begin, end, text, named=True, message=frame.message))
            start = end
    return (*found, *_between(tables, delivery, piece, (start, piece.end), due))


def _frames(tables: RunTables, delivery: Delivery, piece: Piece) -> Iterator[_Frame]:
    """Yield the frames of other messages that began on the same channel before the end of the wait."""
    for channel in _channels(tables, delivery, piece):
        last = NEVER
        for other in tables.before(channel.column, channel.of, channel.number, piece.begin, piece.end - 1):
            # The copies of a message are one frame on an uplink.
            if other.message != delivery.message and (channel.of == "link" or other.message != last):
                last, begin = other.message, int(getattr(other, channel.column))
                end = begin + other.parts[channel.part]
                if end > piece.begin:
                    yield _Frame(begin, end, last)


def _acknowledgements(tables: RunTables, delivery: Delivery, piece: Piece, since: int) -> Iterator[_Frame]:
    """Yield the acknowledgements that were due on the channel while it was busy. They are shorter than any message. If
    the host left its cell then, none is yielded: the time until then is that of a frame that was lost.
    """
    if any(piece.begin < absence.left <= piece.end for absence in tables.absences_of(_host(delivery, piece))):
        return
    for channel in _channels(tables, delivery, piece):
        if channel.received is None:
            continue
        column, of, number = channel.received
        longest, last = tables.shortest(channel.part), NEVER
        for other in tables.before(column, of, number, since - longest, piece.end - 1):
            begin = int(getattr(other, column))
            if other.message != last and begin > since - longest:
                last = other.message
                yield _Frame(begin, begin + longest, last)


def _between(
    tables: RunTables, delivery: Delivery, piece: Piece, span: tuple[int, int], due: list[_Frame]
) -> Iterator[Cause]:
    """Yield the causes of a time between two frames of messages. Acknowledgements are removed from `due`."""
    start, end = span
    while start < end:
        if not due or due[0].begin >= end:
            yield from _gap(tables, delivery, piece, start, end)
            return
        first = due.pop(0)
        if first.begin > start:
            yield from _gap(tables, delivery, piece, start, first.begin)
            start = first.begin
        stop = min(end, start + first.end - first.begin)
        text = f"behind the acknowledgement of {message_name(tables, first.message)}"
        yield Cause("frame", start, stop, text, named=True, message=first.message)
        start = stop


@dataclass(frozen=True, slots=True)
class _Channel:
    """Where to find the frames on a channel: the deliveries with a `number` in the column `of`. `column`: when a frame
    began. `part`: how long it took. `received`: the columns and the number of the messages that were acknowledged on
    this channel when they had been received.
    """

    column: str
    of: str
    number: int
    part: str
    received: tuple[str, str, int] | None = None


def _channels(tables: RunTables, delivery: Delivery, piece: Piece) -> Iterator[_Channel]:
    """Yield the channel for which a frame waited. With contention, uplink and downlink of a cell are one medium."""
    uplink = piece.what == "uplink_queue"
    if not tables.stations:
        yield _Channel("sent", "link", int(tables.columns["link"][delivery.row]), "wired")
        return
    medium, cell = tables.medium, delivery.source_station if uplink else delivery.station
    host = delivery.source if uplink else delivery.destination
    if uplink or medium is Medium.CONTENTION:
        sent, got, number = (
            ("source", "destination", host) if medium is Medium.OWN else ("source_station", "station", cell)
        )
        yield _Channel("uplink_started", sent, number, "uplink_air", ("received", got, number))
    if not uplink or medium is Medium.CONTENTION:
        sent, got, number = (
            ("destination", "source", host) if medium is Medium.OWN else ("station", "source_station", cell)
        )
        yield _Channel("downlink_started", sent, number, "downlink_air", ("accepted", got, number))


def _host(delivery: Delivery, piece: Piece) -> int:
    """Return the host at the channel, or the station that sends in its place."""
    return delivery.source if piece.what == "uplink_queue" else delivery.destination


def _gap(tables: RunTables, delivery: Delivery, piece: Piece, begin: int, end: int) -> Iterator[Cause]:
    """Yield the causes of a time without frames of other messages. Until the host leaves its cell, this is the time of
    an earlier frame of the message itself, which is lost then.
    """
    uplink, host = piece.what == "uplink_queue", _host(delivery, piece)
    for absence in tables.absences_of(host):
        if begin < absence.left <= piece.end and begin < end:
            until = min(absence.left, end)
            text = f"an earlier frame of m{delivery.message} was lost when h{host} left: {named(absence)}"
            yield Cause("lost_frame", begin, until, text, named=True, host=host, message=delivery.message)
            begin = until
    if end <= begin:
        return
    if _was_cut_off(tables, delivery, host, "sender_away" if uplink else "unreachable"):
        text = f"frames were repeated until one was given up, and h{host} was cut off"
        yield Cause("lost_frame", begin, end, text, named=True, host=host, message=delivery.message)
        return
    if not uplink and tables.host_rows.get(host, {}).get("dozing", 0) > 0:
        text = f"h{host} dozed until a beacon of s{delivery.station}, or until earlier frames had woken it up"
        yield Cause("dozing", begin, end, text, named=True, host=host, station=delivery.station)
        return
    text = "behind acknowledgements and other frames"
    if tables.medium is Medium.CONTENTION:
        text = "contention for the medium, acknowledgements and other frames"
    yield Cause("other_frames", begin, end, text, host=host)


def _was_cut_off(tables: RunTables, delivery: Delivery, host: int, away: str) -> bool:
    """Return whether a host was cut off while a message waited for its channel. `away`: the part of the delay."""
    if not delivery.parts[away] or not tables.host_rows.get(host, {}).get("cut_offs", 0):
        return False
    return not any(
        absence.left <= delivery.delivered and (absence.until < 0 or absence.until >= delivery.submitted)
        for absence in tables.absences_of(host)
    )


def in_front(tables: RunTables, delivery: Delivery, begin: int, end: int) -> Iterator[tuple[Delivery | None, int, int]]:
    """Yield the messages that had left the send queue last while a message waited in it, each with its span of time.
    None: the tables show no such message.
    """
    if tables.changes:
        yield None, begin, end
        return
    if tables.run["placement"] in AT_STATIONS:
        of, number = "source_station", delivery.source_station
    else:
        of, number = "source", delivery.source
    latest: dict[int, Delivery] = {}
    for other in tables.before("departed", of, number, begin, end - 1):
        known = latest.get(other.message)
        if other.message != delivery.message and (known is None or other.delivered > known.delivered):
            latest[other.message] = other
    several = sorted(latest.values(), key=lambda other: other.departed)
    start = begin
    for index, other in enumerate(several):
        stop = min(end, several[index + 1].departed) if index + 1 < len(several) else end
        if other.departed > start:
            yield None, start, other.departed
            start = other.departed
        if stop > start:
            yield other, start, stop
            start = stop
    if end > start:
        yield None, start, end


def unknown_hold(tables: RunTables, begin: int, end: int) -> Cause:
    """Return the cause of a time in a send queue that was not behind a message."""
    latest = [change for change in tables.changes if change[0] <= end]
    if latest:
        _, host, what = latest[-1]
        text = f"until the next view of the members was installed, after h{host} had {what}"
        return Cause("view", begin, end, text, named=True, host=host)
    text = "until the process could send again, after a packet that the tables do not show"
    return Cause("unknown", begin, end, text)
