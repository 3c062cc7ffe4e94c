"""The workload: the times, destinations and sizes of the messages that hosts and stations send."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import expm1, inf, log
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema, model_validator

from mobilesim.errors import shown
from mobilesim.extensions.resolution import Extension, Kind, find
from mobilesim.protocols import catalogue
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sections.outside_model import OutsideSettings, model_name, with_settings
from mobilesim.scenario.values.distributions import Distribution
from mobilesim.scenario.values.fields import (
    MANY,
    Chance,
    InputFile,
    Payloads,
    Times,
    Whole,
    file_schema,
    optional,
    setting,
    text_schema,
)
from mobilesim.scenario.values.validation_error import Fault, refuse

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

_NOT_BESIDE_REPLAY: Final = frozenset(
    {
        *("interval", "kind", "destinations", "selectivity", "rates", "senders", "stations", "first_message", "bursts"),
        *("model", "settings"),
    }
)

_LARGEST_EXPONENT: Final = 100

_DIGITS: Final = len(str(MANY))
_RANGE: Final = re.compile(rf"\s*([0-9]{{1,{_DIGITS}}})\s*\.\.\s*([0-9]{{1,{_DIGITS}}}|all)\s*")


@dataclass(frozen=True, slots=True)
class Between:
    fewest: int
    most: int | Literal["all"]

    def __str__(self) -> str:
        return f"{self.fewest}..{self.most}"


def _hosts(raw: object, forms: str = "or 'all'") -> int | Literal["all"]:
    if raw == "all":
        return "all"
    if isinstance(raw, int) and not isinstance(raw, bool) and 1 <= raw <= MANY:
        return raw
    raise refuse(f"{shown(raw)} is not a number of hosts; write a whole number of 1 or more, {forms}")


def _hosts_or_range(raw: object) -> int | Literal["all"] | Between:
    if isinstance(raw, Between):
        return raw
    if isinstance(raw, str) and (found := _RANGE.fullmatch(raw)):
        return _between(raw, int(found[1]), found[2])
    return _hosts(raw, "'all', or a range like '1..5'")


def _between(raw: str, fewest: int, most: str) -> int | Between:
    if fewest < 1 or (most != "all" and not fewest <= int(most) <= MANY):
        advice = "write an increasing range from 1 or more, like '1..5' or '1..all'"
        raise refuse(f"{shown(raw)} is not a range of numbers of hosts; {advice}")
    if most == "all":
        return Between(fewest, "all")
    return fewest if fewest == int(most) else Between(fewest, int(most))


_HOSTS_SCHEMA: Final = ({"type": "integer", "minimum": 1, "maximum": MANY}, {"const": "all"})

Destinations = Annotated[int | Literal["all"], PlainValidator(_hosts), WithJsonSchema({"anyOf": [*_HOSTS_SCHEMA]})]
DestinationRange = Annotated[
    int | Literal["all"] | Between,
    PlainValidator(_hosts_or_range),
    PlainSerializer(lambda wanted: str(wanted) if isinstance(wanted, Between) else wanted, when_used="json"),
    WithJsonSchema({"anyOf": [*_HOSTS_SCHEMA, text_schema(r"[0-9]+\s*\.\.\s*([0-9]+|all)", "1..5", "1..all")]}),
]


def _no_interval(interval: Distribution) -> Iterator[Fault]:
    if interval.mean == 0:
        yield Fault("with an interval of 0 s, simulated time would never advance; write more than 0 s", ("interval",))


class StationWorkload(Section):
    interval: Times = setting("exponential 1 s", "The time between two messages of one station.")
    destinations: Destinations = setting(1, "The number of destinations of each message, or 'all'.")

    def faults(self) -> Iterator[Fault]:
        yield from _no_interval(self.interval)


class Bursts(Section):
    length: Times = setting("exponential 1 s", "The duration of a burst.")
    silence: Times = setting("exponential 10 s", "The time between two bursts of a host.")

    def faults(self) -> Iterator[Fault]:
        if self.length.mean == 0:
            yield Fault("bursts of 0 s contain no messages; write more than 0 s", ("length",))


class Replies(Section):
    probability: Chance = setting(1.0, "The probability that a host answers a message, like '50 %'.")
    think_time: Times = setting("exponential 100 ms", "The time between the delivery of a message and its answer.")
    to: Literal["source", "all"] = setting(
        "source",
        "The destinations of an answer: 'source': the source of the message; 'all': the source and the other "
        "destinations of the message.",
    )
    max_rounds: Annotated[Whole, Field(ge=1, le=1_000_000)] = setting(
        1, "The maximum length of a chain of answers: 1 for a request and its reply, more for a conversation."
    )

    def following(self, copies: float, time: float, way: float) -> float:
        """Return the expected number of answers that follow a message with `copies` destinations.

        `time`: the time in which messages are sent. `way`: the delay of a message.
        """
        after = self.think_time.mean + way
        rounds = min(float(self.max_rounds), 1 + time / after) if after else float(self.max_rounds)
        wider = copies if self.to == "all" else 1.0
        return self.probability * copies * _series(self.probability * wider, rounds)


def _series(ratio: float, terms: float) -> float:
    """Return the sum of the first `terms` terms of a geometric series that begins with 1."""
    if ratio in {0.0, 1.0}:
        return terms if ratio else 1.0
    power = terms * log(ratio)
    return inf if power > _LARGEST_EXPONENT else expm1(power) / (ratio - 1)


class WorkloadRow(NamedTuple):
    """A workload of another package: the section of its settings (None if it has none), and its description."""

    section: type[Section] | None
    description: str


def outside_workload(name: str | None) -> Extension | None:
    return None if name is None else find(Kind.WORKLOAD, name)


class Workload(Section):
    model: Annotated[str, *model_name(Kind.WORKLOAD)] | None = optional(
        "A workload of another package, which changes the times, destinations or sizes of the messages of hosts: the "
        "name of its entry point, or its path.",
        "my_package.waves:waves",
    )
    settings: OutsideSettings | None = optional("The settings of the workload of another package.", {"period": "10 s"})
    interval: Times = setting("exponential 1 s", "The time between two messages of one host.")
    kind: Literal["unicast", "multicast"] = setting(
        "unicast", "'unicast': to one host; 'multicast': to several at once."
    )
    destinations: DestinationRange = setting(
        1,
        "The number of destinations of a multicast, or 'all' other hosts, or a range of equally likely numbers, like "
        "'1..5' or '1..all'; 1 for unicast.",
    )
    selectivity: Chance = setting(
        0.0,
        "The probability that all destinations of a message have the parity (odd or even) of its source, like '95 %'; "
        "otherwise they are drawn from all hosts.",
    )
    rates: tuple[Annotated[Whole, Field(ge=1, le=1000)], ...] | None = optional(
        "The relative message rates of hosts 0, 1, ..., repeated for further hosts. A host with the mean rate "
        "sends at the 'interval'. By default, all rates are equal.",
        [1, 3],
    )
    payload: Payloads = setting(
        "100 B",
        "The payload of a message, without headers: a size, or a distribution of sizes, like 'uniform 40 B 1500 B'.",
    )
    senders: Annotated[Whole, Field(ge=0, le=MANY)] | None = optional(
        "The number of hosts that send: hosts 0, 1, ...; by default, all.", 5
    )
    stations: StationWorkload | None = optional(
        "Messages that stations send, with the same payload; by default, none. The placement flood supports them.",
        {"interval": "exponential 1 s", "destinations": 3},
    )
    first_message: Times | None = optional(
        "The time of a host's first message; by default, one interval after the start. With constant intervals, "
        "'uniform 0 s 1 s' keeps hosts from sending all at once.",
        "uniform 0 s 1 s",
    )
    bursts: Bursts | None = optional(
        "On-off traffic: hosts send at the interval during bursts, and nothing between bursts; by default, always on.",
        {"length": "exponential 2 s", "silence": "exponential 10 s"},
    )
    replies: Replies | None = optional(
        "Conversations: hosts answer messages, and answers may be answered again; by default, there are none. "
        "Each answer depends causally on its message.",
        {"probability": 0.5, "think_time": "exponential 200 ms", "max_rounds": 4},
    )
    replay: Annotated[InputFile, file_schema("a CSV or Parquet file of messages", "messages.csv")] | None = optional(
        "A file of messages that are sent instead of random ones: CSV with the columns time, source, destinations and "
        "perhaps payload, or a Parquet file of the table 'messages' of an earlier run.",
        "messages.csv",
    )

    @model_validator(mode="before")
    @classmethod
    def _read_settings(cls, raw: object) -> object:
        if not isinstance(raw, Mapping) or not isinstance(raw.get("model"), str):
            return raw
        return with_settings(raw, Kind.WORKLOAD)

    @property
    def extension(self) -> Extension | None:
        return outside_workload(self.model)

    def unwritten(self) -> set[str]:
        outside = {"model", "settings"} if self.model is None else set()
        return outside | (set() if self.replay is None else {*_NOT_BESIDE_REPLAY})

    def faults(self) -> Iterator[Fault]:
        yield from _no_interval(self.interval)
        if self.replay is not None:
            message = "the file determines all messages; leave this key or the file out"
            yield from (Fault(message, (key,)) for key in sorted(_NOT_BESIDE_REPLAY & self.model_fields_set))
        if self.kind == "unicast" and self.destinations != 1:
            yield Fault("a unicast goes to 1 host; write 1, or 'kind: multicast'", ("destinations",))
        if self.settings is not None and (self.extension is None or self.extension.row.section is None):
            yield Fault("are the settings of a workload of another package; write 'model' too", ("settings",))
        if self.rates == ():
            yield Fault("the list is empty; write rates, like [1, 3], or leave it out", ("rates",))

    def misfits(self, scenario: "Scenario") -> Iterator[Fault]:
        for choice in scenario.protocols if self.stations is not None and scenario.network == "cells" else ():
            if not catalogue.placement_row(choice.placement).originates:
                able = ", ".join(row.name for row in catalogue.PLACEMENTS.values() if row.originates)
                message = f"the stations of {choice.label} cannot send messages (supported placements: {able})"
                yield Fault(message, ("stations",))
