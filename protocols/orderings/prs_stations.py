"""Prakash, Raynal and Singhal, section 9: causal barriers whose tuples are the numbers of a flood, (M_init, M_seq).

Theory. A tuple (s, x) of CB_i[k] means that messages of i to k must be delivered at k after message x of station s. So
a barrier has a row for each host and a column for each station. By the first condition of section 9.1, a host receives
its messages of a station in the order of their numbers. Therefore the later one of two tuples of a station implies the
earlier one. So two barriers can be merged by the maximum of each entry, and Delivered needs one number for each host
and station. Delivered_h[s, h] is h_RECD[s]. A tuple (s, x) is satisfied when h_RECD[s] > x, since numbers begin with 0.

Representation. As in `prs`: an entry is x + 1, or 0 for no tuple. A process counts its own deliveries separately, since
h_RECD also passes messages for other hosts.

Deviations from the paper. A station has a barrier, but no row in barriers, since no message is delivered to it. The
paper has a component for every node, and does not define the tuples of a flood; `docs/errata-flood.md` describes a
definition that is wrong. Tuples of the message's own first station are carried like other tuples, although the first
condition of section 9.1 covers them.

Integers. The message's own number and h_RECD are not counted here, since the placement `flood` counts them. So of a
process that shares Delivered with its station, only CB is counted.
"""

from copy import copy

from mobilesim.protocols.ordering import Ordering, Process
from mobilesim.protocols.orderings.prs import Numbers, Prs, PrsProcess


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
        # `send` adds 1 to the number.
        self.origin, self.sent = origin, number

    def _length(self, carried: Numbers, tuples: int) -> int:
        return super()._length(carried, tuples) - 1

    @property
    def integers(self) -> int:
        """The size of CB and, if it is not the station's, of Delivered without this host's own row, which is h_RECD."""
        if self.shares:
            return 2 * self.tuples
        known = self.facts.known
        own = len(self.delivered) if self.index < len(known) else 0
        return 2 * self.tuples + known.size - own
