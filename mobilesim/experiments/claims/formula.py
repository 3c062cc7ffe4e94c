"""Formulas of the catalogue, such as `2 k (n_s - 1) + 3` or `(n_h + n_s)^2`, evaluated exactly in integers.

sum      product, then any number of `+ product` or `- product`
product  one or more powers side by side
power    a number, a variable or a sum in brackets, optionally with `^` and a number
"""

import re
from collections.abc import Mapping
from math import prod
from typing import Final

from protocols.catalogue import AT_MOST

_TOKEN: Final = re.compile(r"\s*(?P<token>\d+|[A-Za-z_]\w*|[-+^()])")


class FormulaError(ValueError):
    """Raised for a syntax error or an unknown variable."""


def agrees(claim: str, values: Mapping[str, int], number: int) -> bool:
    """Return whether the number is the value of the formula, or at most that if the claim says `at most`."""
    formula = claim.removeprefix(AT_MOST)
    return number == evaluate(formula, values) if formula == claim else 0 <= number <= evaluate(formula, values)


def evaluate(text: str, values: Mapping[str, int]) -> int:
    reader = _Reader(text, values)
    result = reader.sum()
    if reader.tokens:
        raise FormulaError(f"{text!r}: '{reader.tokens[0]}' is not expected here")
    return result


class _Reader:
    def __init__(self, text: str, values: Mapping[str, int]) -> None:
        self.text = text
        self.values = values
        self.tokens = _tokens(text)

    def sum(self) -> int:
        result = self.product()
        while self.tokens and self.tokens[0] in "+-":
            sign = 1 if self.tokens.pop(0) == "+" else -1
            result += sign * self.product()
        return result

    def product(self) -> int:
        powers = [self.power()]
        while self.tokens and self.tokens[0] not in "+-^)":
            powers.append(self.power())
        return prod(powers)

    def power(self) -> int:
        base = self.atom()
        if not self.tokens or self.tokens[0] != "^":
            return base
        self.tokens.pop(0)
        exponent = self.take()
        if not exponent.isdecimal():
            raise FormulaError(f"{self.text!r}: '{exponent}' is not an exponent")
        return int(base ** int(exponent))

    def atom(self) -> int:
        if self.tokens[:1] == ["("]:
            self.take()
            inside = self.sum()
            if self.take() != ")":
                raise FormulaError(f"{self.text!r}: a bracket is not closed")
            return inside
        token = self.take()
        if token.isdecimal():
            return int(token)
        if token not in self.values:
            raise FormulaError(f"{self.text!r}: '{token}' is not a variable; there are {', '.join(self.values)}")
        return self.values[token]

    def take(self) -> str:
        if not self.tokens:
            raise FormulaError(f"{self.text!r} ends too early")
        return self.tokens.pop(0)


def _tokens(text: str) -> list[str]:
    tokens, position, rest = [], 0, text.rstrip()
    while position < len(rest):
        match = _TOKEN.match(rest, position)
        if match is None:
            raise FormulaError(f"{text!r}: '{rest[position:].strip()[0]}' is not expected here")
        tokens.append(match["token"])
        position = match.end()
    return tokens
