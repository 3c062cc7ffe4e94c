"""The report on a sweep: one HTML file, from the summaries of all points."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from mobilesim.analysis.report.elements import capitalized, facts, folded, glossary, table, verdicts
from mobilesim.analysis.report.page_template import Section, render_page, reproduction
from mobilesim.analysis.report.run_page import CHECKER
from mobilesim.analysis.report.sweep_panels import Panels
from mobilesim.analysis.summary.formatting import number
from mobilesim.analysis.summary.metrics import METRICS, Metric
from mobilesim.analysis.summary.model import Correctness
from mobilesim.analysis.sweeps.axes import Axis
from mobilesim.analysis.sweeps.metrics import (
    bytes_by_purpose,
    nonzero_metrics,
    protocol_names,
    used_purposes,
    without_unit,
)
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.analysis.sweeps.ranking import ORDERING_COSTS
from mobilesim.analysis.sweeps.text import check, crashes, findings, interval_source
from mobilesim.analysis.sweeps.variants import HEAD

_MAX_VALUES: Final = 6


def page(summary: SweepSummary, trade_offs: Sequence[Metric] = (), first: Sequence[Section] = ()) -> str:
    """Return the report. `trade_offs`: costs to compare instead of `ORDERING_COSTS`. `first`: additional sections."""
    title = f"{summary.experiment.scenario}: {', '.join(axis.name for axis in summary.axes) or 'one point'}"
    return render_page(title, _experiment(summary), [*first, _correctness(summary), *_sections(summary, trade_offs)])


def _sections(summary: SweepSummary, trade_offs: Sequence[Metric]) -> Iterator[Section]:
    panels = Panels(summary)
    if summary.comparisons:
        yield _variants(summary)
    if summary.axes:
        yield from (panels.metric(metric) for metric in nonzero_metrics(summary.protocols))
    else:
        yield _key_figures(summary)
    if summary.axes or trade_offs:
        yield panels.trade_offs(trade_offs or ORDERING_COSTS)
    yield from _bytes_by_purpose(summary)
    yield Section("Definitions", body=glossary())
    version = escape(summary.experiment.version)
    text = f"""With mobilesim {version}, run the <code>sweep.yaml</code> in the directory of this page. The id of a run
is a hash of all inputs of the run."""
    yield reproduction("sweep", text, "mobilesim sweep sweep.yaml --out again")


def _experiment(summary: SweepSummary) -> str:
    experiment = summary.experiment
    replications = sorted({each.experiment.replications for _, each in summary.points})
    values: dict[str, object] = {
        **{axis.name: _values(axis) for axis in summary.axes},
        "points": len(summary.points),
        "runs": summary.runs,
        "replications": " to ".join(str(each) for each in dict.fromkeys((replications[0], replications[-1]))),
        "seed": ", ".join(map(str, experiment.seeds)),
        "mobilesim": experiment.version,
        "Python": experiment.python,
        "computing time": f"{number(sum(each.experiment.wall_seconds for _, each in summary.points))} s",
    }
    return f"""<p class="soft">In a replication, all protocols at all points use the same random numbers. Differences
are paired by replication. Whiskers are 95 % intervals, by Student's t over {interval_source(summary.protocols)}.</p>
{facts(values)}"""


def _values(axis: Axis) -> str:
    values = [" with ".join(value) for value in axis.values]
    return ", ".join(values) if len(values) <= _MAX_VALUES else f"{values[0]} … {values[-1]}, {len(values)} values"


def _correctness(summary: SweepSummary) -> Section:
    items = verdicts(_verdict(summary, name) for name in protocol_names(summary.points))
    failed = "".join(f'<p class="alarm">{escape(line)}</p>' for line in crashes(summary))
    return Section(
        "Correctness",
        body=f"""<p>{CHECKER}</p>
{items}
<p class="soft">{escape(capitalized(check(summary)))}.</p>
{failed}""",
    )


def _verdict(summary: SweepSummary, name: str) -> tuple[str, str, str]:
    text, faults = findings(summary, name)
    kind = "broken" if faults else "sound" if text.startswith(f"{Correctness.CORRECT} at") else "other"
    return kind, name, "\n".join([text, *map(capitalized, faults[:20])])


def _variants(summary: SweepSummary) -> Section:
    body = ""
    for each in summary.comparisons:
        body += f"<h3>{escape(each.title)}</h3>\n{table(HEAD, each.rows())}"
        body += "".join(f"<p>{escape(line)}</p>" for line in each.divergence_lines(summary.divergences))
    about = (
        "In a replication, base and variants use the same random numbers. Differences are paired by replication. "
        "A difference is not significant if its interval contains zero."
    )
    return Section("Effect of each variant", about, body=body)


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
    yield Section("Bytes per delivery, by purpose", about, body=body)
