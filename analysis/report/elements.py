"""Pieces of a page as HTML: figures with their legends and buttons, tables, lists, and text behind a click.

Arguments are text, unless a docstring says that they are HTML.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Final

from mobilesim.analysis.figures.figure import Figure, LegendEntry
from mobilesim.analysis.figures.style import INK
from mobilesim.analysis.report.resources import GLOSSARY

_STROKES: Final = {
    "solid": "",
    "dash": "7 3",
    "dot": "2 3",
    "dashdot": "7 3 2 3",
    "longdash": "10 3",
    "longdashdot": "10 3 2 3",
    "2px,8px": "2 8",
    "14px,8px": "14 8",
}
"""Plotly's dash patterns, as SVG writes them."""
_MARKS: Final = {
    "circle": '<circle cx="17" cy="7" r="4"/>',
    "square": '<rect x="13" y="3" width="8" height="8"/>',
    "diamond": '<path d="M17 2l5 5-5 5-5-5z"/>',
    "triangle-up": '<path d="M17 2l5 9h-10z"/>',
    "cross": '<path d="M15 2h4v3h3v4h-3v3h-4v-3h-3v-4h3z"/>',
    "star": '<path d="M17 1l2 4 4 .5-3 3 1 4-4-2-4 2 1-4-3-3 4-.5z"/>',
    "hexagon": '<path d="M14.500 3h5l2.500 4-2.500 4h-5l-2.500-4z"/>',
}
"""Plotly's markers, as shapes in SVG."""


def place(figure: Figure) -> str:
    """Return a figure: its title, its legend, the place of the plot, and the buttons that save it."""
    title = unbroken(escape(figure.caption or capitalized(figure.title)))
    head = f"<figcaption><span>{title}</span>{_buttons(figure)}</figcaption>"
    label = escape(f"{figure.title}. The table on this page has the numbers.")
    size = f'style="height:{figure.height}px"'
    plot = f'<div class="plot" id="plot-{figure.key}" role="img" aria-label="{label}" {size}></div>'
    return f"<figure>{head}{legend(figure.legend)}{plot}</figure>\n"


def place_group(figures: Sequence[Figure], entries: Sequence[LegendEntry] = ()) -> str:
    """Return figures side by side, with a common legend. On a narrow page, they form a column.

    Without `entries`, the legend of the first figure is common if it has the entries of all others.
    """
    first, *others = (set(figure.legend) for figure in figures)
    if not entries and others and all(each and each <= first for each in others):
        entries = figures[0].legend
    shown = [replace(figure, legend=()) for figure in figures] if entries else figures
    return f'{legend(entries)}<div class="group">{"".join(map(place, shown))}</div>\n'


def _buttons(figure: Figure) -> str:
    buttons = "".join(
        f'<button type="button" data-save="{kind.lower()}" data-figure="{figure.key}" '
        f'aria-label="{escape(f"Save as {kind}: {figure.title}")}">{kind}</button>'
        for kind in ("SVG", "CSV")
    )
    return f'<span class="save">{buttons}</span>'


def legend(entries: Iterable[LegendEntry]) -> str:
    items = "".join(f"<li>{_sample(entry)}{escape(entry.name)}</li>" for entry in entries)
    return f'<ul class="legend">{items}</ul>\n' if items else ""


def _sample(entry: LegendEntry) -> str:
    if not (entry.dash or entry.mark):
        return chip(entry.colour)
    stroke = f'stroke-dasharray="{_STROKES[entry.dash]}"' if entry.dash else ""
    line = f'<line x1="0" y1="7" x2="34" y2="7" {stroke}/>' if entry.dash else ""
    mark = _MARKS[entry.mark] if entry.mark else ""
    box = 'viewBox="0 0 34 14" width="34"' if entry.dash else 'viewBox="10 0 14 14" width="14"'
    colour = f'style="color:{_page_colour(entry.colour)}"'
    return f'<svg class="sample" {box} {colour} aria-hidden="true">{line}{mark}</svg>'


def chip(colour: str) -> str:
    return f'<span class="chip" style="background:{_page_colour(colour)}"></span>'


def _page_colour(colour: str) -> str:
    return "var(--text)" if colour == INK else colour


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, words: bool = False) -> str:
    """Return a table in a box that scrolls if the table is too wide. The first cell of a row is its heading.

    The second and later lines of a cell are in small print. `words`: whether the other cells are sentences.
    """
    head = "".join(f'<th scope="col">{_cell(column)}</th>' for column in columns)
    kind = ' class="words"' if words else ""
    body = "".join(_row(row[0], (f"<td{kind}>{_cell(cell)}</td>" for cell in row[1:])) for row in rows)
    return _scrolling(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>", columns[0] or "table")


def _row(heading: str, cells: Iterable[str]) -> str:
    return f'<tr><th scope="row">{_cell(heading)}</th>{"".join(cells)}</tr>'


def _scrolling(content: str, name: str) -> str:
    """Return a box around a table. The page's script shows the hint if the table is wider than the box."""
    hint = '<p class="hint" hidden>Scroll sideways for more columns.</p>'
    return f'<div class="wide">{hint}<div class="scroll" aria-label="{escape(name)}">{content}</div></div>'


def _cell(text: str) -> str:
    first, *rest = escape(text).split("\n")
    return unbroken(first) + "".join(f"<br><small>{line}</small>" for line in rest)


def definitions(rows: Iterable[Sequence[str]]) -> str:
    """Return a table with a name and texts in each row. Names are HTML."""
    texts = ((name, "".join(f'<td class="words">{escape(text)}</td>' for text in several)) for name, *several in rows)
    body = "".join(f'<tr><th scope="row">{name}</th>{cells}</tr>' for name, cells in texts)
    return _scrolling(f'<table class="definitions"><tbody>{body}</tbody></table>', "definitions")


def glossary() -> str:
    """Return all terms of the glossary by theme, behind a click."""
    themes = (f"<h3>{theme}</h3>{definitions(terms.items())}" for theme, terms in GLOSSARY.items())
    return folded("Glossary", "".join(themes))


def folded(title: str, content: str) -> str:
    """Return HTML content that is shown after a click on its title."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def verdicts(items: Iterable[tuple[str, str, str]]) -> str:
    """Return a list. Each item: CSS class, name, and lines of text."""
    texts = [(kind, escape(name), "<br>".join(map(escape, text.split("\n")))) for kind, name, text in items]
    entries = "".join(f'<li class="{kind}"><strong>{name}</strong>: {text}</li>' for kind, name, text in texts)
    return f'<ul class="verdicts">{entries}</ul>'


def findings(sentences: Iterable[str]) -> str:
    """Return the results with which a page begins."""
    entries = "".join(f"<li>{unbroken(escape(sentence))}</li>" for sentence in sentences)
    return f'<ul class="findings">{entries}</ul>' if entries else ""


def terms(items: Iterable[tuple[str, str]]) -> str:
    """Return a list of names with a sentence each."""
    entries = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in items)
    return f'<dl class="terms">{entries}</dl>'


def facts(values: Mapping[str, object]) -> str:
    """Return a grid of named values."""
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(str(value))}</dd></div>" for name, value in values.items())
    return f'<dl class="facts">{rows}</dl>'


def listed(lines: Iterable[str]) -> str:
    entries = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{entries}</ul>" if entries else ""


def capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def anchor(title: str) -> str:
    """Return the id of a section."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def unbroken(text: str) -> str:
    """Return text in which a number and its unit stay on one line."""
    return re.sub(r"(?<=\d) (?=[±%]|[nµm]?s\b|(?:[KM]i)?B\b|[kmµ]?J\b)", "&nbsp;", text)
