"""Summary statistics of a track."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import hypot, inf

from mobilesim.tracks.position import Position


@dataclass(slots=True)
class TrackStatistics:
    positions: int = 0
    first: int = -1
    last: int = 0
    left: float = inf
    right: float = -inf
    low: float = inf
    high: float = -inf
    absences: int = 0
    jumps: int = 0
    fastest: float = 0.0
    fastest_at: Position | None = None
    absent_nodes: set[str] = field(default_factory=set)
    """The nodes that are absent at least once between their first and their last position."""
    _begun: dict[str, int] = field(default_factory=dict)
    _latest: dict[str, Position] = field(default_factory=dict)

    def counted(self, positions: Iterable[Position]) -> Iterator[Position]:
        for position in positions:
            self._count(position)
            yield position

    def _count(self, position: Position) -> None:
        self.positions += 1
        self.first = position.time if self.first < 0 else min(self.first, position.time)
        self.last = max(self.last, position.time)
        self.left, self.right = min(self.left, position.x), max(self.right, position.x)
        self.low, self.high = min(self.low, position.y), max(self.high, position.y)
        before = self._latest.get(position.node)
        self._latest[position.node] = position
        if before is None:
            self._begun[position.node] = position.time
        elif before.here and position.time > before.time:
            speed = hypot(position.x - before.x, position.y - before.y) / (position.time - before.time) * 1e9
            if speed > self.fastest:
                self.fastest, self.fastest_at = speed, before
        elif before.here:
            return
        elif position.time == before.time:
            self.jumps += 1
        else:
            self.absences += 1
            self.absent_nodes.add(position.node)

    @property
    def nodes(self) -> int:
        return len(self._begun)

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.high - self.low

    @property
    def late(self) -> int:
        """The number of nodes that appear after time `first`."""
        return sum(time > self.first for time in self._begun.values())

    @property
    def gone(self) -> int:
        """The number of nodes that are absent from their last position on."""
        return sum(not position.here for position in self._latest.values())
