"""Forest plots: what is drawn to scale, what is written at the edge, and the numbers."""

import csv
from io import StringIO

from mobilesim.analysis.figures.forest import forest


def test_effects_are_drawn_with_intervals_and_large_ones_are_written_at_the_edge() -> None:
    effects = [(-55.0, -50.0, -45.0), (1_500.0, 1_700.0, 1_900.0), None, (None, -250.0, None)]
    figure = forest("f", "effects", ["delay", "bytes", "died", "life"], {"av1": effects})
    (trace,) = figure.plot.data
    assert list(trace.x) == [-50.0]
    assert (trace.error_x.array[0], trace.error_x.arrayminus[0]) == (5.0, 5.0)
    texts = {each.text: (each.x, each.y) for each in figure.plot.layout.annotations}
    assert texts == {"1,700 % →": (100.0, 1), "← -250 %": (-100.0, 3)}
    assert list(figure.plot.layout.yaxis.ticktext) == ["delay", "bytes", "died", "life"]


def test_two_series_are_beside_each_other_and_all_numbers_are_in_the_csv_file() -> None:
    series = {"av1": [(1.0, 2.0, 3.0)], "rst": [(4.0, 5.0, 6.0)]}
    figure = forest("f", "effects", ["delay"], series)
    first, second = (trace.y[0] for trace in figure.plot.data)
    assert -0.5 < first < 0 < second < 0.5
    head, *rows = csv.reader(StringIO(figure.csv()))
    assert len(head) == 5
    assert rows == [["av1", "delay", "1.0", "2.0", "3.0"], ["rst", "delay", "4.0", "5.0", "6.0"]]
