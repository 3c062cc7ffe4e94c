"""The report on a sweep: one HTML file, from the summaries of all points."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from mobilesim.analysis.figures.figure import Figure
from mobilesim.analysis.report.answer import answer
from mobilesim.analysis.report.design_panels import design_sections
from mobilesim.analysis.report.effects_figure import effects_figure
from mobilesim.analysis.report.elements import capitalized, facts, folded, glossary, place, table, verdicts
from mobilesim.analysis.report.page_template import Section, render_page, reproduction
from mobilesim.analysis.report.run_page import CHECKER, protocol_section
from mobilesim.analysis.report.sweep_panels import Panels
from mobilesim.analysis.summary.formatting import intervals, listing, number
from mobilesim.analysis.summary.metrics import METRICS, Metric
from mobilesim.analysis.summary.model import Correctness
from mobilesim.analysis.sweeps.axes import Axis
from mobilesim.analysis.sweeps.effects import column, table_rows
from mobilesim.analysis.sweeps.front_text import front_sentences
from mobilesim.analysis.sweeps.metrics import (
    bytes_by_purpose,
    nonzero_metrics,
    protocol_names,
    used_purposes,
    without_unit,
)
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.analysis.sweeps.ranking import ORDERING_COSTS
from mobilesim.analysis.sweeps.text import check, claims, crashes, findings, window
from mobilesim.analysis.sweeps.variants import HEAD
from mobilesim.errors import counted
from mobilesim.results.layout import BASE

_MAX_VALUES: Final = 6


def page(
    summary: SweepSummary,
    trade_offs: Sequence[Metric] = (),
    first: Sequence[Section] = (),
    results: Sequence[str] = (),
) -> str:
    """Return the report. `trade_offs`: costs to compare instead of `ORDERING_COSTS`.

    `first`: additional sections. `results`: the sentences at the beginning, instead of those on effects.
    """
    title = f"{summary.experiment.scenario}: {', '.join(axis.quantity for axis in summary.axes) or 'one point'}"
    sections = [*first, _protocols(summary), _correctness(summary), *_sections(summary, trade_offs)]
    shown = [*_faults(summary), *(results or _results(summary, trade_offs))]
    return render_page(title, _lead(summary), sections, shown)


def _faults(summary: SweepSummary) -> list[str]:
    return [
        f"{name} violated its claims at some points: see Correctness."
        for name in protocol_names(summary.points)
        if findings(summary, name)[1]
    ]


def _results(summary: SweepSummary, trade_offs: Sequence[Metric]) -> list[str]:
    """Return the protocols on the front, the effects of variants, or where protocols cross."""
    front = front_sentences(summary.points, trade_offs) if trade_offs else []
    if summary.axes:
        return [*front, *summary.results]
    return front or answer(summary.points[0][1])


def _sections(summary: SweepSummary, trade_offs: Sequence[Metric]) -> Iterator[Section]:
    panels = Panels(summary, costs=len(trade_offs) or 2)
    if summary.comparisons:
        yield _variants(summary)
    if trade_offs:
        yield panels.trade_offs(trade_offs)
    if summary.design is not None:
        yield from design_sections(summary)
    elif summary.axes:
        yield from filter(None, [None if summary.comparisons else panels.heat_maps()])
        yield from panels.metrics(nonzero_metrics(summary.protocols))
    else:
        yield _key_figures(summary)
    if summary.axes and summary.design is None and not trade_offs:
        yield panels.trade_offs(ORDERING_COSTS)
    yield from _bytes_by_purpose(summary)
    yield Section("Definitions", body=glossary())
    yield _reproduce(summary)


def _lead(summary: SweepSummary) -> str:
    design = "" if summary.design is None else f"{summary.design.kind}, "
    replications = sorted({each.experiment.replications for _, each in summary.points})
    several = " to ".join(str(each) for each in dict.fromkeys((replications[0], replications[-1])))
    size = f"{design}{counted(len(summary.points), 'point')}, {counted(summary.runs, 'run')}, {several} replications"
    size += "" if (measured := window(summary)) is None else f", measured {measured}"
    varied = "".join(f"<li><code>{escape(axis.name)}</code>: {escape(_values(axis))}</li>" for axis in summary.axes)
    return f"""<p class="soft">{size}. In a replication, all protocols at all points use the same random numbers.
