"""The text of a sweep: a table for each metric, with protocols as columns. With variants: a table for each variant."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from mobilesim.analysis.statistics.estimate import Estimate, difference
from mobilesim.analysis.summary.formatting import NONE, TIME, Unit, intervals
from mobilesim.analysis.summary.metrics import METRICS, TRANSIENT_METRICS, Metric
from mobilesim.analysis.summary.model import Correctness, ProtocolSummary, Summary
from mobilesim.analysis.summary.verdict_text import claim_lines, free_lines, verdict, without_deliveries
from mobilesim.analysis.sweeps.axes import Settings, point_text
from mobilesim.analysis.sweeps.designs import overview
from mobilesim.analysis.sweeps.metrics import (
    bytes_by_purpose,
    nonzero_metrics,
    of_protocol,
    protocol_names,
    used_purposes,
    without_unit,
)
from mobilesim.analysis.sweeps.ranking import dominated_by
from mobilesim.analysis.sweeps.reader import Failure
from mobilesim.analysis.sweeps.variants import HEAD, NUMERIC_COLUMNS
from mobilesim.errors import counted
from mobilesim.results.layout import VARIANT
from mobilesim.results.statuses import RunStatus, RunVerdict

if TYPE_CHECKING:
    from mobilesim.analysis.sweeps.model import SweepSummary

TextTable: TypeAlias = Callable[[Sequence[Sequence[str]], Sequence[int]], list[str]]
"""A function from rows of cells, and the indices of numeric columns, to the indented lines of a table."""

_INDENT: Final = "  "
_MAX_LINES: Final = 5


def lines(summary: "SweepSummary", table: TextTable) -> Iterator[str]:
    runs = f"{counted(summary.runs, 'run')} at {counted(len(summary.points), 'point')}"
    based = intervals(max(each.experiment.replications for _, each in summary.points))
    if VARIANT in summary.keys:
        yield f"{runs}; in a replication, base and variants use the same random numbers"
        yield f"{based}; [low, high] is the interval of a paired difference"
        yield from _variants(summary, table)
    else:
        yield f"{runs}, {counted(len(protocol_names(summary.points)), 'protocol')}"
        yield based
        yield from overview.lines(summary, table) if summary.is_sampled else _tables(summary, table)
    yield ""
    yield from (f"result: {sentence}" for sentence in summary.results)
    yield from verdicts(summary)
    yield from crashes(summary)


def _variants(summary: "SweepSummary", table: TextTable) -> Iterator[str]:
    """Yield a table of differences for each comparison, and the first divergence of its runs."""
    if not summary.comparisons:
        yield "no variant is compared with the base: none is complete, or --quick makes them equal"
    for comparison in summary.comparisons:
        yield from ("", comparison.title, *table([HEAD, *comparison.rows()], NUMERIC_COLUMNS))
        yield from (f"{_INDENT}{line}" for line in comparison.divergence_lines(summary.divergences))


def _tables(summary: "SweepSummary", table: TextTable) -> Iterator[str]:
    """Yield tables of all points. The settings of a point are one column. Each part of a split table begins with it."""
    points = _columns([summary.keys, *(point for point, _ in summary.points)])
    names = protocol_names(summary.points)

    def titled(title: str, first: Sequence[str], rows: Sequence[Sequence[str]], *, words: bool = False) -> list[str]:
        numbers = () if words else range(1, len(rows[0]) + 1)
        return ["", title, *table([[label, *row] for label, row in zip(first, rows, strict=True)], numbers)]

    for metric in nonzero_metrics(summary.protocols):
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
    if purposes := used_purposes(summary.protocols):
        unit = METRICS["bytes"].unit(summary.protocols)
        rows = [bytes_by_purpose(protocol, purposes, unit) for protocol in summary.protocols]
        keys = [(*point, protocol.name) for point, at_point in summary.points for protocol in at_point.protocols]
        labels = _columns([(*summary.keys, "protocol"), *keys])
        yield from titled(f"bytes per delivery, by purpose ({unit.name})", labels, [purposes, *rows])
    dominated = [[_dominated(at_point)] for _, at_point in summary.points]
    if any(cell != NONE for (cell,) in dominated):
        yield from titled("dominated in header and inhibition", points, [[""], *dominated], words=True)


def _values(summary: Summary, names: Sequence[str], metric: Metric) -> list[Estimate]:
    """Return the estimates of protocols. The estimate of a protocol that is missing at the point is empty."""
    estimates = {protocol.name: metric.value(protocol) for protocol in summary.protocols}
    return [estimates.get(name, Estimate(metric.name)) for name in names]


def _difference(one: Estimate, first: Estimate, unit: Unit) -> str:
    gap = difference(one, first)
    if gap is None:
        return NONE
    mean = without_unit(Estimate("", gap.pairs, gap.mean, gap.low, gap.high, gap.method), unit)
    return f"+{mean}" if gap.mean > 0 else mean


def _dominated(summary: Summary) -> str:
    """Return the causal protocols that are dominated in header and inhibition, and the protocols that dominate them."""
    by = dominated_by(summary.protocols)
    return "; ".join(f"{name} by {', '.join(others)}" for name, others in by.items() if others) or NONE


def _columns(rows: Sequence[Settings]) -> list[str]:
    """Return each row as one text. The cells of a column are aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]


