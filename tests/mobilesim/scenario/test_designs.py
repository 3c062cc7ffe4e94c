"""Designs of sweeps: their points, how they are extended, and the errors of wrong designs."""

import pytest

from mobilesim.errors import UserError
from mobilesim.experiments.sweep.plan import Plan, make_plan
from mobilesim.scenario.sweeps.sweep_file import loads

KINDS = ("latin-hypercube", "sobol", "random", "sobol-indices")
FACTORS = """
vary:
  hosts: {from: 5, to: 12}
  mobility.dwell: {from: exponential 1 s, to: exponential 20 s, scale: log}
  backbone.topology: [mesh, ring, star]
"""


def plan(design: str, vary: str = FACTORS, *, quick: bool = False) -> Plan:
    return make_plan(loads(f"scenario: {{cells: 4}}\n{vary}\ndesign: {design}\n", "s.yaml", quick=quick))


def labels(planned: Plan) -> list[tuple[str, ...]]:
    return [tuple(point.label.values()) for point in planned.grid.points]


@pytest.mark.parametrize("kind", KINDS)
def test_points_are_in_the_ranges_with_their_units_and_integers_stay_integers(kind: str) -> None:
    planned = plan(f"{{kind: {kind}, points: 32}}")
    assert {point.scenario.hosts for point in planned.grid.points} == set(range(5, 13))
    dwells = [point.label["mobility.dwell"] for point in planned.grid.points]
    assert all(dwell.startswith("exponential ") and dwell.endswith(" s") for dwell in dwells)
    seconds = [float(dwell.split()[1]) for dwell in dwells]
    assert 1 <= min(seconds) < 1.3
    assert 16 < max(seconds) <= 20
    assert {point.label["backbone.topology"] for point in planned.grid.points} == {"mesh", "ring", "star"}


def test_half_of_the_points_of_a_logarithmic_factor_are_below_the_geometric_mean() -> None:
    dwells = [float(label[1].split()[1]) for label in labels(plan("{kind: sobol, points: 64}"))]
    assert sum(dwell < 20**0.5 for dwell in dwells) == 32


@pytest.mark.parametrize(
    ("kind", "few", "many"),
    (("sobol", 20, 50), ("random", 20, 50), ("latin-hypercube", 12, 48), ("sobol-indices", 4, 9)),
)
def test_an_extended_design_keeps_its_points_and_their_runs(kind: str, few: int, many: int) -> None:
    small, large = (plan(f"{{kind: {kind}, points: {count}, seed: 7}}") for count in (few, many))
    assert len(small.grid.points) < len(large.grid.points)
    assert labels(large)[: len(small.grid.points)] == labels(small)
    assert small.all_runs().items() <= large.all_runs().items()


@pytest.mark.parametrize("kind", KINDS)
def test_another_seed_gives_other_points_and_the_same_seed_the_same(kind: str) -> None:
    one, same, other = (labels(plan(f"{{kind: {kind}, points: 8, seed: {seed}}}")) for seed in (1, 1, 2))
    assert one == same
    assert not set(one) & set(other)


def test_the_points_of_sobol_indices_change_one_factor_of_a_to_that_of_b() -> None:
    planned = plan("{kind: sobol-indices, points: 16}")
    rows = [tuple(value.text for value in row) for row in planned.sweep.rows]
    assert len(rows) == 16 * 5
    for start in range(0, len(rows), 5):
        a, b, *mixed = rows[start : start + 5]
        assert mixed == [(b[0], *a[1:]), (a[0], b[1], a[2]), (*a[:2], b[2])]


def test_keys_that_vary_together_are_one_factor() -> None:
    planned = plan("{kind: sobol, points: 16}", "vary: {together: {hosts: {from: 5, to: 8}, cells: {from: 4, to: 7}}}")
    assert {tuple(map(int, label)) for label in labels(planned)} == {(5, 4), (6, 5), (7, 6), (8, 7)}


def test_one_at_a_time_changes_each_factor_of_the_base_point_alone() -> None:
    vary = "vary: {hosts: [5, 10, 20], cells: {from: 4, to: 6, step: 1}}"
    assert labels(plan("one-at-a-time", vary)) == [("5", "4"), ("10", "4"), ("20", "4"), ("5", "5"), ("5", "6")]
    based = plan("{kind: one-at-a-time, base: {hosts: 10, cells: 9}}", vary)
    assert labels(based) == [("10", "9"), ("5", "9"), ("20", "9"), ("10", "4"), ("10", "5"), ("10", "6")]
    assert labels(plan("one-at-a-time", vary, quick=True)) == [("5", "4"), ("20", "4"), ("5", "6")]


@pytest.mark.parametrize(("kind", "most"), (*((kind, 4) for kind in KINDS[:3]), ("sobol-indices", 10)))
def test_a_short_form_has_few_points_of_the_whole_design(kind: str, most: int) -> None:
    short, whole = (plan(f"{{kind: {kind}, points: 16}}", quick=quick) for quick in (True, False))
    assert 2 <= len(short.grid.points) <= most
    assert {point.scenario.messages for point in short.grid.points} == {1000}
    if kind != "latin-hypercube" or len(short.grid.points) in {2, 4}:
        assert set(labels(short)) <= set(labels(whole))


