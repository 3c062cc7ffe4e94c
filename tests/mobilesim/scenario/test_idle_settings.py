"""A setting without effect is refused in one error line."""

from pathlib import Path
from typing import Final

import pytest

from mobilesim.errors import UserError
from mobilesim.experiments.execute import dry_run
from mobilesim.scenario.loader import load, loads
from mobilesim.scenario.referenced_files import record
from tests.support.bad_scenarios import Bad, error_of

NOBODY_LEAVES: Final = (
    "does not apply to hosts that never leave a cell; write 'model: cell-jump', or leave this key out"
)

TABLE: Final = (
    Bad(
        "cells: {rows: 2, radius: 300 m}\n",
        "x.yaml:1: cells.radius: hosts of model 'cell-jump' have no positions that could be out of range; write a "
        "model on a plane, like 'model: waypoint', or leave this key out",
    ),
    Bad(
        "cells: {radius: 300 m}\nmobility: {model: trips}\n",
        "x.yaml:1: cells.radius: hosts of model 'trips' have no positions that could be out of range; write a model "
        "on a plane, like 'model: waypoint', or leave this key out",
    ),
    Bad("mobility: {model: static, gap: 10 ms}\n", f"x.yaml:1: mobility.gap: {NOBODY_LEAVES}"),
    Bad(
        "mobility: {model: static, disconnect: {probability: 0.1}}\n",
        f"x.yaml:1: mobility.disconnect: {NOBODY_LEAVES}",
    ),
    Bad(
        "energy: {battery: 0 J}\n",
        "x.yaml:1: energy.battery: hosts with empty batteries would leave at the start; write more than 0 J",
    ),
    Bad(
        "backbone: {branching: 3}\n",
        "x.yaml:1: backbone.branching: does not apply to topology 'mesh'; write 'topology: tree' or 'topology: "
        "triangle', or leave this key out",
    ),
    Bad(
        "backbone: {topology: ring, attachments: 1}\n",
        "x.yaml:1: backbone.attachments: does not apply to topology 'ring'; write 'topology: barabasi-albert', or "
        "leave this key out",
    ),
    Bad(
        "backbone: {topology: tree, beta: 50 %}\n",
        "x.yaml:1: backbone.beta: does not apply to topology 'tree'; write 'topology: waxman', or leave this key out",
    ),
)


@pytest.mark.parametrize("bad", TABLE, ids=lambda bad: repr(bad.text[:80]))
def test_a_setting_without_effect_is_refused(bad: Bad) -> None:
    assert error_of(bad.text) == bad.error


@pytest.mark.parametrize(
    "text",
    (
        "mobility: {model: static, gap: 0 s, disconnect: {probability: 0}}\n",
        "backbone: {branching: 2, attachments: 2, alpha: 0.4}\n",
        "cells: {radius: 300 m}\nmobility: {model: waypoint}\n",
        "energy: {battery: uniform 0 J 1 J}\n",
    ),
)
def test_a_default_or_effective_setting_is_accepted(text: str) -> None:
    assert loads(text, "x.yaml").hash


@pytest.mark.parametrize("text", ("mobility: {model: static}\n", "backbone: {topology: ring}\n"))
def test_a_record_of_a_scenario_is_read_again(text: str, tmp_path: Path) -> None:
    """The stored record of a scenario may contain settings without effect."""
    scenario = loads(text, "x.yaml")
    (tmp_path / "again.yaml").write_text(record(scenario).text, encoding="utf-8")
    assert load(tmp_path / "again.yaml").hash == scenario.hash


PLANES: Final = (
    (
        "mobility: {model: gauss-markov, gauss_markov: {margin: 10 km}}\n",
        (
            "mobility.gauss_markov.margin: all of a plane of 1500 m x 1500 m is within 10000 m of every edge, and "
            "no direction is inwards; write less"
        ),
    ),
    (
        "mobility: {model: commuter, commuter: {downtown: 100 km}}\n",
        (
            "mobility.commuter.downtown: all of a plane of 1500 m x 1500 m is within 100000 m of its middle; write "
            "less, or leave this key out"
        ),
    ),
)


@pytest.mark.parametrize(("text", "fault"), PLANES)
def test_lengths_larger_than_the_plane_are_refused_before_a_run(text: str, fault: str) -> None:
    with pytest.raises(UserError) as refused:
        dry_run(loads(text, "x.yaml"))
    assert str(refused.value) == fault


@pytest.mark.parametrize(
    "length", ("gauss-markov, gauss_markov: {margin: 1.4 km}", "commuter, commuter: {downtown: 1 km}")
)
def test_lengths_within_the_plane_are_accepted(length: str) -> None:
    dry_run(loads(f"mobility: {{model: {length}}}\n", "x.yaml"))
