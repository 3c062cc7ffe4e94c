"""Scatter plots of two costs: outliers are at the edge, and the other points remain distinguishable."""

from mobilesim.analysis.figures.figure import Figure
from mobilesim.analysis.figures.style import PROTOCOLS
from mobilesim.analysis.figures.trade_off import Place, trade_off

TITLES = ("delay against bytes", "bytes", "delay")


def place(x: float, y: float) -> Place:
    return Place((x - 1, x, x + 1), (y - 1, y, y + 1), compared=True)


def drawn(places: dict[str, list[Place]]) -> Figure:
    return trade_off("f", TITLES, places, PROTOCOLS, joined=False, fronts=False)


def test_an_outlier_is_drawn_at_the_edge_and_named() -> None:
    usual = [place(10.0 + n, 20.0 + n) for n in range(9)]
    figure = trade_off(
        "f", TITLES, {"av1": usual, "rst": [place(15.0, 9_000.0)]}, PROTOCOLS, joined=False, fronts=False
    )
    assert figure.title == "delay against bytes; 1 point off the scale at the edge"
    top = figure.plot.layout.yaxis.range[1]
    assert 28 < top < 40
    (far,) = (trace for trace in figure.plot.data if trace.name == "rst")
    assert list(far.y) == [top]
    assert list(far.text) == ["off the scale: 9,000 at 15"]
    assert figure.csv().splitlines()[-1] == "rst,15.0,9000.0,14.0,16.0,8999.0,9001.0"


def test_few_points_are_all_to_scale() -> None:
    figure = trade_off(
        "f", TITLES, {"av1": [place(1, 1)], "rst": [place(2, 900)]}, PROTOCOLS, joined=False, fronts=False
    )
    assert figure.title == "delay against bytes"
    assert figure.plot.layout.yaxis.range[1] > 900
