"""Checks of statements about curves, applied to curves for which the answer is known."""

import math
from collections.abc import Callable, Sequence
from statistics import fmean

import pytest

from mobilesim.experiments.paper_figures.curves import Curve, crossing
from mobilesim.experiments.paper_figures.statements import (
    Check,
    Crosses,
    Falls,
    FallsMore,
    FallsThenRises,
    GrowsAsPower,
    InRange,
    MatchesPrinted,
    MetricLabel,
    best_power,
)
from mobilesim.statistics.intervals import half_width

MS = MetricLabel("delay", "{} ms")
ANSWERS = {True: "yes", False: "no", None: "open"}
ONES = MetricLabel("things", "{} things")


def curve(heights: dict[int, float], noise: Sequence[float] = (-0.1, 0.0, 0.1)) -> Curve:
    """Return a curve: its replications are the heights plus the offsets in `noise`."""
    values = {x: {number: height + off for number, off in enumerate(noise)} for x, height in heights.items()}
    return Curve(values)


def straight(start: float, slope: float) -> dict[int, float]:
    return {x: start + slope * x for x in range(0, 101, 10)}


def test_a_mean_has_the_interval_of_its_replications() -> None:
    here = curve({5: 2.0}).at(5)
    assert here.mean == pytest.approx(2)
    assert here.half_width == pytest.approx(half_width([1.9, 2.0, 2.1]))
    assert Curve({5: {0: 2.0}}).at(5).half_width is None


def test_differences_are_computed_within_replications() -> None:
    loud = (-50.0, 0.0, 50.0)
    gap = curve({1: 3.0, 2: 5.0}, loud).minus(curve({1: 1.0, 2: 1.0}, loud))
    assert [gap.at(x).mean for x in gap.xs] == pytest.approx([2, 4])
    assert [gap.at(x).half_width for x in gap.xs] == pytest.approx([0, 0])


def test_points_of_only_one_curve_have_no_difference() -> None:
    left = Curve({1: {0: 5.0, 1: 7.0}, 2: {0: 1.0}})
    right = Curve({1: {1: 4.0, 2: 9.0}, 2: {1: 1.0}, 3: {0: 1.0}})
    assert left.minus(right).values == {1: {1: 3.0}}


def test_a_straight_line_has_its_crossing_at_its_zero() -> None:
    found = crossing(curve(straight(-3, 0.1)))
    half = half_width([-0.1, 0.0, 0.1])
    assert found.at == pytest.approx(30)
    assert found.low == pytest.approx(30 - half / 0.1)
    assert found.high == pytest.approx(30 + half / 0.1)


def test_of_several_crossings_the_last_one_is_reported() -> None:
    assert crossing(curve({0: -1, 10: 1, 20: -1, 30: 1}, (0, 0))).at == pytest.approx(25)


@pytest.mark.parametrize("heights", (straight(1, 0.1), straight(-30, 0.1), straight(3, -0.1)))
def test_a_curve_that_does_not_rise_through_zero_has_no_crossing(heights: dict[int, float]) -> None:
    assert crossing(curve(heights)).at is None


def test_the_interval_of_a_crossing_has_no_bound_beyond_the_measured_points() -> None:
    found = crossing(curve({0: -0.1, 10: 0.1}))
    assert found.at == pytest.approx(5)
    assert (found.low, found.high) == (None, None)


CROSSES = Crosses("one", "other", between=(25, 35))


@pytest.mark.parametrize(
    ("one", "holds", "arguments"),
    (
        (straight(-3, 0.1), True, "they cross at n = 30.0 (95% CI: 27.5 to 32.5)"),
        (straight(-6, 0.1), False, "they cross at n = 60.0 (95% CI: 57.5 to 62.5)"),
        (straight(1, 0.1), False, "no crossing from n = 0 to 100; other is lower at the end"),
        (straight(-50, 0.1), False, "no crossing from n = 0 to 100; one is lower at the end"),
        ({0: -0.1, 100: 0.1}, None, "they cross at n = 50.0 (95% CI: below 0 to above 100)"),
    ),
)
def test_a_crossing_must_be_at_the_stated_place(one: dict[int, float], *, holds: bool | None, arguments: str) -> None:
    other = curve(dict.fromkeys(one, 0.0), (0, 0, 0))
    answer = CROSSES.evaluate({"one": curve(one), "other": other}, MS, "n")
    assert (answer.holds, answer.text) == (holds, arguments)


