"""A delivery's row in the making, and the columns that come of it.

While a message is under way its journey is a list of whole numbers, whose places have names here. Lists go into the
trace as they are; moments become parts, which add up to the delay exactly, thousands of rows at a time.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.results.quantities import DELAY_PARTS

Journey: TypeAlias = list[int]
Columns: TypeAlias = Mapping[str, npt.NDArray[np.int64]]

NEVER: Final = -1

# "Held" is how long the message stood in an outlet, "away" how long the destination had been out of reach in all by the
# moment before it.
PLACES: Final = (
    "message",
    "source",
    "destination",
    "payload_bytes",
    "submitted",
    "held",
    "source_station",
    "station",
    "uplink_started",
    "accepted",
    "stamped",
    "sent",
    "landed",
    "first",
    "arrived",
    "arrived_away",
    "handed",
    "handed_away",
    "downlink_started",
    "heard",
    "heard_away",
    "deliverable",
    "deliverable_away",
    "delivered",
    "delivered_away",
    "stations_passed",
    "forwards",
    "retransmissions",
    "overtaken",
    "header_integers",
    "header_units",
)
(
    MESSAGE,
    SOURCE,
    DESTINATION,
    PAYLOAD,
    SUBMITTED,
    HELD,
    SOURCE_STATION,
    STATION,
    UPLINK_STARTED,
    ACCEPTED,
    STAMPED,
    SENT,
    LANDED,
    FIRST,
    ARRIVED,
    ARRIVED_AWAY,
    HANDED,
    HANDED_AWAY,
    DOWNLINK_STARTED,
    HEARD,
    HEARD_AWAY,
    DELIVERABLE,
    DELIVERABLE_AWAY,
    DELIVERED,
    DELIVERED_AWAY,
    PASSED,
    FORWARDS,
    RETRANSMISSIONS,
    OVERTAKEN,
    HEADER,
    UNITS,
) = range(len(PLACES))

_AT_FIRST: Final = {
    "held": 0,
    "stations_passed": 1,
    "forwards": 0,
    "retransmissions": -2,
    "header_integers": 0,
    "header_units": 0,
}
_AFTER_SUBMITTED: Final = tuple([_AT_FIRST.get(place, NEVER) for place in PLACES[SUBMITTED + 1 :]])
"""One frame up and one frame down are no retransmissions."""


def setting_out(message: int, source: int, destination: int, size: int, now: int) -> Journey:
    return [message, source, destination, size, now, *_AFTER_SUBMITTED]


def columns(rows: npt.NDArray[np.int64], *, at_host: bool, integer: int) -> Columns:
    """`rows`: a journey each. `at_host`: hosts order, not stations. `integer`: its size in bytes."""
    at: dict[str, Any] = dict(zip(PLACES, rows.T, strict=True))
    ordered = "heard" if at_host else "arrived"
    at["released"] = at["delivered"] if at_host else at["handed"]
    at["delay"] = at["delivered"] - at["submitted"]
    at["header_bytes"] = at["header_integers"] * integer
    at.update(zip(DELAY_PARTS, _parts(at, at_host=at_host), strict=True))
    at["deliverable"] = np.maximum(at["deliverable"], at[ordered])
    return at


def _parts(at: Mapping[str, Any], *, at_host: bool) -> tuple[npt.NDArray[np.int64], ...]:
    """In the order of `DELAY_PARTS`.

    What is no other part of a wait for order is inhibition; so the parts cannot but add up. So is what an outlet holds,
    which is at the source's host before its frame goes up, or at its station after that.
    """
    ordered = "heard" if at_host else "arrived"
    queue = at["downlink_started"] - at["handed"]
    missed = np.minimum(at["heard_away"] - at["handed_away"], queue)
    unreachable = at["handed_away"] - at["arrived_away"] + at["delivered_away"] - at["heard_away"]
    wait = at["handed"] - at["arrived"] + at["delivered"] - at["heard"] - unreachable
    necessary = at["deliverable"] - at[ordered] - (at["deliverable_away"] - at[f"{ordered}_away"])
    causal = np.where(at["deliverable"] == NEVER, 0, np.clip(necessary, 0, wait))
    return (
        at["uplink_started"] - at["submitted"] - (at["held"] if at_host else 0),
        at["accepted"] - at["uplink_started"],
        at["stamped"] - at["accepted"] - (0 if at_host else at["held"]),
        at["sent"] - at["stamped"] + at["first"] - at["landed"],
        at["landed"] - at["sent"],
        at["arrived"] - at["first"],
        unreachable + missed,
        causal,
        wait - causal + at["held"],
        queue - missed,
        at["heard"] - at["downlink_started"],
    )
