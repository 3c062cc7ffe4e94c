"""The runs behind a figure: what they measure, in how many processes, and how they are kept."""

from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import pytest

from mobilesim.errors import UserError
from mobilesim.experiments.paper_figures.catalogue import FIGURES
from mobilesim.experiments.paper_figures.figure import Figure
from mobilesim.experiments.paper_figures.measure import METRICS, Measurement, measure
from mobilesim.experiments.paper_figures.point_cache import FILE, Points
from mobilesim.experiments.paper_figures.worker_pool import measured
from mobilesim.experiments.run import Run
from mobilesim.scenario.bundled import find
from mobilesim.scenario.loader import load, loads
from tests.support.simulations import emulate

SMALL = "hosts: 4\ncells: 4\nmessages: 40\nprotocols: [av1, fifo]\nmobility: {dwell: exponential 200 ms}\n"


def small(number: int) -> list[Run]:
    scenario = loads(SMALL)
    return [Run(scenario, scenario.protocols[place % 2], place // 2) for place in range(number)]


def test_a_measurement_is_the_mean_of_the_tables_that_a_run_would_have_written(tmp_path: Path) -> None:
    scenario = loads(SMALL)
    found = measure(Run(scenario, scenario.protocols[0], 1))
    emulation = emulate(scenario, tmp_path / "r", replication=1)
    assert found is not None
    assert found.run == emulation.outcome.run.id
    assert (found.verdict, found.messages, found.deliveries) == ("ok", 40, len(emulation.deliveries))
    for name in METRICS:
        assert found.means[name] == pytest.approx(sum(row[name] for row in emulation.deliveries) / found.deliveries)
    (busiest,) = [max(row["processing"] for row in emulation.rows("stations"))]
    assert found.busiest == pytest.approx(busiest / emulation.simulation.engine.time)


def plain(found: Measurement) -> Measurement:
    """Without what differs from time to time."""
    return replace(found, seconds=0)


@pytest.mark.full
def test_two_processes_measure_what_one_does() -> None:
    runs = small(6)
    alone = {found.run: plain(found) for found in measured(runs, 1, lambda: False)}
    together = {found.run: plain(found) for found in measured(runs, 2, lambda: False)}
    assert set(alone) == {run.id for run in runs}
    assert together == alone


@pytest.mark.full
@pytest.mark.parametrize("workers", (1, 2))
def test_who_is_stopped_gives_up_what_is_not_finished(workers: int) -> None:
    runs, found = small(60), list[Measurement]()
    for measurement in measured(runs, workers, lambda: len(found) >= 2):
        found.append(measurement)
    assert 2 <= len(found) < 60


@pytest.mark.full
def test_a_worker_that_is_killed_is_one_clear_line() -> None:
    found = measured(small(60), 2, lambda: False)
    next(found)
    active_children()[0].kill()
    with pytest.raises(UserError, match=r"^a worker process was ended from outside, .* fewer --workers$"):
        list(found)
    assert active_children() == []


def test_a_run_that_is_stopped_has_measured_nothing() -> None:
    long = loads(SMALL, overrides={"messages": "5000"})
    assert measure(Run(long, long.protocols[0], 0), lambda: True) is None


def some(run: str) -> Measurement:
    return Measurement(run, "ok", 10, 10, 0.1, 0.5, {"delay": 1e6})


def test_what_is_finished_is_there_the_next_time(tmp_path: Path) -> None:
    with Points(tmp_path / "new" / "r", fresh=False) as points:
        points.add(some("a"))
        points.add(some("b"))
    with Points(tmp_path / "new" / "r", fresh=False) as points:
        assert points.known == {"a": some("a"), "b": some("b")}
    with Points(tmp_path / "new" / "r", fresh=True) as points:
        assert points.known == {}


@pytest.mark.parametrize("tail", ('{"run": "b", "verd', '{"run": "b"}\n', "[]\n", "nonsense"))
def test_a_line_that_was_cut_short_is_measured_again(tail: str, tmp_path: Path) -> None:
    with Points(tmp_path, fresh=False) as points:
        points.add(some("a"))
    with (tmp_path / FILE).open("a", encoding="utf-8") as file:
        file.write(tail)
    with Points(tmp_path, fresh=False) as points:
        assert set(points.known) == {"a"}
        points.add(some("c"))
    with Points(tmp_path, fresh=False) as points:
        assert set(points.known) == {"a", "c"}


def test_a_place_that_cannot_be_written_to_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"cannot be written: "):
        Points(tmp_path / "file" / "r", fresh=False)


@pytest.mark.full
@pytest.mark.parametrize("figure", FIGURES.values(), ids=lambda figure: figure.name)
def test_every_point_of_every_figure_is_a_scenario_with_one_protocol(figure: Figure) -> None:
    path = find(figure.scenario)
    for each in (*figure.points(), *figure.shortened().points()):
        assert len(load(path, each.settings).protocols) == 1


@pytest.mark.parametrize("figure", FIGURES.values(), ids=lambda figure: figure.name)
def test_labels_tell_panels_and_series_apart_and_checks_name_series(figure: Figure) -> None:
    assert len({panel.label for panel in figure.panels}) == len(figure.panels)
    labels = {series.label for series in figure.series}
    assert len(labels) == len(figure.series)
    for statement in figure.statements:
        check = statement.check
        named = {getattr(check, name, None) for name in ("one", "other", "series")} - {None}
        named |= set(getattr(check, "printed", ()))
        assert named
        assert named <= labels


def test_the_short_form_of_a_figure_is_shorter_everywhere() -> None:
    for figure in FIGURES.values():
        assert len(list(figure.shortened().points())) < len(list(figure.points())) / 2
        assert figure.shortened().replications < figure.replications


def test_a_panel_may_have_places_of_its_own_and_the_x_axis_has_the_last_word() -> None:
    figure = FIGURES["av-figure-2"]
    assert {bool(panel.values) for panel in figure.panels} == {False, True}
    places = [point.x for point in figure.points()]
    assert places == [x for panel in figure.panels for x in panel.values or figure.x.values]
    assert next(figure.points()).settings["protocols"] == "{name: av3, k: 1}"
