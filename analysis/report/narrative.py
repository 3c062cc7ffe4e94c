"""What the data says, figure by figure: every number in these sentences is computed."""

from collections.abc import Callable, Sequence
from typing import Final

from analysis.figures.style import words
from analysis.report.tables import FEW
from analysis.statistics.paired_differences import Difference, difference
from analysis.summary.clock_results import ClockResult, clock_results
from analysis.summary.formatting import duration, number, share, show_energy, show_time, size
from analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, ENERGY_USES, HANDOFF_PACKETS, MEDIA

Protocols = Sequence[ProtocolSummary]
Rank = Callable[[ProtocolSummary], float]

_MUCH_LATE: Final = 0.1
"""Of all delay."""
_SOME: Final = 100
"""Deliveries; of fewer, the last ones are always many."""


def breakdown(protocols: Protocols) -> str:
    seen = _by_mean(protocols, "delay")
    if not seen:
        return "Nothing was delivered."
    said = _compared([protocol for protocol in seen if protocol.complete])
    said += [f"{protocol.name} has no complete run to compare." for protocol in seen if not protocol.complete]
    causal = [protocol for protocol in seen if protocol.claims_causal]
    said += [_largest_parts(protocol) for protocol in (causal or seen)[:2]]
    said += [f"Of the end: {told}." for told in of_the_end(protocols)]
    return " ".join(said)


def distribution(protocols: Protocols) -> str:
    seen = [protocol for protocol in protocols if protocol["delay"].percentiles]
    if not seen:
        return "Nothing was delivered."
    return _each(_spread, seen, lambda protocol: protocol["delay"].percentile(99) or 0)


def handoffs(protocols: Protocols) -> str:
    seen = _by_mean(protocols, "move.time")
    if not seen:
        return "No hand-off was finished."
    return _each(_handoff, seen, _mean("move.time"))


def stages(protocols: Protocols) -> str:
    seen = [protocol for protocol in protocols if protocol["move.control_messages"].mean is not None]
    if not seen:
        return "No host changed its cell."
    behind = [protocol for protocol in seen if protocol["move.backlog"].mean]
    made: dict[str, list[str]] = {}
    for protocol in seen:
        made.setdefault(_made_of(protocol), []).append(protocol.name)
    told = "; ".join(f"{kinds} under {_list(names)}" for kinds, names in made.items())
    said = f"A hand-off takes {told}."
    if not behind:
        return f"{said} No host entered a cell before its last hand-off was over."
    late = ", ".join(map(_behind, _extremes(behind, _mean("move.backlog"))))
    return f"{said} When a host enters a cell, earlier hand-offs of its own may still be under way: {late}."


def disconnections(protocols: Protocols) -> str:
    """Nothing where no host ever switched off. The tables have no word of the policy, but it shows."""
    seen = [protocol for protocol in protocols if protocol["disconnection.waiting"].count]
    if not seen:
        return ""
    dropped = [f"{protocol.dropped:,} under {protocol.name}" for protocol in seen if protocol.dropped]
    if dropped:
        return f"Hosts asked for nothing to be stored while they were off; deliveries given up: {_list(dropped)}."
    waited = [f"{number(mean)} under {protocol.name}" for protocol, mean in _waiting(seen)]
    if not waited:
        return "Nothing was dropped, and nothing waited for a host that came back."
    return f"Nothing was dropped: it was stored. Messages that a host finds on its return, on average: {_list(waited)}."


def _waiting(protocols: Protocols) -> list[tuple[ProtocolSummary, float]]:
    means = [(protocol, protocol["disconnection.waiting"].mean) for protocol in protocols]
    return [(protocol, mean) for protocol, mean in means if mean]


def storage(protocols: Protocols) -> str:
    """Nothing where no protocol stores anything."""
    seen = [protocol for protocol in protocols if protocol["station.copies_peak"].mean]
    return _each(_stored, seen, _mean("station.copies_peak"))


def clocks(protocols: Protocols) -> str:
    """Nothing where none looked on."""
    return " ".join(of_clocks(protocols))


def of_clocks(protocols: Protocols) -> list[str]:
    seen = [(protocol, each) for protocol in protocols if (each := clock_results(protocol))]
    return [*(_saved(each) for _, each in seen[:1]), *(_answered(protocol, each) for protocol, each in seen)]


def traffic(protocols: Protocols) -> str:
    seen = [protocol for protocol in protocols if protocol["wired.total"].mean is not None]
    if not seen:
        return "Nothing was delivered."
    return _each(_carried, seen, _bytes)


def energy(protocols: Protocols) -> str:
    """Nothing where no radio took any."""
    return _each(_spent, [protocol for protocol in protocols if protocol["host.energy"].mean], _mean("host.energy"))


def batteries(protocols: Protocols) -> str:
    """Nothing where they last for ever."""
    return " ".join(of_batteries(protocols))


def of_batteries(protocols: Protocols) -> list[str]:
    return [_lived(protocol) for protocol in protocols if protocol["host.life"].mean is not None]


