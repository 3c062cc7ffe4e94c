"""The report on a reproduced figure of a paper: one HTML file, from its JSON document."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import chain
from typing import Any, Final

from mobilesim.analysis.figures.curves import panel_figures
from mobilesim.analysis.figures.style import words
from mobilesim.analysis.report.elements import definitions, folded, place_group, table, verdicts
from mobilesim.analysis.report.page_template import Section, render_page, reproduction
from mobilesim.analysis.summary.formatting import number, plus_minus

_CLASS: Final = {True: "sound", False: "broken", None: "open"}
"""The CSS class of a verdict, by whether the statement holds."""
_COMMON: Final = " In a replication, all protocols have the same hosts, movement and messages."
_CROSSING: Final = (
    " The interval of a crossing is the range of x in which the interval of the difference contains zero. Its ends are "
    "interpolated linearly between the measured points."
)
_NUMBERS: Final = """\
The numbers on this page are in <code>figure.json</code> in the same directory; the numbers of each run are in
<code>manifest</code>."""

Document = Mapping[str, Any]


def page(document: Document, options: Sequence[str] = ()) -> str:
    """Return the page. `options`: the options of the command, if only a part of the figure was reproduced."""
    panels = [panel for panel in document["panels"] if any(series["points"] for series in panel["series"])]
    lead = f"""{_experiment(document)}
{_symbols(document["symbols"])}"""
    drawn = [_panel(document, panel, index) for index, panel in enumerate(panels)]
    command = " ".join(("mobilesim reproduce-figure", document["figure"], *options))
    sections = [*_statements(panels), *drawn, reproduction("figure", "", command, numbers=_NUMBERS)]
    return render_page(document["title"], lead, sections, [document["conclusion"] or document["incomplete"]])


def _experiment(document: Document) -> str:
    common = _COMMON if document["common_environment"] else ""
    crossing = _CROSSING if document["crossings"] else ""
    return f"""<p class="soft">{escape(document["paper"])}, reproduced with mobilesim {escape(document["version"])}:
{document["runs"]:,} runs, {document["messages"]:,} messages. Whiskers are 95 % intervals by Student's t over
{document["replications"]} replications.{common} Differences are paired by replication.{crossing}</p>"""


def _symbols(symbols: Mapping[str, str]) -> str:
    listed = "; ".join(f"<strong>{escape(name)}</strong>: {escape(meaning)}" for name, meaning in symbols.items())
    return f'<p class="soft">{listed}.</p>' if listed else ""


def _statements(panels: Sequence[Document]) -> list[Section]:
    """Return a section for each statement of the paper, with its result in each panel."""
    by_statement: dict[str, list[tuple[str, str, str]]] = {}
    for panel in panels:
        for each in panel["statements"]:
            row = (escape(panel["label"]), each["verdict"], each["text"])
            by_statement.setdefault(f"{each['source']}: {each['paper']}", []).append(row)
    return [Section(statement, body=definitions(rows)) for statement, rows in by_statement.items()]


def _panel(document: Document, panel: Document, index: int) -> Section:
    figures = panel_figures(document, panel, index)
    items = verdicts(
        (_CLASS[each["holds"]], each["verdict"], f"{each['source']}: {each['paper']}. Here {each['text']}.")
        for each in panel["statements"]
    )
    body = f"{place_group(figures)}{items}\n{values_table(document, panel)}"
    return Section(panel["label"], body=body, placed=figures)


def values_table(document: Document, panel: Document) -> str:
    """Return the table of a panel. Each curve is a column or, if the table would be too wide, a row for each x."""
    series, parts = panel["series"], document["parts"]
    unit, names = document["metric"]["unit"], [words(part) for part in parts]
    measured = {point["x"] for each in series for point in each["points"]}
    xs = [x for x in document["x"].get("values") or sorted(measured) if x in measured]
    if len(series) * (1 + len(parts)) <= 6:
        columns = [name for each in series for name in (each["label"], *(f"({part})" for part in names))]
        rows = [[str(x), *chain.from_iterable(_cells(each, parts, x) for each in series)] for x in xs]
    else:
        columns = ["", document["metric"]["label"], *names]
        rows = [[str(x), each["label"], *_cells(each, parts, x)] for x in xs for each in series]
    return folded(f"Table ({unit})" if unit else "Table", table([document["x"]["symbol"], *columns], rows))


def _cells(series: Document, parts: Sequence[str], x: float | str) -> list[str]:
    point = next((point for point in series["points"] if point["x"] == x), None)
    if point is None:
        return ["-"] * (1 + len(parts))
    return [_mean(each) for each in (point, *(point["parts"][part] for part in parts))]


def _mean(estimate: Document) -> str:
    mean, low, high = estimate["mean"], estimate["low"], estimate["high"]
    return number(mean) if low is None else plus_minus(mean, low, high)
