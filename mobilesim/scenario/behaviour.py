"""What hosts do: how they move, when they disconnect, what they send."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    model_serializer,
)

from mobilesim.scenario.distributions import Distribution
from mobilesim.scenario.faults import Fault, refuse, shown
from mobilesim.scenario.fields import MANY, Chance, Destinations, Size, Times, Whole, setting
from mobilesim.scenario.section import Section

_DIGITS: Final = len(str(MANY))
_RANGE: Final = re.compile(rf"\s*([0-9]{{1,{_DIGITS}}})\s*\.\.\s*([0-9]{{1,{_DIGITS}}}|all)\s*")


@dataclass(frozen=True, slots=True)
class Between:
    """Numbers of destinations that are equally likely."""

    fewest: int
    most: int | Literal["all"]

    def __str__(self) -> str:
        return f"{self.fewest}..{self.most}"


def _numbers(raw: object) -> int | Literal["all"] | Between:
    if raw == "all":
        return "all"
    if isinstance(raw, Between):
        return raw
    if isinstance(raw, int) and not isinstance(raw, bool) and 1 <= raw <= MANY:
        return raw
    if isinstance(raw, str) and (found := _RANGE.fullmatch(raw)):
        return _between(raw, int(found[1]), found[2])
    raise refuse(
        f"{shown(raw)} is not a number of hosts; write a whole number of 1 or more, 'all', or a range like '1..5'"
    )


def _between(raw: str, fewest: int, most: str) -> int | Between:
    if fewest < 1 or (most != "all" and not fewest <= int(most) <= MANY):
        raise refuse(
            f"{shown(raw)} is no range of hosts; write one that goes up from 1 or more, like '1..5' or '1..all'"
        )
    if most == "all":
        return Between(fewest, "all")
    return fewest if fewest == int(most) else Between(fewest, int(most))


Numbers = Annotated[
    int | Literal["all"] | Between,
    PlainValidator(_numbers),
    PlainSerializer(lambda wanted: str(wanted) if isinstance(wanted, Between) else wanted, when_used="json"),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": MANY},
                {"const": "all"},
                {"type": "string", "pattern": r"^\s*[0-9]+\s*\.\.\s*([0-9]+|all)\s*$", "examples": ["1..5", "1..all"]},
            ]
        }
    ),
]


_PERCENT: Final = re.compile(r"\s*([0-9]{1,3}(?:\.[0-9]{1,10})?)\s*%\s*")


def _portion(raw: object) -> object:
    if isinstance(raw, str):
        if not (found := _PERCENT.fullmatch(raw)):
            raise refuse(f"{shown(raw)} is not a probability; write a number like 0.95, or '95 %'")
        return float(Decimal(found[1]) / 100)
    return raw


Portion = Annotated[
    Chance,
    BeforeValidator(_portion),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0, "maximum": 1},
                {"type": "string", "pattern": r"^\s*[0-9]{1,3}(\.[0-9]{1,10})?\s*%\s*$", "examples": ["95 %"]},
            ]
        }
    ),
]

Rate = Annotated[Whole, Field(ge=1, le=1000)]


class Disconnect(Section):
    probability: Chance = setting(
        0.0,
        "How likely a host that leaves a cell disconnects instead of crossing to the next. It comes back into the same "
        "cell or any of those that it could have crossed to, all with equal chances.",
    )
    duration: Times = setting("exponential 10 s", "How long it stays away.")
    policy: Literal["store", "drop"] = setting(
        "store",
        "What becomes of messages for it meanwhile: 'store': its station keeps them; 'drop': it says that it is going, "
        "and from then on its station gives up what it could have sent down, until the host is back.",
    )


class Mobility(Section):
    model: Literal["cell-jump", "static"] = setting(
        "cell-jump", "'cell-jump': a host dwells in a cell, then jumps to another; 'static': it never leaves its first."
    )
    dwell: Times = setting("exponential 10 s", "How long a host stays in a cell.")
    next: Literal["neighbour", "uniform"] = setting(
        "neighbour",
        "Where it goes: 'neighbour': to a cell that touches; 'uniform': to any other. A host that was disconnected "
        "may come back where it was, too.",
    )
    gap: Times = setting("0 s", "How long it is out of reach between leaving a cell and entering the next.")
    disconnect: Disconnect = setting({}, "Hosts that switch off for a while.")
    start: Literal["random", "spread"] = setting("random", "The first cells: drawn at random, or dealt out evenly.")

    def faults(self) -> Iterator[Fault]:
        if self.model == "cell-jump" and self.dwell.mean == 0:
            yield Fault(
                "hosts that dwell for no time would jump forever at one instant; write more than 0 s", ("dwell",)
            )


def _no_interval(interval: Distribution) -> Iterator[Fault]:
    if interval.mean == 0:
        yield Fault("messages at no interval would never let time pass; write more than 0 s", ("interval",))


class StationWorkload(Section):
    interval: Times = setting("exponential 1 s", "The time between two messages of one station.")
    destinations: Destinations = setting(1, "To how many hosts each of them goes, or 'all'.")

    def faults(self) -> Iterator[Fault]:
        yield from _no_interval(self.interval)


class Workload(Section):
    interval: Times = setting("exponential 1 s", "The time between two messages of one host.")
    kind: Literal["unicast", "multicast"] = setting(
        "unicast", "'unicast': to one host; 'multicast': to several at once."
    )
    destinations: Numbers = setting(
        1,
        "To how many hosts a multicast goes, or 'all' others, or a range of numbers, equally likely, like '1..5'"
        " or '1..all'; 1 for unicast.",
    )
    selectivity: Portion = setting(
        0.0,
        "How likely all destinations of a message have numbers of the source's own parity, odd or even, like '95 %'; "
        "else they are drawn from all hosts.",
    )
    rates: tuple[Rate, ...] | None = setting(
        None,
        "How often hosts send, compared with each other: they take these numbers in turn, and the interval is that of "
        "their mean; unless given, all send equally often.",
        examples=[[1, 3]],
    )
    payload: Size = setting("100 B", "What a message carries, without headers.")
    senders: Annotated[Whole, Field(ge=0, le=MANY)] | None = setting(
        None, "Only the first so many hosts send; unless given, all do.", examples=[5]
    )
    stations: StationWorkload | None = setting(
        None,
        "What stations send of their own, with the same payload; unless given, nothing. Few placements let them: flood "
        "does.",
        examples=[{"interval": "exponential 1 s", "destinations": 3}],
    )

    @model_serializer(mode="wrap")
    def _what_is_said(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What nobody asks for is not written."""
        absent = {"selectivity": self.selectivity == 0, "rates": self.rates is None}
        return {key: value for key, value in whole(self).items() if not absent.get(key)}

    def faults(self) -> Iterator[Fault]:
        yield from _no_interval(self.interval)
        if self.kind == "unicast" and self.destinations != 1:
            yield Fault("a unicast goes to 1 host; write 1, or 'kind: multicast'", ("destinations",))
        if self.rates == ():
            yield Fault("there are no rates; write some, like [1, 3], or leave it out", ("rates",))