def test_without_a_stated_place_a_crossing_may_be_anywhere() -> None:
    curves = {"one": curve(straight(-6, 0.1)), "other": curve(straight(0, 0), (0, 0, 0))}
    assert Crosses("one", "other").evaluate(curves, MS, "n").holds


def test_a_single_replication_gives_no_verdict() -> None:
    once = {"one": curve(straight(-3, 0.1), (0,)), "other": curve(straight(0, 0), (0,))}
    assert CROSSES.evaluate(once, MS, "n").holds is None
    assert CROSSES.evaluate(once, MS, "n").text == "they cross at n = 30.0"
    assert FallsThenRises("one").evaluate(once, MS, "n").holds is None
    assert GrowsAsPower("one", power=1, tolerance=0.5, to=100).evaluate(once, MS, "n").holds is None


@pytest.mark.parametrize("power", (0.5, 1.0, 2.0, 3.0))
def test_the_power_of_a_curve_does_not_depend_on_an_added_constant(power: float) -> None:
    places = [5, 10, 20, 40, 80]
    assert best_power(places, [12 + 0.3 * x**power for x in places]) == pytest.approx(power)


@pytest.mark.parametrize(
    ("shape", "holds"),
    ((lambda x: x**2, True), (lambda x: x, False), (lambda x: math.exp(x / 10), False)),
    ids=("square", "line", "exponential"),
)
def test_only_quadratic_growth_confirms_a_statement_about_the_power_two(
    shape: Callable[[int], float], *, holds: bool
) -> None:
    curves = {"one": curve({x: 7 + 0.001 * shape(x) for x in range(10, 101, 10)})}
    assert GrowsAsPower("one", power=2, tolerance=0.5, to=80).evaluate(curves, MS, "n").holds is holds


def test_powers_that_differ_between_replications_give_no_verdict() -> None:
    places = range(10, 101, 10)
    values = {x: {0: float(x), 1: x**2.0, 2: x**3.0} for x in places}
    assert GrowsAsPower("one", power=2, tolerance=0.5, to=100).evaluate({"one": Curve(values)}, MS, "n").holds is None


def test_growth_is_judged_in_the_stated_range_with_enough_points() -> None:
    heights = {x: float(x**2) for x in (10, 20, 30, 40)} | {100: 1e9}
    grows = GrowsAsPower("one", power=2, tolerance=0.1, to=40)
    assert grows.evaluate({"one": curve(heights)}, MS, "n").holds
    few = GrowsAsPower("one", power=2, tolerance=0.1, to=30).evaluate({"one": curve(heights)}, MS, "n")
    assert (few.holds, few.text) == (None, "too few points to fit a power: n = 10, 20, 30")


@pytest.mark.parametrize(
    ("heights", "holds", "arguments"),
    (
        ({1: 9, 2: 7, 3: 6, 8: 10}, True, "from k = 1 to 2 down 2 ms; minimum at k = 3, from k = 3 to 8 up 4 ms"),
        ({1: 6, 2: 7, 3: 8, 8: 9}, False, "from k = 1 to 2 up 1 ms; minimum at k = 1, from k = 1 to 8 up 3 ms"),
        ({1: 9, 2: 8, 3: 7, 8: 6}, False, "from k = 1 to 2 down 1 ms; minimum at k = 8, from k = 8 to 8 up 0 ms"),
    ),
)
def test_a_statement_of_fall_and_rise_is_judged(heights: dict[int, float], *, holds: bool, arguments: str) -> None:
    answer = FallsThenRises("one").evaluate({"one": curve(heights)}, MS, "k")
    assert (answer.holds, answer.text.replace(" ± 0", "")) == (holds, arguments)


def test_a_fall_within_the_noise_gives_no_verdict() -> None:
    values = {1: {0: 5.0, 1: 9.0, 2: 7.0}, 2: {0: 8.0, 1: 4.0, 2: 6.0}, 3: {0: 20.0, 1: 20.0, 2: 20.0}}
    assert fmean(values[2].values()) < fmean(values[1].values())
    assert FallsThenRises("one").evaluate({"one": Curve(values)}, MS, "n").holds is None


