"""A figure's document as text: a table for each panel, and what the paper says."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mobilesim.cli.text_table import aligned

_BUSY: Final = 0.9
_INDENT: Final = "  "

Document = Mapping[str, Any]


def lines(document: Document, width: int | None = None) -> Iterator[str]:
    """Tables are folded where they are wider than `width`."""
    metric = document["metric"]
    yield f"{document['title']} ({document['paper']})"
    source = f"{document['replications']} replications"
    unit = f", in {metric['unit']}" if metric["unit"] else ""
    yield f"{metric['label']}{unit}, ± half of a 95% interval over {source}"
    yield from (f"  {symbol}  {meaning}" for symbol, meaning in document["symbols"].items())
    for panel in document["panels"]:
        yield from _panel(document, panel, width)
    yield from _statements(document["panels"])
    yield ""
    yield document["finding"] or document["lacks"]
    for fault in document["faults"]:
        yield f"FAULT: the protocol broke what it claims ({fault})"


def _panel(document: Document, panel: Document, width: int | None) -> Iterator[str]:
    yield from ("", panel["label"])
    head, rows = _head(document, panel), list(_rows(document, panel))
    inner = None if width is None else width - len(_INDENT)
    yield from (f"{_INDENT}{line}".rstrip() for line in aligned([head, *rows], range(len(head)), inner))
    if any(cell.endswith("*") for row in rows for cell in row):
        yield f"  * a station was busy for more than {_BUSY:.0%} of the time: the longer the run, the longer the delay"


def _statements(panels: Sequence[Document]) -> Iterator[str]:
    """One by one, with what came out in each panel of which it speaks."""
    answers = [(panel["label"], each) for panel in panels for each in panel["statements"]]
    width = max((len(label) for label, _ in answers), default=0)
    for paper in dict.fromkeys(each["paper"] for _, each in answers):
        yield from ("", f"paper: {paper}")
        for label, here in answers:
            if here["paper"] == paper:
                yield f"  {label:<{width}}  {here['told']}: {here['words']}"


def _head(document: Document, panel: Document) -> list[str]:
    head = [document["x"]["symbol"]]
    for series in panel["series"]:
        head += [series["label"], *(f"({part.replace('_', ' ')})" for part in document["parts"])]
    gap = panel["difference"]
    return [*head, f"{gap['left']} - {gap['right']}"] if gap else head


def _rows(document: Document, panel: Document) -> Iterator[list[str]]:
    places = sorted({point["x"] for series in panel["series"] for point in series["points"]})
    for x in places:
        row = [str(x)]
        for series in panel["series"]:
            row += _cells(document, _at(series["points"], x))
        yield [*row, _spread(_at(panel["difference"]["points"], x), sign="+")] if panel["difference"] else row


def _at(points: Sequence[Document], x: int) -> Document | None:
    return next((point for point in points if point["x"] == x), None)


def _cells(document: Document, point: Document | None) -> list[str]:
    if point is None:
        return ["-"] * (1 + len(document["parts"]))
    mark = "*" if point["busiest"] > _BUSY else ""
    return [_spread(point) + mark, *(f"{point['parts'][part]['mean']:.2f}" for part in document["parts"])]


def _spread(estimate: Document | None, sign: str = "") -> str:
    from analysis.summary.formatting import number, plus_minus

    if estimate is None:
        return "-"
    mean, low, high = estimate["mean"], estimate["low"], estimate["high"]
    told = number(mean) if low is None else plus_minus(mean, low, high)
    return f"{sign}{told}" if mean > 0 else told
