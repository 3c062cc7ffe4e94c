"""Stations and hosts without one rule of the hand-off (`docs/hand-off.md`), in flushed hand-offs and in floods."""

from mobilesim.protocols.handoff.flush_handoff import LogicalVisit
from mobilesim.protocols.placements.flood import FloodStation, FloodVisit
from mobilesim.protocols.placements.flood_packets import FloodHost
from mobilesim.protocols.placements.logical import LogicalStation
from tests.support.mutants import hop, hosts


class UnregisteredReturnFlood(hosts.UnregisteredReturn, FloodHost):
    __slots__ = ()


class ShortTrailFlood(hosts.ShortTrail, FloodHost):
    __slots__ = ()


class UncheckedUplinkFlush(hop.UncheckedUplink[LogicalVisit], LogicalStation):
    __slots__ = ()


class UncheckedUplinkFlood(hop.UncheckedUplink[FloodVisit], FloodStation):
    __slots__ = ()


class RenumberedFramesFlush(hop.RenumberedFrames[LogicalVisit], LogicalStation):
    __slots__ = ()


class NoAnswerWithoutVisitFlush(hop.NoAnswerWithoutVisit[LogicalVisit], LogicalStation):
    __slots__ = ()


class NoAnswerWithoutVisitFlood(hop.NoAnswerWithoutVisit[FloodVisit], FloodStation):
    __slots__ = ()


class NoRequestWithoutTrailFlush(hop.NoRequestWithoutTrail[LogicalVisit], LogicalStation):
    __slots__ = ()


class NoRequestWithoutTrailFlood(hop.NoRequestWithoutTrail[FloodVisit], FloodStation):
    __slots__ = ()
