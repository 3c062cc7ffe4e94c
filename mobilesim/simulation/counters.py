"""The counters of a simulation at one moment, and their differences between two moments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mobilesim.recording.link_counters import LinkCounter, Links, difference

Amounts = Mapping[int, int]

RadioCounts = tuple[int, int, int, int, int]
"""The time of sending and receiving simultaneously, the time of receiving beacons, the time of dozing, the number of
wake-ups, and how often the host was cut off.
"""

ProcessorCounts = tuple[int, int, int]
"""How long a processor has worked, how much work it has got, and on how many frames."""


@dataclass(frozen=True, slots=True)
class Counters:
    """What has been counted from the start of the run until `time`, or the difference of two such states.

    `links`: the counters of links by kind; an uplink or a downlink is that of one host in one cell.
    `demanded`: the work that wireless channels have been given, by kind, and by host or cell. `worked`: the processing
    time by station. `radios`: by host, the counts of its radio. `unreachable`: by host, the time out of reach.
    `computing`: by host, the counts of its processor. `since`: the begin of the time that is counted.
    """

    time: int
    links: Mapping[str, Links]
    demanded: Mapping[str, Amounts]
    worked: Sequence[int]
    radios: Sequence[RadioCounts]
    unreachable: Sequence[int]
    computing: Sequence[ProcessorCounts] = ()
    since: int = 0

    def after(self, before: "Counters | None") -> "Counters":
        """Return what has been counted after an earlier state. Links that were not used since then are left out."""
        if before is None:
            return self
        return Counters(
            self.time,
            {kind: _links_after(links, before.links[kind]) for kind, links in self.links.items()},
            {kind: _amounts_after(demand, before.demanded[kind]) for kind, demand in self.demanded.items()},
            [now - then for now, then in zip(self.worked, before.worked, strict=True)],
            [_radio_after(now, then) for now, then in zip(self.radios, before.radios, strict=True)],
            [now - then for now, then in zip(self.unreachable, before.unreachable, strict=True)],
            [_processor_after(now, then) for now, then in zip(self.computing, before.computing, strict=True)],
            before.time,
        )


def _radio_after(now: RadioCounts, then: RadioCounts) -> RadioCounts:
    both, beacons, dozing, wake_ups, cut_offs = (amount - before for amount, before in zip(now, then, strict=True))
    return both, beacons, dozing, wake_ups, cut_offs


def _links_after(now: Links, before: Links) -> Links:
    unused = LinkCounter()
    changes = ((ends, difference(counter, before.get(ends, unused))) for ends, counter in now.items())
    return {ends: change for ends, change in changes if change.packets or change.busy or change.lost().packets}


def _processor_after(now: ProcessorCounts, then: ProcessorCounts) -> ProcessorCounts:
    worked, given, frames = (amount - before for amount, before in zip(now, then, strict=True))
    return worked, given, frames


def _amounts_after(now: Amounts, before: Amounts) -> Amounts:
    return {number: amount - before.get(number, 0) for number, amount in now.items()}
