"""The results with which the report on a run begins: one sentence for each, true for what was measured.

A difference between two protocols is stated only if the 95 % interval of the paired difference excludes zero. What
explains it are the parts of the delay, or the purposes of bytes, with the largest share of the difference.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mobilesim.analysis.report.elements import capitalized
from mobilesim.analysis.report.narrative import end_effects
from mobilesim.analysis.statistics.estimate import Difference, Estimate, difference
from mobilesim.analysis.summary.formatting import ENERGY, TIME, duration, listing, number, share, size
from mobilesim.analysis.summary.metrics import METRICS, Metric, bytes_on_links
from mobilesim.analysis.summary.model import Correctness, ProtocolSummary, Summary
from mobilesim.analysis.summary.verdict_text import without_deliveries
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS

Protocols = Sequence[ProtocolSummary]

_MOST: Final = 3
"""The maximum number of sentences on one metric."""
_EXPLAINED: Final = 0.75
"""The share of a difference from which no further part is named."""
_MAIN: Final = 0.5
"""The share of a difference that the named parts have at least, together."""
_NAMED: Final = 2
"""The maximum number of named parts."""
_RADIO: Final = frozenset({"uplink_queue", "uplink_air", "downlink_queue", "downlink_air"})
_SMALL: Final = 0.01
"""A difference up to this fraction of the smaller mean is no result, even if it is significant."""


def answer(summary: Summary) -> list[str]:
    """Return the sentences, the most important first."""
    complete = [protocol for protocol in summary.protocols if protocol.complete and protocol.deliveries]
    sentences = [*_faults(summary.protocols), *_no_deliveries(summary), *_delays(complete), *_order(complete)]
    sentences += [*_inhibition(complete), *_bytes(complete), *_energy(complete), *_handoffs(complete)]
    return [*sentences, *_limits(complete)] or [_nothing(summary.protocols)]


def _nothing(protocols: Protocols) -> str:
    """Return why there is no result."""
    if not any(protocol.complete for protocol in protocols):
        return "No run is complete, so that no protocols are compared."
    return "The protocols have too few common replications to be compared."


def _faults(protocols: Protocols) -> Iterator[str]:
    for protocol in protocols:
        if protocol.correctness is Correctness.INCORRECT:
            yield f"{protocol.name} violated its claims: see Correctness. Its other figures are of a faulty protocol."


def _no_deliveries(summary: Summary) -> Iterator[str]:
    for sentence in without_deliveries(summary):
        yield f"No deliveries under {sentence}."


def _delays(protocols: Protocols) -> Iterator[str]:
    """Compare the causal protocols with the fastest of them, and this one with the fastest protocol without order."""
    causal, others = (_by_delay([each for each in protocols if each.claims_causal is kind]) for kind in (True, False))
    if len(protocols) == 1:
        (alone,) = protocols
        first, second = _ranked({part: alone[part].mean or 0.0 for part in DELAY_PARTS})[:2]
        shares = (f"{share(alone.share(part))} {DELAY_PARTS[part].label}" for part in (first, second))
        yield f"{alone.name} delivers after {TIME.show_estimate(alone['delay'])} on average: {listing([*shares])}."
    elif protocols and all(len(protocol["delay"].run_means) == 1 for protocol in protocols):
        means = listing([f"{each.name} {duration(each['delay'].mean)}" for each in _by_delay(protocols)])
        yield f"Mean delays: {means}. There is one run of each, so that differences may be due to chance."
        return
    if causal:
        yield from _slower(causal[0], causal[1:])
        if others and (gap := _gap(causal[0], others[0], "delay")):
            yield _price(causal[0], others[0], gap)
    else:
        yield from _slower(others[0], others[1:]) if others else ()


def _slower(best: ProtocolSummary, others: Protocols) -> Iterator[str]:
    """Yield a sentence on each slower protocol, and one on those that are not significantly slower than the fastest."""
    gaps = [(other, _gap(other, best, "delay")) for other in others]
    slower = [(other, gap) for other, gap in gaps if gap is not None and gap.above_zero]
    for other, gap in sorted(slower, key=lambda each: -each[1].mean)[:_MOST]:
        yield f"{_longer(other, best, gap)}: {_why_slower(other, best, gap)}."
    if alike := [other.name for other, gap in gaps if gap is not None and not gap.significant]:
        yield f"{best.name} is not significantly faster than {listing(alike)}."


def _longer(slower: ProtocolSummary, faster: ProtocolSummary, gap: Difference) -> str:
    """Return the difference of the mean delays with its interval, both in one unit."""
    unit = TIME.unit(gap.mean)
    low, high = (number((end or 0) / unit.size) for end in (gap.low, gap.high))
    interval = f"(95 % interval {low} to {high} {unit.name})"
    return f"{slower.name} takes {unit.show(gap.mean)} longer than {faster.name} {interval}"


def _why_slower(slower: ProtocolSummary, faster: ProtocolSummary, gap: Difference) -> str:
    named = _largest_shares({part: _gap(slower, faster, part) for part in DELAY_PARTS}, gap.mean)
    if not named:
        return "no part of the delay explains most of it"
    unit = TIME.unit(gap.mean)
    parts = listing([f"{unit.show(amount)} more {DELAY_PARTS[part].label}" for part, amount in named.items()])
    parts += _offset(named, gap)
    return f"{parts}{_header_on_the_air(slower, faster, frozenset(named))}"


def _header_on_the_air(slower: ProtocolSummary, faster: ProtocolSummary, parts: frozenset[str]) -> str:
    """Return the cause if the difference is that headers cross the wireless channel, which the bytes show."""
    gap = _gap(slower, faster, "wireless.ordering")
    if not parts <= _RADIO or gap is None or not gap.above_zero or faster["wireless.ordering"].mean:
        return ""
    how_often = "twice, up and down" if {"uplink_air", "downlink_air"} <= parts else "too"
    return f", because its header of {size(slower['header_bytes'].mean)} crosses the wireless channel {how_often}"


def _price(causal: ProtocolSummary, baseline: ProtocolSummary, gap: Difference) -> str:
    """Return what causal order costs, compared with the fastest protocol that does not claim it."""
    if not gap.significant:
        names = f"{causal.name} and of {baseline.name}, which has no causal order,"
        return f"The mean delays of {names} are not significantly different."
    if gap.below_zero:
        return f"{_longer(baseline, causal, gap.negated)}, although it has no causal order."
    mean = baseline["delay"].mean
    relative = f" ({share(gap.mean / mean)})" if mean else ""
    why = _why_slower(causal, baseline, gap)
    return f"Causal order costs {duration(gap.mean)}{relative}, with {causal.name} instead of {baseline.name}: {why}."


def _order(protocols: Protocols) -> Iterator[str]:
    early = [each for each in protocols if not each.claims_causal and each.counts["causal_violations"]]
    if counts := [f"{each.counts['causal_violations']:,} under {each.name}" for each in early]:
        total = max(each.counts["judged"] for each in early)
        what = f"of {total:,} deliveries came before a causally preceding message"
        yield f"Without causal order, some {what}: {listing(counts)}."


def _inhibition(protocols: Protocols) -> Iterator[str]:
    above_zero = [protocol for protocol in protocols if (protocol["inhibition"].low or 0) > 0]
    held = [protocol for protocol in above_zero if (protocol.share("inhibition") or 0) > _SMALL]
    for protocol in sorted(held, key=lambda each: -_mean(each["inhibition"]))[:_MOST]:
        added = TIME.show_estimate(protocol["inhibition"])
        held_share = share(protocol["inhibited"].mean)
        if _mean(protocol["knock_on"]):
            added += f", and {TIME.show_estimate(protocol['knock_on'])} by knock-on,"
        yield f"{protocol.name} holds {held_share} of deliveries unnecessarily, which adds {added} to the mean delay."


def _bytes(protocols: Protocols) -> Iterator[str]:
    for most, fewest, gap in _extremes(protocols, METRICS["bytes"]):
        gaps = {name: difference(bytes_on_links(most, name), bytes_on_links(fewest, name)) for name in BYTE_PURPOSES}
        named = _largest_shares(gaps, gap.mean)
        parts = listing([f"{size(amount)} more {BYTE_PURPOSES[name].label}" for name, amount in named.items()])
        why = f": {parts}{_offset(named, gap)}" if named else ""
        high, low = (_mean(bytes_on_links(each)) for each in (most, fewest))
        times, amounts = number(high / low), f"{size(high)} against {size(low)}"
        yield f"{most.name} has {times} times as many bytes per delivery as {fewest.name} ({amounts}){why}."


def _energy(protocols: Protocols) -> Iterator[str]:
    for most, least, gap in _extremes(protocols, METRICS["host.energy"]):
        relative = share(gap.mean / _mean(least["host.energy"]))
        amounts = " against ".join(ENERGY.show(each["host.energy"].mean) for each in (most, least))
        yield f"{most.name} uses {relative} more energy per delivery than {least.name} ({amounts})."


def _handoffs(protocols: Protocols) -> Iterator[str]:
    for slowest, fastest, gap in _extremes(protocols, METRICS["move.time"]):
        packets = " against ".join(METRICS["move.control_messages"].show(each) for each in (slowest, fastest))
        longer = f"takes {duration(gap.mean)} longer under {slowest.name} than under {fastest.name}"
        yield f"A hand-off {longer} (packets: {packets})."


def _extremes(protocols: Protocols, metric: Metric) -> Iterator[tuple[ProtocolSummary, ProtocolSummary, Difference]]:
    """Yield the protocols with the highest and the lowest mean, and their difference, if it is a result."""
    ranked = sorted((each for each in protocols if metric.value(each).mean), key=lambda each: _mean(metric.value(each)))
    if len(ranked) > 1:
        low, high = ranked[0], ranked[-1]
        gap = difference(metric.value(high), metric.value(low))
        if gap is not None and gap.above_zero and gap.mean > _SMALL * _mean(metric.value(low)):
            yield high, low, gap


def _limits(protocols: Protocols) -> Iterator[str]:
    """Return what the means depend on besides the protocols."""
    if overloaded := [protocol.name for protocol in protocols if protocol.overloads]:
        yield f"A link or a station was overloaded under {listing(overloaded)}: the means depend on the run length."
    yield from (f"{capitalized(text)}." for text in end_effects(protocols))


def _gap(left: ProtocolSummary, right: ProtocolSummary, metric: str) -> Difference | None:
    """Return the paired difference of a metric; None without an interval."""
    gap = difference(left[metric], right[metric])
    return None if gap is None or gap.low is None else gap


def _largest_shares(gaps: Mapping[str, Difference | None], total: float) -> dict[str, float]:
    """Return the largest significant differences that make up most of the total; {} if they do not."""
    clear = {name: gap.mean for name, gap in gaps.items() if gap is not None and gap.above_zero}
    named: dict[str, float] = {}
    for name in _ranked(clear)[:_NAMED]:
        if sum(named.values()) < _EXPLAINED * total:
            named[name] = clear[name]
    return named if sum(named.values()) >= _MAIN * total else {}


def _offset(named: Mapping[str, float], gap: Difference) -> str:
    """Return a remark if the named parts exceed the difference, because other parts have the opposite sign."""
    return ", partly offset by other parts" if sum(named.values()) > (1 + _SMALL) * gap.mean else ""


def _ranked(amounts: Mapping[str, float]) -> list[str]:
    return sorted(amounts, key=lambda name: -amounts[name])


def _by_delay(protocols: Protocols) -> list[ProtocolSummary]:
    return sorted(protocols, key=lambda each: _mean(each["delay"]))


def _mean(estimate: Estimate) -> float:
    return estimate.mean or 0.0
