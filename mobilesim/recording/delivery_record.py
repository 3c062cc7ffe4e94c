"""The record of one message at one destination, from its submission to its delivery.

A field with the name of a column of the table `deliveries` has the value of this column, but the column `deliverable`
is never earlier than the arrival. The other columns are computed from the fields, thousands of rows at a time. The
parts of a delay add up exactly to the delay.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from mypy_extensions import i64, mypyc_attr

from mobilesim.results.quantities import DELAY_PARTS
from mobilesim.results.row_writer import RowWriter

Columns: TypeAlias = Mapping[str, npt.NDArray[np.int64]]

NEVER: Final = -1


FIELDS: Final = (
    *("message", "source", "destination", "payload_bytes", "submitted"),
    *("retransmissions", "stations_passed", "forwards", "header_integers", "header_units", "held"),
    *("uplink_started", "sender_away", "accepted", "source_station", "search_started", "stamped", "sent"),
    *(
        "landed",
        "first",
        "station",
        "arrived",
        "arrived_away",
        "handed",
        "handed_away",
        "downlink_started",
        "heard",
        "heard_away",
    ),
    *("deliverable", "deliverable_away", "ideal", "ideal_away", "delivered", "delivered_away", "overtaken"),
    *("waited_for", "control_from", "sender_work", "receiver_work"),
)
"""The fields of a record, in the order of a row."""


@mypyc_attr(acyclic=True)
class DeliveryRecord:
    """Times are nanoseconds, `NEVER` for an event that has not happened.

    `held`: the time for which the message waited in a send queue. `sender_away`: the time between this wait and the
    start of the uplink frame for which the sender could not send. `landed` and `first`: when the message arrived at the
    first station after the source's station, and when this station had read it. `search_started`: when the source's
    station asked for the location of the destination, if it did not know it. `handed`: when the message was handed
    to the downlink. `heard`: when the destination received it. `ideal`: when an ideal order would have released it.
    `EVENT_away`: the total time for which the destination had been out of reach before the event. `sender_work` and
    `receiver_work`: how long the two hosts worked on the frames, with the waits for their processors. `waited_for`: the
    message that ended the wait for the release by its arrival. `control_from`: the process of the ordering that sent
    the control message which did so.
    """

    __slots__ = FIELDS

    def __init__(self, message: i64, source: i64, destination: i64, payload_bytes: i64, submitted: i64) -> None:
        self.message, self.source, self.destination = message, source, destination
        self.payload_bytes, self.submitted = payload_bytes, submitted
        # The types of these names are those of the fields in the compiled core.
        first_frames: i64 = -2  # the first uplink frame and the first downlink frame are not retransmissions
        never: i64 = NEVER
        one: i64 = 1
        zero: i64 = 0
        self.retransmissions, self.stations_passed = first_frames, one
        self.forwards = self.header_integers = self.header_units = self.held = self.sender_away = zero
        self.sender_work = self.receiver_work = zero
        self.uplink_started = self.accepted = self.source_station = self.search_started = self.stamped = never
        self.sent = never
        self.landed = self.first = self.station = never
        self.arrived = self.arrived_away = self.handed = self.handed_away = never
        self.downlink_started = self.heard = self.heard_away = never
        self.deliverable = self.deliverable_away = self.ideal = self.ideal_away = never
        self.delivered = self.delivered_away = self.overtaken = self.waited_for = self.control_from = never

    def write(self, rows: RowWriter) -> None:
        """Write the fields in the order of `FIELDS`."""
        rows.put(self.message)
        rows.put(self.source)
        rows.put(self.destination)
        rows.put(self.payload_bytes)
        rows.put(self.submitted)
        rows.put(self.retransmissions)
        rows.put(self.stations_passed)
        rows.put(self.forwards)
        rows.put(self.header_integers)
        rows.put(self.header_units)
        rows.put(self.held)
        rows.put(self.uplink_started)
        rows.put(self.sender_away)
        rows.put(self.accepted)
        rows.put(self.source_station)
        rows.put(self.search_started)
        rows.put(self.stamped)
        rows.put(self.sent)
        rows.put(self.landed)
        rows.put(self.first)
        rows.put(self.station)
        rows.put(self.arrived)
        rows.put(self.arrived_away)
        rows.put(self.handed)
        rows.put(self.handed_away)
        rows.put(self.downlink_started)
        rows.put(self.heard)
        rows.put(self.heard_away)
        rows.put(self.deliverable)
        rows.put(self.deliverable_away)
        rows.put(self.ideal)
        rows.put(self.ideal_away)
        rows.put(self.delivered)
        rows.put(self.delivered_away)
        rows.put(self.overtaken)
        rows.put(self.waited_for)
        rows.put(self.control_from)
        rows.put(self.sender_work)
        rows.put(self.receiver_work)


def columns(fields: npt.NDArray[np.int64], *, at_host: bool, integer: int) -> Columns:
    """Return the columns of fields and the columns that are computed from them.

    `fields`: a matrix with a row for each of `FIELDS` and a column for each delivery record. `at_host`: whether hosts
    order messages, and not stations. `integer`: the bytes of an integer of a header.
    """
    at: dict[str, Any] = dict(zip(FIELDS, fields, strict=True))
    ordered = "heard" if at_host else "arrived"
    for ending in ("", "_away"):
        at[f"released{ending}"] = at[f"delivered{ending}"] if at_host else at[f"handed{ending}"]
    at["delay"] = at["delivered"] - at["submitted"]
    at["header_bytes"] = at["header_integers"] * integer
    at.update(zip(DELAY_PARTS, _parts(at, at_host=at_host), strict=True))
    at["deliverable"] = np.maximum(at["deliverable"], at[ordered])
    return at


def _parts(at: Mapping[str, Any], *, at_host: bool) -> tuple[npt.NDArray[np.int64], ...]:
    """Return the parts in the order of `DELAY_PARTS`.

    Inhibition is the wait after the message is deliverable, plus the time in a send queue. The send queue is at the
    source, before the uplink frame, or at the source's station, after the uplink frame. The message is released later
    than in an ideal order by this wait and by the knock-on. So the causal wait is that of the ideal order.
    """
    ordered = "heard" if at_host else "arrived"
    queue = at["downlink_started"] - at["handed"]
    missed = np.minimum(at["heard_away"] - at["handed_away"], queue)
    unreachable = at["handed_away"] - at["arrived_away"] + at["delivered_away"] - at["heard_away"]
    wait = at["handed"] - at["arrived"] + at["delivered"] - at["heard"] - unreachable
    necessary = at["deliverable"] - at[ordered] - (at["deliverable_away"] - at[f"{ordered}_away"])
    inhibited = wait - np.where(at["deliverable"] == NEVER, 0, np.clip(necessary, 0, wait))
    late, late_away = at["released"] - at["ideal"], at["released_away"] - at["ideal_away"]
    knock_on = late - inhibited
    unreachable = unreachable - late_away
    causal = wait + late_away - late
    search = np.where(at["search_started"] == NEVER, 0, at["stamped"] - at["search_started"])
    before = (at["held"] if at_host else 0) + at["sender_away"] + at["sender_work"]
    return (
        at["sender_away"],
        at["sender_work"],
        at["uplink_started"] - at["submitted"] - before,
        at["accepted"] - at["uplink_started"],
        at["stamped"] - at["accepted"] - (0 if at_host else at["held"]) - search,
        search,
        at["sent"] - at["stamped"] + at["first"] - at["landed"],
        at["landed"] - at["sent"],
        at["arrived"] - at["first"],
        unreachable + missed,
        causal,
        inhibited + at["held"],
        knock_on,
        queue - missed,
        at["heard"] - at["receiver_work"] - at["downlink_started"],
        at["receiver_work"],
    )
