"""The page of a reproduced figure, from its document to one HTML file."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from analysis.figures.curves import beside, curves
from analysis.figures.style import Figure, words
from analysis.report.page_template import framed, place
from analysis.summary.formatting import number, plus_minus

_KIND: Final = {True: "sound", False: "broken", None: "open"}

_SAME_WORLD: Final = " In one replication all protocols meet the same hosts, the same moves and the same messages."
_CROSSING: Final = (
    " The interval of a crossing is where the interval of the difference holds zero, with straight lines between the "
    "places measured."
)

_COLUMNS: Final = 6

Document = Mapping[str, Any]


def page(document: Document, options: Sequence[str] = ()) -> str:
    """`options`: with which the figure was asked for, if not in full."""
    panels = [panel for panel in document["panels"] if any(series["points"] for series in panel["series"])]
    pairs = [(curves(document, panel, number), beside(document, panel, number)) for number, panel in enumerate(panels)]
    body = [
        f"<h1>{escape(document['title'])}</h1>",
        _about(document),
        _symbols(document["symbols"]),
        f"<p>{escape(document['conclusion'] or document['incomplete'])}</p>",
        _short(panels),
        *(_panel(document, panel, pair) for panel, pair in zip(panels, pairs, strict=True)),
        _again(document, options),
    ]
    return framed(document["title"], body, [figure for pair in pairs for figure in pair])


def _about(document: Document) -> str:
    """Only what this figure has."""
    world = _SAME_WORLD if document["common_environment"] else ""
    crossing = _CROSSING if document["crossings"] else ""
    return f"""<p class="soft">{escape(document["paper"])}, measured again with mobilesim {escape(document["version"])}:
{document["runs"]:,} runs, {document["messages"]:,} messages. Whiskers are 95 % intervals by Student's t over
{document["replications"]} replications.{world} Differences are taken within replications.{crossing}</p>"""


def _symbols(symbols: Mapping[str, str]) -> str:
    told = "; ".join(f"<strong>{escape(name)}</strong>: {escape(meaning)}" for name, meaning in symbols.items())
    return f'<p class="soft">{told}.</p>' if told else ""


def _short(panels: Sequence[Document]) -> str:
    """Every statement of the paper, with what came out in each panel of which it speaks."""
    answers = [(panel["label"], each) for panel in panels for each in panel["statements"]]
    papers = dict.fromkeys(each["paper"] for _, each in answers)
    return "".join(f"<h2>The paper: {escape(paper)}</h2>{_answers(answers, paper)}" for paper in papers)


def _answers(answers: Sequence[tuple[str, Document]], paper: str) -> str:
    rows = "".join(_answer(label, each) for label, each in answers if each["paper"] == paper)
    return f'<div class="scroll"><table><tbody>{rows}</tbody></table></div>'


def _answer(label: str, statement: Document) -> str:
    cells = (label, statement["verdict"], statement["text"])
    return "<tr>" + "".join(f'<td class="words">{escape(cell)}</td>' for cell in cells) + "</tr>"


def _panel(document: Document, panel: Document, pair: Sequence[Figure]) -> str:
    plots = "".join(f'<div><p class="soft">{escape(figure.title)}</p>\n{place(figure)}</div>' for figure in pair)
    return f"""<h2>{escape(panel["label"])}</h2>
<div class="pair">{plots}</div>
<ul class="verdicts">{"".join(map(_statement, panel["statements"]))}</ul>
{numbers(document, panel)}"""


def _statement(statement: Document) -> str:
    return f"""<li class="{_KIND[statement["holds"]]}"><strong>{escape(statement["verdict"])}</strong>:
{escape(statement["paper"])}. Here {escape(statement["text"])}.</li>"""


def numbers(document: Document, panel: Document) -> str:
    """What a panel has drawn, in a table: a column for each curve, or a row where that would be too wide."""
    parts = [words(part) for part in document["parts"]]
    several, symbol, unit = panel["series"], document["x"]["symbol"], escape(document["metric"]["unit"])
    there = {point["x"] for series in several for point in series["points"]}
    places = [x for x in document["x"].get("places") or sorted(there) if x in there]
    if len(several) * (1 + len(parts)) <= _COLUMNS:
        head = [name for series in several for name in (series["label"], *(f"({part})" for part in parts))]
        rows = [(_td(x), *(_row(series, document["parts"], x) for series in several)) for x in places]
    else:
        head = ["", document["metric"]["label"], *parts]
        curves = [(x, series) for x in places for series in several]
        rows = [(_td(x), _td(series["label"]), _row(series, document["parts"], x)) for x, series in curves]
    columns = "".join(f"<th>{escape(name)}</th>" for name in (symbol, *head))
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    told = f" ({unit})" if unit else ""
    return f"""<details><summary>The same in numbers{told}</summary>
<div class="scroll"><table><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table></div></details>"""


def _td(text: object) -> str:
    return f"<td>{escape(str(text))}</td>"


def _row(series: Document, parts: Sequence[str], x: float | str) -> str:
    point = next((point for point in series["points"] if point["x"] == x), None)
    if point is None:
        return _td("-") * (1 + len(parts))
    return "".join(map(_td, (_spread(point), *(_spread(point["parts"][part]) for part in parts))))


def _spread(estimate: Document) -> str:
    mean, low, high = estimate["mean"], estimate["low"], estimate["high"]
    return number(mean) if low is None else plus_minus(mean, low, high)


def _again(document: Document, options: Sequence[str]) -> str:
    return f"""<h2>How to get the same again</h2>
<pre><code>{escape(" ".join(("mobilesim reproduce-figure", document["figure"], *options)))}</code></pre>
<p class="soft">The numbers behind this page are in <code>figure.json</code> beside it, and those of every run in
<code>manifest</code>.</p>"""
