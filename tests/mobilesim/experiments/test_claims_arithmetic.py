"""The values of the catalogue's formulas, and the exponents of powers fitted to measurements."""

from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobilesim.experiments.claims.fitted_power import fit_exponent
from mobilesim.extensions.formulas import FormulaError, agrees, evaluate
from mobilesim.protocols.catalogue import pairs
from mobilesim.protocols.catalogue_rows import AT_MOST, ProtocolRow
from mobilesim.statistics.intervals import student_t

VALUES: Final = {"n_h": 20, "n_s": 5, "k": 3}


@pytest.mark.parametrize(
    ("formula", "number"),
    (
        ("0", 0),
        ("n_h^2", 400),
        ("(k n_s)^2", 225),
        ("(n_h + n_s)^2", 625),
        ("2 n_s + 1", 11),
        ("2 k (n_s - 1) + 3", 27),
        ("2 n_s^2", 50),
        ("7 - 2 - 1", 4),
        (" ( ( k ) ) ", 3),
    ),
)
def test_a_formula_has_its_mathematical_value(formula: str, number: int) -> None:
    assert evaluate(formula, VALUES) == number


@pytest.mark.parametrize(
    ("formula", "fault"),
    (
        *(
            (text, f"{text!r} is not a formula; write it like '2 d + 3 n_h' or 'at most 5 n_h^2'")
            for text in ("", "2 +", "n_h^k", "n_h^", "(n_h", "(n_h 2^2", "n_h)", "2 * k", "+ 2", "k^2^2", "f(2", "()")
        ),
        ("N^2", "'N^2': 'N' is not a variable; there are n_h, n_s, k"),
    ),
)
def test_an_invalid_formula_is_refused(formula: str, fault: str) -> None:
    with pytest.raises(FormulaError) as raised:
        evaluate(formula, VALUES)
    assert str(raised.value) == fault


Written = tuple[str, str]
"""A formula of the catalogue, and its Python expression."""


def powers(inner: st.SearchStrategy[Written]) -> st.SearchStrategy[Written]:
    bracketed = inner.map(lambda each: (f"({each[0]})", f"({each[1]})"))
    power = st.tuples(bracketed, st.integers(0, 3)).map(lambda p: (f"{p[0][0]}^{p[1]}", f"{p[0][1]}**{p[1]}"))
    factor = bracketed | power
    product = st.lists(factor, min_size=1, max_size=3).map(
        lambda each: (" ".join(one[0] for one in each), "*".join(one[1] for one in each))
    )
    signed = st.tuples(product, st.sampled_from("+-"), product)
    return product | signed.map(lambda s: (f"{s[0][0]} {s[1]} {s[2][0]}", f"{s[0][1]} {s[1]} {s[2][1]}"))


ATOMS: Final = st.sampled_from([*VALUES, "0", "1", "12"]).map(lambda atom: (atom, atom))


@given(st.recursive(ATOMS, powers, max_leaves=6))
def test_a_formula_has_the_value_of_the_python_expression(written: Written) -> None:
    ours, pythons = written
    assert evaluate(ours, VALUES) == eval(pythons, {}, dict(VALUES))


@pytest.mark.parametrize("row", pairs(), ids=lambda row: row.name)
def test_the_formulas_of_every_pair_are_valid(row: ProtocolRow) -> None:
    counts = {name: 3 for name, option in row.options.items() if isinstance(option.default, int)}
    values = {"n_h": 20, "n_s": 5, "d": 3} | counts
    values |= {"g": 4, "m": 12} if row.serves == "groups" else {}
    assert agrees(row.claims.header, values, evaluate(row.claims.header.removeprefix(AT_MOST), values))
    assert evaluate(row.claims.handoff, values) > 0


def test_a_smaller_value_satisfies_a_bound_but_not_a_formula() -> None:
    assert [agrees("at most n^2", {"n": 3}, number) for number in (-1, 0, 9, 10)] == [False, True, True, False]
    assert [agrees("n^2", {"n": 3}, number) for number in (8, 9)] == [False, True]


