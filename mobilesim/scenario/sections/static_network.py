"""The static network: hosts that never move. Each host has a link to every other host. Hosts may join and leave."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field

from mobilesim.protocols import catalogue
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sections.protocol_choice import ProtocolChoice
from mobilesim.scenario.values.fields import Bandwidth, Times, Whole, optional, setting
from mobilesim.scenario.values.validation_error import Fault

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

PLACEMENT: Final = "resident"
PROTOCOL: Final = "rst"

OF_CELLS: Final = ("cells", "backbone", "wireless", "energy", "mobility", "processing")
OF_STATIC: Final = ("links", "membership")
MOST_ARRIVALS: Final = 10_000

_OF_FIXED_HOSTS: Final = ("senders", "selectivity", "replay", "model")
"""The keys of a workload that name hosts, or that draw them from all hosts, members or not."""


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


class Membership(Section):
    arrive: Times | None = optional("The time between two hosts that join; by default, none joins.", "exponential 5 s")
    stay: Times | None = optional(
        "The time for which a host is a member, from time 0 or from its welcome; by default, hosts stay.",
        "exponential 60 s",
    )
    limit: Annotated[Whole, Field(ge=1, le=MOST_ARRIVALS)] | None = optional(
        "The largest number of hosts that join; by default, the duration alone limits it.", 100
    )

    def faults(self) -> Iterator[Fault]:
        if self.arrive is None and self.stay is None:
            yield Fault("hosts neither join nor leave; write 'arrive' or 'stay', like {arrive: exponential 5 s}")
        if self.arrive is None and self.limit is not None:
            yield Fault("limits hosts that join; write 'arrive' too, or leave it out", ("limit",))
        for key in ("arrive", "stay"):
            drawn = getattr(self, key)
            if drawn is not None and drawn.mean == 0:
                yield Fault("is 0 s for every host; write more than 0 s", (key,))

    def misfits(self, scenario: "Scenario") -> Iterator[Fault]:
        if scenario.duration is None:
            yield Fault("hosts join and leave until the end of the duration; write 'duration' too")
        elif self.arrive is not None and self.limit is None and scenario.duration / self.arrive.mean > MOST_ARRIVALS:
            many = f"about {scenario.duration / self.arrive.mean:,.0f} hosts would join"
            yield Fault(f"{many}; write a longer time, or a 'limit' up to {MOST_ARRIVALS:,}", ("arrive",))


def faults(scenario: "Scenario") -> Iterator[Fault]:
    if scenario.network == "static":
        yield from _beside_static(scenario)
        if scenario.membership is not None:
            yield from _beside_membership(scenario)
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


def _beside_membership(scenario: "Scenario") -> Iterator[Fault]:
    remedy = "leave this key or 'membership' out"
    for key in _OF_FIXED_HOSTS:
        if scenario.workload.changed(key):
            yield Fault(f"this key needs hosts that stay from the start to the end; {remedy}", ("workload", key))
    for key, reason in (("groups", "groups have fixed members"), ("clocks", "clocks have fixed processes")):
        if getattr(scenario, key) is not None:
            yield Fault(f"{reason}; {remedy}", (key,))
    for place, choice in enumerate(scenario.protocols):
        row = catalogue.ordering_row(choice.ordering)
        if not row.is_dynamic:
            able = ", ".join(each.name for each in catalogue.ORDERINGS.values() if each.is_dynamic)
            message = f"{row.name} orders a fixed set of processes, and hosts join or leave{row.fixed_reason}"
            yield Fault(f"{message}; write one of {able}, or leave 'membership' out", ("protocols", place))
        elif (setting := row.fixed_setting(dict(choice.options))) is not None:
            message = f"with '{setting}', {row.name} orders a fixed set of processes, and hosts join or leave"
            yield Fault(f"{message}; leave this option or 'membership' out", ("protocols", place))
