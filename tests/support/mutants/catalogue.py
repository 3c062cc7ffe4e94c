"""Mutants: protocols that follow a paper literally, or that omit one rule of the hand-off.

The explorer and random schedules must find a fault in every mutant of `BROKEN`. The search takes long for the mutants
of `FAR`, so each of them has a stored schedule that shows its fault. The mutants of `HARMLESS` follow a paper or omit a
rule, but have no fault. The mutants of `REPEATED` omit rules of `docs/hand-off.md` under other placements.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from mobilesim.conformance.random_schedules import Sizes
from mobilesim.explorer.api import homes_of
from mobilesim.explorer.successors import BatchedWorld
from mobilesim.explorer.untimed_world import Bounds, SystemBuilder
from mobilesim.protocols.catalogue import ROWS
from mobilesim.protocols.catalogue_rows import OptionValue
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.orderings.prs import Prs
from tests.support.mutants import (
    floods,
    flushes,
    hosts,
    orderings,
    other_placements,
    schedules,
    shared_facts,
    stations,
)
from tests.support.mutants.builders import FloodBuilder, FlushBuilder, ProxyBuilder
from tests.support.orderings.hierarchy_variants import Bypassing, Unnumbered, UnorderedTop
from tests.support.protocols.script import Script


@value
class Mutant:
    """A mutant, and the smallest configuration that shows its fault.

    `at`: the first cells of the hosts. `play`: a schedule that shows the fault. `seeds`, `sizes`: the number and the
    sizes of random schedules that find a fault. `wider`: larger bounds, in which a harmless mutant has no fault either.
    """

    build: SystemBuilder
    bounds: Bounds
    hosts: int = 2
    stations: int = 2
    location: str = ""
    at: tuple[int, ...] = ()
    play: Callable[[Script], Script] | None = None
    sizes: Sizes = Sizes()
    seeds: int = 500
    wider: Bounds = Bounds(messages=2, moves=2)

    @property
    def homes(self) -> tuple[int, ...]:
        return self.at or homes_of(self.stations, self.hosts)

    @property
    def options(self) -> dict[str, OptionValue]:
        return {"location": self.location} if self.location else {}

    @property
    def world(self) -> BatchedWorld:
        return BatchedWorld(self.build(self.stations, self.homes, self.options), self.homes, self.bounds)

    @property
    def start(self) -> Script:
        return Script(self.build, self.stations, self.homes, self.options)

    @property
    def script(self) -> Script:
        assert self.play is not None
        return self.play(self.start)


MESSAGE: Final = Bounds(messages=1, moves=0)
MESSAGES: Final = Bounds(messages=2, moves=0)
ONE_MOVE: Final = Bounds(messages=1, moves=1)
TWO_MOVES: Final = Bounds(messages=1, moves=2)
OVERTAKING: Final = Bounds(messages=2, moves=1)
MULTICAST: Final = Bounds(messages=2, moves=0, destinations=2)
ANSWERED: Final = Bounds(messages=2, moves=1, destinations=2)
CROWD: Final = Sizes(stations=(3, 5), hosts=(6, 10), messages=(60, 120), moves=(10, 30), destinations=(2, 6))

PROXIED: Final = {
    "unordered": Mutant(ROWS["unordered"].build, Bounds(messages=2, moves=0), location="free"),
    "fifo": Mutant(ROWS["fifo"].build, Bounds(messages=3, moves=0), hosts=3, location="free"),
    "no-forwarding": Mutant(ProxyBuilder(stations.NoForwarding).build, ONE_MOVE),
    "no-holding": Mutant(ProxyBuilder(stations.NoHolding).build, ONE_MOVE),
    "state-in-pieces": Mutant(ProxyBuilder(stations.StateInPieces).build, ONE_MOVE),
    "uplink-before-state": Mutant(ProxyBuilder(stations.UplinkBeforeState).build, ONE_MOVE),
    "unraised": Mutant(ProxyBuilder(ordering=orderings.Unraised).build, MULTICAST, hosts=3),
    "own-raised": Mutant(ProxyBuilder(ordering=orderings.OwnRaised).build, MULTICAST, hosts=3),
    "serial-unicasts": Mutant(ProxyBuilder(ordering=orderings.SerialUnicasts).build, MULTICAST, hosts=3),
    "short-trail": Mutant(ProxyBuilder(stations.NoRequestWithoutTrail, hosts.ShortTrail).build, TWO_MOVES),
    "no-answer": Mutant(ProxyBuilder(stations.NoAnswerWithoutVisit).build, TWO_MOVES),
    "unchecked-up": Mutant(ProxyBuilder(stations.UncheckedUplink).build, ONE_MOVE),
    "unnumbered-down": Mutant(ProxyBuilder(host=hosts.UnnumberedDownlink).build, ONE_MOVE),
    "unchecked-down": Mutant(ProxyBuilder(host=hosts.UncheckedDownlink).build, ONE_MOVE),
    "renumbered-frames": Mutant(ProxyBuilder(stations.RenumberedFrames).build, OVERTAKING),
    "unregistered-return": Mutant(ProxyBuilder(host=hosts.UnregisteredReturn).build, ONE_MOVE),
    "single-record": Mutant(ProxyBuilder(stations.SingleRecord).build, TWO_MOVES),
    "premature-answer": Mutant(ProxyBuilder(stations.PrematureAnswer).build, TWO_MOVES),
}

FLUSHED: Final = {
    "misdirected": Mutant(FlushBuilder(flushes.Misdirected).build, ONE_MOVE),
    "withholding": Mutant(FlushBuilder(flushes.Withholding).build, ONE_MOVE, at=(0, 0)),
    "no-forwarding-flush": Mutant(FlushBuilder(flushes.NoForwarding).build, ONE_MOVE),
    "unmarked-forwarding": Mutant(FlushBuilder(flushes.UnmarkedForwarding).build, OVERTAKING),
    "no-lasts": Mutant(FlushBuilder(flushes.WithoutBothLasts).build, OVERTAKING),
    "unordered-enable": Mutant(FlushBuilder(flushes.UnorderedEnable).build, OVERTAKING),
    "unordered-forwarding": Mutant(FlushBuilder(flushes.UnorderedForwarding).build, OVERTAKING),
    "unordered-over": Mutant(FlushBuilder(flushes.UnorderedOver).build, OVERTAKING),
    "premature-flush": Mutant(FlushBuilder(flushes.PrematureHandoff).build, Bounds(messages=0, moves=2)),
    "partial-notify": Mutant(FlushBuilder(flushes.PartialNotify, k=2).build, ONE_MOVE),
    "unmapped": Mutant(FlushBuilder(flushes.Unmapped, k=2).build, ONE_MOVE),
    "reallocating": Mutant(FlushBuilder(flushes.Reallocating, k=2).build, OVERTAKING),
}

FLOODED: Final = {
    "delivered-only": Mutant(FloodBuilder(floods.DeliveredOnly).build, MESSAGES, stations=1),
    "acks-ignored": Mutant(FloodBuilder(floods.AcknowledgementsIgnored).build, MESSAGES, stations=1),
    "deletions-ignored": Mutant(FloodBuilder(floods.DeletionsIgnored).build, MESSAGES, at=(0, 0, 1)),
    "stored-copies-ignored": Mutant(FloodBuilder(floods.StoredCopiesIgnored).build, ONE_MOVE),
    "no-tombstones": Mutant(FloodBuilder(floods.WithoutTombstones).build, MESSAGE, at=(0, 0)),
    "from-one": Mutant(FloodBuilder(floods.FromOne).build, MESSAGE, stations=1),
    "at-least": Mutant(FloodBuilder(ordering=orderings.AtLeast).build, MULTICAST, hosts=3, stations=3),
    "any-host-delivered": Mutant(FloodBuilder(ordering=shared_facts.AnyHostDelivered).build, ANSWERED, at=(0, 0, 1)),
    "only-barrier-moves": Mutant(FloodBuilder(ordering=shared_facts.OnlyBarrierMoves).build, OVERTAKING),
    "delayed-migration": Mutant(FloodBuilder(floods.DelayedMigration).build, ONE_MOVE),
    "unreported": Mutant(FloodBuilder(host=floods.HeardUnreported).build, OVERTAKING),
    "received-not-migrated": Mutant(FloodBuilder(floods.ReceivedNotMigrated).build, ONE_MOVE),
    "early-delete": Mutant(FloodBuilder(floods.EarlyDelete).build, Bounds(1, 0, destinations=2), at=(0, 0, 1)),
}

UNNUMBERED: Final = partial(Unnumbered, representatives=1, children=9)
BYPASSING: Final = partial(Bypassing, representatives=1, children=9)
UNORDERED_TOP: Final = partial(UnorderedTop, representatives=3, children=9)

RELAYED: Final = {
    "relays-unnumbered": Mutant(ProxyBuilder(ordering=UNNUMBERED).build, MESSAGES, stations=1),
    "relays-bypassing": Mutant(ProxyBuilder(ordering=BYPASSING).build, MULTICAST, hosts=3, stations=1),
    "relays-unordered-top": Mutant(ProxyBuilder(ordering=UNORDERED_TOP).build, MULTICAST, hosts=3, stations=1),
}

BROKEN: Final = {**PROXIED, **FLUSHED, **FLOODED, **RELAYED}

FAR: Final = {
    "unicast-notify": Mutant(
        FlushBuilder(flushes.UnicastNotify).build,
        ANSWERED,
        stations=3,
        at=(0, 1, 1),
        play=schedules.unicast_notify,
        sizes=CROWD,
        seeds=3000,
    ),
    "unordered-notify": Mutant(
        FlushBuilder(flushes.UnorderedNotify).build,
        ANSWERED,
        at=(0, 1, 1),
        play=schedules.unordered_notify,
        sizes=CROWD,
        seeds=3000,
    ),
    "unordered-last": Mutant(
        FlushBuilder(flushes.UnorderedLast).build, OVERTAKING, stations=3, play=schedules.unordered_last
    ),
    "unnamed-visit": Mutant(FlushBuilder(flushes.UnnamedVisit).build, Bounds(2, 2), play=schedules.unnamed_visit),
    "all-rolled-back": Mutant(
        FloodBuilder(floods.AllRolledBack).build, OVERTAKING, at=(0, 1, 1), play=schedules.all_rolled_back
    ),
    "transmitted-is-delivered": Mutant(
        FloodBuilder(shared_facts.TransmittedIsDelivered, ordering=Prs).build,
        ANSWERED,
        stations=3,
        at=(0, 1, 1),
        play=schedules.transmitted_is_delivered,
        sizes=CROWD,
        seeds=3000,
    ),
    "any-registration": Mutant(
        FloodBuilder(host=floods.AnyRegistration).build, Bounds(3, 2), at=(0, 1, 0), play=schedules.any_registration
    ),
}

BEYOND: Final = frozenset({"unnamed-visit", "any-registration"})
"""The mutants of `FAR` for which the search was never completed. A schedule shorter than the stored one may exist."""

HARMLESS: Final = {
    "unraised-unicast": Mutant(ProxyBuilder(ordering=orderings.Unraised).build, OVERTAKING, hosts=3),
    "uncounted-registrations": Mutant(ProxyBuilder(host=hosts.UncountedRegistrations).build, TWO_MOVES),
    "early-repetition": Mutant(ProxyBuilder(host=hosts.EarlyRepetition).build, TWO_MOVES),
    "all-retransmitted": Mutant(ProxyBuilder(stations.AllRetransmitted).build, OVERTAKING),
    "latest-received": Mutant(
        ProxyBuilder(directory=stations.LatestReceived).build, TWO_MOVES, stations=3, location="lazy"
    ),
    "unnamed-acks": Mutant(FloodBuilder(floods.UnnamedAcknowledgements).build, OVERTAKING, wider=TWO_MOVES),
    "any-number": Mutant(FloodBuilder(host=floods.AnyNumber).build, OVERTAKING, wider=TWO_MOVES),
    "own-last": Mutant(FlushBuilder(flushes.WithoutOwnLast).build, ONE_MOVE, wider=OVERTAKING),
    "new-last": Mutant(FlushBuilder(flushes.WithoutNewLast).build, ONE_MOVE, wider=OVERTAKING),
    "early-state": Mutant(FlushBuilder(flushes.EarlyState).build, Bounds(messages=0, moves=2), wider=TWO_MOVES),
}

REPEATED: Final = {
    "uplink numbers, flushed": Mutant(FlushBuilder(other_placements.UncheckedUplinkFlush).build, ONE_MOVE),
    "uplink numbers, flooded": Mutant(FloodBuilder(other_placements.UncheckedUplinkFlood).build, ONE_MOVE),
    "downlink numbers, flushed": Mutant(FlushBuilder(host=hosts.UnnumberedDownlink).build, ONE_MOVE),
    "numbers that the host does not check, flushed": Mutant(FlushBuilder(host=hosts.UncheckedDownlink).build, ONE_MOVE),
    "numbers that do not migrate, flushed": Mutant(
        FlushBuilder(other_placements.RenumberedFramesFlush).build, OVERTAKING
    ),
    "registration on return to the same cell, flushed": Mutant(
        FlushBuilder(host=hosts.UnregisteredReturn).build, ONE_MOVE
    ),
    "registration on return to the same cell, flooded": Mutant(
        FloodBuilder(host=other_placements.UnregisteredReturnFlood).build, ONE_MOVE
    ),
    "the trail, flushed": Mutant(
        FlushBuilder(other_placements.NoRequestWithoutTrailFlush, hosts.ShortTrail).build, TWO_MOVES
    ),
    "the trail, flooded": Mutant(
        FloodBuilder(other_placements.NoRequestWithoutTrailFlood, other_placements.ShortTrailFlood).build, TWO_MOVES
    ),
    "visits without a registration, flushed": Mutant(
        FlushBuilder(other_placements.NoAnswerWithoutVisitFlush).build, TWO_MOVES
    ),
    "visits without a registration, flooded": Mutant(
        FloodBuilder(other_placements.NoAnswerWithoutVisitFlood).build, TWO_MOVES
    ),
}
"""Mutants without a rule of `docs/hand-off.md`, under a placement other than the proxy."""
