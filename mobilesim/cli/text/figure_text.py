"""A figure's document as text: a table for each panel, and the statements of the paper with their verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mobilesim.cli.text.text_table import indented

_OVERLOADED: Final = 0.9

Document = Mapping[str, Any]


def lines(document: Document, width: int | None = None) -> Iterator[str]:
    metric = document["metric"]
    unit = f", in {metric['unit']}" if metric["unit"] else ""
    yield f"{document['title']} ({document['paper']})"
    yield f"{metric['label']}{unit}, ± half of a 95% confidence interval over {document['replications']} replications"
    yield from (f"  {symbol}  {meaning}" for symbol, meaning in document["symbols"].items())
    for panel in document["panels"]:
        yield from _panel(document, panel, width)
    yield from _statements(document["panels"])
    yield ""
    yield document["conclusion"] or document["incomplete"]
    for fault in document["faults"]:
        yield f"FAULT: the protocol violated its claims ({fault})"


def _panel(document: Document, panel: Document, width: int | None) -> Iterator[str]:
    yield from ("", panel["label"])
    head, rows = _head(document, panel), list(_rows(document, panel))
    yield from indented([head, *rows], range(len(head)), width)
    if any(cell.endswith("*") for row in rows for cell in row):
        yield f"  * a station was busy for more than {_OVERLOADED:.0%} of the time: the delay depends on the run length"


def _statements(panels: Sequence[Document]) -> Iterator[str]:
    """Yield each statement with its verdict in every panel that it applies to."""
    answers = [(panel["label"], each) for panel in panels for each in panel["statements"]]
    width = max((len(label) for label, _ in answers), default=0)
    for paper in dict.fromkeys(each["paper"] for _, each in answers):
        yield from ("", f"paper: {paper}")
        for label, answer in answers:
            if answer["paper"] == paper:
                yield f"  {label:<{width}}  {answer['verdict']}: {answer['text']}"


def _head(document: Document, panel: Document) -> list[str]:
    head = [document["x"]["symbol"]]
    for series in panel["series"]:
        head += [series["label"], *(f"({part.replace('_', ' ')})" for part in document["parts"])]
    gap = panel["difference"]
    return [*head, f"{gap['left']} - {gap['right']}"] if gap else head


def _rows(document: Document, panel: Document) -> Iterator[list[str]]:
    for x in sorted({point["x"] for series in panel["series"] for point in series["points"]}):
        row = [str(x)]
        for series in panel["series"]:
            row += _cells(document["parts"], _point_at(series["points"], x))
        if panel["difference"]:
            row.append(_estimate(_point_at(panel["difference"]["points"], x), sign="+"))
        yield row


def _point_at(points: Sequence[Document], x: int) -> Document | None:
    return next((point for point in points if point["x"] == x), None)


def _cells(parts: Sequence[str], point: Document | None) -> list[str]:
    if point is None:
        return ["-"] * (1 + len(parts))
    mark = "*" if point["utilisation"] > _OVERLOADED else ""
    return [_estimate(point) + mark, *(f"{point['parts'][part]['mean']:.2f}" for part in parts)]


def _estimate(estimate: Document | None, sign: str = "") -> str:
    from analysis.summary.formatting import number, plus_minus

    if estimate is None:
        return "-"
    mean, low, high = estimate["mean"], estimate["low"], estimate["high"]
    text = number(mean) if low is None else plus_minus(mean, low, high)
    return f"{sign}{text}" if mean > 0 else text
