"""The values of a sweep are parsed from the texts of a scenario, sorted, and placed on a scale."""

import pytest

from mobilesim.analysis.sweeps.axes import Settings, amount, axes, in_order


def column(*texts: str) -> list[Settings]:
    return [(text,) for text in texts]


@pytest.mark.parametrize(
    ("text", "words", "unit", "number"),
    (
        ("20", "", "", 20.0),
        ("500 ms", "", "s", 0.5),
        ("2 min", "", "s", 120.0),
        ("exponential 5 s", "exponential", "s", 5.0),
        ("10 Mbit/s", "", "bit/s", 1e7),
        ("4 KiB", "", "B", 4096.0),
        ("5 %", "", "%", 5.0),
        ("1e-3", "", "", 0.001),
    ),
)
def test_a_number_is_converted_to_the_base_unit(text: str, words: str, unit: str, number: float) -> None:
    found = amount(text)
    assert found is not None
    assert (found.words, found.unit) == (words, unit)
    assert found.number == pytest.approx(number)


@pytest.mark.parametrize("text", ("hexagons", "uniform 1 s to 2 s", "{name: av3, k: 3}", "", "1.2.3", "..."))
def test_texts_without_exactly_one_number_have_no_amount(text: str) -> None:
    assert amount(text) is None


def test_values_with_different_units_are_sorted_by_size() -> None:
    assert in_order(column("2 s", "500 ms", "10 s", "1 min"), ("wait",)) == column("500 ms", "2 s", "10 s", "1 min")
    assert in_order(column("100", "9", "20"), ("hosts",)) == column("9", "20", "100")


def test_points_are_sorted_by_the_first_key_then_by_the_second() -> None:
    points = [("20", "1 s"), ("5", "5 s"), ("20", "500 ms"), ("5", "1 s")]
    assert in_order(points, ("hosts", "wait")) == [("5", "1 s"), ("5", "5 s"), ("20", "500 ms"), ("20", "1 s")]


def test_a_scale_is_in_the_largest_unit_that_fits() -> None:
    (axis,) = axes(["mobility.dwell"], column("exponential 500 ms", "exponential 5 s"))
    assert (axis.numbers, axis.label) == ((0.5, 5.0), "mobility dwell (s, exponential)")
    (small,) = axes(["delay"], column("200 us", "7 ms"))
    assert small.numbers == pytest.approx((0.2, 7.0))
    assert small.unit == "ms"


@pytest.mark.parametrize(
    "texts", (("1 s", "hexagons"), ("exponential 1 s", "fixed 2 s"), ("1 s", "1000 ms"), ("1", "1 s"))
)
def test_values_without_a_common_scale_are_categories(texts: tuple[str, str]) -> None:
    (axis,) = axes(["key"], column(*texts))
    assert axis.numbers is None
    assert len(axis.values) == 2


def test_keys_that_change_together_are_one_axis() -> None:
    points = [(cells, hosts, dwell) for cells, hosts in (("4", "10"), ("9", "40")) for dwell in ("1 s", "5 s")]
    assert [axis.keys for axis in axes(["cells", "hosts", "dwell"], points)] == [("cells", "hosts"), ("dwell",)]


def test_keys_of_a_grid_are_separate_axes() -> None:
    points = [(hosts, dwell) for hosts in ("10", "40") for dwell in ("1 s", "5 s")]
    assert [axis.keys for axis in axes(["hosts", "dwell"], points)] == [("hosts",), ("dwell",)]
    assert [axis.keys for axis in axes(["hosts", "dwell"], [("10", "1 s"), ("20", "1 s")])] == [("hosts",), ("dwell",)]


def test_a_wide_scale_is_logarithmic() -> None:
    (wide,) = axes(["hosts"], column("10", "100", "1000"))
    (narrow,) = axes(["hosts"], column("10", "20", "40"))
    (zero,) = axes(["jitter"], column("0 ms", "500 ms"))
    assert (wide.logarithmic, narrow.logarithmic, zero.logarithmic) == (True, False, False)
