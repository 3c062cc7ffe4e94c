"""The template of every page: head, results, contents, sections, data of figures, and the script that draws them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from itertools import chain, count
from typing import Final

from mobilesim.analysis.figures.figure import Figure
from mobilesim.analysis.report.elements import anchor, findings, folded, place, unbroken
from mobilesim.analysis.report.resources import PLOTLY, POLICY, SCRIPT, STYLE

MAX_FIGURES: Final = 240
"""The maximum number of figures of the page of a sweep. More would make the page large and slow."""

_IN_SUMMARY: Final = "The numbers on this page are in <code>summary/</code> in the same directory, as Parquet and CSV."


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page. Its fields are in the order of the page.

    `sentence` (the result) is text. `body` and `about` (the explanation, behind a click) are HTML. `placed`: the
    figures in the body.
    """

    title: str
    sentence: str = ""
    figure: Figure | None = None
    body: str = ""
    about: str = ""
    placed: tuple[Figure, ...] = ()

    def html(self, name: str) -> str:
        """Return the section. `name`: its id, to which the contents link."""
        pieces = (
            f'<h2 id="{name}">{escape(self.title)}</h2>',
            f'<p class="says">{unbroken(escape(self.sentence))}</p>' if self.sentence else "",
            place(self.figure) if self.figure else "",
            self.body,
            folded("Explanation", f"<p>{unbroken(self.about)}</p>") if self.about else "",
        )
        return "\n".join(filter(None, pieces))

    @property
    def figures(self) -> tuple[Figure, ...]:
        return self.placed if self.figure is None else (self.figure, *self.placed)


def render_page(title: str, lead: str, sections: Iterable[Section], results: Iterable[str] = ()) -> str:
    """Return an HTML file that needs no network. `lead`: HTML below the title. `results`: one sentence for each."""
    shown = _named(sections)
    inner = "\n".join([f"<h1>{escape(title)}</h1>", lead, findings(results), _contents(shown)])
    body = "\n".join(f"<section>{section.html(name)}</section>" for name, section in shown.items())
    figures = [each for section in shown.values() for each in section.figures]
    plots = _json({each.key: json.loads(each.plot.to_json()) for each in figures})
    files = _json({each.key: [each.title, each.csv()] for each in figures})
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
{body}
</main>
<script type="application/json" id="plots">{plots}</script>
<script type="application/json" id="files">{files}</script>
<script>{PLOTLY}</script>
<script>
{SCRIPT}</script>
</body>
</html>
"""


def _named(sections: Iterable[Section]) -> dict[str, Section]:
    """Return the sections by their ids. Sections of equal titles have numbers."""
    named: dict[str, Section] = {}
    for section in sections:
        name = anchor(section.title) or "section"
        numbered = (f"{name}-{number}" for number in count(2))
        named[next(each for each in chain([name], numbered) if each not in named)] = section
    return named


def _contents(sections: Mapping[str, Section]) -> str:
    links = (f'<li><a href="#{name}">{escape(each.title)}</a></li>' for name, each in sections.items())
    return f'<nav aria-label="Contents"><ul>{"".join(links)}</ul></nav>'


def reproduction(what: str, text: str, command: str, facts: str = "", numbers: str = _IN_SUMMARY) -> Section:
    """Return the last section of a page. All but the first and the third are HTML. `numbers` names their files."""
    code = f'<pre tabindex="0"><code>{escape(command)}</code></pre>'
    pieces = (text and f"<p>{text}</p>", code, f'<p class="soft">{numbers}</p>', facts)
    return Section(f"Reproduce this {what}", body="\n".join(filter(None, pieces)))


def _json(value: object) -> str:
    """Return JSON for a script element, with `<` escaped, so that a `</script>` in a name does not end the element."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
