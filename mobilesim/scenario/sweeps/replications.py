"""The replications of a sweep's points: a fixed number, or as many as confidence intervals of a given width need."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Final

from pydantic import ConfigDict, Field, PlainSerializer, PlainValidator, WithJsonSchema

from mobilesim.errors import did_you_mean, shown
from mobilesim.results.quantities import DELAY_PARTS, RUN_PERCENTILES
from mobilesim.scenario.pydantic_errors import nested
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.fields import MANY, Whole, text_schema
from mobilesim.scenario.values.validation_error import Fault, refuse

PERCENTILES: Final = {f"delay.p{percent}": ("delay", percent) for percent in RUN_PERCENTILES}
"""By name, the column of `deliveries` and the percent of a percentile."""
METRICS: Final = ("delay", *DELAY_PARTS, "header_integers", "header_units", "header_bytes")
"""Columns of `deliveries`. Their means may determine the number of replications."""
_KNOWN: Final = (*METRICS, *PERCENTILES)

_SHARE: Final = r"(?!0+(\.0+)?\s*%)0?[0-9]{1,2}(\.[0-9]{1,9})?\s*%"
_AT_MOST: Final = 50


def _metric(name: str) -> str:
    if name not in _KNOWN:
        raise refuse(f"there is no such mean{did_you_mean(name, _KNOWN)} (known: {', '.join(_KNOWN)})")
    return name


def _share(raw: object) -> float:
    if not isinstance(raw, str) or not re.fullmatch(rf"\s*{_SHARE}\s*", raw, re.ASCII):
        raise refuse(f"{shown(raw)} is not a share of the mean; write one like '5 %'")
    return float(raw.replace("%", "")) / 100


def _mean(name: object) -> str:
    if name not in METRICS:
        hint = did_you_mean(name, METRICS) if isinstance(name, str) else ""
        raise refuse(f"{shown(name)} is no mean that decides{hint} (known: {', '.join(METRICS)})")
    return str(name)


Metric = Annotated[str, PlainValidator(_metric)]
_Mean = Annotated[str, PlainValidator(_mean, json_schema_input_type=str)]
Share = Annotated[
    float,
    PlainValidator(_share),
    PlainSerializer(lambda share: f"{share * 100:.12g} %", when_used="json"),
    WithJsonSchema(text_schema(_SHARE, "5 %")),
]
FEWEST: Final = 4
"""The smallest number of replications after which a rule looks. Fewer often agree by chance."""
_Count = Annotated[Whole, Field(ge=FEWEST, le=MANY)]


class Replications(Section):
    model_config = ConfigDict(
        json_schema_extra={
            "allOf": [
                {"anyOf": [{"required": [key]} for key in ("until", "differences", "decide")]},
                {"anyOf": [{"required": ["at_most"]}, {"properties": {"at_least": {"maximum": _AT_MOST}}}]},
            ],
        }
    )

    at_least: _Count = Field(default=FEWEST, description="The minimum number of replications.")
    at_most: _Count = Field(default=_AT_MOST, description="The maximum number of replications.")
    until: dict[Metric, Share] = Field(
        default={},
        description="The largest half-width of a mean's 95 % confidence interval, as a share of the mean.",
        json_schema_extra={"minProperties": 1, "propertyNames": {"enum": list(_KNOWN)}},
    )
    differences: dict[Metric, Share] = Field(
        default={},
        description="The largest half-width of the 95 % confidence interval of the paired difference from the first "
        "protocol, as a share of the mean of the first protocol.",
        json_schema_extra={"minProperties": 1, "propertyNames": {"enum": list(_KNOWN)}},
    )

    decide: tuple[_Mean, ...] = Field(
        default=(),
        description="Means. Protocols are repeated as long as it is undecided whether one of them dominates the other "
        "in these means.",
        json_schema_extra={"minItems": 1, "items": {"enum": list(METRICS)}},
    )

    def faults(self) -> Iterator[Fault]:
        if not self.adaptive:
            yield Fault("write metrics and their precision below 'until' or 'differences', like until: {delay: 5 %}")
        if self.at_least > self.at_most and "at_most" in self.model_fields_set:
            yield Fault(f"{self.at_most} is too little; write {self.at_least} or more", ("at_most",))
        elif self.at_least > self.at_most:
            message = f"{self.at_least} is more than {_AT_MOST}, the default of 'at_most'"
            yield Fault(message, ("at_least",))

    def written(self) -> Any:  # noqa: ANN401 - JSON data
        if not self.adaptive:
            return self.at_least
        return {key: value for key, value in self.model_dump(mode="json").items() if value not in ({}, [])}

    @property
    def adaptive(self) -> bool:
        """Whether the runs determine the number of replications."""
        return bool(self.until or self.differences or self.decide)


def fixed(number: int) -> Replications:
    return Replications.model_construct(at_least=number, at_most=number)


def _read(raw: object) -> Replications:
    if isinstance(raw, dict):
        return nested(Replications, raw)
    if isinstance(raw, int) and not isinstance(raw, bool) and 1 <= raw <= MANY:
        return fixed(raw)
    raise refuse(f"{shown(raw)} is not a number of replications; write 1 or more, or {{until: {{delay: 5 %}}}}")


NumberOrRule = Annotated[
    Replications, PlainValidator(_read, json_schema_input_type=Annotated[int, Field(ge=1, le=MANY)] | Replications)
]
