"""The rules of the wireless hop left out under the flushed hand-off and under the flood."""

from protocols.handoff.flush_handoff import LogicalVisit
from protocols.placements.flood import FloodStation, FloodVisit
from protocols.placements.flood_packets import FloodHost
from protocols.placements.logical import LogicalStation
from tests.support.mutants import hop, hosts


class HomelyFlood(hosts.Homely, FloodHost):
    __slots__ = ()


class ForgetfulFlood(hosts.Forgetful, FloodHost):
    __slots__ = ()


class UnnumberedFlush(hop.Unnumbered[LogicalVisit], LogicalStation):
    __slots__ = ()


class UnnumberedFlood(hop.Unnumbered[FloodVisit], FloodStation):
    __slots__ = ()


class RenumberingFlush(hop.Renumbering[LogicalVisit], LogicalStation):
    __slots__ = ()


class IncuriousFlush(hop.Incurious[LogicalVisit], LogicalStation):
    __slots__ = ()


class IncuriousFlood(hop.Incurious[FloodVisit], FloodStation):
    __slots__ = ()


class StrandedFlush(hop.Stranded[LogicalVisit], LogicalStation):
    __slots__ = ()


class StrandedFlood(hop.Stranded[FloodVisit], FloodStation):
    __slots__ = ()
