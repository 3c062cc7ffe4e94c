"""The refinement of a sweep: points are added along its axis where two protocols cross."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import ConfigDict, Field, PlainValidator, WithJsonSchema

from mobilesim.errors import shown
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sweeps.axes import Amount, Factor, Levels, Value, amount
from mobilesim.scenario.sweeps.design import Design
from mobilesim.scenario.sweeps.replications import Metric
from mobilesim.scenario.values.fields import MANY, Whole
from mobilesim.scenario.values.validation_error import Fault, refuse

_FAR: Final = 10
"""The ratio of two values above which their geometric mean is taken."""
_DIGITS: Final = 4


def _width(raw: object) -> Amount:
    found = amount(raw)
    if found is None or found.number <= 0 or found.words:
        raise refuse(f"{shown(raw)} is not a width; write a number above 0 in the unit of the axis, like 1 or '50 ms'")
    return found


_WIDTH: Final[dict[str, Any]] = {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string"}]}


class Refine(Section):
    model_config = ConfigDict(
        json_schema_extra={
            "required": ["axis", "protocols"],
            "anyOf": [{"required": ["until"]}, {"required": ["runs"]}],
            "examples": [{"axis": "hosts", "protocols": ["av1", "av2"], "until": 1}],
        }
    )

    axis: str = Field(default="", description="The key that varies, the only one of the sweep, with numbers.")
    metric: Metric = Field(default="delay", description="The mean that is compared.")
    protocols: tuple[str, ...] = Field(
        default=(),
        description="The two protocols that are compared.",
        json_schema_extra={"minItems": 2, "maxItems": 2},
    )
    until: Annotated[Amount | None, PlainValidator(_width), WithJsonSchema(_WIDTH)] = Field(
        default=None, description="The distance between measured points at which the search ends, in the axis' unit."
    )
    runs: Annotated[Whole, Field(ge=1, le=MANY)] | None = Field(
        default=None, description="The maximum number of runs that refinement adds."
    )

    def faults(self) -> Iterator[Fault]:
        if not self.axis:
            yield Fault("write the key of the axis, like axis: hosts")
        if len(set(self.protocols)) != 2 or len(self.protocols) != 2:
            yield Fault("write two protocols, like [av1, av2]", ("protocols",) if self.protocols else ())
        if self.until is None and self.runs is None:
            yield Fault(
                "write 'until', the width at which the search ends, or 'runs', the maximum number of added runs"
            )

    @property
    def width(self) -> Fraction:
        return Fraction(0) if self.until is None else self.until.number

    def written(self) -> dict[str, Any]:
        until = {} if self.until is None else {"until": self.until.raw}
        return {**self.model_dump(mode="json", exclude_unset=True, exclude={"until"}), **until}


def refine_faults(refine: Refine, design: Design, factors: Sequence[Factor], *, variants: bool) -> Iterator[Fault]:
    """Yield the faults of a refinement with the axes of its sweep."""
    keys = [key for factor in factors for key in factor.keys]
    if not design.is_grid or variants or keys != [refine.axis]:
        varied = ", ".join(keys) or "nothing"
        what = "a design that is no grid" if not design.is_grid else "variants" if variants else f"an axis of {varied}"
        yield Fault(f"this sweep has {what}; refinement needs a grid with '{refine.axis}' as its only key", ("refine",))
        return
    if not factors[0].columns:
        return
    found = amounts(factors[0])
    if found is None or len(found) < 2:
        yield Fault("its values are not two or more numbers in one unit, like 0.1 s and 2 s", ("vary", refine.axis))
    elif refine.until is not None and refine.until.unit != found[0].unit:
        unit = f"in {found[0].unit}" if found[0].unit else "without a unit"
        yield Fault(f"the values of '{refine.axis}' are {unit}; write the width in the same unit", ("refine", "until"))


def amounts(factor: Factor) -> list[Amount] | None:
    """Return the values as numbers; None if they are not numbers of one kind."""
    (column,) = factor.columns
    found = [amount(value.setting) for value in column.values] if isinstance(column, Levels) else []
    known = [each for each in found if each is not None]
    return known if known and len(known) == len(found) and len({each.kind for each in known}) == 1 else None


def middle(factor: Factor, low: Fraction, high: Fraction) -> Fraction | None:
    """Return the middle of two values, or their geometric mean if they are far apart; between integers an integer."""
    found = Fraction(f"{math.sqrt(low * high):.{_DIGITS}g}") if 0 < _FAR * low < high else (low + high) / 2
    if all(each.number.denominator == 1 and not each.unit for each in amounts(factor) or []):
        found = Fraction(math.floor(found))
    return found if low < found < high else None


def value_of(factor: Factor, number: Fraction) -> Value:
    """Return another value of the axis."""
    text = (amounts(factor) or [])[0].with_number(number)
    return Value(text, text, ("refine",))
