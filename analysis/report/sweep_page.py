"""The report of a sweep: curves along its first axis, a panel for each value of the others."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import combinations, count
from typing import Any, Final

from analysis.figures.curves import against, beside, curves
from analysis.figures.style import Figure
from analysis.report.figure_page import numbers
from analysis.report.page_template import framed, place
from analysis.report.tables import table
from analysis.statistics.estimate import Estimate
from analysis.statistics.paired_differences import Difference, difference
from analysis.summary.formatting import SIZE, Unit, number
from analysis.summary.metrics import METRICS, Metric, bytes_on_links
from analysis.summary.model import ProtocolSummary
from analysis.sweeps.axes import Axis, Settings
from analysis.sweeps.metrics import Points, all_protocols, present, protocol_names, purposes, without_unit
from analysis.sweeps.model import SweepSummary
from analysis.sweeps.ranking import why_excluded
from analysis.sweeps.text import check, crashes, fault, findings, source, told_point
from analysis.sweeps.variants import HEAD, Comparison
from mobilesim.results.quantities import DELAY_PARTS

_MOST: Final = 20
_NO_PARTS: Final[Mapping[str, Estimate]] = {}

PAID: Final = (METRICS["header_bytes"], METRICS["inhibition"])
"""What an ordering pays with."""

Document = dict[str, Any]


def page(summary: SweepSummary, costs: Sequence[Metric] = (), advice: str = "") -> str:
    """`costs`: what is drawn against each other, two by two, instead of what an ordering pays with. `advice`: a section
    that somebody asks for besides.
    """
    title = f"{summary.name}: {', '.join(axis.name for axis in summary.axes) or 'one point'}"
    drawn = Drawn(summary)
    shown = [drawn.section(each) for each in present(summary.points)] if summary.axes else [_flat(summary)]
    body = [
        f"<h1>{escape(title)}</h1>",
        _what_was_run(summary),
        advice,
        _verdicts(summary),
        *([_variants(summary)] if summary.comparisons else []),
        *shown,
        *([drawn.trade_offs(costs or PAID)] if summary.axes or costs else []),
        _purposes(summary),
        _again(summary),
    ]
    return framed(title, body, drawn.figures)


class Drawn:
    """Sections, and the figures for which they have places."""

    def __init__(self, summary: SweepSummary) -> None:
        self.figures: list[Figure] = []
        self._summary = summary
        self._axis = summary.axes[0] if summary.axes else Axis((), ((),))
        self._numbers = count()

    def section(self, shown: Metric) -> str:
        unit = shown.unit(all_protocols(self._summary.points))
        panels = "".join(self._panel(shown, unit, label, points) for label, points in self._panels())
        return f"<h2>{escape(shown.label.capitalize())}</h2>\n<p>{escape(shown.definition)}</p>\n{panels}"

    def trade_offs(self, costs: Sequence[Metric]) -> str:
        """Two by two; each curve follows the first axis, where that is of numbers."""
        drawn = "".join(self._trade_off(x, y, costs) for x, y in combinations(costs, 2))
        ways = " or with ".join(cost.label for cost in costs)
        return f"""<h2>What is paid, in two ways</h2>
