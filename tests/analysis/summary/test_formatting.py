"""Numbers as text."""

import pytest

from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.formatting import (
    NONE,
    SIZE,
    duration,
    number,
    plus_minus,
    share,
    show_time,
    size,
    with_interval,
)


@pytest.mark.parametrize(
    ("nanoseconds", "shown"),
    (
        (0, "0 ms"),
        (7, "7 ns"),
        (1_500, "1.50 µs"),
        (26_137_035, "26.1 ms"),
        (999_999_999, "1,000 ms"),
        (2_596_374_768, "2.60 s"),
        (60_000_000_000, "60 s"),
        (-26_137_035, "-26.1 ms"),
        (None, NONE),
    ),
)
def test_a_time_has_the_largest_unit_that_fits(nanoseconds: float | None, shown: str) -> None:
    assert duration(nanoseconds) == shown


@pytest.mark.parametrize(("count", "shown"), ((0, "0 B"), (1023, "1,023 B"), (10_000, "9.77 KiB"), (2**21, "2 MiB")))
def test_a_size_has_the_largest_unit_that_fits(count: int, shown: str) -> None:
    assert size(count) == shown


@pytest.mark.parametrize(("amount", "shown"), ((3.0, "3"), (3.14159, "3.14"), (31.4159, "31.4"), (31415.9, "31,416")))
def test_a_number_has_three_significant_digits(amount: float, shown: str) -> None:
    assert number(amount) == shown


@pytest.mark.parametrize(
    ("fraction", "shown"),
    ((0, "0 %"), (0.0001, "< 0.1 %"), (0.014, "1.4 %"), (0.46, "46 %"), (1, "100 %"), (None, NONE)),
)
def test_a_small_share_is_not_shown_as_zero(fraction: float | None, shown: str) -> None:
    assert share(fraction) == shown


def test_an_estimate_shows_half_its_interval_in_the_unit_of_its_mean() -> None:
    assert show_time(Estimate("delay", 9, 26_000_000.0, 24_500_000.0, 27_500_000.0)) == "26.0 ± 1.5 ms"
    assert SIZE.show_estimate(Estimate("header", 9, 10_000.0, 10_000.0, 10_000.0)) == "9.77 KiB"
    assert show_time(Estimate("delay", 9, 26_000_000.0)) == "26 ms"
    assert show_time(Estimate("delay")) == NONE


@pytest.mark.parametrize(
    ("mean", "half", "shown"),
    (
        (8.79, 0.04, "8.790 ± 0.040"),
        (209, 2.41, "209.0 ± 2.4"),
        (306.2, 0.00123, "306.2000 ± 0.0012"),
        (5326.4, 67.2, "5,326 ± 67"),
        (12_345, 1_234, "12,345 ± 1,234"),
        (1.0, 0.0996, "1.00 ± 0.10"),
        (0.0, 0.0, "0"),
        (55, 0.0, "55"),
        (0.1 + 0.2, 1e-17, "0.30"),
        (0.5, 2e-9, "0.50"),
        (-0.0001, 0.5, "0.00 ± 0.50"),
    ),
)
def test_half_an_interval_has_two_digits_and_the_mean_has_its_decimals(mean: float, half: float, shown: str) -> None:
    assert plus_minus(mean, mean - half, mean + half) == shown


@pytest.mark.parametrize(
    ("mean", "half", "shown"),
    (
        (3.14159, 0.5, "+3.14 [+2.64, +3.64]"),
        (-53.1, 7.6, "-53.1 [-60.7, -45.5]"),
        (0.001, 0.002, "+0.0010 [-0.0010, +0.0030]"),
        (5326.4, 67.2, "+5,326 [+5,259, +5,394]"),
        (7.0, 0.0, "+7 [+7, +7]"),
        (-0.00022222, 0.0, "-0.00022 [-0.00022, -0.00022]"),
        (1.2e-13, 3.4e-13, "within ±0.00001"),
        (1.2e-13, 0.002, "+0.0000 [-0.0020, +0.0020]"),
    ),
)
def test_both_ends_of_an_interval_have_the_digits_of_its_mean(mean: float, half: float, shown: str) -> None:
    assert with_interval(mean, mean - half, mean + half) == shown
