"""The record of one message at one destination, from its submission to its delivery.

A field has the name of the column of `deliveries` with the same value; `delay_parts` computes the other columns.
"""

from dataclasses import dataclass
from operator import attrgetter
from typing import Final

NEVER: Final = -1


@dataclass(slots=True, eq=False)
class DeliveryRecord:
    """Moments are nanoseconds, `NEVER` until they happen.

    `held`: how long the message waited in a send queue. `..._away`: how long the destination had been out of reach in
    all by the moment before.
    """

    message: int
    source: int
    destination: int
    payload_bytes: int
    submitted: int
    retransmissions: int = -2  # one frame up and one frame down are no retransmissions
    stations_passed: int = 1
    forwards: int = 0
    header_integers: int = 0
    header_units: int = 0
    held: int = 0
    uplink_started: int = NEVER
    accepted: int = NEVER
    source_station: int = NEVER
    stamped: int = NEVER
    sent: int = NEVER
    landed: int = NEVER
    first: int = NEVER
    station: int = NEVER
    arrived: int = NEVER
    arrived_away: int = NEVER
    handed: int = NEVER
    handed_away: int = NEVER
    downlink_started: int = NEVER
    heard: int = NEVER
    heard_away: int = NEVER
    deliverable: int = NEVER
    deliverable_away: int = NEVER
    delivered: int = NEVER
    delivered_away: int = NEVER
    overtaken: int = NEVER

    def row(self) -> list[int]:
        """The fields in the order of `FIELDS`."""
        return list(_ROW(self))


FIELDS: Final[tuple[str, ...]] = DeliveryRecord.__slots__
_ROW: Final = attrgetter(*FIELDS)
