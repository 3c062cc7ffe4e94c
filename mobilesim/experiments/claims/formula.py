"""Formulas of the catalogue, such as `2 k (n_s - 1) + 3` or `(n_h + n_s)^2`, and fits of a power to measurements.

Formulas are evaluated exactly in integers. They consist of integers, variables, sums, products of adjacent factors,
powers with an integer, and brackets.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, log2, sqrt
from operator import add, mul, sub
from statistics import linear_regression
from typing import Final

from mobilesim.protocols.catalogue_rows import AT_MOST
from mobilesim.statistics.intervals import student_t

_OPERATIONS: Final = {ast.Add: add, ast.Sub: sub, ast.Mult: mul}


class FormulaError(ValueError):
    """A formula with a syntax error or an unknown variable."""


def agrees(claim: str, variables: Mapping[str, int], number: int) -> bool:
    """Return whether the number is the value of the formula, or at most this value for a claim `at most ...`."""
    formula = claim.removeprefix(AT_MOST)
    value = evaluate(formula, variables)
    return number == value if formula == claim else 0 <= number <= value


def evaluate(text: str, variables: Mapping[str, int]) -> int:
    try:
        return _value(ast.parse(_as_python(text), mode="eval").body, variables)
    except SyntaxError:
        raise FormulaError(f"{text!r} is not a formula") from None
    except KeyError as error:
        raise FormulaError(f"{text!r}: {error} is not a variable; there are {', '.join(variables)}") from None


def _as_python(text: str) -> str:
    """Return the formula in Python: with `**` for powers, and with `*` between adjacent factors."""
    if not re.fullmatch(r"(\s|\w|[-+^()])*", text):
        raise SyntaxError
    symbols = re.findall(r"\w+|\S", text)
    python = symbols[:1]
    for before, symbol in pairwise(symbols):
        adjacent = before not in "-+^(" and symbol not in "-+^)"
        python.append("**" if symbol == "^" else f"*{symbol}" if adjacent else symbol)
    return "".join(python)


def _value(node: ast.expr, variables: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(int(value)):
            return value
        case ast.Name(name):
            return variables[name]
        case ast.BinOp(base, ast.Pow(), ast.Constant(int(exponent))):
            return int(_value(base, variables) ** exponent)
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() as operation, right):
            return int(_OPERATIONS[type(operation)](_value(left, variables), _value(right, variables)))
        case _:
            raise SyntaxError


_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Exponent:
    """A fitted exponent. `half_width`: of its 95% confidence interval; None if it was fitted to two steps of growth."""

    value: float
    half_width: float | None

    def agrees_with(self, exponent: float) -> bool:
        """Return whether the interval contains the exponent, and is too narrow to contain two integers."""
        half = max(self.half_width or 0.0, _ROUNDING)
        return half < 0.5 and abs(self.value - exponent) <= half

    @property
    def is_clearly_integer(self) -> bool:
        return self.half_width is not None and self.agrees_with(round(self.value))

    def as_power_of(self, variable: str) -> str:
        """Return for instance `n_h^2` or `n_h^(1.87 ± 0.12)`."""
        if self.half_width is not None and self.half_width > _ROUNDING:
            return f"{variable}^({self.value:.2f} ± {self.half_width:.2f})"
        integer = round(self.value)
        return f"{variable}^{integer}" if abs(self.value - integer) < _ROUNDING else f"{variable}^{self.value:.2f}"


def fit_exponent(sizes: Sequence[int], values: Sequence[float]) -> Exponent | None:
    """Fit the exponent p of a + b x^p to measurements at sizes that double.

    From size x to size 2x, such a quantity grows by b (2^p - 1) x^p. This step does not depend on a. So p is the slope
    of the logarithms of the steps over the logarithms of the sizes, which is fitted by least squares. If all values are
    equal, p is 0. Else, return None if there is only one step, or if a step does not grow.
    """
    if len(sizes) < 2 or any(after != 2 * before for before, after in pairwise(sizes)):
        raise ValueError(f"{list(sizes)} are not two or more sizes that double")
    growth = [after - before for before, after in pairwise(values)]
    if not any(growth):
        return Exponent(0.0, 0.0)
    if len(growth) < 2 or min(growth) <= 0:
        return None
    return _slope([log2(size) for size in sizes[:-1]], [log2(step) for step in growth])


def _slope(xs: Sequence[float], ys: Sequence[float]) -> Exponent:
    slope, intercept = linear_regression(xs, ys)
    freedom = len(xs) - 2
    if not freedom:
        return Exponent(slope, None)
    mean = fsum(xs) / len(xs)
    residual = fsum((y - slope * x - intercept) ** 2 for x, y in zip(xs, ys, strict=True))
    variation = fsum((x - mean) ** 2 for x in xs)
    return Exponent(slope, student_t(freedom) * sqrt(residual / freedom / variation))
