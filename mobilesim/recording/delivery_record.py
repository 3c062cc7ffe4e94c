"""The record of one message at one destination, from its submission to its delivery.

A field has the name of the column of `deliveries` with the same value; `delay_parts` computes the other columns.
"""

from operator import attrgetter
from typing import Final

from protocols.machine import Message

NEVER: Final = -1


class DeliveryRecord:
    """Moments are nanoseconds, `NEVER` until they happen.

    `held`: how long the message waited in a send queue. `..._away`: how long the destination had been out of reach in
    all by the moment before.
    """

    __slots__ = (
        "accepted",
        "arrived",
        "arrived_away",
        "deliverable",
        "deliverable_away",
        "delivered",
        "delivered_away",
        "destination",
        "downlink_started",
        "first",
        "forwards",
        "handed",
        "handed_away",
        "header_integers",
        "header_units",
        "heard",
        "heard_away",
        "held",
        "landed",
        "message",
        "overtaken",
        "payload_bytes",
        "retransmissions",
        "sent",
        "source",
        "source_station",
        "stamped",
        "station",
        "stations_passed",
        "submitted",
        "uplink_started",
    )

    def __init__(self, message: Message, host: int, now: int) -> None:
        self.message, self.source, self.destination = message.id, message.source, host
        self.payload_bytes, self.submitted = message.size, now
        self.held = self.forwards = self.header_integers = self.header_units = 0
        self.stations_passed = 1
        self.retransmissions = -2  # one frame up and one frame down are no retransmissions
        self.source_station = self.station = self.overtaken = NEVER
        self.uplink_started = self.accepted = self.stamped = self.sent = self.landed = self.first = NEVER
        self.arrived = self.arrived_away = self.handed = self.handed_away = self.downlink_started = NEVER
        self.heard = self.heard_away = self.deliverable = self.deliverable_away = NEVER
        self.delivered = self.delivered_away = NEVER

    def row(self) -> list[int]:
        """The fields in the order of `FIELDS`."""
        return list(_ROW(self))


FIELDS: Final = DeliveryRecord.__slots__
_ROW: Final = attrgetter(*FIELDS)
