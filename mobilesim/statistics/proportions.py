"""Counts as shares of a total, with 95% confidence intervals by Wilson (1927), compared with a promised rate."""

from dataclasses import dataclass
from math import sqrt
from typing import Final

from mobilesim.errors import counted

_Z: Final = 1.959963984540054
"""The two-sided quantile of the normal distribution for 95%."""


@dataclass(frozen=True, slots=True)
class Proportion:
    count: int
    total: int

    @property
    def rate(self) -> float:
        return self.count / self.total if self.total else 0.0

    @property
    def low(self) -> float:
        return max(0.0, self._middle - self._half) if self.count else 0.0

    @property
    def high(self) -> float:
        return min(1.0, self._middle + self._half) if self.count < self.total else 1.0

    @property
    def _middle(self) -> float:
        return (self.count + _Z * _Z / 2) / (self.total + _Z * _Z)

    @property
    def _half(self) -> float:
        spread = self.count * (self.total - self.count) / self.total if self.total else 0.0
        return _Z * sqrt(spread + _Z * _Z / 4) / (self.total + _Z * _Z)

    def exceeds(self, promised: float) -> bool:
        """Return whether the rate is significantly above the promised rate: its whole interval is."""
        return self.low > promised

    def compared(self, promised: float) -> str:
        """Return the count of causal violations, their rate and its interval, and the promised rate, as text."""
        interval = f"{self.rate:.3%}, 95% interval {self.low:.3%} to {self.high:.3%}"
        found = f"{counted(self.count, 'causal violation')} of {counted(self.total, 'delivery')}"
        return f"{found} ({interval}), at most {promised:.3%} promised"
