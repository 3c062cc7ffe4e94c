"""Student's t, compared with printed tables, and confidence intervals."""

import pytest

from mobilesim.statistics.intervals import half_width, interval, student_t

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
def test_the_99_percent_quantiles_agree_with_the_printed_table(freedom: int, printed: float) -> None:
    assert round(student_t(freedom, 0.99), 3) == printed


@pytest.mark.full
def test_quantiles_fall_towards_the_normal_distribution() -> None:
    quantiles = [student_t(freedom) for freedom in range(1, 400)]
    assert quantiles == sorted(quantiles, reverse=True)
    assert student_t(100_000_000) == pytest.approx(1.959963985, abs=1e-7)


def test_the_half_width_of_an_interval_is_t_standard_errors() -> None:
    assert half_width([1.0, 2.0, 3.0]) == pytest.approx(4.30265272974946 / 3**0.5)


def test_an_interval_is_centred_at_the_mean_and_needs_two_values() -> None:
    found = interval([1.0, 2.0, 3.0])
    assert (found.mean, found.half_width) == (2, half_width([1.0, 2.0, 3.0]))
    assert (found.low, found.high) == (2 - half_width([1.0, 2.0, 3.0]), 2 + half_width([1.0, 2.0, 3.0]))
    alone = interval([5.0])
    assert (alone.mean, alone.half_width, alone.low, alone.high) == (5, None, None, None)


@pytest.mark.parametrize(
    ("values", "above", "below"),
    (([1.0, 10.0], False, False), ([9.9, 10.0], True, False), ([-9.9, -10.0], False, True)),
)
def test_a_mean_is_clearly_nonzero_if_its_interval_excludes_zero(
    values: list[float], *, above: bool, below: bool
) -> None:
    assert (interval(values).above_zero, interval(values).below_zero) == (above, below)
    assert not interval(values[:1]).above_zero
    assert not interval(values[:1]).below_zero
