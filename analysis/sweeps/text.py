"""The text of a sweep: a table for each metric with protocols as columns; for variants, a table for each variant."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from analysis.statistics.estimate import Estimate, difference
from analysis.summary.formatting import NONE, Unit
from analysis.summary.metrics import METRICS, Metric
from analysis.summary.model import Correctness, ProtocolSummary, Summary
from analysis.summary.verdict_text import verdict
from analysis.sweeps.axes import Settings
from analysis.sweeps.metrics import bytes_by_purpose, of_protocol, present, protocol_names, purposes, without_unit
from analysis.sweeps.ranking import dominated_by
from analysis.sweeps.reader import Failure
from analysis.sweeps.variants import HEAD, NUMBERS
from mobilesim.results.layout import VARIANT
from mobilesim.results.statuses import RunStatus, RunVerdict

if TYPE_CHECKING:
    from analysis.sweeps.model import SweepSummary

TextTable: TypeAlias = Callable[[Sequence[Sequence[str]], Sequence[int]], list[str]]
"""Returns the indented lines of a table of cells; columns of these indices are numbers, aligned to the right."""

_INDENT: Final = "  "
_MAX_LINES: Final = 5


def lines(summary: "SweepSummary", table: TextTable) -> Iterator[str]:
    runs = f"{summary.runs:,} runs at {len(summary.points):,} points"
    based = f"± is half of a 95 % confidence interval, by Student's t over {source(summary.protocols)}"
    if VARIANT in summary.keys:
        yield f"{runs}; base and variants use the same random numbers in a replication"
        yield f"{based}; [,] one of paired differences"
        yield from _variants(summary, table)
    else:
        yield f"{runs}, {len(protocol_names(summary.points))} protocols"
        yield based
        yield from _tables(summary, table)
    yield ""
    yield from verdicts(summary)
    yield from crashes(summary)


def _variants(summary: "SweepSummary", table: TextTable) -> Iterator[str]:
    """Yield a table of differences for each comparison, and the first divergence of its runs."""
    if not summary.comparisons:
        yield "there is no variant to compare with the base: none is complete, or --quick makes them equal"
    for comparison in summary.comparisons:
        yield from ("", comparison.title, *table([HEAD, *comparison.rows()], NUMBERS))
        yield from (f"{_INDENT}{line}" for line in comparison.divergence_lines(summary.divergences))


def _tables(summary: "SweepSummary", table: TextTable) -> Iterator[str]:
    """Yield tables of all points. The axes are one column, which is repeated when a table is folded."""
    points = _columns([summary.keys, *(point for point, _ in summary.points)])
    names = protocol_names(summary.points)

    def titled(title: str, first: Sequence[str], rows: Sequence[Sequence[str]], *, words: bool = False) -> list[str]:
        numbers = () if words else range(1, len(rows[0]) + 1)
        return ["", title, *table([[label, *row] for label, row in zip(first, rows, strict=True)], numbers)]

    for metric in present(summary.protocols):
        unit = metric.unit(summary.protocols)
        values = [_values(at_point, names, metric) for _, at_point in summary.points]
        rows = [[without_unit(estimate, unit) for estimate in several] for several in values]
        yield from titled(metric.heading(unit), points, [names, *rows])
    if len(names) > 1:
        metric = METRICS["delay"]
        unit = metric.unit(summary.protocols)
        values = [_values(at_point, names, metric) for _, at_point in summary.points]
        rows = [[_difference(one, first, unit) for one in others] for first, *others in values]
        title = f"{metric.heading(unit)}: paired difference from {names[0]}"
        yield from titled(title, points, [names[1:], *rows])
    if wanted := purposes(summary.protocols):
        unit = METRICS["bytes"].unit(summary.protocols)
        rows = [bytes_by_purpose(protocol, wanted, unit) for protocol in summary.protocols]
        each = [(*point, protocol.name) for point, at_point in summary.points for protocol in at_point.protocols]
        labels = _columns([(*summary.keys, "protocol"), *each])
        yield from titled(f"bytes per delivery, by purpose ({unit.name})", labels, [wanted, *rows])
    dominated = [[_dominated(at_point)] for _, at_point in summary.points]
    if any(cell != NONE for (cell,) in dominated):
        yield from titled("dominated in header and inhibition", points, [[""], *dominated], words=True)


def _values(summary: Summary, names: Sequence[str], metric: Metric) -> list[Estimate]:
    """Return the estimates of protocols; an empty one if a protocol is missing at the point."""
    found = {protocol.name: metric.value(protocol) for protocol in summary.protocols}
    return [found.get(name, Estimate(metric.name)) for name in names]


def _difference(one: Estimate, first: Estimate, unit: Unit) -> str:
    gap = difference(one, first)
    if gap is None:
        return NONE
    mean = without_unit(Estimate("", gap.pairs, gap.mean, gap.low, gap.high), unit)
    return f"+{mean}" if gap.mean > 0 else mean


def _dominated(summary: Summary) -> str:
    """Return which causal protocols are dominated in header and inhibition."""
    by = dominated_by(summary.protocols)
    return "; ".join(f"{name} by {', '.join(others)}" for name, others in by.items() if others) or NONE


def _columns(rows: Sequence[Settings]) -> list[str]:
    """Return one text for each row: its cells, aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]