def of_the_end(protocols: Protocols) -> list[str]:
    """Only where much of a mean delay hangs on when the scenario ends."""
    seen = [each for each in protocols if each.deliveries >= _SOME and (each["late"].mean or 0) > _MUCH_LATE]
    if not seen:
        return []
    told = _list([f"{share(each['late'].mean)} under {each.name}" for each in seen])
    back = ", when all who are away come back" if any(each["disconnection.waiting"].count for each in seen) else ""
    return [
        f"{told} of all delay is that of deliveries after hosts had stopped sending{back}: it hangs on when that is"
    ]


def inhibition(protocols: Protocols) -> str:
    held = [protocol for protocol in _by_mean(protocols, "inhibition") if protocol["inhibition"].mean]
    free = [protocol.name for protocol in protocols if protocol["inhibition"].mean == 0]
    said = [f"No delivery of {_list(free)} was held longer than causality demands."] if free else []
    said += [_each(_held, held[::-1], lambda protocol: -(protocol["inhibition"].mean or 0))] if held else []
    return " ".join(said) or "Nothing was delivered."


SAYS: Final[dict[str, Callable[[Protocols], str]]] = {
    "breakdown": breakdown,
    "distribution": distribution,
    "handoffs": handoffs,
    "stages": stages,
    "traffic": traffic,
    "energy": energy,
    "inhibition": inhibition,
}


def _each(say: Callable[[ProtocolSummary], str], seen: Protocols, rank: Rank) -> str:
    """A sentence for each of a few; of many, for the two ends."""
    many = f"Of {len(seen)} protocols, the two at the ends. " if len(seen) > FEW else ""
    return many + " ".join(map(say, _extremes(seen, rank)))


def _extremes(seen: Protocols, rank: Rank) -> Protocols:
    """A table has the others."""
    return seen if len(seen) <= FEW else (min(seen, key=rank), max(seen, key=rank))


def _mean(metric: str) -> Rank:
    return lambda protocol: protocol[metric].mean or 0


def _by_mean(protocols: Protocols, metric: str) -> list[ProtocolSummary]:
    seen = [(protocol[metric].mean, protocol) for protocol in protocols]
    return [protocol for mean, protocol in sorted(seen, key=lambda pair: pair[0] or 0.0) if mean is not None]


def _compared(seen: Protocols) -> list[str]:
    """Quickest first. All of these have complete runs."""
    if not seen:
        return []
    first = seen[0]["delay"]
    gaps = [(other.name, gap) for other in seen[1:] if (gap := difference(other["delay"], first)) is not None]
    disputed = any(gap.mean < 0 for _, gap in gaps)
    lead = "has the least mean delay," if disputed else "delivers quickest, in"
    said = [f"{seen[0].name} {lead} {show_time(first)}{'' if disputed else ' on average'}."]
    told = gaps if len(gaps) < FEW else [*(each for each in gaps[:-1] if each[1].mean < 0), gaps[-1]]
    said += [_apart(name, gap) for name, gap in told]
    if any(gap.pairs == 1 for _, gap in gaps):
        said.append("One run cannot tell which of these differences are chance.")
    return said


def _apart(name: str, gap: Difference) -> str:
    """By pairs of runs, which may be fewer than those behind the means, and may say otherwise."""
    if gap.mean == 0 and gap.low == gap.high:
        return f"{name} takes just as long."
    start = f"{name} takes {duration(gap.mean)} longer"
    if gap.mean < 0:
        gap = gap.negated
        start = f"Where both have a complete run, {name} takes {duration(gap.mean)} less"
    if gap.low is None or gap.high is None:
        return f"{start}."
    chance = "" if gap.significant else ", which may be chance"
    return f"{start}{chance} (95 % interval {duration(gap.low)} to {duration(gap.high)}, {gap.pairs} pairs of runs)."


def _largest_parts(protocol: ProtocolSummary) -> str:
    ranked = sorted(DELAY_PARTS, key=lambda part: -(protocol[part].mean or 0.0))
    first, second = ranked[:2]
    told = f"The largest parts of {protocol.name}'s delay are {words(first)} ({share(protocol.share(first))})"
    return f"{told} and {words(second)} ({share(protocol.share(second))})."


def _spread(protocol: ProtocolSummary) -> str:
    delay = protocol["delay"]
    half, late, last = (delay.percentile(percent) for percent in (50, 99, 100))
    within = f"half within {duration(half)}, 99 of 100 within {duration(late)}"
    return f"{protocol.name}: {within}, the last after {duration(last)}."


def _handoff(protocol: ProtocolSummary) -> str:
    time, messages = protocol["move.time"], protocol["move.control_messages"]
    cost = f"{number(messages.mean or 0)} message{'' if messages.mean == 1 else 's'}"
    weight = size(protocol["move.control_bytes"].mean)
    told = f"{protocol.name}: {show_time(time)} on average over {time.count:,} hand-offs, at {cost} and {weight} each"
    passed = protocol["move.finished"].count - time.count
    why = "whose host had moved on before its state came" if protocol.complete else "that were not over"
    return f"{told}, with {passed:,} more {why}." if passed > 0 else f"{told}."


