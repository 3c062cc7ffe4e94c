"""The passive clocks of a run, and the settings that they exclude."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator, WithJsonSchema

from mobilesim.clocks.allocations import MOST_PROCESSES, NAMES, most_links
from mobilesim.errors import counted, did_you_mean, shown
from mobilesim.protocols.clocks.known_links.allocation import ALLOCATIONS
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.fields import Whole, setting
from mobilesim.scenario.values.validation_error import Fault, refuse, repeated

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

ALL: Final = "all"
MOST_REMEMBERED: Final = 10_000

_EXAMPLE: Final = "[FM, allocation 5]"


def _names(raw: object) -> tuple[str, ...]:
    """Return the names of clocks in their canonical order."""
    if raw == ALL:
        return NAMES
    if isinstance(raw, str):
        return (_name(raw),)
    if not isinstance(raw, list | tuple):
        raise refuse(f"{shown(raw)} is not a list of clocks; write one, like {_EXAMPLE}, or 'all'")
    if not raw:
        raise refuse(f"the list is empty; write clocks, like {_EXAMPLE}, or 'all', or leave it out")
    found = [_name(one, place) for place, one in enumerate(raw)]
    for place in repeated(found):
        raise refuse(f"'{found[place]}' occurs twice", place)
    return tuple(name for name in NAMES if name in found)


def _name(raw: object, *below: int) -> str:
    if isinstance(raw, str) and raw in NAMES:
        return raw
    known = list(NAMES)
    meant = f"; did you mean 'allocation {raw}'?" if raw in ALLOCATIONS else did_you_mean(raw, known)
    raise refuse(f"there is no clock {shown(raw)}{meant} (known: {', '.join(known)})", *below)


_NAME: Final = {"enum": list(NAMES)}

Names = Annotated[
    tuple[str, ...],
    PlainValidator(_names),
    PlainSerializer(list, return_type=list[str], when_used="json"),
    WithJsonSchema(
        {"anyOf": [{"enum": [*NAMES, ALL]}, {"type": "array", "items": _NAME, "minItems": 1, "uniqueItems": True}]}
    ),
]


class Clocks(Section):
    names: Names = setting(
        ALL,
        "The clocks: FM (the vectors of Fidge and Mattern) and allocation 1 to allocation 5, as "
        "`mobilesim clock-sizes` prints them, or all.",
    )
    window: Annotated[Whole, Field(ge=1, le=MOST_REMEMBERED)] = setting(
        16, "The number of preceding deliveries at the same host that each delivery is compared with."
    )

    def misfits(self, scenario: "Scenario") -> Iterator[Fault]:
        if not scenario.oracle:
            yield Fault("the oracle checks the clocks; write 'oracle: true', or leave the clocks out")
        hosts, workload = scenario.hosts, scenario.workload
        if hosts > MOST_PROCESSES:
            yield Fault(f"clocks can have at most {MOST_PROCESSES:,} hosts, not {hosts:,}")
        elif scenario.groups is None:
            links, most = (hosts if workload.senders is None else workload.senders) * (hosts - 1), most_links(hosts)
            if links > most:
                message = f"clocks of {counted(hosts, 'host')} can have at most {counted(most, 'link')}, not {links:,}"
                yield Fault(f"{message}; write fewer hosts, or groups")


def clocks_or_names(raw: object) -> object:
    """Read names of clocks: `clocks: [FM, allocation 5]` is short for a section with these names."""
    if isinstance(raw, str | list | tuple):
        return {"names": _names(raw)}
    if raw is None or isinstance(raw, Mapping | Clocks):
        return raw
    known = ", ".join(Clocks.model_fields)
    raise refuse(f"{shown(raw)} is not a list; write one, like {_EXAMPLE}, or 'all', or keys below it ({known})")


ClocksOrNames = Annotated[Clocks | None, BeforeValidator(clocks_or_names, json_schema_input_type=Clocks | Names | None)]