def source(protocols: Sequence[ProtocolSummary]) -> str:
    sources = {protocol["delay"].interval_from for protocol in protocols}
    return f"replications{', or batches of deliveries where there is one run' if 'batches' in sources else ''}"


def findings(summary: "SweepSummary", name: str) -> tuple[str, list[str]]:
    """Return the counts of a protocol's correctness over points, and a text for each point where it is incorrect."""
    own = of_protocol(summary.points, name)
    counts = {finding: sum(protocol.correctness is finding for _, protocol in own) for finding in Correctness}
    text = "; ".join(f"{kind} at {_points(count, len(own))}" for kind, count in counts.items() if count)
    return text, [
        f"at {point_text(summary.keys, point)}: {_fault(point, protocol, summary.failures)}"
        for point, protocol in own
        if protocol.correctness is Correctness.INCORRECT
    ]


def _fault(point: Settings, protocol: ProtocolSummary, failures: Sequence[Failure]) -> str:
    """Return the verdict on an incorrect protocol, and the first run that shows it."""
    wanted = (RunVerdict.FAULT, point, protocol.name)
    own = [each for each in failures if (each.kind, each.point, each.protocol) == wanted]
    return f"{verdict(protocol)} {'; '.join(map(_failure_text, own[:1]))}".rstrip()


def verdicts(summary: "SweepSummary") -> Iterator[str]:
    for name in protocol_names(summary.points):
        text, faults = findings(summary, name)
        yield f"verdict: {name}: {text}"
        yield from _limited([f"FAULT: {name} {line}" for line in faults])
    yield from overloads(summary)
    yield f"check: {check(summary)}"


def overloads(summary: "SweepSummary") -> Iterator[str]:
    """Yield the number of overloaded runs of each protocol, and the first overloaded link or station."""
    for name in protocol_names(summary.points):
        own = of_protocol(summary.points, name)
        overloaded = [(point, protocol.overloads[0]) for point, protocol in own if protocol.overloads]
        if overloaded:
            point, first = overloaded[0]
            count, runs = sum(len(protocol.overloads) for _, protocol in own), sum(protocol.runs for _, protocol in own)
            where = f"; at {point_text(summary.keys, point)}" if summary.keys else ""
            yield f"overload: {name}, in {count:,} of its {runs:,} runs{where}: {first}"


def crashes(summary: "SweepSummary") -> list[str]:
    several = [failure for failure in summary.failures if failure.kind == RunStatus.FAILED]
    return _limited(
        [
            f"failed: {each.protocol} at {point_text(summary.keys, each.point)}: {_failure_text(each)}"
            for each in several
        ]
    )


def _failure_text(failure: Failure) -> str:
    where = f"replication {failure.replication}, run '{failure.run}', seed {failure.seed}"
    return f"{where}: {failure.error}" if failure.error else where


def point_text(keys: Sequence[str], point: Settings) -> str:
    return ", ".join(f"{key} {value}" for key, value in zip(keys, point, strict=True)) or "the only point"


def _points(count: int, total: int) -> str:
    points = "point" if total == 1 else "points"
    return f"all {total} {points}" if count == total > 1 else f"{count} of {total} {points}"


def _limited(several: list[str]) -> list[str]:
    """Return the first lines, and the number of the others."""
    more = len(several) - _MAX_LINES
    return several if more <= 0 else [*several[:_MAX_LINES], f"{_INDENT}and {more:,} more: see summary/"]


def check(summary: "SweepSummary") -> str:
    checks = [at_point.check for _, at_point in summary.points]
    rows, faults = sum(check.rows for check in checks), sum(check.faults for check in checks)
    if not faults:
        return f"the parts of the delay add up in all {rows:,} deliveries"
    example = next(check.example for check in checks if check.example)
    return f"in {faults:,} of {rows:,} deliveries the parts do not add up; first: {example}"
