"""The causes of waits, found by looking at every row of the tables: slow, and without code of the product."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tests.support.simulations import Row

FOREVER = 1 << 62


@dataclass(frozen=True)
class BruteForce:
    """`deliveries` and `handoffs`: the rows of one run. `at_hosts`: whether hosts order messages."""

    deliveries: Sequence[Row]
    handoffs: Sequence[Row]
    at_hosts: bool

    @cached_property
    def pasts(self) -> dict[int, set[int]]:
        """By message, the messages that happened before it: those sent or delivered at its source before, and those
        that happened before these.
        """
        sent = {row["message"]: (row["submitted"], row["source"]) for row in self.deliveries}
        events = [(time, 1, number, source) for number, (time, source) in sent.items()]
        events += [(row["delivered"], 0, row["message"], row["destination"]) for row in self.deliveries]
        known: dict[int, set[int]] = defaultdict(set)
        pasts: dict[int, set[int]] = {}
        for _, is_send, number, host in sorted(events):
            if is_send:
                pasts[number] = set(known[host])
                known[host].add(number)
            else:
                known[host] |= {number} | pasts[number]
        return pasts

    def received(self, row: Row) -> int:
        return int(row["downlink_started"] + row["downlink_air"] + row["receiver_processing"])

    def since(self, row: Row) -> int:
        return self.received(row) if self.at_hosts else int(row["arrived"])

    def predecessors(self, row: Row) -> list[Row]:
        """Return the causal predecessors that were released at the destination when the row became deliverable."""
        return [
            other
            for other in self.deliveries
            if other["destination"] == row["destination"]
            and other["released"] == row["deliverable"]
            and other["message"] in self.pasts[row["message"]]
        ]

    def arriving(self, row: Row, moment: int) -> set[int]:
        """Return the messages of which a copy arrived where the row waited, at this moment."""
        return {
            other["message"]
            for other in self.deliveries
            if (self.at_hosts and self.received(other) == moment and other["destination"] == row["destination"])
            or (not self.at_hosts and moment in self.at_stations(other))
        }

    @staticmethod
    def at_stations(row: Row) -> tuple[int, ...]:
        return row["arrived"], row["arrived"] - row["detour"], row["accepted"]

    def causes_of_deliverable(self, row: Row) -> set[int]:
        """Return the messages that may have made the row deliverable: a predecessor, or what such a one waited for."""
        found = self.predecessors(row)
        return {other["message"] for other in found} | {other["waited_for"] for other in found}

    def moves(self, host: int, begin: int, end: int, phase: str) -> Iterator[int]:
        """Yield the hand-offs of a host that had begun before `end`, and had not reached a phase before `begin`."""
        for row in self.handoffs:
            until = row[phase] if row[phase] is not None else row["complete"]
            if row["host"] == host and row["left"] < end and (until is None or until > begin):
                later = [other["left"] for other in self.handoffs if other["host"] == host]
                following = min((left for left in later if left > row["left"]), default=FOREVER)
                if following > begin:
                    yield row["visit"]

    def on_air(self, message: int, host: int, begin: int, end: int) -> bool:
        """Return whether a frame of the message was on the channel of the host, or on the link of its source, from
        `begin` to `end`.
        """
        return any(
            (row["source"] == host and row["uplink_started"] <= begin and end <= row["accepted"])
            or (row["source"] == host and row["sent"] <= begin and end <= row["arrived"])
            or (
                row["destination"] == host
                and row["downlink_started"] <= begin
                and end <= row["downlink_started"] + row["downlink_air"]
            )
            for row in self.deliveries
            if row["message"] == message
        )
