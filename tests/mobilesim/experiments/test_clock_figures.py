"""The figure of all clocks: each curve is from another clock of the same run."""

import pytest

from mobilesim.experiments.paper_figures.figure import FIGURES, Series
from mobilesim.experiments.paper_figures.figure_document import figure_document
from mobilesim.experiments.paper_figures.figure_runs import FigureRun, figure_runs, measure
from mobilesim.protocols.clocks.catalogue import CLOCKS

FIGURE = FIGURES["clock-catalogue"]


def test_the_mean_of_a_series_is_that_of_its_clock() -> None:
    assert Series("a curve", clock="allocation 5").mean_of("clock_integers") == "allocation_5_integers"
    assert Series("a curve", clock="interval-tree").mean_of("delay") == "delay"
    assert Series("a curve").mean_of("clock_integers") == "clock_integers"


def test_every_series_is_a_clock_of_the_catalogue() -> None:
    assert {series.clock for series in FIGURE.series} <= set(CLOCKS)


@pytest.mark.full
def test_all_clocks_of_a_point_are_from_the_same_run() -> None:
    figure = FIGURE.quick_version()
    runs = figure_runs(figure)
    points = {(point.panel, point.x, run.replication) for point, run in runs}
    assert len({run.id for _, run in runs}) == len(points)
    assert len(runs) == len(points) * len(FIGURE.series)
    records = {run.id: measure(run) for _, run in runs}
    found = [FigureRun(point, record) for point, run in runs if (record := records[run.id]) is not None]
    for panel in figure_document(figure, found)["panels"]:
        integers = {
            series["label"]: {point["x"]: point["mean"] for point in series["points"]} for series in panel["series"]
        }
        assert integers["FM"] == {x: x for x in FIGURE.quick.values}
        assert integers["lamport"] == dict.fromkeys(FIGURE.quick.values, 1)
        assert {each["verdict"] for each in panel["statements"]} <= {"agrees so far", "inconclusive"}