@pytest.mark.parametrize(
    ("height", "noise", "holds", "arguments"),
    (
        (0.62, (-0.001, 0.0, 0.001), True, "things: one 0.620 ± 0.002 for 0.6 (+3%)"),
        (0.7, (-0.001, 0.0, 0.001), False, "things: one 0.700 ± 0.002 for 0.6 (+17%)"),
        (0.65, (-0.01, 0.0, 0.01), None, "things: one 0.650 ± 0.025 for 0.6 (+8%)"),
        (0.62, (0.0,), None, "things: one 0.620 for 0.6 (+3%)"),
    ),
)
def test_a_mean_is_compared_with_the_number_in_the_paper(
    height: float, noise: tuple[float, ...], *, holds: bool | None, arguments: str
) -> None:
    answer = MatchesPrinted({"one": 0.6}, 3, 0.1).evaluate({"one": curve({2: 9, 3: height}, noise)}, ONES, "n")
    assert (answer.holds, answer.text) == (holds, arguments)


def test_every_number_of_a_statement_must_be_measured_and_near_its_printed_value() -> None:
    curves = {name: curve({3: height}, (0, 0)) for name, height in (("one", 1.0), ("other", 2.0))}
    assert MatchesPrinted({"one": 1.0, "other": 2.1}, 3, 0.1).evaluate(curves, ONES, "n").holds is True
    assert MatchesPrinted({"one": 1.0, "other": 3.0}, 3, 0.1).evaluate(curves, ONES, "n").holds is False
    assert MatchesPrinted({"one": 1.0, "other": 2.0}, 4, 0.1).evaluate(curves, ONES, "n").holds is None


@pytest.mark.parametrize(
    ("least", "most", "places", "holds"),
    ((1, 4, (), True), (1, 2.5, (), False), (1, 2.5, (1, 2), True), (1.5, 3.5, (), False), (0.5, 3.05, (), None)),
)
def test_a_curve_is_compared_with_two_bounds(
    least: float, most: float, places: tuple[int, ...], *, holds: bool | None
) -> None:
    low = curve({1: 1.2 if least == 1.5 else 1.9, 2: 2.0, 3: 3.0})
    assert InRange("one", least, most, places).evaluate({"one": low}, ONES, "n").holds is holds


def test_a_single_replication_confirms_no_bound() -> None:
    assert InRange("one", 0, 1).evaluate({"one": curve({1: 0.5}, (0.0,))}, ONES, "n").holds is None


def test_missing_measurements_confirm_no_bound() -> None:
    assert InRange("one", 0, 1, (7,)).evaluate({"one": curve({1: 0.5})}, ONES, "n").holds is None


@pytest.mark.parametrize(
    ("least", "most", "noise", "holds"),
    (
        (0.7, 1, (-0.01, 0.0, 0.01), True),
        (0.85, 1, (-0.01, 0.0, 0.01), False),
        (0.79, 1, (-0.01, 0.0, 0.01), None),
        (0.7, 1, (0.0,), None),
    ),
)
def test_the_ratio_of_two_curves_is_judged(
    least: float, most: float, noise: tuple[float, ...], *, holds: bool | None
) -> None:
    curves = {"one": curve({1: 0.8, 2: 1.8, 3: 9}, noise), "other": curve({1: 1.0, 2: 2.0}, (0.0,) * len(noise))}
    answer = InRange("one", least, most, over="other").evaluate(curves, ONES, "n")
    assert answer.holds is holds
    limits = " (95% CI: 0.775 to 0.912)" if len(noise) > 1 else ""
    assert answer.text == f"one has 0.800 to 0.900 times the things of other{limits}"


def test_ratios_are_computed_within_replications() -> None:
    other = curve({1: 4.0, 2: 5.0}, (-1.0, 0.0, 1.0))
    one = Curve({x: {number: value / 2 for number, value in here.items()} for x, here in other.values.items()})
    assert InRange("one", 0.49, 0.51, over="other").evaluate({"one": one, "other": other}, ONES, "n").holds is True
    assert (
        InRange("one", 0.49, 0.51, over="other").evaluate({"one": one, "other": curve({3: 1.0})}, ONES, "n").holds
        is None
    )


