"""Numbers as people read them."""

import pytest

from analysis.pool import Estimate
from analysis.units import NONE, duration, number, share, show_bytes, show_time, size


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
def test_a_time_gets_the_largest_unit_that_fits(nanoseconds: float | None, shown: str) -> None:
    assert duration(nanoseconds) == shown


@pytest.mark.parametrize(("count", "shown"), ((0, "0 B"), (1023, "1,023 B"), (10_000, "9.77 KiB"), (2**21, "2 MiB")))
def test_a_size_gets_the_largest_unit_that_fits(count: int, shown: str) -> None:
    assert size(count) == shown


@pytest.mark.parametrize(("amount", "shown"), ((3.0, "3"), (3.14159, "3.14"), (31.4159, "31.4"), (31415.9, "31,416")))
def test_a_number_has_three_digits_that_matter(amount: float, shown: str) -> None:
    assert number(amount) == shown


@pytest.mark.parametrize(
    ("fraction", "shown"),
    ((0, "0 %"), (0.0001, "< 0.1 %"), (0.014, "1.4 %"), (0.46, "46 %"), (1, "100 %"), (None, NONE)),
)
def test_a_share_is_nothing_only_where_there_is_nothing(fraction: float | None, shown: str) -> None:
    assert share(fraction) == shown


def test_an_estimate_shows_half_its_interval_in_the_unit_of_its_mean() -> None:
    assert show_time(Estimate("delay", 9, 26_000_000.0, 24_500_000.0, 27_500_000.0)) == "26 ± 1.50 ms"
    assert show_bytes(Estimate("header", 9, 10_000.0, 10_000.0, 10_000.0)) == "9.77 KiB"
    assert show_time(Estimate("delay", 9, 26_000_000.0)) == "26 ms"
    assert show_time(Estimate("delay")) == NONE