@pytest.mark.parametrize("design", ("{kind: sobol, points: 6, seed: 3}", "{kind: sobol-indices, points: 3}"))
def test_a_resolved_design_is_read_back_with_the_same_points(design: str) -> None:
    once = plan(design)
    again = make_plan(loads(once.resolved_text))
    assert again.resolved_text == once.resolved_text
    assert again.all_runs().keys() == once.all_runs().keys()


def test_a_resolved_design_of_one_at_a_time_keeps_its_base() -> None:
    once = plan("{kind: one-at-a-time, base: {hosts: 9}}", "vary: {hosts: [5, 10], cells: [4, 9]}")
    again = make_plan(loads(once.resolved_text))
    assert labels(again) == labels(once) == [("9", "4"), ("5", "4"), ("10", "4"), ("9", "9")]


def test_equal_points_are_run_once() -> None:
    planned = plan("{kind: random, points: 50}", "vary: {hosts: [5, 6], cells: [4, 9]}")
    assert len(planned.grid.points) == 4
    assert len(planned.sweep.rows) == 50


def test_points_of_a_continuous_factor_that_are_no_scenario_are_left_out_and_reported() -> None:
    vary = "vary: {cells: [1, 4], mobility.model: [static, cell-jump], hosts: {from: 5, to: 9999}}"
    planned = plan("{kind: sobol, points: 64}", vary)
    assert len(planned.grid.points) == 48
    assert len(planned.grid.left_out) == 16


def test_ranges_of_distributions_have_their_words() -> None:
    vary = "vary: {mobility.dwell: {from: exponential 1 s, to: exponential 3 s, step: 1 s}}"
    assert labels(plan("grid", vary)) == [("exponential 1 s",), ("exponential 2 s",), ("exponential 3 s",)]


@pytest.mark.parametrize(
    ("text", "line"),
    (
        ("design: sobo", "s.yaml:1: design.kind: 'sobo' is not one of grid"),
        ("design: sobol", "s.yaml:1: design: 'sobol' needs a number of points; write it, like {kind: sobol, points:"),
        ("design: {kind: sobol, points: x}", "s.yaml:1: design.points: 'x' is not a whole number"),
        ("design: {kind: sobol, points: 1}", "s.yaml:1: design.points: 1 is too little; write 2 or more"),
        ("design: {kind: sobol, points: 99999}", "s.yaml:1: design.points: 99999 is too much"),
        ("design: {kind: sobol, points: 4, base: {hosts: 5}}", "s.yaml:1: design.base: 'sobol' has no base point"),
        ("design: {kind: sobol, point: 4}", "s.yaml:1: design.point: unknown key; did you mean 'points'?"),
        ("design: {points: 4}", "s.yaml:1: design.points: 'grid' has no 'points'"),
        ("design: {kind: one-at-a-time, seed: 4}", "s.yaml:1: design.seed: 'one-at-a-time' has no 'seed'"),
        ("design: {kind: one-at-a-time, base: {cells: 4}}", "s.yaml:1: design.base.cells: this key does not vary"),
        ("design: {kind: sobol-indices, points: 9000}", "s.yaml:1: design.points: this makes 27,000 points with 1 fac"),
        ("design: {kind: sobol, points: 4}\nvariants: {a: {cells: 4}}", "s.yaml:1: design: variants are compared on"),
    ),
)
def test_an_invalid_design_causes_one_error_line_with_its_place(text: str, line: str) -> None:
    with pytest.raises(UserError) as caught:
        make_plan(loads(f"{text}\nscenario: {{}}\nvary: {{hosts: [5, 6]}}", "s.yaml"))
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line"),
    (
        ("", "s.yaml:1: design: no key varies; write keys with ranges or lists of values below 'vary'"),
        ("vary: {hosts: {from: 2.5, to: 2.7}}", "s.yaml:3: vary.hosts: 2.6689 is not a whole"),
        ("vary: {hosts: {from: 9, to: 5}}", "s.yaml:3: vary.hosts.to: 5 is less than 9"),
        ("vary: {hosts: {from: 5, to: 9, step: 1, steps: 3}}", "s.yaml:3: vary.hosts: write either 'step'"),
        (
            "vary: {mobility.dwell: {from: 1 s, to: exponential 5 s}}",
            "s.yaml:3: vary.mobility.dwell.to: '1 s' and 'exp",
        ),
        (
            "vary: {hosts: {from: 0, to: 9, scale: log}}",
            "s.yaml:3: vary.hosts.from: a logarithmic scale begins above 0",
        ),
    ),
)
def test_an_invalid_factor_causes_one_error_line(text: str, line: str) -> None:
    with pytest.raises(UserError) as caught:
        make_plan(loads(f"design: {{kind: sobol, points: 4}}\nscenario: {{}}\n{text}", "s.yaml"))
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)
