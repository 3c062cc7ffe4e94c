"""The rule that determines the number of replications from the runs that are complete."""

from math import inf
from pathlib import Path
from statistics import fmean

import pytest

from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.experiments.sweep.stopping_rule import (
    relative_width,
    relative_width_of_difference,
    replications_needed,
)
from mobilesim.results.sweeps.sweep_directory import view_sweep
from mobilesim.scenario.sweeps.replications import Replications
from mobilesim.scenario.sweeps.sweep_file import loads
from mobilesim.statistics.intervals import half_width
from tests.support.sweep_runs import run_sweep

pytestmark = pytest.mark.full

TINY = "scenario: {messages: 20, hosts: 4, cells: 4}\nprotocols: [av1, fifo]\nreplications: 2"
VARIED = f"{TINY}\nvary: {{mobility.dwell: [1 s, 5 s]}}"


@pytest.mark.parametrize(
    ("level", "width", "expected"),
    ((4, 0.5, 4), (4, 1.0, 4), (4, 1.2, 6), (4, 50.0, 8), (16, 1.01, 17), (16, 50.0, 20), (20, 50.0, 20)),
)
def test_additional_replications_are_computed_from_the_variance(level: int, width: float, expected: int) -> None:
    """`width`: relative to the required one. The number of replications at most doubles, up to 20."""
    required = Replications.model_validate({"at_least": 4, "at_most": 20, "until": {"delay": "10 %"}})
    assert replications_needed(required, level, [width, 0.1]) == expected


def test_adaptive_replications_are_reproducible(tmp_path: Path) -> None:
    until = VARIED.replace("replications: 2", "replications: {at_most: 9, until: {delay: 20 %}}")
    planned = make_plan(loads(until))
    run_sweep(until, tmp_path, first=17)
    run_sweep(until, tmp_path)
    rule = planned.rule(view_sweep(tmp_path, planned.all_runs()))
    counts = [sum(rule.store.done(cell.run(number)) for number in range(9)) for cell in planned.configurations]
    assert counts == [rule.needed(cell.run) for cell in planned.configurations]
    assert len(set(counts)) > 1
    for cell, count in zip(planned.configurations, counts, strict=True):
        means = [rule.value(cell.run(number), "delay") for number in range(count)]
        known = [mean for mean in means if mean is not None]
        assert count == 9 or half_width(known) <= 0.2 * fmean(known)
    assert run_sweep(until, tmp_path) == []


def test_differences_from_the_first_protocol_determine_the_replications_of_both(tmp_path: Path) -> None:
    text = TINY.replace("replications: 2", "replications: {at_most: 12, differences: {delay: 1 %, delay.p95: 30 %}}")
    planned = make_plan(loads(text))
    run_sweep(text, tmp_path)
    rule = planned.rule(view_sweep(tmp_path, planned.all_runs()))
    first, second = planned.configurations
    count = rule.needed(second.run, first.run)
    assert 4 <= count <= 12
    assert set(planned.levels(rule).values()) == {count}
    gaps, bases = [], []
    for number in range(count):
        one, other = (rule.value(each.run(number), "delay") for each in (second, first))
        assert one is not None
        assert other is not None
        gaps.append(one - other)
        bases.append(other)
    assert count == 12 or half_width(gaps) <= 0.01 * fmean(bases)


def test_zeros_are_not_known_and_equal_values_are() -> None:
    """An event that has not occurred in four replications may be rare."""
    assert relative_width([0.0] * 4, 0.05) == inf
    assert relative_width([3.0] * 4, 0.05) == 0
    assert relative_width([3.0], 0.05) == 0
    assert relative_width_of_difference([(5.0, 5.0)] * 4, 0.05) == 0
    assert relative_width_of_difference([(5.0, 0.0), (4.0, 0.0)], 0.05) == inf


def test_only_protocols_of_undecided_pairs_are_repeated(tmp_path: Path) -> None:
    text = (
        "scenario: {messages: 40, hosts: 6, cells: 4, mobility: {dwell: exponential 500 ms}}\n"
        "protocols: [rst, av2, prs]\nreplications: {at_most: 16, decide: [delay, inhibition]}"
    )
    planned = make_plan(loads(text))
    first = run_sweep(text, tmp_path, first=13)
    assert [record.replication for record in first[:12]] == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    run_sweep(text, tmp_path)
    assert run_sweep(text, tmp_path) == []
    rule = planned.rule(view_sweep(tmp_path, planned.all_runs()))
    levels = [planned.levels(rule)[each.run(0)] for each in planned.configurations]
    assert set(levels) <= {4, 8, 16}
    assert min(levels) < max(levels)
    for each, level in zip(planned.configurations, levels, strict=True):
        assert sum(rule.store.done(each.run(number)) for number in range(16)) == level