SIZES: Final = (2, 4, 8, 16, 32)


@pytest.mark.parametrize("power", (1, 2, 3))
@pytest.mark.parametrize("constant", (0, 1, -1, 1000))
def test_a_power_with_any_added_constant_is_found(power: int, constant: int) -> None:
    found = fit_exponent(SIZES, [constant + 3 * size**power for size in SIZES])
    assert found is not None
    assert found.value == pytest.approx(power)
    assert found.half_width == pytest.approx(0, abs=1e-9)
    assert found.agrees_with(power)
    assert not found.agrees_with(power + 0.001)
    assert found.as_power_of("n") == f"n^{power}"


def test_a_constant_has_the_power_zero() -> None:
    found = fit_exponent(SIZES, [7] * 5)
    assert found is not None
    assert found.as_power_of("n_h") == "n_h^0"
    assert found.agrees_with(0)
    assert not found.agrees_with(1)


@pytest.mark.parametrize("values", ([5, 4, 3, 2, 1], [1, 2, 2, 3, 4], [1, 1, 1, 1, 2]))
def test_decreasing_values_and_plateaus_have_no_power(values: list[int]) -> None:
    assert fit_exponent(SIZES, values) is None


def test_the_interval_of_a_power_is_that_of_least_squares() -> None:
    values = [1.0, 4.0, 17.0, 60.0, 260.0]
    found = fit_exponent(SIZES, values)
    xs, ys = np.log(SIZES[:-1]), np.log(np.diff(values))
    (slope, _), covariance = np.polyfit(xs, ys, 1, cov=True)
    assert found is not None
    assert found.half_width is not None
    assert found.value == pytest.approx(slope)
    assert found.half_width == pytest.approx(student_t(2) * covariance[0, 0] ** 0.5)
    assert found.as_power_of("n_s") == f"n_s^({found.value:.2f} ± {found.half_width:.2f})"


def test_two_steps_give_a_power_without_an_interval() -> None:
    found = fit_exponent((1, 2, 4), (1, 4, 15))
    assert found is not None
    assert found.half_width is None
    assert found.as_power_of("k") == "k^1.87"
    assert not found.agrees_with(2)


def test_an_interval_with_several_powers_confirms_none() -> None:
    found = fit_exponent(SIZES, (0, 1, 8, 9, 40))
    assert found is not None
    assert found.half_width is not None
    assert abs(found.value - 1) < found.half_width
    assert abs(found.value - 2) < found.half_width
    assert not found.agrees_with(1)
    assert not found.agrees_with(2)


@pytest.mark.parametrize(
    ("values", "clear"),
    (
        ((0, 0, 0, 0, 0), True),
        ((0, 1, 3, 7, 15), True),
        ((0, 10, 31, 72, 150), True),
        ((0, 4, 4.3, 5, 5.1), False),
        ((0, 1, 8, 9, 40), False),
        ((0, 1, 3.8, 12, 33), False),
    ),
)
def test_a_power_is_clear_if_the_interval_contains_one_integer(values: tuple[float, ...], clear: bool) -> None:  # noqa: FBT001 - a parameter
    found = fit_exponent(SIZES, values)
    assert found is not None
    assert found.is_clearly_integer is clear


def test_two_steps_determine_no_clear_power() -> None:
    found = fit_exponent((1, 2, 4), (1, 2, 4))
    assert found is not None
    assert not found.is_clearly_integer


@pytest.mark.parametrize("sizes", ((), (2,), (2, 4, 6), (4, 2)))
def test_sizes_must_double(sizes: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="are not two or more sizes that double"):
        fit_exponent(sizes, [1] * len(sizes))


def test_a_single_step_determines_no_power() -> None:
    assert fit_exponent((1, 2), (1, 4)) is None
