"""PRS with the numbers of a flood, as sets of tuples (M_init, M_seq), and h_RECD.

The reference implementation of `protocols.orderings.prs_stations`.
"""

from collections.abc import Sequence

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Addressed, Key, Ordering, Process
from mobilesim.protocols.packets import Stamp
from tests.support.orderings.dense_prs import EMPTY, Components, Tuples, minus_max, union_max


@value
class Identified(Stamp):
    id: tuple[int, int]
    destinations: frozenset[int]
    barrier: Components

    @property
    def units(self) -> int:
        return sum(map(len, self.barrier.values()))

    @property
    def integers(self) -> int:
        return sum(2 + 2 * len(component) for component in self.barrier.values() if component)


class StationSets(Ordering):
    __slots__ = ("collect", "shared", "size", "stations", "union")

    def __init__(
        self,
        size: int,
        *,
        stations: int = 1,
        barrier: str = "replace",
        collect: bool = True,
        delivered: str = "station",
    ) -> None:
        self.size = size
        self.stations = stations
        self.union = barrier == "union"
        self.collect = collect
        self.shared = delivered == "station"

    def process(self, index: int) -> "StationSetsProcess":
        return StationSetsProcess(index, self)


class StationSetsProcess(Process):
    __slots__ = ("collect", "component", "hosts", "id", "index", "joined", "own", "received", "shared", "union")

    def __init__(self, index: int, options: StationSets) -> None:
        self.index = index
        self.union = options.union
        self.collect = options.collect
        self.shared = options.shared
        self.joined = False
        self.hosts = range(options.size - options.stations)
        self.id = (-1, -1)
        self.component: dict[int, Tuples] = dict.fromkeys(self.hosts, EMPTY)
        self.received = [[0] * options.stations for _ in self.hosts]
        """h_RECD of each host, as this process knows it."""
        self.own: list[int] = []
        """This host's own h_RECD, while it migrates."""

    def join_station(self, station: "StationSetsProcess") -> None:
        if self.shared:
            own = self.own if self.joined else self.received[self.index]
            self.received = station.received
            self.received[self.index][:] = own
            self.joined = True

    def leave_station(self) -> None:
        if self.shared:
            self.collect_all()
            self.own = list(self.received[self.index])
            self.received = []

    def set_origin(self, origin: int, number: int) -> None:
        self.id = (origin, number)

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        self.collect_all()
        stamp = Identified(self.index, self.id, frozenset(destinations), dict(self.component))
        new = frozenset({self.id})
        for k in destinations:
            self.component[k] = union_max(self.component[k], new) if self.union else new
        return ((destinations, stamp),)

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Identified)
        late = ((s, x) for s, x in sorted(stamp.barrier[self.index]) if not self.received[self.index][s] > x)
        return next(late, None)

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Identified)
        self._count(self.index, frozenset({stamp.id}))
        if self.collect:
            self._count(stamp.sender, stamp.barrier.get(stamp.sender, EMPTY))
        for k in self.hosts:
            self.component[k] = self._constrained(k, stamp)
        self.collect_all()
        return (stamp.id,)

    def _count(self, host: int, tuples: Tuples) -> None:
        for s, x in tuples:
            self.received[host][s] = max(self.received[host][s], x + 1)

    def _constrained(self, k: int, stamp: Identified) -> Tuples:
        held, barrier = self.component[k], stamp.barrier[k]
        if k in stamp.destinations:
            held = minus_max(union_max(held, frozenset({stamp.id})), barrier)
        elif k != stamp.sender:
            held = union_max(held, barrier)
        else:
            held = minus_max(held, barrier)
        return held

    def collect_all(self) -> None:
        """Execute step 8."""
        if self.collect:
            for k in self.hosts:
                if k != self.index:
                    held = self.component[k]
                    self.component[k] = frozenset((s, x) for s, x in held if not self.received[k][s] > x)

    @property
    def integers(self) -> int:
        """The size of the state without this host's own h_RECD, which belongs to the placement."""
        known = 0 if self.joined else sum(len(row) for k, row in enumerate(self.received) if k != self.index)
        return 2 * sum(map(len, self.component.values())) + known
