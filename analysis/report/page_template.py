"""What every page has: its head, the data of its figures, and the code that draws them."""

import json
from collections.abc import Sequence
from html import escape

from plotly.offline import get_plotlyjs

from analysis.figures.style import Figure
from analysis.report.stylesheet import POLICY, SCRIPT, STYLE


def framed(title: str, body: Sequence[str], figures: Sequence[Figure]) -> str:
    """One HTML file. The title is text; the pieces of the body are HTML, with a place for each figure."""
    inner = "\n".join(body)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
{inner}
</main>
<script type="application/json" id="plots">{_plots(figures)}</script>
<script>{get_plotlyjs()}</script>
<script>{SCRIPT}</script>
</body>
</html>
"""


def place(figure: Figure) -> str:
    """Where a figure will be drawn, under its legend."""
    entries = "".join(f"<li>{chip(colour)}{escape(name)}</li>" for name, colour in figure.legend)
    legend = f'<ul class="legend">{entries}</ul>\n' if entries else ""
    return f'{legend}<div class="plot" id="plot-{figure.key}" style="height:{figure.height}px"></div>'


def chip(colour: str) -> str:
    return f'<span class="chip" style="background:{colour}"></span>'


def _plots(figures: Sequence[Figure]) -> str:
    """JSON inside a script element: a `</script>` in a name must not end it."""
    drawn = {figure.key: json.loads(figure.plot.to_json()) for figure in figures}
    return json.dumps(drawn, separators=(",", ":")).replace("<", "\\u003c")