def _made_of(protocol: ProtocolSummary) -> str:
    means = [(protocol[f"move.{kind}_messages"].mean, kind) for kind in HANDOFF_PACKETS]
    kinds = [f"{number(mean)} {HANDOFF_PACKETS[kind].label}" for mean, kind in means if mean]
    return _list(kinds) if kinds else "no message"


def _behind(protocol: ProtocolSummary) -> str:
    backlog, peaks = protocol["move.backlog"].mean or 0, protocol["move.backlog_peak"].run_means
    most = f" and at most {number(max(peaks))}" if peaks else ""
    return f"{number(backlog)} on average{most} under {protocol.name}"


def _stored(protocol: ProtocolSummary) -> str:
    peak = protocol["station.copies_peak"]
    most = number(max(peak.run_means, default=peak.mean or 0))
    left = protocol["station.copies_end"].mean or 0
    end = f"{number(left)} were left in the end" if left else "none was left in the end"
    return f"A station of {protocol.name} had up to {most} copies at once; {end}."


def _saved(several: Sequence[ClockResult]) -> str:
    """What there is of links, and the first of those that carry least."""
    links, processes = several[0].links, several[0].processes
    where = f"Over {links:,} links between {processes:,} processes"
    if links >= processes * (processes - 1):
        where = f"Where each of {processes:,} processes may send to every other one"
    best = min(several, key=lambda each: 0 if each.share_of_vector is None else each.share_of_vector)
    if best.share_of_vector is None:
        return f"{where}, nothing was sent."
    if best.share_of_vector == 1:
        return f"{where}, no clock puts less on a message than a vector does."
    carried, vector = (number(best[key].mean or 0) for key in ("integers", "integers_of_vectors"))
    return f"{where}, {best.name} puts least on a message: {carried} of the {vector} integers of a vector."


def _answered(protocol: ProtocolSummary, several: Sequence[ClockResult]) -> str:
    compared = several[0].compared
    wrong = [
        f"{each.mistakes:,} of {each.name} ({share(each.mistakes / compared)})" for each in several if each.mistakes
    ]
    if not compared:
        return f"Under {protocol.name} there was nothing to compare."
    if not wrong:
        return f"Under {protocol.name} all answers were right, {compared:,} of each."
    return f"Under {protocol.name}, of {compared:,} answers of each, these were wrong: {_list(wrong)}."


def _carried(protocol: ProtocolSummary) -> str:
    """By its three largest purposes: which they are differs between protocols."""
    bytes_for = {
        purpose: sum(protocol[f"{medium}.{purpose}"].mean or 0 for medium in MEDIA) for purpose in BYTE_PURPOSES
    }
    total, times = _bytes(protocol), protocol["bytes_per_payload_byte"].mean
    ratio = "" if times is None else f", {number(times)} times the payload delivered"
    largest = sorted((purpose for purpose in BYTE_PURPOSES if bytes_for[purpose]), key=lambda each: -bytes_for[each])[
        :3
    ]
    shares = _list([f"{share(bytes_for[purpose] / total)} {BYTE_PURPOSES[purpose].label}" for purpose in largest])
    return f"{protocol.name} carries {size(total)} for every delivery{ratio}: {shares}."


def _spent(protocol: ProtocolSummary) -> str:
    """By what took most of it, and what took most besides."""
    joules = {part: protocol[f"energy.{part}"].mean or 0 for part in ENERGY_USES}
    whole = protocol["host.energy"].mean or 1
    largest = sorted((part for part in joules if joules[part]), key=lambda each: -joules[each])[:3]
    shares = _list([f"{share(joules[part] / whole)} {ENERGY_USES[part].label}" for part in largest])
    told = f"The radios of all hosts spend {show_energy(protocol['host.energy'])} for every delivery"
    return f"{told} under {protocol.name}: {shares}."


def _lived(protocol: ProtocolSummary) -> str:
    """Of so many hosts in all runs that count."""
    died, first, life = (protocol[f"host.{metric}"] for metric in ("died", "first_death", "life"))
    runs = len(died.run_means)
    where = f" in {runs} runs" if runs > 1 else ""
    if not first.run_means:
        return f"Under {protocol.name} none of {died.count:,} batteries{where} was empty before the end."
    told = f"Under {protocol.name} {first.count:,} of {died.count:,} hosts{where} died, the first after"
    lasted = f"a battery lasted {show_time(life)} on average"
    if alive := died.count - first.count:
        lasted += f", with those of the {alive:,} others counted until the scenario's end only"
    return f"{told} {duration(min(first.run_means))}; {lasted}."


def _bytes(protocol: ProtocolSummary) -> float:
    return sum(protocol[f"{medium}.{purpose}"].mean or 0 for medium in MEDIA for purpose in BYTE_PURPOSES)


def _held(protocol: ProtocolSummary) -> str:
    much, added = share(protocol["inhibited"].mean), show_time(protocol["inhibition"])
    return f"{protocol.name} held {much} of its deliveries, which adds {added} to the mean delay."


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
