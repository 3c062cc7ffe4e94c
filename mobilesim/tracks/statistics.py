"""What a file of movement says, in a few numbers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import hypot, inf

from mobilesim.tracks.position import Fix

_SECOND = 1e9


@dataclass(slots=True)
class Digest:
    fixes: int = 0
    first: int = -1
    last: int = 0
    left: float = inf
    right: float = -inf
    low: float = inf
    high: float = -inf
    absences: int = 0
    jumps: int = 0
    fastest: float = 0.0
    fastest_at: Fix | None = None
    wanderers: set[str] = field(default_factory=set)
    """Who is absent at least once between its first fix and its last."""
    _begun: dict[str, int] = field(default_factory=dict)
    _latest: dict[str, Fix] = field(default_factory=dict)

    def of(self, fixes: Iterable[Fix]) -> Iterator[Fix]:
        """The fixes as they are, once they have been looked at."""
        for fix in fixes:
            self._count(fix)
            yield fix

    def _count(self, fix: Fix) -> None:
        self.fixes += 1
        self.first = fix.time if self.first < 0 else min(self.first, fix.time)
        self.last = max(self.last, fix.time)
        self.left, self.right = min(self.left, fix.x), max(self.right, fix.x)
        self.low, self.high = min(self.low, fix.y), max(self.high, fix.y)
        before = self._latest.get(fix.node)
        self._latest[fix.node] = fix
        if before is None:
            self._begun[fix.node] = fix.time
        elif before.here:
            self._went(before, fix)
        elif fix.time == before.time:
            self.jumps += 1
        else:
            self.absences += 1
            self.wanderers.add(fix.node)

    def _went(self, before: Fix, fix: Fix) -> None:
        if fix.time > before.time:
            speed = hypot(fix.x - before.x, fix.y - before.y) / (fix.time - before.time) * _SECOND
            if speed > self.fastest:
                self.fastest, self.fastest_at = speed, before

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
        """How many come after the first one."""
        return sum(time > self.first for time in self._begun.values())

    @property
    def gone(self) -> int:
        """How many are absent from their last fix on."""
        return sum(not fix.here for fix in self._latest.values())