<p>A protocol pays with {escape(ways)}. Further left and further down is cheaper; whoever pays clearly less than another
one in one way, and clearly more in none, beats it. Only protocols that claim causal order, and keep it, compete; the
marks of the others are hollow. Whiskers are cut where an axis begins.</p>
{drawn}"""

    def _trade_off(self, x: Metric, y: Metric, costs: Sequence[Metric]) -> str:
        points = self._summary.points
        across, up = x.unit(all_protocols(points)), y.unit(all_protocols(points))
        apart = self._axis.numbers is None
        label = x.heading(across)
        if self._axis.keys:
            label += f", {'for each' if apart else 'along'} {self._axis.name}"
        document = {
            "x": {"label": label, "apart": apart},
            "metric": {"label": y.label, "unit": up.name},
            "parts": [],
        }
        pieces = []
        for label, here in self._panels():
            own = {name: list(self._paid(_own(here, name), x, y, costs)) for name in protocol_names(here)}
            series = [{"label": _marked(name, paid), "points": paid} for name, paid in own.items()]
            pieces.append(self._placed(label, [curves(document, {"series": series}, next(self._numbers))]))
        return f"<h3>{escape(y.label)} against {escape(x.label)}</h3>\n{''.join(pieces)}"

    def _paid(
        self,
        own: Sequence[tuple[Settings, ProtocolSummary]],
        x: Metric,
        y: Metric,
        costs: Sequence[Metric],
    ) -> Iterator[Document]:
        """In both ways, each with its interval."""
        across, up = x.unit(all_protocols(self._summary.points)), y.unit(all_protocols(self._summary.points))
        for point, each in own:
            ends = _ends(x.value(each), across)
            if ends["mean"] is not None and y.value(each).mean is not None:
                yield {
                    "x": ends["mean"],
                    "x_low": ends["low"],
                    "x_high": ends["high"],
                    **_ends(y.value(each), up),
                    "hollow": bool(why_excluded(each, costs)),
                    "told": ", ".join(point[: len(self._axis.keys)]),
                }

    def _panels(self) -> Iterator[tuple[str, Points]]:
        """The points that differ in the first axis only, with what they have in common."""
        keys, width = self._summary.keys, len(self._axis.keys)
        found: dict[Settings, list[tuple[Settings, Any]]] = {}
        for point, summary in self._summary.points:
            found.setdefault(point[width:], []).append((point, summary))
        return ((told_point(keys[width:], rest) if rest else "", points) for rest, points in found.items())

    def _panel(self, shown: Metric, unit: Unit, label: str, points: Points) -> str:
        parts = _parts(points) if shown is METRICS["delay"] and len(protocol_names(self._summary.points)) == 1 else []
        document = self._document(shown, unit, parts)
        panel = self._series(shown, unit, points, parts)
        place_number = next(self._numbers)
        drawn = [curves(document, panel, place_number)]
        if panel["differences"]:
            drawn.append(against(document, panel, place_number))
        elif parts:
            drawn.append(beside(document, panel, place_number))
        return self._placed(label, drawn) + numbers(document, panel)

    def _document(self, shown: Metric, unit: Unit, parts: Sequence[str]) -> Document:
        axis = self._axis
        x = {
            "symbol": axis.label,
            "label": axis.label,
            "places": [self._x(value) for value in axis.values],
            "words": axis.numbers is None,
            "wide": axis.wide,
        }
        return {"x": x, "metric": {"label": shown.label, "unit": unit.name}, "parts": parts}

    def _series(self, shown: Metric, unit: Unit, points: Points, parts: Sequence[str]) -> Document:
        width = len(self._axis.keys)
        several = protocol_names(points)
        series = [
            {
                "label": name,
                "points": [
                    _at(self._x(point[:width]), shown.value(each), unit, parts={part: each[part] for part in parts})
                    for point, each in _own(points, name)
                    if shown.value(each).mean is not None
                ],
            }
            for name in several
        ]
        gaps = [self._gap(shown, unit, points, name, several[0]) for name in several[1:]]
        gaps = [gap for gap in gaps if gap["points"]]
        return {"label": "", "series": series, "difference": None, "differences": gaps, "statements": []}

    def _gap(self, shown: Metric, unit: Unit, points: Points, left: str, right: str) -> Document:
        width, others = len(self._axis.keys), dict(_own(points, right))
        gaps = [
            (point, difference(shown.value(each), shown.value(others[point])))
            for point, each in _own(points, left)
            if point in others
        ]
        found = [_at(self._x(point[:width]), gap, unit) for point, gap in gaps if gap is not None]
        return {"left": left, "right": right, "points": found}

    def _x(self, value: Settings) -> float | str:
        axis = self._axis
        return ", ".join(value) if axis.numbers is None else axis.numbers[axis.values.index(value)]

    def _placed(self, label: str, drawn: Sequence[Figure]) -> str:
        self.figures += drawn
        plots = "".join(f'<div><p class="soft">{escape(each.title)}</p>\n{place(each)}</div>' for each in drawn)
        head = f"<h3>{escape(label)}</h3>\n" if label else ""
        return f'{head}<div class="pair">{plots}</div>\n'


def _own(points: Points, name: str) -> list[tuple[Settings, ProtocolSummary]]:
    return [(point, each) for point, summary in points for each in summary.protocols if each.name == name]


def _at(
    x: float | str | None,
    estimate: Estimate | Difference,
    unit: Unit,
    parts: Mapping[str, Estimate] = _NO_PARTS,
) -> Document:
    return {"x": x, **_ends(estimate, unit), "parts": {part: _ends(each, unit) for part, each in parts.items()}}


def _marked(name: str, points: Sequence[Document]) -> str:
    return f"{name} (hollow: does not compete)" if any(point["hollow"] for point in points) else name


def _ends(estimate: Estimate | Difference, unit: Unit) -> dict[str, float | None]:
    ends = {"mean": estimate.mean, "low": estimate.low, "high": estimate.high}
    return {name: None if end is None else end / unit.size for name, end in ends.items()}


def _parts(points: Points) -> list[str]:
    return [part for part in DELAY_PARTS if any(each[part].mean for each in all_protocols(points))]


def _what_was_run(summary: SweepSummary) -> str:
    experiment = summary.points[0][1].experiment
    replications = sorted({each.experiment.replications for _, each in summary.points})
    facts = {
        **{axis.name: _span(axis) for axis in summary.axes},
        "points": len(summary.points),
        "runs": summary.runs,
        "replications": " to ".join(str(each) for each in dict.fromkeys((replications[0], replications[-1]))),
        "seed": ", ".join(map(str, experiment.seeds)),
        "mobilesim": experiment.version,
        "Python": experiment.python,
        "computed in": f"{number(sum(each.experiment.wall_seconds for _, each in summary.points))} s of processors",
    }
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(str(fact))}</dd></div>" for name, fact in facts.items())
    return f"""<p class="soft">In one replication all protocols meet the same world, at every point; differences are
