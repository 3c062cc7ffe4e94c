"""Where a noisy difference crosses zero along an axis: brackets of the crossings, and the next point to measure."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

Signs = Mapping[Fraction, int]
"""The sign of the difference at each measured point: 1, -1, or 0 if it is not significant."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """Two points at which the difference has opposite signs. `inner`: the points between, at which it has none.

    `sign`: the sign at the lower point.
    """

    low: Fraction
    high: Fraction
    sign: int
    inner: tuple[Fraction, ...] = ()

    @property
    def gaps(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The spans in which a new point may narrow the bracket: with inner points, those at both of its ends."""
        if not self.inner:
            return ((self.low, self.high),)
        return (self.low, self.inner[0]), (self.inner[-1], self.high)


def brackets(signs: Signs) -> list[Bracket]:
    """Return the brackets of all crossings, in order."""
    decided = [at for at in sorted(signs) if signs[at]]
    return [
        Bracket(low, high, signs[low], tuple(at for at in sorted(signs) if low < at < high))
        for low, high in pairwise(decided)
        if signs[low] != signs[high]
    ]


def next_point(
    signs: Signs, width: Fraction, middle: Callable[[Fraction, Fraction], Fraction | None]
) -> Fraction | None:
    """Return the middle of the widest gap that is wider than `width`; None if there is no such gap.

    `middle`: returns the middle of two points, or None if there is no value between them. A point at which the
    difference is not significant is never bisected again, but only the gaps beside it. So the search ends.
    """
    gaps = [gap for bracket in brackets(signs) for gap in bracket.gaps if gap[1] - gap[0] > width]
    for low, high in sorted(gaps, key=lambda gap: gap[0] - gap[1]):
        found = middle(low, high)
        if found is not None and low < found < high:
            return found
    return None


def interpolated(differences: Mapping[Fraction, float], bracket: Bracket) -> float:
    """Return the estimated crossing: where the line through the two means with the first change of sign is zero."""
    at = [bracket.low, *bracket.inner, bracket.high]
    low, high = next(_changes(differences, at, bracket.sign))
    one, other = differences[low], differences[high]
    return float(low) + float(high - low) * (one / (one - other))


def _changes(
    differences: Mapping[Fraction, float], at: list[Fraction], sign: int
) -> Iterator[tuple[Fraction, Fraction]]:
    return ((low, high) for low, high in pairwise(at) if sign * differences[low] > 0 >= sign * differences[high])
