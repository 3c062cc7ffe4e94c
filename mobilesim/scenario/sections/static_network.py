"""The static network: hosts that never move. Each host has a link to every other host."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal

from mobilesim.protocols import catalogue
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sections.protocol_choice import ProtocolChoice
from mobilesim.scenario.values.fields import Bandwidth, Times, optional, setting
from mobilesim.scenario.values.validation_error import Fault

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

PLACEMENT: Final = "resident"
PROTOCOL: Final = "rst"

OF_CELLS: Final = ("cells", "backbone", "wireless", "energy", "mobility", "processing")
OF_STATIC: Final = ("links",)


class Links(Section):
    delay: Times = setting("exponential 1 s", "The delay of a packet on its link.")
    service: Literal["fifo", "independent", "bus"] = setting(
        "fifo",
        "'fifo': a link carries one packet at a time, so that packets queue and keep their order; 'independent': the "
        "delays of packets are independent, and packets may overtake others; 'bus': all hosts share one link, on which "
        "a packet is transmitted once for all of its destinations.",
    )
    bandwidth: Bandwidth | None = optional(
        "If given, the transmission time of a packet is added to its delay.", "1 Mbit/s"
    )

    @property
    def keeps_order(self) -> bool:
        """Whether packets from one host to another one keep their order."""
        return self.service != "independent"


def faults(scenario: "Scenario") -> Iterator[Fault]:
    if scenario.network == "static":
        yield from _beside_static(scenario)
        return
    for key in (key for key in OF_STATIC if getattr(scenario, key) is not None):
        reason = "only a static network has this key; write 'network: static' too, or leave this key out"
        yield Fault(reason, (key,))


def _beside_static(scenario: "Scenario") -> Iterator[Fault]:
    for key in (key for key in OF_CELLS if key in scenario.model_fields_set):
        instead = "write 'links' instead" if key in {"backbone", "wireless"} else "leave this key out"
        reason = f"a static network has only hosts and links; {instead}, or write 'network: cells'"
        yield Fault(reason, (key,))
    if scenario.workload.stations is not None:
        reason = "a static network has no stations; leave this key out, or write 'network: cells'"
        yield Fault(reason, ("workload", "stations"))
    for place, choice in enumerate(scenario.protocols):
        if message := _unfit(choice):
            yield Fault(message, ("protocols", place))


def _unfit(choice: ProtocolChoice) -> str | None:
    if choice.placement != PLACEMENT:
        name = catalogue.pair(PLACEMENT, choice.ordering).name
        same = f", which is {PLACEMENT}+{choice.ordering}" if "+" not in name else ""
        reason = f"{choice.label} needs stations, and a static network has none"
        return f"{reason}; write '{name}'{same}, or 'network: cells'"
    placed = dict(catalogue.placement_row(PLACEMENT).options)
    for key, value in choice.options:
        if key in placed and value != placed[key].default:
            return f"{choice.label}: '{key}' is for stations, and a static network has none; leave '{key}' out"
    return None
