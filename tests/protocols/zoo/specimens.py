"""The zoo: what the papers print read literally, and the rules of the hand-off left out one by one.

Every specimen of `BROKEN` must be caught by the explorer and by random schedules. Those of `HARMLESS` are deviations
which we expected to break something, and which do not.
"""

from typing import Final

from mobilesim.explore import Build, homes_of
from mobilesim.schedule import Scope
from protocols.catalogue import ROWS, Setting
from protocols.values import value
from tests.protocols.zoo import hosts, orderings, stations
from tests.protocols.zoo.breed import Breed


@value
class Specimen:
    """A broken protocol, and the smallest configuration in which it shows."""

    build: Build
    scope: Scope
    hosts: int = 2
    stations: int = 2
    location: str = "oracle"

    @property
    def homes(self) -> tuple[int, ...]:
        return homes_of(self.stations, self.hosts)

    @property
    def options(self) -> dict[str, Setting]:
        return {"location": self.location}


ONE_MOVE: Final = Scope(messages=1, moves=1)
TWO_MOVES: Final = Scope(messages=1, moves=2)
MULTICAST: Final = Scope(messages=2, moves=0, destinations=2)

BROKEN: Final = {
    "unordered": Specimen(ROWS["unordered"].build, Scope(messages=2, moves=0)),
    "fifo": Specimen(ROWS["fifo"].build, Scope(messages=3, moves=0), hosts=3),
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
    "renumbering": Specimen(Breed(stations.Renumbering).build, Scope(messages=2, moves=1)),
    "homely": Specimen(Breed(host=hosts.Homely).build, ONE_MOVE),
    "single-record": Specimen(Breed(stations.SingleRecord).build, TWO_MOVES),
    "premature": Specimen(Breed(stations.Premature).build, TWO_MOVES),
}

HARMLESS: Final = {
    "unraised-unicast": Specimen(Breed(ordering=orderings.Unraised).build, Scope(messages=2, moves=1), hosts=3),
    "uncounted": Specimen(Breed(host=hosts.Uncounted).build, TWO_MOVES),
    "hasty": Specimen(Breed(host=hosts.Hasty).build, TWO_MOVES),
    "repeating": Specimen(Breed(stations.Repeating).build, Scope(messages=2, moves=1)),
    "last-word": Specimen(Breed(directory=stations.LastWord).build, TWO_MOVES, stations=3, location="lazy"),
}
