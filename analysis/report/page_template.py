"""The template of every page: head, sections, data of the figures, and the script that draws them."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from mobilesim.analysis.figures.style import Figure
from mobilesim.analysis.report.resources import PLOTLY, POLICY, SCRIPT, STYLE

_IN_SUMMARY: Final = "The numbers on this page are in <code>summary/</code> in the same directory, as Parquet and CSV."


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page. Its fields are in the order of the page.

    `about` (the explanation) and `body` are HTML; `sentence` (the result) is text. `placed`: the figures in the body.
    """

    title: str
    about: str = ""
    sentence: str = ""
    figure: Figure | None = None
    body: str = ""
    placed: tuple[Figure, ...] = ()

    def html(self) -> str:
        pieces = (
            f"<h2>{escape(self.title)}</h2>",
            f'<p class="soft">{_unbroken(self.about)}</p>' if self.about else "",
            f'<p class="says">{_unbroken(escape(self.sentence))}</p>' if self.sentence else "",
            place(self.figure) if self.figure else "",
            self.body,
        )
        return "\n".join(filter(None, pieces))

    @property
    def figures(self) -> tuple[Figure, ...]:
        return self.placed if self.figure is None else (self.figure, *self.placed)


def render_page(title: str, lead: str, sections: Iterable[Section]) -> str:
    """Return an HTML file that needs no network. `lead`: HTML below the title."""
    shown = list(sections)
    inner = "\n".join([f"<h1>{escape(title)}</h1>", lead, *(section.html() for section in shown)])
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{STYLE}</style>
</head>
<body>
<main>
{inner}
</main>
<script type="application/json" id="plots">{_plots([each for section in shown for each in section.figures])}</script>
<script>{PLOTLY}</script>
<script>
{SCRIPT}</script>
</body>
</html>
"""


def place(figure: Figure) -> str:
    """Return the HTML of a figure and of the legend above it."""
    entries = "".join(f"<li>{chip(colour)}{escape(name)}</li>" for name, colour in figure.legend)
    legend = f'<ul class="legend">{entries}</ul>\n' if entries else ""
    return f'{legend}<div class="plot" id="plot-{figure.key}" style="height:{figure.height}px"></div>'


def place_pair(figures: Sequence[Figure]) -> str:
    """Return the HTML elements of figures side by side, each below its title. On a narrow page, they form a column."""
    plots = "".join(f'<div><p class="soft">{escape(each.title)}</p>\n{place(each)}</div>' for each in figures)
    return f'<div class="pair">{plots}</div>\n'


def chip(colour: str) -> str:
    return f'<span class="chip" style="background:{colour}"></span>'


def verdicts(items: Iterable[tuple[str, str, str]]) -> str:
    """Return a list in HTML. Each item: CSS class, name, and lines of text."""
    texts = [(kind, escape(name), "<br>".join(map(escape, text.split("\n")))) for kind, name, text in items]
    entries = "".join(f'<li class="{kind}"><strong>{name}</strong>: {text}</li>' for kind, name, text in texts)
    return f'<ul class="verdicts">{entries}</ul>'


def facts(values: dict[str, object]) -> str:
    """Return a grid of named values in HTML."""
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(str(value))}</dd></div>" for name, value in values.items())
    return f'<dl class="facts">{rows}</dl>'


def reproduction(what: str, text: str, command: str, numbers: str = _IN_SUMMARY) -> Section:
    """Return the last section of a page. `text` and `numbers` are HTML. `numbers` names the files with the numbers."""
    pieces = (text and f"<p>{text}</p>", f"<pre><code>{escape(command)}</code></pre>", f'<p class="soft">{numbers}</p>')
    return Section(f"Reproduce this {what}", body="\n".join(filter(None, pieces)))


def listed(lines: Iterable[str]) -> str:
    entries = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{entries}</ul>" if entries else ""


def capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _unbroken(text: str) -> str:
    """Return text in which a number and its unit stay on one line."""
    return re.sub(r"(?<=\d) (?=[±%]|[nµm]?s\b|(?:[KM]i)?B\b|[kmµ]?J\b)", "&nbsp;", text)


def _plots(figures: Sequence[Figure]) -> str:
    """Return JSON for a script element, with `<` escaped, so that a `</script>` in a name does not end the element."""
    drawn = {figure.key: json.loads(figure.plot.to_json()) for figure in figures}
    return json.dumps(drawn, separators=(",", ":")).replace("<", "\\u003c")
