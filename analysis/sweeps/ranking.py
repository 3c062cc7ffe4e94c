"""Who stands where among protocols that pay in several ways: who competes, and who is beaten by whom."""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.statistics.pareto import beating, frontier
from analysis.summary.model import Finding, Protocol
from analysis.sweeps.metrics import Shown


@dataclass(frozen=True, slots=True)
class Standing:
    """Of a protocol at a point. `beaten_by`: those on the frontier; of one that is on it, all. `out`: why it does not
    compete, if it does not.
    """

    protocol: Protocol
    on: bool
    beaten_by: tuple[str, ...] = ()
    out: str = ""

    @property
    def told(self) -> str:
        if self.out:
            return f"does not compete: {self.out}"
        by = f"beaten by {', '.join(self.beaten_by)}"
        if not self.on:
            return by
        return f"on the frontier, though {by}" if self.beaten_by else "on the frontier"


def standings(protocols: Sequence[Protocol], costs: Sequence[Shown]) -> list[Standing]:
    """Of all, with those that do not compete."""
    outs = {protocol.name: out(protocol, costs) for protocol in protocols}
    playing = {each.protocol.name: each for each in among([each for each in protocols if not outs[each.name]], costs)}
    return [playing.get(each.name) or Standing(each, on=False, out=outs[each.name]) for each in protocols]


def among(playing: Sequence[Protocol], costs: Sequence[Shown]) -> list[Standing]:
    """Of protocols that all compete."""
    found = frontier(beating(playing, [cost.of for cost in costs]))
    return [Standing(each, each.name in found.on, found.beaten_by[each.name]) for each in playing]


def out(protocol: Protocol, costs: Sequence[Shown]) -> str:
    """Empty of one that competes."""
    if not protocol.claims_causal:
        return "it claims no causal order"
    return unfit(protocol, costs)


def unfit(protocol: Protocol, costs: Sequence[Shown]) -> str:
    """Why it competes nowhere, whatever order is asked for."""
    if protocol.finding is Finding.BROKEN:
        return "it is broken"
    missing = [cost.title for cost in costs if cost.of(protocol).mean is None]
    return f"its runs have no {missing[0]}" if missing else ""
