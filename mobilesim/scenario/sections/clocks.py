"""The passive clocks of a run, and the settings that they exclude."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, PlainValidator, WithJsonSchema

from mobilesim.clocks.allocations import MOST_PROCESSES, most_links
from mobilesim.errors import counted, did_you_mean, shown
from mobilesim.protocols.clocks.catalogue import CLOCKS
from mobilesim.protocols.clocks.known_links.allocation import ALLOCATIONS
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.fields import MANY, Whole, optional, setting
from mobilesim.scenario.values.options import (
    Setting,
    Settings,
    changed_settings,
    complete_settings,
    label,
    labelled,
    options_schema,
)
from mobilesim.scenario.values.validation_error import Fault, refuse, repeated

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

ALL: Final = "all"
MOST_REMEMBERED: Final = 10_000

_KEY: Final = "clock"
_EXAMPLE: Final = "[FM, allocation 5]"


@dataclass(frozen=True, slots=True)
class ClockChoice:
    """A clock of the catalogue. `options`: all options, sorted."""

    name: str
    options: Settings

    @property
    def label(self) -> str:
        return label(self.name, dict(CLOCKS[self.name].options), self.options)

    @property
    def brief(self) -> str | dict[str, Setting]:
        """The shortest setting for this choice: a name, or a mapping if options do not have their default values."""
        changed = changed_settings(dict(CLOCKS[self.name].options), self.options)
        return {_KEY: self.name, **changed} if changed else self.name


def clock_choice(name: str, options: Mapping[str, object] = {}, *below: str | int) -> ClockChoice:
    """Return a clock with these options. `below`: the key path to the options, for errors."""
    return ClockChoice(name, complete_settings(name, dict(CLOCKS[name].options), options, *below))


def _choices(raw: object) -> tuple[ClockChoice, ...]:
    """Return clocks in the order of the catalogue."""
    if raw == ALL:
        return tuple(clock_choice(name) for name in CLOCKS)
    if isinstance(raw, str | Mapping | ClockChoice):
        return (_choice(raw),)
    if not isinstance(raw, list | tuple):
        raise refuse(f"{shown(raw)} is not a list of clocks; write one, like {_EXAMPLE}, or 'all'")
    if not raw:
        raise refuse(f"the list is empty; write clocks, like {_EXAMPLE}, or 'all', or leave it out")
    found = [_choice(one, place) for place, one in enumerate(raw)]
    for place in repeated(found):
        raise refuse(f"'{found[place].label}' occurs twice", place)
    order = list(CLOCKS)
    return tuple(sorted(found, key=lambda choice: order.index(choice.name)))


def _choice(raw: object, *below: int) -> ClockChoice:
    if isinstance(raw, ClockChoice):
        return raw
    if not isinstance(raw, Mapping):
        return clock_choice(_known(raw, *below))
    keys = {str(key): value for key, value in raw.items()}
    if _KEY not in keys:
        example = "{clock: plausible, entries: 4}"
        raise refuse(f"a clock with options needs its name; '{_KEY}' is missing, as in {example}", *below)
    name, given = _known(keys[_KEY], *below, _KEY), {key: value for key, value in keys.items() if key != _KEY}
    return clock_choice(name, given, *below)


def _known(raw: object, *below: int | str) -> str:
    if isinstance(raw, str) and raw in CLOCKS:
        return raw
    known = list(CLOCKS)
    if isinstance(raw, str) and (advice := labelled(raw, known, _KEY)):
        raise refuse(f"{shown(raw)} is a name in output, not in scenarios; write {advice}", *below)
    meant = f"; did you mean 'allocation {raw}'?" if raw in ALLOCATIONS else did_you_mean(raw, known)
    raise refuse(f"there is no clock {shown(raw)}{meant} (known: {', '.join(known)})", *below)


def _briefs(choices: tuple[ClockChoice, ...]) -> list[str | dict[str, Setting]]:
    return [choice.brief for choice in choices]


def _schema() -> dict[str, Any]:
    with_options = [options_schema({_KEY: {"const": row.name}}, dict(row.options)) for row in CLOCKS.values()]
    clock = {"anyOf": [{"enum": list(CLOCKS)}, *with_options]}
    clocks = {"type": "array", "items": clock, "minItems": 1, "uniqueItems": True}
    named = {"enum": [*CLOCKS, ALL]}
    return {"title": "clocks, as `mobilesim clocks` lists them; `all`", "anyOf": [named, *with_options, clocks]}


Names = Annotated[
    tuple[ClockChoice, ...],
    PlainValidator(_choices),
    PlainSerializer(_briefs, return_type=list[Any], when_used="json"),
    WithJsonSchema(_schema()),
]


MOST_PAIRS: Final = 10_000


def _pair(hosts: tuple[int, int]) -> tuple[int, int]:
    if hosts[0] == hosts[1]:
        raise refuse(f"a pair has two different hosts, not twice {hosts[0]}")
    return hosts


def _pairs(pairs: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    if not 0 < len(pairs) <= MOST_PAIRS:
        raise refuse(f"a list has 1 to {MOST_PAIRS:,} pairs, like [[0, 1]], not {len(pairs):,}")
    for place in repeated(frozenset(pair) for pair in pairs):
        raise refuse(f"hosts {pairs[place][0]} and {pairs[place][1]} are a pair already", place)
    return pairs


Host = Annotated[Whole, Field(ge=0, le=MANY)]
Pairs = Annotated[
    tuple[Annotated[tuple[Host, Host], AfterValidator(_pair), Field(json_schema_extra={"uniqueItems": True})], ...],
    AfterValidator(_pairs),
    Field(json_schema_extra={"minItems": 1, "maxItems": MOST_PAIRS}),
]


class Clocks(Section):
    names: Names = setting(
        ALL,
        "The clocks that `mobilesim clocks` lists. Each is a name, or {clock: plausible, entries: 8} with options.",
    )
    window: Annotated[Whole, Field(ge=1, le=MOST_REMEMBERED)] = setting(
        16, "The number of preceding deliveries at the same host that each delivery is compared with."
    )

    pairs: Pairs | None = optional(
        "Pairs of hosts. Any two events of the hosts of a pair are compared (submissions and deliveries), instead of "
        "messages to one host.",
        [[0, 1]],
    )

    @property
    def need_known_links(self) -> bool:
        """Whether sets of clocks are computed from the links."""
        return any(CLOCKS[choice.name].allocation for choice in self.names)

    def misfits(self, scenario: "Scenario") -> Iterator[Fault]:
        if not scenario.oracle:
            yield Fault("the oracle checks the clocks; write 'oracle: true', or leave the clocks out")
        hosts, workload = scenario.hosts, scenario.workload
        for number, pair in enumerate(self.pairs or ()):
            if max(pair) >= hosts:
                where = f"there is no host {max(pair)}; hosts are numbered from 0 to {hosts - 1}"
                yield Fault(where, ("pairs", number))
        if hosts > MOST_PROCESSES:
            yield Fault(f"clocks can have at most {MOST_PROCESSES:,} hosts, not {hosts:,}")
        elif self.need_known_links and scenario.groups is None:
            links, most = (hosts if workload.senders is None else workload.senders) * (hosts - 1), most_links(hosts)
            if links > most:
                message = f"clocks of {counted(hosts, 'host')} can have at most {counted(most, 'link')}, not {links:,}"
                yield Fault(f"{message}; write fewer hosts, or groups")


def clocks_or_names(raw: object) -> object:
    """Read names of clocks: `clocks: [FM, allocation 5]` is short for a section with these names."""
    if isinstance(raw, str | list | tuple) or (isinstance(raw, Mapping) and _KEY in raw):
        return {"names": _choices(raw)}
    if raw is None or isinstance(raw, Mapping | Clocks):
        return raw
    known = ", ".join(Clocks.model_fields)
    raise refuse(f"{shown(raw)} is not a list; write one, like {_EXAMPLE}, or 'all', or keys below it ({known})")


ClocksOrNames = Annotated[Clocks | None, BeforeValidator(clocks_or_names, json_schema_input_type=Clocks | Names | None)]
