"""Mobility settings: the error lines of invalid values, and the settings that a stored scenario contains."""

from typing import Final

import pytest

from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.mobility_models import ON_PLANE, SECTIONS
from mobilesim.scenario.template import template
from tests.support.bad_scenarios import Bad, error_of

TABLE: Final = (
    Bad(
        "mobility:\n  waypoint: {}\n",
        "x.yaml:2: mobility.waypoint: does not apply to model 'cell-jump'; write 'model: waypoint', or leave this key "
        "out",
    ),
    Bad(
        "mobility:\n  model: levy\n  dwell: 5 s\n",
        "x.yaml:3: mobility.dwell: does not apply to model 'levy'; write 'model: cell-jump' or 'model: static', or "
        "leave this key out",
    ),
    Bad(
        "mobility: {model: waypoint, start: spread}\n",
        "x.yaml:1: mobility.start: does not apply to model 'waypoint'; write 'model: cell-jump' or 'model: static', or "
        "leave this key out",
    ),
    Bad(
        "mobility:\n  crossing: {check: 2 s}\n",
        "x.yaml:2: mobility.crossing: does not apply to model 'cell-jump'; write 'model: waypoint' or "
        "'model: gauss-markov', or leave this key out",
    ),
    Bad(
        "mobility: {model: levy}\ncells: {shape: graph, edges: [[0, 1]]}\n",
        "x.yaml:1: mobility.model: 'levy' needs cells with positions; write 'shape: grid', 'hex' or 'sites' below "
        "cells",
    ),
    Bad(
        "mobility: {model: waypoint, waypoint: {min_speed: 3 m/s}}\n",
        "x.yaml:1: mobility.waypoint.min_speed: the minimum speed, 3 m/s, is more than the maximum, 2 m/s; write less",
    ),
    Bad(
        "mobility: {model: waypoint, waypoint: {min_speed: 0 m/s}}\n",
        "x.yaml:1: mobility.waypoint.min_speed: '0 m/s' is too little; write more than 0",
    ),
    Bad(
        "mobility: {model: waypoint, waypoint: {pause: pareto 1 1 s}}\n",
        "x.yaml:1: mobility.waypoint.pause: pauses without a finite mean have no steady state; write a shape above 1",
    ),
    Bad(
        "mobility: {model: trips, trips: {preferences: [1, 2]}}\n",
        "x.yaml:1: mobility.trips.preferences: 2 numbers for 9 cells; write one for each",
    ),
    Bad(
        "cells: 2\nmobility: {model: trips, trips: {matrix: [[1, 0], [1, 0]]}}\n",
        "x.yaml:2: mobility.trips.matrix[0]: no trip leaves cell 0; write a number above 0 for another cell",
    ),
    Bad(
        "cells: 2\nmobility: {model: trips, trips: {matrix: [[1, 0], [1]]}}\n",
        "x.yaml:2: mobility.trips.matrix[0]: no trip leaves cell 0; write a number above 0 for another cell\n"
        "x.yaml:2: mobility.trips.matrix[1]: 1 number in a matrix of 2 rows; write 2",
    ),
    Bad(
        "mobility: {model: levy, levy: {min_flight: 2 km}}\n",
        "x.yaml:1: mobility.levy.min_flight: the shortest flight is longer than the longest; write less",
    ),
    Bad(
        "mobility: {model: commuter, commuter: {day: 1 h}}\n",
        "x.yaml:1: mobility.commuter.start_time: the scenario must begin within the day; write less than 'day'\n"
        "x.yaml:1: mobility.commuter.evening: the rush hour of the evening does not end within the day; write less",
    ),
    Bad(
        "mobility: {model: hotspot, hotspot: {radius: 0 m, attraction: 1.0}}\n",
        "x.yaml:1: mobility.hotspot.radius: with a radius of 0 m and pauses below 1 ms, simulated time would hardly "
        "advance; write more",
    ),
    Bad(
        "mobility: {model: hotspot, hotspot: {radius: 0 m, attraction: 1, pause: 1 us}}\n",
        "x.yaml:1: mobility.hotspot.radius: with a radius of 0 m and pauses below 1 ms, simulated time would hardly "
        "advance; write more",
    ),
    Bad(
        "mobility: {model: track}\n",
        "x.yaml:1: mobility.track.file: a track needs a file; write 'track: {file: track.csv}'",
    ),
)


@pytest.mark.parametrize("bad", TABLE, ids=lambda bad: repr(bad.text[:80]))
def test_bad_mobility_settings_are_refused_with_exactly_this_line(bad: Bad) -> None:
    assert error_of(bad.text) == bad.error


def model_section(model: str) -> str:
    return f"mobility: {{model: {model}}}"


@pytest.mark.parametrize("model", [model for model in SECTIONS if model != "track"])
def test_a_model_writes_only_its_own_settings(model: str) -> None:
    written = loads(model_section(model)).model_dump(mode="json")["mobility"]
    own = {SECTIONS[model], *({"crossing"} if model in ON_PLANE else {"start"})}
    assert written.keys() == {"model", "gap", "disconnect", "at_end", *own}


@pytest.mark.parametrize("model", ("cell-jump", "static"))
def test_settings_of_the_plane_are_written_only_for_models_on_a_plane(model: str) -> None:
    written = loads(model_section(model)).model_dump(mode="json")["mobility"]
    assert list(written) == ["model", "dwell", "next", "gap", "disconnect", "at_end", "start"]


@pytest.mark.parametrize("model", [model for model in SECTIONS if model != "track"])
def test_written_settings_of_a_model_are_read_back(model: str) -> None:
    scenario = loads(model_section(model))
    again = Scenario.model_validate({"mobility": scenario.model_dump(mode="json", exclude_none=True)["mobility"]})
    assert again.mobility == scenario.mobility
    assert again.hash == scenario.hash


def test_the_template_has_every_key_of_every_model() -> None:
    shown = template()
    for section in SECTIONS.values():
        assert f"\n  # {section}:\n" in shown
    for word in (
        "hysteresis",
        "memory",
        "speed_exponent",
        "block",
        "downtown",
        "attraction",
        "reaction",
        "preferences",
        "shift",
    ):
        assert f"{word}: " in shown


def test_a_shift_may_be_negative_and_is_written_with_its_units(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("tracks") / "track.csv"
    file.write_text("node,time,x,y\na,0,1,1\n")
    track = f"{{file: '{file}', shift: [-500 m, 1.5 km]}}"
    scenario = loads(f"hosts: 2\nmobility: {{model: track, track: {track}}}")
    assert scenario.mobility.model_settings.shift == (-500.0, 1500.0)
    assert scenario.normal_form()["mobility"]["track"]["shift"] == ["-500 m", "1.5 km"]