@pytest.mark.parametrize(
    ("factor", "tolerance", "holds"), ((2, 0.1, True), (2, 0.001, None), (1, 0.5, False), (1.5, 0.5, True))
)
def test_a_curve_is_compared_with_a_multiple_of_x(factor: float, tolerance: float, *, holds: bool | None) -> None:
    curves = {"one": curve({x: 2.0 * x for x in (10, 100)})}
    answer = InRange("one", factor * (1 - tolerance), factor * (1 + tolerance), per_x=True).evaluate(curves, ONES, "n")
    assert answer.holds is holds
    assert answer.text == "one has 2.000 times n things (95% CI: 1.975 to 2.025)"


def test_numbers_are_printed_with_their_quantity() -> None:
    curves = {"one": curve({x: 2.0 * x for x in (1, 2, 3, 4)}, (0, 0))}
    assert InRange("one", 0, 9).evaluate(curves, ONES, "n").text == "one has 2.000 to 8.000 things"
    grown = GrowsAsPower("one", 1, 0.1, 99).evaluate(curves, ONES, "n").text
    assert grown == "the things of one grew like n to the power 1.00 ± 0.00, up to 4"


@pytest.mark.parametrize(
    "check",
    (
        CROSSES,
        FallsThenRises("one"),
        GrowsAsPower("one", 1, 0.1, 99),
        InRange("one", 0, 1, over="other"),
        GrowsAsPower("one", 1, 0.1, 0),
    ),
    ids=str,
)
def test_a_figure_that_was_stopped_at_its_first_points_gives_no_verdict(check: Check) -> None:
    begun = {"one": curve({1: 1.0, 2: 2.0}), "other": curve({3: 1.0})}
    assert check.evaluate(begun, ONES, "n").holds is None


@pytest.mark.parametrize(
    ("heights", "answered", "text"),
    (
        ({1: 9.0, 2: 7.0, 4: 2.0}, "yes", "a goes down 7 ± 0 ms from t = 1 to 4"),
        ({1: 9.0, 2: 7.0, 4: 8.0}, "no", "a goes down 1 ± 0 ms from t = 1 to 4; from 2 to 4, it goes up 1 ± 0 ms"),
        ({1: 9.0, 2: 9.0}, "open", "a goes up 0 ± 0 ms from t = 1 to 2; from 1 to 2, it goes up 0 ± 0 ms"),
        ({1: 9.0}, "open", "fewer than two points were measured"),
    ),
)
def test_a_curve_falls_if_each_step_falls(heights: dict[int, float], answered: str, text: str) -> None:
    answer = Falls("a").evaluate({"a": curve(heights)}, MS, "t")
    assert (ANSWERS[answer.holds], answer.text) == (answered, text)


def test_a_step_within_noise_decides_nothing() -> None:
    noisy = Curve({1: {0: 5.0, 1: 5.2, 2: 5.4}, 2: {0: 5.1, 1: 4.9, 2: 5.3}})
    assert Falls("a").evaluate({"a": noisy}, MS, "t").holds is None


@pytest.mark.parametrize(
    ("end", "answered", "difference"),
    ((2.0, "yes", "-30.0% ± 0.7%"), (9.0, "no", "+40.0% ± 1.0%"), (5.0, "open", "+0.0% ± 0.0%")),
)
def test_the_larger_share_of_a_fall_is_by_replication(end: float, answered: str, difference: str) -> None:
    curves = {"one": curve({1: 10.0, 9: end}), "other": curve({1: 20.0, 9: 10.0}, (-0.2, 0.0, 0.2))}
    answer = FallsMore("one", "other").evaluate(curves, MS, "t")
    assert ANSWERS[answer.holds] == answered
    assert answer.text == f"at t = 9, one has {end / 10:.0%} of its value at 1, and other 50% (difference {difference})"


def test_falls_of_one_point_are_not_compared() -> None:
    curves = {"one": curve({1: 1.0}), "other": curve({1: 1.0})}
    assert FallsMore("one", "other").evaluate(curves, MS, "t").holds is None
