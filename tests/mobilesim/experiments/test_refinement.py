"""Refinement: runs at added points, resuming, limits, and errors."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.api.progress import Progress
from mobilesim.errors import UserError
from mobilesim.experiments.executors import never
from mobilesim.experiments.sweep import task
from mobilesim.experiments.sweep.engine import run_missing
from mobilesim.experiments.sweep.plan import Plan, make_plan
from mobilesim.experiments.sweep.refinement import plan_in
from mobilesim.results.sweeps.sweep_directory import open_sweep
from mobilesim.scenario.sweeps.refine import middle
from mobilesim.scenario.sweeps.sweep_file import loads

BASE: Final = """
scenario: {hosts: 8, cells: 4, messages: 60, duration: null, backbone: {jitter: exponential 30 ms}}
vary: {mobility.dwell: %s}
protocols: [av1, av2]
replications: 4
"""
ENDS: Final = "[exponential 0.1 s, exponential 2 s]"
REFINE: Final = "refine: {axis: mobility.dwell, protocols: [av2, av1], %s}"


def refine(text: str, directory: Path, stop: Callable[[], bool] = never) -> tuple[Plan, list[task.Job]]:
    """Run a sweep in this process; return its plan at the end, and the jobs that were executed."""
    executed: list[task.Job] = []

    def execute(jobs: Any, work: Any, **options: Any) -> Iterator[Any]:  # noqa: ANN401 - as an Executor has it
        for job in jobs:
            if options["stop"]():
                return
            executed.append(job)
            yield work(job)

    plan = plan_in(directory, loads(text, "s.yaml"))
    with open_sweep(directory, plan.resolved_text, plan.all_runs(), design=plan.design) as store:
        plan = run_missing(plan, store, execute, stop=stop, display=Progress(quiet=True))
    return plan, executed


def dwells(plan: Plan) -> list[str]:
    return [point.label["mobility.dwell"] for point in plan.grid.points]


def files(directory: Path) -> dict[str, bytes]:
    tables = ("deliveries", "handoffs")
    return {str(path): path.read_bytes() for table in tables for path in sorted((directory / table).glob("*"))}


@pytest.mark.full
def test_points_are_added_until_the_bracket_is_narrow_and_the_same_again(tmp_path: Path) -> None:
    text = f"{BASE % ENDS}{REFINE % 'until: 0.2 s'}"
    plan, executed = refine(text, tmp_path / "one")
    assert len(plan.sweep.added) >= 2
    assert len(executed) == 8 * len(plan.grid.points)
    assert dwells(plan)[0] == "exponential 0.1 s"
    assert dwells(plan)[-1] == "exponential 2 s"
    assert all(dwell.startswith("exponential ") for dwell in dwells(plan))
    again, _ = refine(text, tmp_path / "two")
    assert dwells(again) == dwells(plan)
    one, two = (files(tmp_path / name) for name in ("one", "two"))
    assert [*one.values()] == [*two.values()]


@pytest.mark.full
def test_a_finished_sweep_is_refined_with_new_points_only_and_a_refined_one_has_nothing_to_run(tmp_path: Path) -> None:
    _, first = refine(BASE % ENDS, tmp_path)
    assert len(first) == 16
    text = f"{BASE % ENDS}{REFINE % 'until: 0.2 s'}"
    plan, second = refine(text, tmp_path)
    assert {job.run for job in first}.isdisjoint(job.run for job in second)
    assert len(second) == 8 * len(plan.sweep.added) > 0
    again, third = refine(text, tmp_path)
    assert third == []
    assert dwells(again) == dwells(plan)
    narrower, fourth = refine(text.replace("0.2 s", "0.1 s"), tmp_path)
    assert set(dwells(plan)) < set(dwells(narrower))
    assert len(fourth) == 8 * (len(narrower.sweep.added) - len(plan.sweep.added))


@pytest.mark.full
def test_an_interrupted_refinement_is_resumed_with_the_same_points(tmp_path: Path) -> None:
    text = f"{BASE % ENDS}{REFINE % 'until: 0.2 s'}"
    whole, executed = refine(text, tmp_path / "whole")
    asked = iter(range(1000))
    _, part = refine(text, tmp_path / "part", stop=lambda: next(asked) > 20)
    assert 16 < len(part) < len(executed)
    rest, more = refine(text, tmp_path / "part")
    assert dwells(rest) == dwells(whole)
    assert len(part) + len(more) == len(executed)


@pytest.mark.full
def test_the_number_of_added_runs_is_limited(tmp_path: Path) -> None:
    plan, executed = refine(f"{BASE % ENDS}{REFINE % 'runs: 19'}", tmp_path)
    assert len(plan.sweep.added) == 2
    assert len(executed) == 16 + 16


@pytest.mark.full
def test_replications_are_added_to_refined_points_too(tmp_path: Path) -> None:
    text = f"{BASE % ENDS}{REFINE % 'runs: 8'}"
    plan, _ = refine(text, tmp_path)
    more, executed = refine(text.replace("replications: 4", "replications: 5"), tmp_path)
    assert dwells(more) == dwells(plan)
    assert {job.replication for job in executed} == {4}
    assert len(executed) == 2 * 3


@pytest.mark.full
def test_integers_are_refined_to_neighbours_and_without_a_crossing_nothing_is_added(tmp_path: Path) -> None:
    base = BASE.replace("mobility.dwell: %s", "wireless.latency: [1 ms, 2 ms]").replace("[av1, av2]", "[av1, fifo]")
    text = f"{base}refine: {{axis: wireless.latency, protocols: [av1, fifo], until: 0.1 ms}}"
    plan, _ = refine(text, tmp_path / "none")
    assert plan.sweep.added == ()
    sweep = loads("scenario: {}\nvary: {hosts: [4, 9]}\nrefine: {axis: hosts, protocols: [av1, av2], runs: 1}")
    (factor,) = sweep.factors
    assert middle(factor, Fraction(4), Fraction(9)) == 6
    assert middle(factor, Fraction(4), Fraction(5)) is None
    assert middle(factor, Fraction(4), Fraction(900)) == 60


@pytest.mark.parametrize(
    ("text", "line"),
    (
        ("refine: {protocols: [av1, av2], until: 1}", "s.yaml:1: refine: write the key of the axis, like axis: hosts"),
        ("refine: {axis: hosts, until: 1}", "s.yaml:1: refine: write two protocols, like [av1, av2]"),
        ("refine: {axis: hosts, protocols: [av1, av1], until: 1}", "s.yaml:1: refine.protocols: write two protocols"),
        ("refine: {axis: hosts, protocols: [av1, av2]}", "s.yaml:1: refine: write 'until', the width"),
        ("refine: {axis: hosts, protocols: [av1, av2], until: -1}", "s.yaml:1: refine.until: -1 is not a width"),
        (
            "refine: {axis: hosts, protocols: [av1, av2], until: 1 s}",
            "s.yaml:1: refine.until: the values of 'hosts'",
        ),
        ("refine: {axis: hosts, protocols: [av1, av2], runs: 0}", "s.yaml:1: refine.runs: 0 is too little"),
        (
            "refine: {axis: cells, protocols: [av1, av2], until: 1}",
            "s.yaml:1: refine: this sweep has an axis of hosts",
        ),
        (
            "refine: {axis: hosts, metric: delai, protocols: [av1, av2], until: 1}",
            "s.yaml:1: refine.metric: there is no such mean; did you mean 'delay'?",
        ),
        (
            "refine: {axis: hosts, protocols: [av1, av3], until: 1}",
            "s.yaml: refine.protocols: 'av3' is not among the protocols of the sweep: av1, av2",
        ),
        (
            "refine: {axis: hosts, protocols: [av1, av2], until: 1}\ndesign: {kind: sobol, points: 4}",
            "s.yaml:1: refine: this sweep has a design that is no grid; refinement needs a grid",
        ),
        (
            "refine: {axis: hosts, protocols: [av1, av2], until: 1}\nreplications: 1",
            "s.yaml: refine: one replication has no interval; write 2 or more 'replications'",
        ),
    ),
)
def test_an_invalid_refinement_causes_one_error_line_with_its_place(text: str, line: str) -> None:
    more = "scenario: {replications: 3}\nvary: {hosts: [5, 6]}\nprotocols: [av1, av2]"
    with pytest.raises(UserError) as caught:
        make_plan(loads(f"{text}\n{more}", "s.yaml"))
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


def test_the_values_of_a_refined_axis_are_numbers_in_one_unit() -> None:
    more = "scenario: {}\nprotocols: [av1, av2]\nreplications: 2"
    for values, axis in (("[mesh, ring]", "backbone.topology"), ("[1 ms, 1 s]", "wireless.latency")):
        refinement = f"refine: {{axis: {axis}, protocols: [av1, av2], runs: 9}}"
        with pytest.raises(UserError, match=rf"^s.yaml:1: vary.{axis}: its values are not two or more numbers in one"):
            make_plan(loads(f"vary: {{{axis}: {values}}}\n{refinement}\n{more}", "s.yaml"))


def test_a_resolved_refinement_is_read_back() -> None:
    text = f"{BASE % ENDS}{REFINE % 'until: 0.2 s, runs: 40'}"
    once = make_plan(loads(text))
    again = make_plan(loads(once.resolved_text))
    assert again.resolved_text == once.resolved_text
    assert again.sweep.refine == once.sweep.refine
