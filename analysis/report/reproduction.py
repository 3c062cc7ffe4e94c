"""The page of a reproduced figure, from its document to one HTML file."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from analysis.figures.curves import beside, curves
from analysis.figures.style import Figure, words
from analysis.report.frame import framed, place

_HOLDS: Final = {
    True: ("sound", "holds"),
    False: ("broken", "does not hold"),
    None: ("", "not enough to tell"),
}

_UNFINISHED: Final = "This is not the whole figure: too little to say what it shows."

Document = Mapping[str, Any]


def page(document: Document, options: Sequence[str] = ()) -> str:
    """`options`: with which the figure was asked for, if not in full."""
    panels = [panel for panel in document["panels"] if any(series["points"] for series in panel["series"])]
    pairs = [(curves(document, panel, number), beside(document, panel, number)) for number, panel in enumerate(panels)]
    body = [
        f"<h1>{escape(document['title'])}</h1>",
        _about(document),
        _symbols(document["symbols"]),
        f"<p>{escape(document['finding'] or _UNFINISHED)}</p>",
        _short(panels),
        *(_panel(document, panel, pair) for panel, pair in zip(panels, pairs, strict=True)),
        _again(document, options),
    ]
    return framed(document["title"], body, [figure for pair in pairs for figure in pair])


def _about(document: Document) -> str:
    return f"""<p class="soft">{escape(document["paper"])}, measured again with mobilesim {escape(document["version"])}:
{document["runs"]:,} runs, {document["messages"]:,} messages. Whiskers are 95 % intervals by Student's t over
{document["replications"]} replications. In one replication all protocols meet the same hosts, movement and messages,
and differences are taken within replications. The interval of a crossing is where the interval of the difference holds
zero, with straight lines between the places measured.</p>"""


def _symbols(symbols: Mapping[str, str]) -> str:
    told = "; ".join(f"<strong>{escape(name)}</strong>: {escape(meaning)}" for name, meaning in symbols.items())
    return f'<p class="soft">{told}.</p>' if told else ""


def _short(panels: Sequence[Document]) -> str:
    """Every statement of the paper, with what came out in each panel."""
    first = panels[0]["statements"] if panels else ()
    return "".join(
        f"<h2>The paper: {escape(said['paper'])}</h2>{_answers(panels, at)}" for at, said in enumerate(first)
    )


def _answers(panels: Sequence[Document], place: int) -> str:
    rows = "".join(_answer(panel["label"], panel["statements"][place]) for panel in panels if panel["statements"])
    return f'<div class="scroll"><table><tbody>{rows}</tbody></table></div>'


def _answer(label: str, statement: Document) -> str:
    _, holds = _HOLDS[statement["holds"]]
    cells = (label, holds, statement["words"])
    return "<tr>" + "".join(f'<td class="words">{escape(cell)}</td>' for cell in cells) + "</tr>"


def _panel(document: Document, panel: Document, pair: Sequence[Figure]) -> str:
    plots = "".join(f'<div><p class="soft">{escape(figure.title)}</p>\n{place(figure)}</div>' for figure in pair)
    return f"""<h2>{escape(panel["label"])}</h2>
<div class="pair">{plots}</div>
<ul class="verdicts">{"".join(map(_statement, panel["statements"]))}</ul>
{_table(document, panel)}"""


def _statement(statement: Document) -> str:
    kind, holds = _HOLDS[statement["holds"]]
    return f"""<li class="{kind}"><strong>{holds}</strong>: the paper says that {escape(statement["paper"])};
here {escape(statement["words"])}</li>"""


def _table(document: Document, panel: Document) -> str:
    parts = document["parts"]
    names = [name for series in panel["series"] for name in (series["label"], *(f"({words(part)})" for part in parts))]
    head = "".join(f"<th>{escape(name)}</th>" for name in (document["x"]["symbol"], *names))
    places = sorted({point["x"] for series in panel["series"] for point in series["points"]})
    rows = "".join(f"<tr><td>{x}</td>{_row(panel['series'], parts, x)}</tr>" for x in places)
    unit = escape(document["metric"]["unit"])
    return f"""<details><summary>The same in numbers ({unit})</summary>
<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>"""


def _row(several: Sequence[Document], parts: Sequence[str], x: int) -> str:
    cells: list[str] = []
    for series in several:
        point = next((point for point in series["points"] if point["x"] == x), None)
        if point is None:
            cells += ["-"] * (1 + len(parts))
        else:
            cells += [_spread(point), *(_spread(point["parts"][part]) for part in parts)]
    return "".join(f"<td>{cell}</td>" for cell in cells)


def _spread(estimate: Document) -> str:
    mean = f"{estimate['mean']:.2f}"
    return mean if estimate["low"] is None else f"{mean} ± {(estimate['high'] - estimate['low']) / 2:.2f}"


def _again(document: Document, options: Sequence[str]) -> str:
    return f"""<h2>How to get the same again</h2>
<pre><code>{escape(" ".join(("mobilesim reproduce", document["figure"], *options)))}</code></pre>
<p class="soft">The numbers behind this page are in <code>figure.json</code> beside it, and a line for every run in
<code>points.jsonl</code>.</p>"""