taken within replications. Whiskers are 95 % intervals, by Student's t over {source(summary.points)}.</p>
<dl class="facts">{rows}</dl>"""


def _span(axis: Axis) -> str:
    values = [" with ".join(value) for value in axis.values]
    return ", ".join(values) if len(values) <= 6 else f"{values[0]} … {values[-1]}, {len(values)} values"


def _verdicts(summary: SweepSummary) -> str:
    items, keys = [], summary.keys
    for name in protocol_names(summary.points):
        told, broken = findings(summary.points, name)
        sound = told.startswith("correct at")
        kind = "broken" if broken else "sound" if sound else "other"
        where = [
            f"At {told_point(keys, point)}: {fault(point, each, summary.failures)}" for point, each in broken[:_MOST]
        ]
        text = "<br>".join(escape(line) for line in (told, *where))
        items.append(f'<li class="{kind}"><strong>{escape(name)}</strong>: {text}</li>')
    failed = "".join(f'<p class="alarm">{escape(line)}</p>' for line in crashes(keys, summary.failures))
    return f"""<h2>Did they keep their word?</h2>
<p>An oracle, which shares no code with the protocols, has judged every delivery.</p>
<ul class="verdicts">{"".join(items)}</ul>
<p class="soft">{escape(check(summary.points))}</p>
{failed}"""


def _partings(summary: SweepSummary, of: Comparison) -> list[str]:
    return of.divergence_lines(summary.partings[of.key]) if of.key in summary.partings else []


def _variants(summary: SweepSummary) -> str:
    pieces = [
        f"<h3>{escape(each.title)}</h3>\n{table(HEAD, each.rows())}"
        + "".join(f"<p>{escape(line)}</p>" for line in _partings(summary, each))
        for each in summary.comparisons
    ]
    return f"""<h2>What is other in the variants</h2>
<p>Base and variants meet the same random numbers in a replication. Differences are taken within replications; where an
interval holds zero, the two cannot be told apart.</p>
{"".join(pieces)}"""


def _flat(summary: SweepSummary) -> str:
    """Nothing varies but the protocols."""
    points = summary.points
    shown = present(points)
    units = [each.unit(all_protocols(points)) for each in shown]
    rows = [
        [protocol.name, *(without_unit(each.value(protocol), unit) for each, unit in zip(shown, units, strict=True))]
        for protocol in all_protocols(points)
    ]
    head = ("protocol", *(each.heading(unit) for each, unit in zip(shown, units, strict=True)))
    return f"<h2>The numbers</h2>\n{table(head, rows)}"


def _purposes(summary: SweepSummary) -> str:
    """A row for each protocol of each point."""
    wanted = purposes(all_protocols(summary.points))
    if not wanted:
        return ""
    unit = SIZE.common_unit(max(bytes_on_links(each).mean or 0 for each in all_protocols(summary.points)))
    rows = [
        [
            *point,
            protocol.name,
            *(without_unit(bytes_on_links(protocol, purpose), unit) for purpose in (*wanted, "total")),
        ]
        for point, each in summary.points
        for protocol in each.protocols
    ]
    head = (*summary.keys, "protocol", *wanted, "in all")
    return f"""<h2>What bytes are for</h2>
<p>All bytes on all links, divided by the number of deliveries ({unit.name}).</p>
<details><summary>In numbers</summary>{table(head, rows)}</details>"""


def _again(summary: SweepSummary) -> str:
    version = escape(summary.points[0][1].experiment.version)
    return f"""<h2>How to get the same again</h2>
<p>With mobilesim {version}, run the <code>sweep.yaml</code> that lies beside this page. Every run has an id, which is
made of all that decides what comes out of it.</p>
<pre><code>mobilesim sweep sweep.yaml --out again</code></pre>
<p class="soft">The numbers behind this page are in <code>summary/</code> beside it, as Parquet and CSV.</p>"""
