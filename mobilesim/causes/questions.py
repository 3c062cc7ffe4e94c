"""The questions that a user asks about a run: why was this message late, and which were the latest?"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, overload

from mobilesim.causes.delay_causes import DelayCauses
from mobilesim.causes.explanation import Explanation
from mobilesim.causes.tables import RunTables
from mobilesim.causes.undelivered import Undelivered, undelivered
from mobilesim.errors import UserError, counted


@dataclass(frozen=True, slots=True)
class Explanations(Sequence[Explanation]):
    """The explanations of the latest deliveries of a run, the longest delay first. `deliveries`: those of the run."""

    protocol: str
    replication: int
    deliveries: int
    items: tuple[Explanation, ...]

    @property
    def explained_share(self) -> float:
        """The share of the delays, without transmission and processing, for which a cause is named; 1 without waits."""
        waited = sum(item.waited for item in self.items)
        return sum(item.explained for item in self.items) / waited if waited else 1.0

    @overload
    def __getitem__(self, index: int) -> Explanation: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Explanation, ...]: ...

    def __getitem__(self, index: int | slice) -> Explanation | tuple[Explanation, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __str__(self) -> str:
        run = f"{self.protocol}, replication {self.replication}"
        what = f"the latest {len(self.items):,} of {counted(self.deliveries, 'delivery')} of {run}"
        head = f"{what}: a cause is named for {self.explained_share:.1%} of their waits"
        return "\n\n".join([head, *map(str, self.items)])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def document(self) -> dict[str, Any]:
        """Return a JSON object. Times are nanoseconds."""
        about = {"protocol": self.protocol, "replication": self.replication, "deliveries": self.deliveries}
        return {
            **about,
            "explained_share": self.explained_share,
            "explanations": [item.document() for item in self.items],
        }


def why(tables: RunTables, message: int, host: int | None) -> Explanation | Undelivered:
    """Return why the delivery of a message to a host took as long as it did. The host may be missing if the message has
    one destination.
    """
    deliveries = {delivery.destination: delivery for delivery in tables.of_message(message)}
    row = tables.sent_to(message)
    destinations = [*deliveries] if row is None else sorted({*row["destinations"], *deliveries})
    if not destinations:
        raise UserError(f"message {message}: no such message; {_known_messages(tables)}")
    if host is None and len(destinations) > 1:
        hosts = _numbers(destinations)
        raise UserError(f"message {message}: its destinations are the hosts {hosts}; name one of them")
    to = destinations[0] if host is None else host
    if to not in destinations:
        raise UserError(f"host {to}: message {message} was sent to {_numbers(destinations)}, and not to this host")
    if to in deliveries:
        return DelayCauses(tables).explain(deliveries[to].row)
    assert row is not None
    return undelivered(tables, row, to)


def _known_messages(tables: RunTables) -> str:
    if not tables.messages:
        return "no message was sent"
    return f"there are {min(tables.messages):,} to {max(tables.messages):,}"


def latest(tables: RunTables, count: int) -> Explanations:
    """Return the explanations of the deliveries with the longest delays."""
    if count < 1:
        raise UserError(f"latest {count}: expected 1 or more deliveries")
    if not len(tables):
        raise UserError(f"{tables.protocol}: the run has no deliveries in its tables, so nothing can be explained")
    causes = DelayCauses(tables)
    items = tuple(causes.explain(row) for row in tables.latest(count))
    return Explanations(tables.protocol, tables.replication, len(tables), items)


def _numbers(numbers: Sequence[int]) -> str:
    """Return the numbers as text: `2`, `1, 5` or `0 to 4`."""
    ordered = sorted(numbers)
    if len(ordered) > 2 and ordered == [*range(ordered[0], ordered[-1] + 1)]:
        return f"{ordered[0]} to {ordered[-1]}"
    return ", ".join(map(str, ordered))
