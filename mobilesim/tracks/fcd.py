"""SUMO's FCD output: time steps with the vehicles, persons and containers that are there.

What a time step does not name has gone, and comes back when one names it again.
"""

import re
from collections.abc import Iterator
from typing import Final

from mobilesim.tracks.fix import Fix
from mobilesim.tracks.markup import Markup, attribute
from mobilesim.tracks.numerals import Unreadable, as_seconds, quoted, seconds
from mobilesim.tracks.projection import Plane, Projection, Zero
from mobilesim.tracks.source import Source

_MOVERS: Final = frozenset({"vehicle", "person", "container"})
# SUMO writes its settings into a comment at the top.
_GEO: Final = re.compile(r"fcd-output\.geo\s+value=\"(?:true|1|on|yes|x|t)\"", re.IGNORECASE)
_ATTRIBUTES: Final = "have SUMO write it (--fcd-output.attributes x,y among others)"


def read(source: Source, zero: Zero, *, geo: bool = False) -> Iterator[Fix]:
    """With `geo`, x and y are longitude and latitude, whether or not the file says so."""
    return _Fcd(source, zero, geo=geo).read()


class _Mover:
    __slots__ = ("name", "seen", "x", "y")

    def __init__(self, name: str) -> None:
        self.name = name
        self.seen = -1
        self.x = self.y = 0.0


class _Fcd(Markup[Fix]):
    root = "fcd-export"

    def __init__(self, source: Source, zero: Zero, *, geo: bool) -> None:
        super().__init__(source)
        self._places: Plane | Projection = Projection(zero) if geo else Plane(zero)
        self._zero = zero
        self._time = -1
        self._step = 0
        self._inside = False
        self._movers: dict[tuple[str, str], _Mover] = {}
        self._names: set[str] = set()
        self._there: dict[str, _Mover] = {}
        self._seen = 0

    def comment(self, text: str) -> None:
        if _GEO.search(text):
            self._places = Projection(self._zero)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _MOVERS:
            self._move(tag, attributes)
        elif tag == "timestep":
            self._begin(seconds(attribute(attributes, "time", tag)))

    def end(self, tag: str) -> None:
        if tag == "timestep":
            self._inside = False
            if self._seen < len(self._there):
                self._gone(self._time, self._time)

    def _begin(self, time: int) -> None:
        """SUMO may leave out empty time steps; a longer gap than between others is one where nobody was there."""
        if self._inside:
            raise Unreadable("a <timestep> within another one")
        if time <= self._time:
            raise Unreadable(f"the time step {as_seconds(time)} s comes after {as_seconds(self._time)} s")
        gap = time - self._time if self._time >= 0 else 0
        if 0 < self._step < gap - self._step // 2:
            self._gone(time, self._time + self._step)
        if gap:
            self._step = min(self._step or gap, gap)
        self._time, self._inside, self._seen = time, True, 0

    def _gone(self, now: int, since: int) -> None:
        """They stood where they were seen last until the first time step without them."""
        for name in [name for name, mover in self._there.items() if mover.seen < now]:
            mover = self._there.pop(name)
            self.found.append(Fix(name, since, mover.x, mover.y, False))

    def _move(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._inside:
            raise Unreadable(f"a <{tag}> outside of any <timestep>")
        known = attribute(attributes, "id", tag)
        mover = self._movers.get((tag, known)) or self._new(tag, known)
        if mover.seen == self._time:
            raise Unreadable(f"the {tag} {quoted(known)} is twice in one time step")
        x, y = (self._coordinate(attributes, name, tag) for name in "xy")
        mover.x, mover.y = self._places.place(x, y)
        mover.seen = self._time
        self._seen += 1
        self._there[mover.name] = mover
        self.found.append(Fix(mover.name, self._time, mover.x, mover.y, True))

    def _new(self, tag: str, known: str) -> _Mover:
        """A person may have the id of a vehicle: whoever comes second is told apart by what it is."""
        name = known if known not in self._names else f"{tag}:{known}"
        while name in self._names:
            name += "_"
        self._names.add(name)
        mover = self._movers[tag, known] = _Mover(name)
        return mover

    @staticmethod
    def _coordinate(attributes: dict[str, str], name: str, tag: str) -> str:
        text = attributes.get(name)
        if text is None:
            raise Unreadable(f"this <{tag}> has no {name}; {_ATTRIBUTES}")
        return text