def findings(summary: "SweepSummary", name: str) -> tuple[str, list[str]]:
    """Return the numbers of points by correctness of a protocol, and a text for each point with an incorrect run."""
    at_points = of_protocol(summary.points, name)
    counts = {kind: sum(protocol.correctness is kind for _, protocol in at_points) for kind in Correctness}
    text = "; ".join(f"{kind} at {_points(count, len(at_points))}" for kind, count in counts.items() if count)
    return text, [
        f"at {point_text(summary.keys, point)}: {_fault(point, protocol, summary.failures)}"
        for point, protocol in at_points
        if protocol.correctness is Correctness.INCORRECT
    ]


def _fault(point: Settings, protocol: ProtocolSummary, failures: Sequence[Failure]) -> str:
    """Return the verdict on an incorrect protocol, and its first incorrect run."""
    key = (RunVerdict.FAULT, point, protocol.name)
    incorrect = [each for each in failures if (each.kind, each.point, each.protocol) == key]
    return f"{verdict(protocol)} {'; '.join(map(_failure_text, incorrect[:1]))}".rstrip()


def verdicts(summary: "SweepSummary") -> Iterator[str]:
    for name in protocol_names(summary.points):
        text, faults = findings(summary, name)
        yield f"verdict: {name}: {text}"
        yield from _limited([f"FAULT: {name} {line}" for line in faults])
    yield from _limited([*no_deliveries(summary)])
    yield from overloads(summary)
    yield from windows(summary)
    yield from transients(summary)
    yield from claims(summary)
    yield f"check: {check(summary)}"


def claims(summary: "SweepSummary") -> Iterator[str]:
    """Yield a line with the claims that protocols kept at all points, one with the claims that they broke, and what was
    free.
    """
    names = protocol_names(summary.points)
    yield from claim_lines([[each for _, each in of_protocol(summary.points, name)] for name in names])
    yield from free_lines(summary.protocols)


def overloads(summary: "SweepSummary") -> Iterator[str]:
    """Yield the number of overloaded runs of each protocol, and the first overloaded link or station."""
    for name in protocol_names(summary.points):
        at_points = of_protocol(summary.points, name)
        overloaded = [(point, protocol.overloads[0]) for point, protocol in at_points if protocol.overloads]
        if overloaded:
            point, first = overloaded[0]
            count = sum(len(protocol.overloads) for _, protocol in at_points)
            runs = sum(protocol.runs for _, protocol in at_points)
            where = f"; at {point_text(summary.keys, point)}" if summary.keys else ""
            yield f"overload: {name}, in {count:,} of {counted(runs, 'run')}{where}: {first}"


def crashes(summary: "SweepSummary") -> list[str]:
    failed = [failure for failure in summary.failures if failure.kind == RunStatus.FAILED]
    return _limited(
        [f"failed: {each.protocol} at {point_text(summary.keys, each.point)}: {_failure_text(each)}" for each in failed]
    )


def _failure_text(failure: Failure) -> str:
    where = f"replication {failure.replication}, run '{failure.run}', seed {failure.seed}"
    return f"{where}: {failure.error}" if failure.error else where


def _points(count: int, total: int) -> str:
    every = "both" if total == 2 else f"all {total}"
    return f"{every} points" if count == total > 1 else f"{count} of {counted(total, 'point')}"


def _limited(texts: list[str]) -> list[str]:
    """Return the first texts and, if there are more, a line with the number of the others."""
    more = len(texts) - _MAX_LINES
    return texts if more <= 0 else [*texts[:_MAX_LINES], f"{_INDENT}and {more:,} more: see summary/"]


def window(summary: "SweepSummary") -> str | None:
    """Return the measurement window as text; None if whole runs were measured."""
    windows = sorted({each.experiment.window or "the whole run" for _, each in summary.points})
    if not any(each.experiment.windows for _, each in summary.points):
        return None
    return windows[0] if len(windows) == 1 else "different at each point"


def no_deliveries(summary: "SweepSummary") -> Iterator[str]:
    for point, at_point in summary.points:
        where = f"at {point_text(summary.keys, point)}: " if summary.keys else ""
        yield from (f"no deliveries: {where}{sentence}" for sentence in without_deliveries(at_point))


def windows(summary: "SweepSummary") -> Iterator[str]:
    if (found := window(summary)) is not None:
        yield f"window: {found}; all numbers but verdicts, batteries and clocks are of this time"


def transients(summary: "SweepSummary") -> Iterator[str]:
    """Yield for each metric how long the initial transient lasts at most, if it belongs to the measured time."""
    for name in TRANSIENT_METRICS:
        found = [
            (each[name].transient, at_point.experiment, each.name)
            for _, at_point in summary.points
            for each in at_point.protocols
            if each[name].transient
        ]
        if not found:
            continue
        share, experiment, protocol = max(found, key=lambda each: each[0])
        begin, end = experiment.windows[0] if experiment.windows else (0, experiment.simulated)
        until = TIME.show(begin + share * (end - begin))
        many = f", and of {len(found) - 1} others" if len(found) > 1 else ""
        which = f"the first {100 * share:.0f} % of the deliveries of {protocol}{many}"
        yield f"warm-up: {METRICS[name].label} of {which} differs from the rest (MSER); try 'warm_up: {until}'"


def check(summary: "SweepSummary") -> str:
    checks = [at_point.check for _, at_point in summary.points]
    rows, faults = sum(check.rows for check in checks), sum(check.faults for check in checks)
    if not faults:
        return f"the parts of the delay add up in all {rows:,} deliveries"
    example = next(check.example for check in checks if check.example)
    return f"in {faults:,} of {rows:,} deliveries the parts do not add up; first: {example}"
