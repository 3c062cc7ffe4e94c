"""The runs of a figure: their measurements, and their records in the results."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mobilesim.api.progress import Progress
from mobilesim.errors import UserError
from mobilesim.experiments.executors import in_process, never
from mobilesim.experiments.paper_figures.figure import FIGURES, Metric, Panel, PaperFigure, QuickVersion, Series, XAxis
from mobilesim.experiments.paper_figures.figure_runs import (
    UTILISATION,
    FigureRun,
    figure_runs,
    measure,
    run_figure,
)
from mobilesim.experiments.run import Run
from mobilesim.results.layout import MANIFEST
from mobilesim.scenario.bundled import find
from mobilesim.scenario.loader import load, loads
from mobilesim.scenario.sweeps.replications import METRICS
from tests.support.simulations import simulate

SMALL = "hosts: 4\ncells: 4\nmessages: 40\nprotocols: [av1, fifo]\nmobility: {dwell: exponential 200 ms}\n"

TINY = PaperFigure(
    name="tiny",
    paper="",
    title="",
    scenario="papers/av-figure-1",
    x=XAxis("hosts", "n_h", "hosts", (3, 5)),
    metric=Metric("delay", "mean delay", 1e6, "ms"),
    parts=(),
    series=(Series("one", {"protocols": "av1", "messages": "20"}),),
    panels=(Panel("all"),),
    statements=(),
    conclusion="",
    replications=2,
    quick=QuickVersion(1, (3,), 1, {}),
)


def test_a_measurement_is_the_mean_of_the_runs_tables(tmp_path: Path) -> None:
    scenario = loads(SMALL)
    found = measure(Run(scenario, scenario.protocols[0], 1))
    simulation = simulate(scenario, tmp_path / "r", replication=1)
    assert found is not None
    assert found.run == simulation.outcome.run.id
    assert (found.status, found.verdict) == ("complete", "ok")
    assert found.rows == {"messages": 40, "deliveries": len(simulation.deliveries)}
    for name in METRICS:
        mean = sum(row[name] for row in simulation.deliveries) / len(simulation.deliveries)
        assert found.means[name] == pytest.approx(mean)
    busiest = max(row["processing"] for row in simulation.rows("stations"))
    assert found.means[UTILISATION] == pytest.approx(busiest / simulation.simulation.engine.time)


def executed(
    figure: PaperFigure, directory: Path, *, fresh: bool = False, stop: Callable[[], bool] = never
) -> list[FigureRun]:
    return run_figure(figure, directory, in_process, fresh=fresh, stop=stop, display=Progress(quiet=True))


def test_a_stopped_run_has_no_record(tmp_path: Path) -> None:
    long = replace(TINY, series=(Series("one", {"protocols": "av1", "messages": "5000"}),))
    answers = iter([False])
    assert executed(long, tmp_path, stop=lambda: next(answers, True)) == []
    assert list((tmp_path / MANIFEST).iterdir()) == []


def ids(runs: list[FigureRun]) -> list[str]:
    return [run.record.run for run in runs]


def test_finished_runs_of_a_figure_are_not_repeated(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "r"
    few = executed(replace(TINY, replications=1), directory)
    kept = {path.name: path.stat().st_ino for path in (directory / MANIFEST).iterdir()}
    assert set(kept) == {f"{run}.json" for run in ids(few)}
    more = executed(TINY, directory)
    assert ids(more) == [run.id for _, run in figure_runs(TINY)]
    assert more[: len(few)] == few
    assert kept.items() <= {path.name: path.stat().st_ino for path in (directory / MANIFEST).iterdir()}.items()
    fresh = executed(replace(TINY, replications=1), directory, fresh=True)
    assert ids(fresh) == ids(few)
    assert len(list((directory / MANIFEST).iterdir())) == len(few)


@pytest.mark.parametrize("content", ('{"run": "b", "verd', '{"run": "b"}\n', "[]\n", "nonsense"))
def test_a_run_whose_record_is_damaged_is_repeated(content: str, tmp_path: Path) -> None:
    first = executed(TINY, tmp_path)
    damaged = tmp_path / MANIFEST / f"{first[0].record.run}.json"
    damaged.write_text(content)
    again = executed(TINY, tmp_path)
    assert [run.record.means for run in again] == [run.record.means for run in first]
    assert json.loads(damaged.read_text())["run"] == damaged.stem


def test_a_file_in_the_place_of_a_directory_causes_one_error_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"/file/r: not a directory; name another one with --out$"):
        executed(TINY, tmp_path / "file" / "r")


def test_a_directory_with_tables_of_runs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with pytest.raises(UserError, match=r"holds the tables of runs; name another directory with --out$"):
        executed(TINY, tmp_path, fresh=True)


@pytest.mark.full
@pytest.mark.parametrize("figure", FIGURES.values(), ids=lambda figure: figure.name)
def test_every_point_of_every_figure_is_a_scenario_with_one_protocol(figure: PaperFigure) -> None:
    path = find(figure.scenario)
    for each in (*figure.points(), *figure.quick_version().points()):
        assert len(load(path, each.settings).protocols) == 1


@pytest.mark.parametrize("figure", FIGURES.values(), ids=lambda figure: figure.name)
def test_labels_are_unique_and_statements_name_existing_series(figure: PaperFigure) -> None:
    assert len({panel.label for panel in figure.panels}) == len(figure.panels)
    labels = {series.label for series in figure.series}
    assert len(labels) == len(figure.series)
    for statement in figure.statements:
        check = statement.check
        named: set[str] = {getattr(check, name, "") for name in ("one", "other", "series", "over")} - {""}
        named |= set(getattr(check, "printed", ()))
        assert named
        terms = [term for name in named for term in ([name] if name in labels else re.split(r" [+-] ", name))]
        for metric, _, label in (term.partition(" of ") for term in terms if term not in labels):
            assert metric in METRICS
            assert label in labels


def test_the_short_form_of_every_figure_has_fewer_points_and_replications() -> None:
    for figure in FIGURES.values():
        assert len(list(figure.quick_version().points())) < len(list(figure.points())) / 2
        assert figure.quick_version().replications < figure.replications


def test_a_panel_may_have_its_own_points_and_the_x_axis_overrides_its_settings() -> None:
    figure = FIGURES["av-figure-2"]
    assert {bool(panel.values) for panel in figure.panels} == {False, True}
    places = [point.x for point in figure.points()]
    assert places == [x for panel in figure.panels for x in panel.values or figure.x.values]
    assert next(figure.points()).settings["protocols"] == "{name: av3, k: 1}"
