"""Variants against the base: what differs between runs that met the same random numbers, and where they part."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, TypeAlias

from analysis.statistics.estimate import Estimate
from analysis.statistics.paired_differences import Difference, difference, paired
from analysis.summary.formatting import NONE, Unit, between, number, signed
from analysis.summary.model import Protocol
from analysis.sweeps.axes import Settings
from analysis.sweeps.divergence import Parted
from analysis.sweeps.metrics import POSSIBLE, Points, Shown, bare
from analysis.sweeps.pairwise import counterparts
from mobilesim.results.layout import BASE, VARIANT

Place: TypeAlias = tuple[Settings, str, str]
"""A variant's point, its protocol, and that of the base."""

Partings: TypeAlias = Mapping[Place, Parted]

HEAD: Final = ("", "base", "variant", "difference, with its 95 % interval", "relative")
NUMBERS: Final = (1, 2, 4)

_MUCH: Final = 1.0
"""From twice as much on, a factor is easier to read than a percentage."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A protocol of a variant, and the one of the base that it is compared with. `rest`: what is varied besides."""

    keys: tuple[str, ...]
    point: Settings
    left: Protocol
    right: Protocol

    @property
    def variant(self) -> str:
        return self.point[self.keys.index(VARIANT)]

    @property
    def rest(self) -> str:
        several = zip(self.keys, self.point, strict=True)
        return ", ".join(f"{key} {value}" for key, value in several if key != VARIANT)

    @property
    def place(self) -> Place:
        return self.point, self.left.name, self.right.name

    @property
    def names(self) -> tuple[str, str]:
        """Of both sides, the variant's first."""
        if self.left.name == self.right.name:
            return self.variant, BASE
        return f"{self.variant}, {self.left.name}", f"{BASE}, {self.right.name}"

    @property
    def title(self) -> str:
        left, right = self.names
        same = f", {self.left.name}" if self.left.name == self.right.name else ""
        return f"'{left}' against '{right}'{same}{f', at {self.rest}' if self.rest else ''}"

    def rows(self, several: Iterable[Shown] = POSSIBLE) -> Iterator[list[str]]:
        """In a unit that leaves digits of the smaller one. Nothing on both sides is an answer, too."""
        for shown in several:
            left, right = shown.of(self.left), shown.of(self.right)
            gap = difference(left, right)
            if gap is not None and (left.mean or right.mean or not shown.of_air):
                unit = shown.unit_of(min((mean for mean in (left.mean, right.mean) if mean), default=0.0))
                means = bare(right, unit), bare(left, unit)
                yield [shown.titled(unit), *means, told(gap, unit), _relative(gap, left, right)]

    def parted(self, found: Parted) -> list[str]:
        """The first event, and how often there is one."""
        first = found.first
        if first is None:
            where = f" in all {len(found.of)} replications" if len(found.of) > 1 else ""
            return [f"the histories are one and the same{where}, event by event, in what the tables have"]
        told = f"the histories part in replication {first.replication}: {first.told(*self.names)}"
        return [told] if found.often is None else [told, found.often]


def comparisons(keys: Sequence[str], points: Points) -> Iterator[Comparison]:
    """Every variant with the base, where all else is the same."""
    if VARIANT not in keys:
        return
    place, found = list(keys).index(VARIANT), dict(points)
    for point, summary in points:
        base = found.get((*point[:place], BASE, *point[place + 1 :]))
        if point[place] != BASE and base is not None:
            for left, right in counterparts(summary.protocols, base.protocols):
                yield Comparison(tuple(keys), point, left, right)


def told(gap: Difference, unit: Unit) -> str:
    """An interval that holds zero cannot be told from no difference, whatever its middle is."""
    if gap.low is None or gap.high is None:
        return f"{signed(gap.mean / unit.size)}, of one pair of runs"
    if gap.low == gap.high == 0:
        return "none in any pair of runs"
    ends = between(gap.mean / unit.size, gap.low / unit.size, gap.high / unit.size)
    return ends if gap.clear else f"{ends}, not distinguishable"


def _relative(gap: Difference, variant: Estimate, base: Estimate) -> str:
    """To the base in the replications that both have, as the difference is."""
    mean = fmean(other for _, other in paired(variant, base))
    if not mean or not gap.clear:
        return NONE
    part = gap.mean / mean
    return f"x {number(1 + part)}" if part >= _MUCH else f"{signed(100 * part)} %"
