"""A scenario: all settings of a run, typed, checked and immutable.

Times are whole nanoseconds, bandwidths bit/s, sizes bytes, powers watts, lengths metres, speeds m/s. In files, these
values are texts with units. Python arguments may also be numbers without a unit, which are in the units above.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticSerializationError

from mobilesim.errors import UserError
from mobilesim.extensions.resolution import texts
from mobilesim.scenario import traffic_checks
from mobilesim.scenario.referenced_files import referenced_files
from mobilesim.scenario.sections import measurement, static_network
from mobilesim.scenario.sections.backbone import Backbone
from mobilesim.scenario.sections.base_section import Section, without_defaults
from mobilesim.scenario.sections.cells import CellsOrCount
from mobilesim.scenario.sections.clocks import ClocksOrNames
from mobilesim.scenario.sections.energy_and_costs import Energy, Processing, Sizes
from mobilesim.scenario.sections.groups import GroupsOrRule
from mobilesim.scenario.sections.measurement import Measure, WarmUp
from mobilesim.scenario.sections.mobility import Mobility
from mobilesim.scenario.sections.protocol_choice import ProtocolChoice
from mobilesim.scenario.sections.static_network import Links, Membership
from mobilesim.scenario.sections.wireless import Wireless
from mobilesim.scenario.sections.workload import Workload
from mobilesim.scenario.values.fields import NAME_LENGTH, Count, Flag, Time, Whole, optional, setting
from mobilesim.scenario.values.validation_error import Fault, refuse, repeated

DURATION: Final = "60 s"
QUICK_DURATION: Final = 5_000_000_000
QUICK_MESSAGES: Final = 1_000

_VERSION: Final = 2
"""Hashes exclude defaults, so a new key does not change hashes. If a default changes, increase this version."""

# Keys that do not affect the outcome of a run, and keys that distinguish the runs of a scenario
_UNHASHED: Final = frozenset({"name", "quick_duration", "trace", "oracle", "clocks", "protocols", "replications"})


def _one_or_more(raw: object) -> object:
    if raw is None:
        raise refuse("it is empty; write at least one protocol, like [av1]")
    return raw if isinstance(raw, list | tuple) else (raw,)


def _distinct(choices: tuple[ProtocolChoice, ...]) -> tuple[ProtocolChoice, ...]:
    if not choices:
        raise refuse("the list is empty; write at least one protocol, like [av1]")
    for place in reversed([*repeated(choice.label for choice in choices)]):
        raise refuse(f"'{choices[place].label}' occurs twice", place)
    return choices


Name = Annotated[str, Field(strict=True, min_length=1, max_length=NAME_LENGTH)]
Protocols = Annotated[
    tuple[ProtocolChoice, ...],
    BeforeValidator(
        _one_or_more, json_schema_input_type=ProtocolChoice | Annotated[tuple[ProtocolChoice, ...], Field(min_length=1)]
    ),
    AfterValidator(_distinct),
]


class Scenario(Section):
    name: Name = setting("scenario", "The name in reports; by default, the file's name.", "quickstart")
    seed: Annotated[Whole, Field(ge=0, le=2**63 - 1)] = setting(1, "The same seed gives the same run, byte by byte.")
    replications: Count = setting(1, "The number of runs of each protocol, each with different random numbers.")
    protocols: Protocols = setting(
        ("av1",),
        "The protocols to compare, with the same movement and workload. Each is a name that `mobilesim protocols` "
        "lists, or {name: av1, location: lazy} with options, or a pair such as {placement: proxy, ordering: rst}.",
    )
    duration: Annotated[Time, Field(gt=0)] | None = optional(
        f"The simulated time in which hosts send and move; {DURATION} by default, unless messages, deliveries or a "
        "file of messages ends the run.",
        DURATION,
    )
    messages: Annotated[Whole, Field(ge=1, le=10**10)] | None = optional(
        "The number of messages after which hosts stop sending; with a duration, whichever comes first.", 10000
    )
    quick_duration: Annotated[Time, Field(gt=0)] | None = optional(
        "The duration of a run with `--quick`; by default, the run ends after 1,000 messages, and with cells after 5 "
        "s at the latest.",
        "40 s",
    )
    deliveries: Annotated[Whole, Field(ge=1, le=measurement.MOST_DELIVERIES)] | None = optional(
        "The number of deliveries after which hosts stop sending; later deliveries are not measured. With cells, "
        "write a duration or messages, too.",
        10000,
    )
    warm_up: WarmUp | None = optional(
        "The first part of the run, which tables and means exclude; by default, none.",
        {"deliveries": 5000},
    )
    measure: Measure | None = optional(
        "The time that tables and means cover, instead of `warm_up` and `deliveries`; by default, the whole run, until "
        "the last message is delivered.",
        {"from": "30 s", "to": "50 s"},
    )
    hosts: Count = setting(20, "The number of mobile hosts.")
    network: Literal["cells", "static"] = setting(
        "cells",
        "'cells': hosts move between cells with stations; 'static': hosts do not move, and each has a link to every "
        "other host; there are no cells, stations or wireless links.",
    )
    links: Links | None = optional(
        "The links of a static network: one for each ordered pair of hosts.", {"delay": "exponential 1 s"}
    )
    membership: Membership | None = optional(
        "Hosts of a static network that join and leave; by default, the hosts of time 0 stay. Each host that joins has "
        "a new number.",
        {"arrive": "exponential 5 s", "stay": "exponential 60 s"},
    )
    cells: CellsOrCount = setting({}, "The cells, each with one station; `cells: 9` is short for a grid of nine cells.")
    backbone: Backbone = setting({}, "The wired network between the stations.")
    wireless: Wireless = setting(
        {},
        "The wireless links between hosts and stations: FIFO; frames in transit are lost when a host leaves its cell.",
    )
    energy: Energy = setting({}, "The power that the radio of a host draws.")
    mobility: Mobility = setting({}, "How hosts move.")
    workload: Workload = setting({}, "What hosts send.")
    groups: GroupsOrRule = optional(
        "Groups of hosts, which may overlap: lists of hosts, or a rule with its keys (random: number and size; ring: "
        "size; star; blocks: size and overlap; links: graph, as for `mobilesim clocks --graph`). Only hosts in groups "
        "send. Each message goes to all other members of one of the sender's groups, which are equally likely.",
        [[0, 1, 2], [2, 3]],
    )
    processing: Processing = setting({}, "The processing time of stations per wired packet.")
    sizes: Sizes = setting({}, "The sizes of packet headers.")
    trace: Flag = setting(True, "Whether to write Parquet tables of single messages and events.")
    oracle: Flag = setting(True, "Whether to check every delivery.")
    clocks: ClocksOrNames = optional(
        "Passive clocks: they stamp every message and compare the messages at each host, without effect on the run; "
        "the oracle counts their errors. A list of clock names, or all.",
        ["FM", "allocation 5"],
    )

    @model_validator(mode="before")
    @classmethod
    def _with_defaults(cls, raw: object) -> object:
        """Add the default duration to a scenario without an end, and the defaults to a static network."""
        if not isinstance(raw, Mapping):
            return raw
        found = dict(raw)
        if all(raw.get(end) is None for end in ("duration", "messages", "deliveries")) and not traffic_checks.ends(raw):
            found["duration"] = DURATION
        if raw.get("network") == "static":
            links = {} if raw.get("links") is None else raw["links"]
            found = {"protocols": static_network.PROTOCOL, **found, "links": links}
        return found

    def unwritten(self) -> set[str]:
        others = {"network", *static_network.OF_STATIC} if self.network == "cells" else {*static_network.OF_CELLS}
        return others | {"quick_duration"} if self.quick_duration is None else others

    @model_serializer(mode="wrap")
    def _written_keys(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return traffic_checks.written(self, super()._written_keys(whole))

    def faults(self) -> Iterator[Fault]:
        yield from static_network.faults(self)
        yield from measurement.faults(self)
        yield from traffic_checks.faults(self)
        for key in type(self).model_fields:
            if isinstance(part := getattr(self, key), Section):
                yield from (fault.under(key) for fault in part.misfits(self))

    @property
    def most_destinations(self) -> int:
        return traffic_checks.most_destinations(self)

    @property
    def quick_ends(self) -> dict[str, int | None]:
        """The latest end of a run with `--quick`: after the scenario's `quick_duration`, or a number of messages.

        With cells, the duration is limited, too. In a static network, the duration is not limited: messages may be
        rare, and only messages take computing time.
        """
        if self.quick_duration is not None:
            return {"duration": self.quick_duration, "messages": None}
        return {"duration": QUICK_DURATION if self.network == "cells" else None, "messages": QUICK_MESSAGES}

    def shortened(self) -> Self:
        """Return the scenario for `--quick`: shorter, and without warm-up, which would often be longer than the run."""
        ends: dict[str, int | None] = {}
        for key, most in self.quick_ends.items():
            ends[key] = min((end for end in (getattr(self, key), most) if end is not None), default=None)
        shorter = self.model_copy(update={**ends, "deliveries": None, "warm_up": None})
        fits = self.measure is None or not [*self.measure.misfits(shorter)]
        return shorter if fits else shorter.model_copy(update={"measure": None})

    @property
    def not_in_short_form(self) -> list[str]:
        """Return the keys of the measurement window that the scenario for `--quick` does not have."""
        shorter = self.shortened()
        keys = ("warm_up", "deliveries", "measure")
        return [key for key in keys if getattr(self, key) is not None and getattr(shorter, key) is None]

    def normal_form(self) -> dict[str, Any]:
        """Return the data that are hashed: the settings that affect a run and differ from their defaults.

        Values are texts. The name of a file is replaced by the digest of its content.
        """
        try:
            written = self.model_dump(mode="json", exclude=set(_UNHASHED))
        except PydanticSerializationError:
            named = (str(file) for _, file in referenced_files(self))
            raise UserError(f"{' or '.join(named)} can no longer be read") from None
        found: dict[str, Any] = without_defaults(self, written)
        return found | {"extensions": self.extensions} if self.extensions else found

    @property
    def extensions(self) -> str:
        """The mobility model and the workload of other packages, each with the package's version; '' without them."""
        return texts(each for each in (self.mobility.extension, self.workload.extension) if each is not None)

    @property
    def hash(self) -> str:
        """Return 16 hex digits, which are equal for scenarios with the same environment and workload.

        Protocols, replications, name, quick_duration, trace, oracle, clocks and the paths of files have no effect.
        """
        text = json.dumps([_VERSION, self.normal_form()], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]
