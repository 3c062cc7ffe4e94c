"""Where the protocols of a sweep cross, as sentences: at which values of the first axis one of them has a higher mean.

A difference counts only if the 95 % interval of the paired difference excludes zero.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from mobilesim.analysis.statistics.estimate import Difference, Estimate, difference
from mobilesim.analysis.summary.formatting import Unit, listing, number
from mobilesim.analysis.summary.metrics import METRICS, Metric
from mobilesim.analysis.summary.model import ProtocolSummary
from mobilesim.analysis.sweeps.axes import Axis, point_text
from mobilesim.analysis.sweeps.metrics import Points, of_protocol, protocol_names

COMPARED: Final = (METRICS["delay"], METRICS["bytes"], METRICS["host.energy"])
"""The metrics of the sentences, the most important first."""

_MORE: Final = {
    "delay": ("is slower than", "is faster than"),
    "bytes": ("has more bytes per delivery than", "has fewer bytes per delivery than"),
    "host.energy": ("uses more energy per delivery than", "uses less energy per delivery than"),
}
"""For each metric, the text for a higher and for a lower mean."""
_MOST: Final = 3
"""The maximum number of protocols that are compared with the first one, for each metric."""
_MOST_CLAUSES: Final = 3
_MOST_NAMED: Final = 6
"""The maximum numbers of clauses on different settings of further axes, and of settings of several keys that are named.
If there are more, points are counted instead.
"""
_LONGEST: Final = 300
"""The maximum length of a sentence. Instead of a longer one, points are counted."""
_SMALL: Final = 0.01
"""The fraction of the mean up to which differences of bytes and of energy are not worth a sentence."""


@dataclass(frozen=True, slots=True)
class _Segment:
    """Adjacent values of the axis at which a difference has one sign; 0: it is not significant."""

    sign: int
    first: int
    last: int
    sizes: tuple[float, ...]
    relative: float
    """The largest difference, relative to the mean of the other protocol."""


Panel = tuple[str, tuple[_Segment, ...]]
"""The other settings of the points, as text, and the segments along the axis."""


def crossings(axis: Axis, keys: Sequence[str], points: Points) -> list[str]:
    """Return sentences on each metric: on the largest differences of other protocols from the first one."""
    first, *others = protocol_names(points)
    if not others:
        return _along(axis, keys, points)
    sentences: list[str] = []
    for metric in COMPARED:
        found = {other: list(_panels(metric, axis, keys, points, (other, first))) for other in others}
        known = {other: panels for other, panels in found.items() if panels}
        sizes = {other: _largest(panels) for other, panels in known.items()}
        ranked = sorted((other for other in known if sizes[other] > _smallest(metric)), key=lambda other: -sizes[other])
        for pair in [(other, first) for other in ranked[:_MOST]]:
            text = _sentence(metric, axis, known[pair[0]], pair)
            sentences.append(text if len(text) <= _LONGEST else point_counts(metric, points, pair) or text)
        if metric is METRICS["delay"] and (alike := [other for other in known if not sizes[other]]):
            names = listing(alike)
            sentences.append(f"The mean delay of {names} is not significantly different from that of {first}.")
    return sentences


def point_counts(metric: Metric, points: Points, names: tuple[str, str]) -> str | None:
    """Return a sentence on the signs of the difference of two protocols at all points; None without a difference."""
    right = {point: metric.value(each) for point, each in of_protocol(points, names[1])}
    values = [(metric.value(each), right[point]) for point, each in of_protocol(points, names[0]) if point in right]
    gaps = [(difference(one, other), other) for one, other in values]
    segments = [each for gap, other in gaps if gap is not None for each in _segments([gap], [other])]
    known = [each for each in segments if each.sign]
    if max((each.relative for each in known), default=0.0) <= _smallest(metric):
        return None
    return _counts((metric, metric.scale.unit(max(each.sizes[0] for each in known))), names, segments)


def _along(axis: Axis, keys: Sequence[str], points: Points) -> list[str]:
    """Return a sentence on each metric of a single protocol: its change from the first to the last value."""
    if axis.numbers is None:
        return []
    width, by_point = len(axis.keys), {point: summary.protocols[0] for point, summary in points}
    sentences = []
    for metric in COMPARED:
        clauses = []
        for rest in dict.fromkeys(point[width:] for point in by_point):
            ends = [by_point.get((*axis.values[place], *rest)) for place in (0, -1)]
            where = f"with {point_text(keys[width:], rest)} " if rest else ""
            clauses += [f"{where}{change}" for change in _changes(metric, axis, ends)]
        name = points[0][1].protocols[0].name
        if len(clauses) > _MOST_NAMED:
            counts = ((sum(verb in clause for clause in clauses), verb) for verb in ("rises", "falls"))
            found = " and ".join(f"{verb} at {count}" for count, verb in counts if count)
            total = len({point[width:] for point in by_point})
            sentences.append(f"The {metric.label} of {name} {found} of {total} settings of the other axes.")
        elif clauses:
            sentences.append(f"The {metric.label} of {name} {'; '.join(clauses)}.")
    return sentences


def _changes(metric: Metric, axis: Axis, ends: Sequence[ProtocolSummary | None]) -> Iterator[str]:
    """Yield the change between two points, if it is significant and not small."""
    first, last = ends
    if first is None or last is None:
        return
    low, high = metric.value(first), metric.value(last)
    gap = difference(high, low)
    if gap is not None and gap.significant and abs(gap.mean) > _SMALL * (low.mean or 0.0):
        start, end = (f"{metric.scale.show(each.mean)} at {axis.quantity}" for each in (low, high))
        yield f"{'rises' if gap.mean > 0 else 'falls'} from {start} {axis.text(0)} to {end} {axis.text(-1)}"


def _smallest(metric: Metric) -> float:
    return 0.0 if metric is METRICS["delay"] else _SMALL


def _largest(panels: Sequence[Panel]) -> float:
    """Return the largest significant difference, relative to the mean of the first protocol; 0 if there is none."""
    return max((each.relative for _, segments in panels for each in segments if each.sign), default=0.0)


def _sentence(metric: Metric, axis: Axis, panels: Sequence[Panel], names: tuple[str, str]) -> str:
    """Return the sentence on a pair of protocols. Panels with the same crossings are described together."""
    sizes = [size for _, segments in panels for each in segments if each.sign for size in each.sizes]
    unit = metric.scale.unit(max(sizes))
    by_shape: dict[tuple[tuple[int, int, int], ...], list[Panel]] = {}
    for panel in panels:
        by_shape.setdefault(tuple((each.sign, each.first, each.last) for each in panel[1]), []).append(panel)
    named = [label for label, _ in panels if "," in label] if len(by_shape) > 1 else []
    if len(by_shape) > _MOST_CLAUSES or len(named) > _MOST_NAMED:
        return _counts((metric, unit), names, [each for _, segments in panels for each in segments])
    clauses = []
    for several in by_shape.values():
        where = f"with {_common([label for label, _ in several])}, " if len(by_shape) > 1 else ""
        clauses.append(where + _clause((metric, unit), axis, names, [segments for _, segments in several]))
    text = "; ".join(clauses)
    return f"{text.replace('with ', 'With ', 1) if len(by_shape) > 1 else text}."


def _counts(measure: tuple[Metric, Unit], names: tuple[str, str], segments: Sequence[_Segment]) -> str:
    """Return the sentence on many panels: at how many points the difference has which sign."""
    (metric, unit), (left, right) = measure, names
    total = sum(len(each.sizes) for each in segments)
    clauses = []
    for sign, verb in zip((1, -1), _MORE[metric.name], strict=True):
        if sizes := [size for each in segments if each.sign == sign for size in each.sizes]:
            clauses.append(f"{verb} {right} at {len(sizes)} of {total} points, by {_amount(unit, sizes)}")
    unclear = sum(len(each.sizes) for each in segments if not each.sign)
    rest = f"; the difference is not significant at {unclear}" if unclear else ""
    return f"{left} {' and '.join(clauses)}{rest}."


def _common(labels: Sequence[str]) -> str:
    """Return several settings, with a common key only once: `hosts 10 and 20`."""
    heads = {label.rpartition(" ")[0] for label in labels}
    if len(heads) == 1 and "" not in heads and not any("," in label for label in labels):
        return f"{heads.pop()} {listing([label.rpartition(' ')[2] for label in labels])}"
    return listing(labels)


def _clause(
    measure: tuple[Metric, Unit], axis: Axis, names: tuple[str, str], panels: Sequence[tuple[_Segment, ...]]
) -> str:
    """Return the description of panels with segments of equal signs and ends."""
    (metric, unit), (left, right) = measure, names
    texts: list[str] = []
    for place, segment in enumerate(panels[0]):
        where = _where(axis, segment)
        if segment.sign:
            sizes = [size for segments in panels for size in segments[place].sizes]
            verb = _MORE[metric.name][segment.sign < 0]
            texts.append(f"{left} {verb} {right} {where}, by {_amount(unit, sizes)}")
        else:
            alike = f"the {metric.label} of {left} and of {right} is not significantly different"
            texts.append(f"{'the difference is not significant' if texts else alike} {where}")
    return ", and ".join(texts)


def _amount(unit: Unit, sizes: Sequence[float]) -> str:
    low, high = (number(size / unit.size) for size in (min(sizes), max(sizes)))
    return f"{high} {unit.name}" if low == high else f"{low} to {high} {unit.name}"


def _where(axis: Axis, segment: _Segment) -> str:
    """Return the values of the axis in words. The ends are measured values: the crossing is between two of them."""
    last = len(axis.values) - 1
    name = axis.quantity
    if (segment.first, segment.last) == (0, last):
        return "at every point" if last else f"at {name} {axis.text(0)}"
    if segment.first == segment.last or axis.numbers is None:
        values = listing([axis.text(index) for index in range(segment.first, segment.last + 1)])
        return f"at {name} {values}"
    if segment.first == 0:
        return f"up to {name} {axis.text(segment.last)}"
    if segment.last == last:
        return f"from {name} {axis.text(segment.first)}"
    return f"from {name} {axis.text(segment.first)} to {axis.text(segment.last)}"


def _panels(metric: Metric, axis: Axis, keys: Sequence[str], points: Points, names: tuple[str, str]) -> Iterator[Panel]:
    """Yield the segments along the axis for each combination of the other settings, if all points have intervals."""
    width = len(axis.keys)
    left, right = ({point: metric.value(each) for point, each in of_protocol(points, name)} for name in names)
    empty = Estimate(metric.name)
    for rest in dict.fromkeys(point[width:] for point, _ in points):
        at = [(*value, *rest) for value in axis.values]
        gaps = [difference(left.get(point, empty), right.get(point, empty)) for point in at]
        known = [gap for gap in gaps if gap is not None and gap.low is not None]
        if len(known) == len(at):
            yield point_text(keys[width:], rest) if rest else "", _segments(known, [right[point] for point in at])


def _segments(gaps: Sequence[Difference], compared: Sequence[Estimate]) -> tuple[_Segment, ...]:
    signs = [gap.above_zero - gap.below_zero for gap in gaps]
    segments = []
    for sign, group in groupby(range(len(gaps)), key=signs.__getitem__):
        places = list(group)
        sizes = tuple(abs(gaps[place].mean) for place in places)
        relative = max(abs(gaps[place].mean) / (compared[place].mean or 1.0) for place in places)
        segments.append(_Segment(sign, places[0], places[-1], sizes, relative))
    return tuple(segments)
