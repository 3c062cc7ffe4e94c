"""Formulas of the catalogue, such as `2 k (n_s - 1) + 3` or `(n_h + n_s)^2`.

They are evaluated exactly in integers. They consist of integers, variables, sums, products of adjacent factors, powers
with an integer, and brackets.
"""

import ast
import re
from collections.abc import Mapping
from itertools import pairwise
from operator import add, mul, sub
from typing import Final

from mobilesim.protocols.catalogue_rows import AT_MOST

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
        size = next(iter(variables), "N")
        advice = f"write it like '2 d + 3 {size}' or '{AT_MOST}5 {size}^2'"
        raise FormulaError(f"{text!r} is not a formula; {advice}") from None
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
