"""The events of a tape, as columns.

Every event is a row with the same columns; docs/tape.md says what they contain for each kind of event. An event lasts
from `time` until `until`; both are the same for an event without a length. Nodes are numbered: station s is node s, and
host h is node `stations + h`. What does not apply is -1, and an empty `name`. Times are nanoseconds, or the numbers of
steps in a counter-example of the explorer, which has no time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

NONE: Final = -1
ENDLESS: Final = 1 << 62
"""The end of a tape of the whole rest of a run."""
COLUMNS: Final = ("time", "until", "event", "node", "peer", "message", "host", "name", "detail")
"""The columns of a tape. `event` and `name` are numbers: of `EventKind`, and of the tape's names."""


class Arrival(IntEnum):
    """What became of a packet or frame."""

    RECEIVED = 0
    LOST = 1
    IN_TRANSIT = 2
    """It was in transit when the tape ended."""


Column = npt.NDArray[np.int64]


class EventKind(Enum):
    SUBMITTED = "submitted"
    FRAME = "frame"
    PACKET = "packet"
    WAITED = "waited"
    DELIVERED = "delivered"
    DROPPED = "dropped"
    LEFT = "left"
    ENTERED = "entered"
    REGISTERED = "registered"
    HANDOFF = "handoff"
    FAULT = "fault"


KINDS: Final = tuple(EventKind)
NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}


@dataclass(frozen=True)
class TapeHeader:
    """What a tape shows.

    `source`: `run` or `explorer`. `unit`: `ns` or `step`. `cells`: by host, the station of its cell at the start of
    the tape, or -1. `since`, `until`: the part of the run that was recorded.
    `positions`: the coordinates of the stations, if cells have a place. `run`: the run's scenario, protocol, number of
    the replication and id.
    """

    source: str
    unit: str
    network: str
    hosts: int
    stations: int
    cells: tuple[int, ...]
    run: Mapping[str, Any]
    since: int = 0
    until: int = ENDLESS
    positions: tuple[tuple[float, float], ...] = ()

    def starting_in(self, cells: Sequence[int], since: int, until: int) -> "TapeHeader":
        """Return the header of a part of the run, in which hosts start in these cells."""
        return replace(self, cells=tuple(cells), since=since, until=until)


class Event(NamedTuple):
    time: int
    until: int
    kind: EventKind
    node: int
    peer: int
    message: int
    host: int
    name: str
    detail: int


@dataclass(frozen=True)
class Tape:
    """A recorded tape. `columns`: by the names of `COLUMNS`. `names`: the texts to which the column `name` refers."""

    header: TapeHeader
    columns: Mapping[str, Column]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.columns["time"])

    def of(self, kind: EventKind) -> Mapping[str, Column]:
        """Return the columns of the events of one kind."""
        chosen = self.columns["event"] == NUMBERS[kind]
        return {name: column[chosen] for name, column in self.columns.items()}

    def events(self) -> Iterator[Event]:
        for row in zip(*(self.columns[name].tolist() for name in COLUMNS), strict=True):
            time, until, event, node, peer, message, host, name, detail = row
            yield Event(time, until, KINDS[event], node, peer, message, host, self.names[name], detail)

    @property
    def nodes(self) -> range:
        """The numbers of all nodes, with the hosts that join during the run."""
        most = max(int(self.columns[name].max(initial=NONE)) for name in ("node", "peer"))
        return range(max(most + 1, self.header.stations + self.header.hosts))

    def station(self, node: int) -> int | None:
        """Return the number of the station with this node number; None for a host."""
        return node if node < self.header.stations else None

    def node_name(self, node: int) -> str:
        """Return the name of a node: `s3` for a station, `h12` for a host."""
        return f"s{node}" if node < self.header.stations else f"h{node - self.header.stations}"
