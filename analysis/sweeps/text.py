"""The text of a sweep: a table for each metric with protocols as columns; for variants, a table for each variant."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from analysis.statistics.estimate import Estimate
from analysis.statistics.paired_differences import difference
from analysis.summary.formatting import NONE, SIZE
from analysis.summary.metrics import METRICS, Metric, bytes_on_links
from analysis.summary.model import Correctness, ProtocolSummary, Summary
from analysis.summary.verdict_text import verdict
from analysis.sweeps.axes import Settings
from analysis.sweeps.metrics import Points, all_protocols, present, protocol_names, purposes, without_unit
from analysis.sweeps.pairwise import dominated_by
from analysis.sweeps.reader import CRASHED, FAULT, Failure
from analysis.sweeps.variants import HEAD, NUMBERS, Comparison, DivergencesByKey, comparisons
from mobilesim.results.layout import VARIANT

Aligned: TypeAlias = Callable[[Sequence[Sequence[str]], Sequence[int], int | None], list[str]]
"""Aligns cells in columns. A table wider than the width is folded, with its first column repeated."""

_INDENT: Final = "  "
_GAP: Final = "  "
_MAX_LINES: Final = 5


def lines(
    keys: Sequence[str],
    points: Points,
    failures: Sequence[Failure],
    width: int | None,
    aligned: Aligned,
    *,
    divergences: DivergencesByKey,
) -> Iterator[str]:
    runs = f"{sum(protocol.runs for protocol in all_protocols(points)):,} runs at {len(points):,} points"
    based = f"± is half of a 95 % confidence interval, by Student's t over {source(points)}"
    if VARIANT in keys:
        narrow = None if width is None else width - len(_INDENT)
        yield f"{runs}; base and variants use the same random numbers in a replication"
        yield f"{based}; [,] one of paired differences"
        yield from _variants(list(comparisons(keys, points)), divergences, lambda rows: aligned(rows, NUMBERS, narrow))
    else:
        text = _Text(keys, points, width, aligned)
        yield f"{runs}, {len(text.names)} protocols"
        yield based
        yield from text.tables()
    yield ""
    yield from verdicts(keys, points, failures)
    yield from crashes(keys, failures)


def _variants(
    several: Sequence[Comparison],
    divergences: DivergencesByKey,
    columns: Callable[[Sequence[Sequence[str]]], list[str]],
) -> Iterator[str]:
    """Yield a table of differences for each comparison, and the first divergence of its runs."""
    if not several:
        yield "there is no variant to compare with the base: none is complete, or --quick makes them equal"
    for comparison in several:
        yield from ("", comparison.title)
        yield from (f"{_INDENT}{line}".rstrip() for line in columns([HEAD, *comparison.rows()]))
        if comparison.key in divergences:
            yield from (f"{_INDENT}{line}" for line in comparison.divergence_lines(divergences[comparison.key]))


def source(points: Points) -> str:
    """Return the source of the intervals."""
    sources = {protocol["delay"].interval_from for protocol in all_protocols(points)}
    batches = "batches of deliveries where there is one run"
    return f"replications, or {batches}" if "batches" in sources else "replications"


def findings(points: Points, name: str) -> tuple[str, list[tuple[Settings, ProtocolSummary]]]:
    """Return the counts of a protocol's correctness over points, and the points where it is incorrect."""
    own = [(point, protocol) for point, summary in points for protocol in summary.protocols if protocol.name == name]
    counts = {finding: sum(protocol.correctness is finding for _, protocol in own) for finding in Correctness}
    text = "; ".join(f"{kind} at {_points(count, len(own))}" for kind, count in counts.items() if count)
    return text, [(point, protocol) for point, protocol in own if protocol.correctness is Correctness.INCORRECT]


def verdicts(keys: Sequence[str], points: Points, failures: Sequence[Failure]) -> Iterator[str]:
    for name in protocol_names(points):
        text, broken = findings(points, name)
        yield f"verdict: {name}: {text}"
        for point, protocol in broken[:_MAX_LINES]:
            yield f"FAULT: {name} at {point_text(keys, point)}: {fault(point, protocol, failures)}"
        yield from _more(len(broken))
    yield from overloads(keys, points)
    yield f"check: {check(points)}"


def overloads(keys: Sequence[str], points: Points) -> Iterator[str]:
    """Yield the number of overloaded runs of each protocol, and the first overloaded link or station."""
    for name in protocol_names(points):
        own = [
            (point, protocol) for point, summary in points for protocol in summary.protocols if protocol.name == name
        ]
        overloaded = [(point, protocol) for point, protocol in own if protocol.overloads]
        if overloaded:
            point, first = overloaded[0]
            count, runs = sum(len(protocol.overloads) for _, protocol in own), sum(protocol.runs for _, protocol in own)
            where = f"; at {point_text(keys, point)}" if keys else ""
            yield f"overload: {name}, in {count:,} of its {runs:,} runs{where}: {first.overloads[0]}"


def fault(point: Settings, protocol: ProtocolSummary, failures: Sequence[Failure]) -> str:
    """Return the verdict on an incorrect protocol, and the first run that shows it."""
    own = [
        failure
        for failure in failures
        if (failure.kind, failure.point, failure.protocol) == (FAULT, point, protocol.name)
    ]
    return f"{verdict(protocol)} {'; '.join(map(_failure_text, own[:1]))}".rstrip()


