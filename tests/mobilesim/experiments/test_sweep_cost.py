"""The estimated computing time of a sweep, and designs that are extended in a directory."""

from pathlib import Path
from typing import Final

import pytest

from mobilesim.experiments.sweep.cost import estimate_cost
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.results.sweeps.sweep_directory import SweepDirectory, view_sweep
from mobilesim.scenario.sweeps.sweep_file import loads
from tests.support.sweep_runs import run_sweep

DESIGNED: Final = """
scenario: {cells: 4, messages: 20}
vary: {hosts: {from: 4, to: 9}, mobility.dwell: {from: exponential 1 s, to: exponential 9 s, scale: log}}
protocols: [av1, unordered]
design: {kind: %s, points: %d}
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("kind", "few", "many", "runs"), (("sobol", 2, 5, 10), ("latin-hypercube", 2, 4, 8), ("sobol-indices", 2, 3, 24))
)
def test_only_the_new_points_of_an_extended_design_are_run(
    kind: str, few: int, many: int, runs: int, tmp_path: Path
) -> None:
    first = run_sweep(DESIGNED % (kind, few), tmp_path)
    assert run_sweep(DESIGNED % (kind, few), tmp_path) == []
    more = run_sweep(DESIGNED % (kind, many), tmp_path)
    assert len(first) + len(more) == runs
    assert not {record.run for record in first} & {record.run for record in more}


@pytest.mark.full
def test_the_cost_comes_from_a_pilot_and_later_from_earlier_runs(tmp_path: Path) -> None:
    planned = make_plan(loads(DESIGNED % ("sobol", 6)))
    pilot = estimate_cost(planned, SweepDirectory(tmp_path))
    assert pilot is not None
    assert (pilot.source, pilot.runs, pilot.missing) == ("pilot", 6, 12)
    assert pilot.cpu_seconds > 0
    assert not [*tmp_path.iterdir()]

    run_sweep(DESIGNED % ("sobol", 6), tmp_path, first=4)
    store = view_sweep(tmp_path, planned.all_runs())
    earlier = estimate_cost(planned, store)
    assert earlier is not None
    assert (earlier.source, earlier.runs, earlier.missing) == ("earlier runs", 4, 8)
    seconds = [record.seconds for record in store.records.values()]
    assert earlier.cpu_seconds == pytest.approx(8 * sum(seconds) / 4)

    run_sweep(DESIGNED % ("sobol", 6), tmp_path)
    assert estimate_cost(planned, view_sweep(tmp_path, planned.all_runs())) is None


@pytest.mark.full
def test_the_pilot_of_a_long_run_is_scaled_up_to_the_whole_run(tmp_path: Path) -> None:
    text = "scenario: {hosts: 10, cells: 4, messages: %d, duration: null}"
    short, long = (
        estimate_cost(make_plan(loads(text % count)), SweepDirectory(tmp_path)) for count in (20_000, 80_000)
    )
    assert short is not None
    assert long is not None
    assert 2 < long.cpu_seconds / short.cpu_seconds < 8
