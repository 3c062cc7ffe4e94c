"""Student's t against printed tables; ranks against counting."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.intervals import half_width, rank, student_t

# Degrees of freedom and the two-sided 95% quantile, as printed in textbooks.
PRINTED = (
    (1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (6, 2.447), (7, 2.365),
    (8, 2.306), (9, 2.262), (10, 2.228), (11, 2.201), (12, 2.179), (13, 2.160), (14, 2.145),
    (15, 2.131), (16, 2.120), (17, 2.110), (18, 2.101), (19, 2.093), (20, 2.086), (25, 2.060),
    (29, 2.045), (30, 2.042), (40, 2.021), (60, 2.000), (80, 1.990), (100, 1.984), (120, 1.980),
)  # fmt: skip


@pytest.mark.parametrize(("freedom", "printed"), PRINTED)
def test_a_quantile_agrees_with_the_printed_table(freedom: int, printed: float) -> None:
    assert round(student_t(freedom), 3) == printed


@pytest.mark.parametrize(("freedom", "printed"), ((1, 63.657), (5, 4.032), (30, 2.750), (120, 2.617)))
def test_the_99_percent_quantiles_agree_too(freedom: int, printed: float) -> None:
    assert round(student_t(freedom, 0.99), 3) == printed


def test_quantiles_fall_towards_the_normal_distribution() -> None:
    quantiles = [student_t(freedom) for freedom in range(1, 400)]
    assert quantiles == sorted(quantiles, reverse=True)
    assert student_t(100_000_000) == pytest.approx(1.959963985, abs=1e-7)


def test_half_an_interval_is_t_standard_errors() -> None:
    assert half_width([1.0, 2.0, 3.0]) == pytest.approx(4.30265272974946 / 3**0.5)


@given(st.integers(0, 100), st.integers(1, 500))
def test_a_rank_is_the_first_that_reaches_its_share(percent: int, count: int) -> None:
    place = rank(percent, count)
    assert 0 <= place < count
    assert Fraction(place + 1, count) >= Fraction(percent, 100)
    assert place == 0 or Fraction(place, count) < Fraction(percent, 100)