def crashes(keys: Sequence[str], failures: Sequence[Failure]) -> Iterator[str]:
    several = [failure for failure in failures if failure.kind == CRASHED]
    for failure in several[:_MAX_LINES]:
        yield f"failed: {failure.protocol} at {point_text(keys, failure.point)}: {_failure_text(failure)}"
    yield from _more(len(several))


def _failure_text(failure: Failure) -> str:
    where = f"replication {failure.replication}, run '{failure.run}', seed {failure.seed}"
    return f"{where}: {failure.error}" if failure.error else where


def point_text(keys: Sequence[str], point: Settings) -> str:
    return ", ".join(f"{key} {value}" for key, value in zip(keys, point, strict=True)) or "the only point"


def _points(count: int, total: int) -> str:
    points = "point" if total == 1 else "points"
    return f"all {total} {points}" if count == total > 1 else f"{count} of {total} {points}"


def _more(count: int) -> list[str]:
    return [f"{_INDENT}and {count - _MAX_LINES:,} more: see summary/"] if count > _MAX_LINES else []


def check(points: Points) -> str:
    checks = [summary.check for _, summary in points]
    rows, faults = sum(check.rows for check in checks), sum(check.faults for check in checks)
    if not faults:
        return f"the parts of the delay add up in all {rows:,} deliveries"
    example = next(check.example for check in checks if check.example)
    return f"in {faults:,} of {rows:,} deliveries the parts do not add up; first: {example}"


class _Text:
    """Tables of all points. The axes are one column, which is repeated when a table is folded."""

    def __init__(self, keys: Sequence[str], points: Points, width: int | None, aligned: Aligned) -> None:
        self._keys = keys
        self._points = points
        self.names = protocol_names(points)
        self._width = None if width is None else width - len(_INDENT)
        self._aligned = aligned
        self._first_column = _columns([tuple(keys), *(point for point, _ in points)])

    def tables(self) -> Iterator[str]:
        for shown in present(self._points):
            yield from self.means(shown)
        yield from self.differences(METRICS["delay"])
        yield from self.bytes_by_purpose()
        yield from self.trade_off()

    def means(self, shown: Metric) -> Iterator[str]:
        unit = shown.unit(all_protocols(self._points))

        def cells(summary: Summary) -> list[str]:
            by_name = {protocol.name: protocol for protocol in summary.protocols}
            return [without_unit(shown.value(by_name[name]), unit) if name in by_name else NONE for name in self.names]

        yield from self._table(shown.heading(unit), self.names, [cells(summary) for _, summary in self._points])

    def differences(self, shown: Metric) -> Iterator[str]:
        """Yield the paired differences of the other protocols from the first one."""
        if len(self.names) < 2:
            return
        first, *others = self.names
        unit = shown.unit(all_protocols(self._points))

        def cell(summary: Summary, name: str) -> str:
            by_name = {protocol.name: protocol for protocol in summary.protocols}
            if not {first, name} <= by_name.keys():
                return NONE
            gap = difference(shown.value(by_name[name]), shown.value(by_name[first]))
            if gap is None:
                return NONE
            mean = without_unit(Estimate("", gap.pairs, gap.mean, gap.low, gap.high), unit)
            return f"+{mean}" if gap.mean > 0 else mean

        rows = [[cell(summary, name) for name in others] for _, summary in self._points]
        yield from self._table(f"{shown.heading(unit)}: paired difference from {first}", others, rows)

    def bytes_by_purpose(self) -> Iterator[str]:
        wanted = purposes(all_protocols(self._points))
        if not wanted:
            return
        unit = SIZE.common_unit(max(bytes_on_links(protocol).mean or 0 for protocol in all_protocols(self._points)))

        def cells(protocol: ProtocolSummary) -> list[str]:
            return [without_unit(bytes_on_links(protocol, purpose), unit) for purpose in wanted]

        rows = [cells(protocol) for protocol in all_protocols(self._points)]
        whole = [(*point, protocol.name) for point, summary in self._points for protocol in summary.protocols]
        first_column = _columns([(*self._keys, "protocol"), *whole])
        yield from self._table(f"bytes per delivery, by purpose ({unit.name})", wanted, rows, first_column)

    def trade_off(self) -> Iterator[str]:
        """Yield which causal protocols are dominated in header and inhibition."""
        rows = [[self._dominated(summary)] for _, summary in self._points]
        if any(row != [NONE] for row in rows):
            yield from self._table("dominated in header and inhibition", [""], rows, words=True)

    def _dominated(self, summary: Summary) -> str:
        by = dominated_by(summary.protocols)
        return "; ".join(f"{name} by {', '.join(others)}" for name, others in by.items() if others) or NONE

    def _table(
        self,
        title: str,
        head: Sequence[str],
        rows: Sequence[Sequence[str]],
        first_column: Sequence[str] = (),
        *,
        words: bool = False,
    ) -> Iterator[str]:
        table = [[first, *row] for first, row in zip(first_column or self._first_column, [head, *rows], strict=True)]
        numbers = () if words else range(1, len(head) + 1)
        yield from ("", title)
        yield from (f"{_INDENT}{line}".rstrip() for line in self._aligned(table, numbers, self._width))


def _columns(rows: Sequence[Settings]) -> list[str]:
    """Return one text for each row: its cells, aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [_GAP.join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