Differences are paired by replication. Whiskers are {intervals(replications[-1])}.</p>
{f'<ul class="soft">{varied}</ul>' if varied else ""}"""


def _protocols(summary: SweepSummary) -> Section:
    return protocol_section(list({each.name: each for each in summary.protocols}.values()))


def _reproduce(summary: SweepSummary) -> Section:
    experiment = summary.experiment
    values: dict[str, object] = {
        "seed": ", ".join(map(str, experiment.seeds)),
        "mobilesim": experiment.version,
        "Python": experiment.python,
        "wall time of the runs, added": f"{number(sum(each.experiment.wall_seconds for _, each in summary.points))} s",
    }
    text = f"""With mobilesim {escape(experiment.version)}, run the <code>sweep.yaml</code> in the directory of this
page. The id of a run is a hash of all inputs of the run."""
    return reproduction("sweep", text, "mobilesim sweep sweep.yaml --out again", facts(values))


def _values(axis: Axis) -> str:
    values = [" with ".join(value) for value in axis.values]
    return ", ".join(values) if len(values) <= _MAX_VALUES else f"{values[0]} … {values[-1]}, {len(values)} values"


def _correctness(summary: SweepSummary) -> Section:
    by_text: dict[tuple[str, str], list[str]] = {}
    for kind, name, text in (_verdict(summary, name) for name in protocol_names(summary.points)):
        by_text.setdefault((kind, text), []).append(name)
    items = verdicts((kind, listing(names), text) for (kind, text), names in by_text.items())
    checks = " ".join(f"{escape(capitalized(line))}." for line in (*claims(summary), check(summary)))
    failed = "".join(f'<p class="alarm">{escape(line)}</p>' for line in crashes(summary))
    return Section(
        "Correctness",
        body=f"""<p>{CHECKER}</p>
{items}
<p class="soft">{checks}</p>
{failed}""",
    )


def _verdict(summary: SweepSummary, name: str) -> tuple[str, str, str]:
    text, faults = findings(summary, name)
    kind = "broken" if faults else "sound" if text.startswith(f"{Correctness.CORRECT} at") else "other"
    return kind, name, "\n".join([text, *map(capitalized, faults[:20])])


def _variants(summary: SweepSummary) -> Section:
    """Return a table of effects for each variant and, behind a click, all means and the first differing events."""
    body = details = ""
    figures: list[Figure] = []
    for index, variant in enumerate(dict.fromkeys(comparison.variant for comparison in summary.comparisons)):
        several = [comparison for comparison in summary.comparisons if comparison.variant == variant]
        head = (f"'{variant}' against '{BASE}'", *map(column, several))
        body += f"<h3>{escape(variant)}</h3>\n"
        if drawn := effects_figure(f"variant-{index}", variant, several):
            figures.append(drawn)
            body += place(drawn)
        body += table(head, table_rows(several))
    for each in summary.comparisons:
        details += f"<h3>{escape(each.title)}</h3>\n{table(HEAD, each.rows())}"
        details += "".join(f"<p>{escape(line)}</p>" for line in each.divergence_lines(summary.divergences))
    about = (
        "In a replication, base and variants use the same random numbers. Differences are paired by replication. "
        "A difference is not significant (≈) if its 95 % interval contains zero. Metrics without any significant "
        "difference are left out. The figures show differences relative to the mean of the base, with their intervals; "
        "differences of more than 100 % are written at the edge."
    )
    folded_details = folded("Means, intervals and first differing events", details)
    return Section("Effect of each variant", body=body + folded_details, about=about, placed=tuple(figures))


def _key_figures(summary: SweepSummary) -> Section:
    """Return the metrics of a sweep in which only the protocols vary."""
    columns = [(metric, metric.unit(summary.protocols)) for metric in nonzero_metrics(summary.protocols)]
    rows = [
        [protocol.name, *(without_unit(metric.value(protocol), unit) for metric, unit in columns)]
        for protocol in summary.protocols
    ]
    return Section("Key figures", body=table(("protocol", *(metric.heading(unit) for metric, unit in columns)), rows))


def _bytes_by_purpose(summary: SweepSummary) -> Iterator[Section]:
    if not (used := used_purposes(summary.protocols)):
        return
    columns, unit = (*used, "total"), METRICS["bytes"].unit(summary.protocols)
    rows = [
        [*point, each.name, *bytes_by_purpose(each, columns, unit)]
        for point, at_point in summary.points
        for each in at_point.protocols
    ]
    about = f"All bytes on all links, divided by the number of deliveries ({unit.name})."
    body = folded("Table", table((*summary.keys, "protocol", *columns), rows))
    yield Section("Bytes per delivery, by purpose", body=f"<p>{about}</p>{body}")
