"""The zoo: what the papers print read literally, and the rules of the hand-off left out one by one.

Every specimen of `BROKEN` must be caught by the explorer and by random schedules; so must those of `FAR`, but the
search for them is long, and the schedule that it ends with is known by heart. Those of `HARMLESS` are deviations which
we expected to break something, and which do not. `REPEATED` leaves the rules of the wireless hop out elsewhere.
"""

from collections.abc import Callable
from typing import Final

from mobilesim.explorer.api import homes_of
from mobilesim.explorer.untimed_world import Bounds, SystemBuilder
from protocols.catalogue import ROWS
from protocols.catalogue_rows import OptionValue
from protocols.frozen_value import value
from tests.support.mutants import floods, flushes, hosts, mixtures, orderings, schedules, stations
from tests.support.mutants.kinds import Breed, FloodBreed, FlushBreed
from tests.support.protocols.script import Script
from tests.support.random_schedules import Sizes


@value
class Specimen:
    """A broken protocol, and the smallest configuration in which it shows; `at` are the cells of its hosts.

    `play` is a schedule by which it goes wrong. `seeds` random schedules of these `sizes` are enough to find one.
    What is harmless is harmless in a `wider` scope too.
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
    "unordered": Specimen(ROWS["unordered"].build, Bounds(messages=2, moves=0)),
    "fifo": Specimen(ROWS["fifo"].build, Bounds(messages=3, moves=0), hosts=3),
    "dropping": Specimen(Breed(stations.Dropping).build, ONE_MOVE),
    "unprepared": Specimen(Breed(stations.Unprepared).build, ONE_MOVE),
    "piecemeal": Specimen(Breed(stations.Piecemeal).build, ONE_MOVE),
    "eager": Specimen(Breed(stations.Eager).build, ONE_MOVE),
    "unraised": Specimen(Breed(ordering=orderings.Unraised).build, MULTICAST, hosts=3),
    "own-raised": Specimen(Breed(ordering=orderings.OwnRaised).build, MULTICAST, hosts=3),
    "serial": Specimen(Breed(ordering=orderings.Serial).build, MULTICAST, hosts=3),
    "short-trail": Specimen(Breed(stations.Stranded, hosts.Forgetful).build, TWO_MOVES),
    "incurious": Specimen(Breed(stations.Incurious).build, TWO_MOVES),
    "unnumbered-up": Specimen(Breed(stations.Unnumbered).build, ONE_MOVE),
    "unnumbered-down": Specimen(Breed(host=hosts.Unnumbered).build, ONE_MOVE),
    "trusting": Specimen(Breed(host=hosts.Trusting).build, ONE_MOVE),
    "renumbering": Specimen(Breed(stations.Renumbering).build, OVERTAKING),
    "homely": Specimen(Breed(host=hosts.Homely).build, ONE_MOVE),
    "single-record": Specimen(Breed(stations.SingleRecord).build, TWO_MOVES),
    "premature": Specimen(Breed(stations.Premature).build, TWO_MOVES),
}

FLUSHED: Final = {
    "misdirected": Specimen(FlushBreed(flushes.Misdirected).build, ONE_MOVE),
    "withholding": Specimen(FlushBreed(flushes.Withholding).build, ONE_MOVE, at=(0, 0)),
    "abandoning": Specimen(FlushBreed(flushes.Abandoning).build, ONE_MOVE),
    "plain": Specimen(FlushBreed(flushes.Plain).build, OVERTAKING),
    "none-awaited": Specimen(FlushBreed(flushes.BothExcused).build, OVERTAKING),
    "loose-enable": Specimen(FlushBreed(flushes.LooseEnable).build, OVERTAKING),
    "loose-old": Specimen(FlushBreed(flushes.LooseOld).build, OVERTAKING),
    "loose-over": Specimen(FlushBreed(flushes.LooseOver).build, OVERTAKING),
    "premature-flush": Specimen(FlushBreed(flushes.Premature).build, Bounds(messages=0, moves=2)),
    "partial-notify": Specimen(FlushBreed(flushes.Partial, k=2).build, ONE_MOVE),
    "unmapped": Specimen(FlushBreed(flushes.Unmapped, k=2).build, ONE_MOVE),
    "reallocating": Specimen(FlushBreed(flushes.Reallocating, k=2).build, OVERTAKING),
}

FLOODED: Final = {
    "delivered-only": Specimen(FloodBreed(floods.DeliveredOnly).build, MESSAGES, stations=1),
    "deaf-to-acks": Specimen(FloodBreed(floods.DeafToAcknowledgements).build, MESSAGES, stations=1),
    "deaf-to-deletes": Specimen(FloodBreed(floods.DeafToDeletions).build, MESSAGES, at=(0, 0, 1)),
    "deaf-to-arrivals": Specimen(FloodBreed(floods.DeafToArrivals).build, ONE_MOVE),
    "unmarked": Specimen(FloodBreed(floods.Unmarked).build, MESSAGE, at=(0, 0)),
    "from-one": Specimen(FloodBreed(floods.FromOne).build, MESSAGE, stations=1),
    "at-least": Specimen(FloodBreed(ordering=orderings.AtLeast).build, MULTICAST, hosts=3, stations=3),
    "delaying": Specimen(FloodBreed(floods.Delaying).build, ONE_MOVE),
    "unreported": Specimen(FloodBreed(host=floods.Unreported).build, OVERTAKING),
    "immobile": Specimen(FloodBreed(floods.Immobile).build, ONE_MOVE),
    "rash-delete": Specimen(FloodBreed(floods.Rash).build, Bounds(1, 0, destinations=2), at=(0, 0, 1)),
}

BROKEN: Final = {**PROXIED, **FLUSHED, **FLOODED}

FAR: Final = {
    "unicasting": Specimen(
        FlushBreed(flushes.Unicasting).build,
        ANSWERED,
        stations=3,
        at=(0, 1, 1),
        play=schedules.unicasting,
        sizes=CROWD,
        seeds=3000,
    ),
    "loose-notify": Specimen(
        FlushBreed(flushes.LooseNotify).build,
        ANSWERED,
        at=(0, 1, 1),
        play=schedules.loose_notify,
        sizes=CROWD,
        seeds=3000,
    ),
    "loose-last": Specimen(FlushBreed(flushes.LooseLast).build, OVERTAKING, stations=3, play=schedules.loose_last),
    "unnamed-visit": Specimen(FlushBreed(flushes.Unnamed).build, Bounds(2, 2), play=schedules.unnamed_visit),
    "unasked": Specimen(FloodBreed(floods.Unasked).build, OVERTAKING, at=(0, 1, 1), play=schedules.unasked),
    "undated": Specimen(FloodBreed(host=floods.Undated).build, Bounds(3, 2), at=(0, 1, 0), play=schedules.undated),
}

BEYOND: Final = frozenset({"unnamed-visit", "undated"})
"""Those of `FAR` for which no search has come to its end: there may be a shorter schedule."""

HARMLESS: Final = {
    "unraised-unicast": Specimen(Breed(ordering=orderings.Unraised).build, OVERTAKING, hosts=3),
    "uncounted": Specimen(Breed(host=hosts.Uncounted).build, TWO_MOVES),
    "hasty": Specimen(Breed(host=hosts.Hasty).build, TWO_MOVES),
    "repeating": Specimen(Breed(stations.Repeating).build, OVERTAKING),
    "last-word": Specimen(Breed(directory=stations.LastWord).build, TWO_MOVES, stations=3, location="lazy"),
    "unnamed-acks": Specimen(FloodBreed(floods.Unnamed).build, OVERTAKING, wider=TWO_MOVES),
    "trusting-flood": Specimen(FloodBreed(host=floods.Trusting).build, OVERTAKING, wider=TWO_MOVES),
    "own-last": Specimen(FlushBreed(flushes.OwnExcused).build, ONE_MOVE, wider=OVERTAKING),
    "new-last": Specimen(FlushBreed(flushes.NewExcused).build, ONE_MOVE, wider=OVERTAKING),
    "early": Specimen(FlushBreed(flushes.Early).build, Bounds(messages=0, moves=2), wider=TWO_MOVES),
}

REPEATED: Final = {
    "numbers up, flushed": Specimen(FlushBreed(mixtures.UnnumberedFlush).build, ONE_MOVE),
    "numbers up, flooded": Specimen(FloodBreed(mixtures.UnnumberedFlood).build, ONE_MOVE),
    "numbers down, flushed": Specimen(FlushBreed(host=hosts.Unnumbered).build, ONE_MOVE),
    "numbers that the host trusts, flushed": Specimen(FlushBreed(host=hosts.Trusting).build, ONE_MOVE),
    "numbers that do not migrate, flushed": Specimen(FlushBreed(mixtures.RenumberingFlush).build, OVERTAKING),
    "the same cell, flushed": Specimen(FlushBreed(host=hosts.Homely).build, ONE_MOVE),
    "the same cell, flooded": Specimen(FloodBreed(host=mixtures.HomelyFlood).build, ONE_MOVE),
    "the trail, flushed": Specimen(FlushBreed(mixtures.StrandedFlush, hosts.Forgetful).build, TWO_MOVES),
    "the trail, flooded": Specimen(FloodBreed(mixtures.StrandedFlood, mixtures.ForgetfulFlood).build, TWO_MOVES),
    "visits unheard of, flushed": Specimen(FlushBreed(mixtures.IncuriousFlush).build, TWO_MOVES),
    "visits unheard of, flooded": Specimen(FloodBreed(mixtures.IncuriousFlood).build, TWO_MOVES),
}
"""Rules of the wireless hop that are left out under another placement than the proxy."""
