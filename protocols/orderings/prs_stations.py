"""Prakash, Raynal and Singhal, section 9: causal barriers whose tuples are the numbers of a flood, (M_init, M_seq).

Theory. A tuple (s, x) of CB_i[k] means: messages of i to k must be delivered at k after message x of station s. So a
barrier has a row for each host and a column for each station; in `prs` it has N of each. Of two tuples of one station
the later one implies the earlier: by the first condition of section 9.1, a host receives its messages of a station in
the order of their numbers. Because of this order, max-merging is safe, and Delivered needs one number for each host and
station. Delivered_h[s, h] is h_RECD: a tuple (s, x) is satisfied when h_RECD[s] > x, as numbers begin with zero.

Representation. As in `prs`; an entry is x + 1, and 0 is no tuple. A process counts its own deliveries separately, since
h_RECD also passes messages for other hosts.

Deviations from the print. Stations neither send nor receive: a station has a barrier, but no row in other barriers. The
print has a component for every node, and does not define the tuples of a flood; `docs/errata-flood.md` describes the
wrong definition. Tuples of the station where a message starts are carried like others, though the first condition
covers them.

Integers. Neither a message's own number (in its packet's header) nor h_RECD (of the placement) is counted here.
"""

from copy import copy

from protocols.ordering import Ordering, Process
from protocols.orderings.prs import Numbers, Prs, PrsProcess


class PrsStations(Prs):
    def with_stations(self, stations: int) -> Ordering:
        ordering = copy(self)
        ordering.shape = (self.size - stations, stations)
        return ordering

    def process(self, index: int) -> Process:
        return StationsProcess(index, self)


class StationsProcess(PrsProcess):
    __slots__ = ()

    def set_origin(self, origin: int, number: int) -> None:
        # The send adds 1 to the number.
        self.origin, self.sent = origin, number

    def _length(self, carried: Numbers, tuples: int) -> int:
        return super()._length(carried, tuples) - 1

    @property
    def integers(self) -> int:
        """CB, and Delivered without the row of this host, which is h_RECD."""
        own = len(self.delivered) if self.index < len(self.known) else 0
        return 2 * self.tuples + self.known.size - own
