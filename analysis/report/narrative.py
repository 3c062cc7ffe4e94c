"""The sentences of a report, with computed numbers. For a section that is left out, functions return '' or []."""

from collections.abc import Callable, Sequence
from typing import Final

from mobilesim.analysis.statistics.estimate import Difference, difference
from mobilesim.analysis.summary.formatting import duration, listing, number, share, show_energy, show_time, size
from mobilesim.analysis.summary.model import ClockResult, ProtocolSummary, clock_results
from mobilesim.errors import counted, plural
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, ENERGY_USES, HANDOFF_PACKETS, MEDIA

Protocols = Sequence[ProtocolSummary]
Sentence = Callable[[ProtocolSummary], str]
Value = Callable[[ProtocolSummary], float]

MAX_SENTENCES: Final = 3
"""With more protocols, the text describes only the lowest and the highest value, and a table lists all values."""

_MAX_LATE: Final = 0.1
"""The share of the total delay above which a report has a note on deliveries after the end of sending."""
_MIN_DELIVERIES: Final = 100
"""The minimum number of deliveries for a note on `_MAX_LATE`: with fewer deliveries, the share is always large."""


def breakdown(protocols: Protocols) -> str:
    seen = _by_mean(protocols, "delay")
    if not seen:
        return "Nothing was delivered."
    sentences = _compared([protocol for protocol in seen if protocol.complete])
    sentences += [f"{protocol.name} has no complete run to compare." for protocol in seen if not protocol.complete]
    causal = [protocol for protocol in seen if protocol.claims_causal]
    sentences += [_largest_parts(protocol) for protocol in (causal or seen)[:2]]
    sentences += [f"Note: {text}." for text in end_effects(protocols)]
    return " ".join(sentences)


def end_effects(protocols: Protocols) -> list[str]:
    """Return a note if deliveries after the end of sending make up a large share of the total delay."""
    seen = [each for each in protocols if each.deliveries >= _MIN_DELIVERIES and _mean(each, "late") > _MAX_LATE]
    if not seen:
        return []
    shares = listing([f"{share(each['late'].mean)} under {each.name}" for each in seen])
    returned = any(each["disconnection.waiting"].count and not each.counts["away_at_end"] for each in seen)
    back = " (when all disconnected hosts return)" if returned else ""
    late = f"deliveries after the end of sending{back} account for a part of the total delay: {shares}"
    return [f"{late}; this part depends on the run length: use a longer run or a measurement window"]


def _compared(seen: Protocols) -> list[str]:
    """Compare the other protocols with the first one. `seen`: protocols with complete runs, sorted by mean delay."""
    if not seen:
        return []
    first = seen[0]["delay"]
    gaps = [(other.name, gap) for other in seen[1:] if (gap := difference(other["delay"], first)) is not None]
    shown = gaps if len(gaps) < MAX_SENTENCES else [*(each for each in gaps[:-1] if each[1].mean < 0), gaps[-1]]
    sentences = [f"{seen[0].name} has the lowest mean delay, {show_time(first)}."]
    sentences += [_difference(name, gap) for name, gap in shown]
    if any(gap.pairs == 1 for _, gap in gaps):
        sentences.append("With one run, the significance of these differences is unknown.")
    return sentences


def _difference(name: str, gap: Difference) -> str:
    """Return the paired difference as a sentence. The difference may contradict the means if some runs have no pair."""
    if gap.mean == 0 and gap.low == gap.high:
        return f"{name} has the same mean delay."
    start = f"The mean delay of {name} is {duration(gap.mean)} higher"
    if gap.mean < 0:
        gap = gap.negated
        start = f"In the replications that both completed, the mean delay of {name} is {duration(gap.mean)} lower"
    if gap.low is None or gap.high is None:
        return f"{start}."
    doubt = "" if gap.significant else ", which is not significant"
    pairs = counted(gap.pairs, "pair")
    return f"{start}{doubt} (95 % interval {duration(gap.low)} to {duration(gap.high)}, {pairs} of runs)."


def _largest_parts(protocol: ProtocolSummary) -> str:
    ranked = sorted(DELAY_PARTS, key=lambda part: -(protocol[part].mean or 0.0))
    first, second = (f"{DELAY_PARTS[part].label} ({share(protocol.share(part))})" for part in ranked[:2])
    return f"The largest parts of {protocol.name}'s delay are {first} and {second}."


def distribution(protocols: Protocols) -> str:
    def sentence(protocol: ProtocolSummary) -> str:
        median, p99, maximum = (duration(protocol["delay"].percentile(percent)) for percent in (50, 99, 100))
        return f"{protocol.name} has a median of {median}, a 99th percentile of {p99} and a maximum of {maximum}."

    seen = [protocol for protocol in protocols if protocol["delay"].percentiles]
    p99 = "Lowest and highest 99th percentile"
    return _sentences(sentence, seen, lambda each: each["delay"].percentile(99) or 0, p99) or "Nothing was delivered."


def inhibition(protocols: Protocols) -> str:
    def sentence(protocol: ProtocolSummary) -> str:
        much, added = share(protocol["inhibited"].mean), show_time(protocol["inhibition"])
        later = f", and {show_time(protocol['knock_on'])} by knock-on" if protocol["knock_on"].mean else ""
        return (
            f"Under {protocol.name}, {much} of deliveries were held unnecessarily; this adds {added} to the mean delay"
            f"{later}."
        )

    held = [protocol for protocol in _by_mean(protocols, "inhibition") if protocol["inhibition"].mean]
    free = [protocol.name for protocol in protocols if protocol["inhibition"].mean == 0]
    sentences = [f"Under {listing(free)}, no delivery was held longer than causal order requires."] if free else []
    sentences += [_sentences(sentence, held[::-1], lambda each: -_mean(each, "inhibition"), "Highest and lowest mean")]
    return " ".join(filter(None, sentences)) or "Nothing was delivered."


def handoffs(protocols: Protocols) -> str:
    seen = _by_mean(protocols, "move.time")
    times = _sentences(_handoff, seen, lambda each: _mean(each, "move.time")) or "No hand-off was completed."
    return f"{times} {stages(protocols)}"


def _handoff(protocol: ProtocolSummary) -> str:
    time, packets = protocol["move.time"], _mean(protocol, "move.control_messages")
    cost = f"{number(packets)} {plural('packet', packets)} and {size(protocol['move.control_bytes'].mean)}"
    mean = f"{show_time(time)} (mean of {counted(time.count, 'hand-off')})"
    text = f"Under {protocol.name}, a hand-off takes {mean}, with {cost}"
    others = protocol["move.finished"].count - time.count
    left_out = f" The mean does not include {counted(others, 'incomplete hand-off')}." if others > 0 else ""
    return f"{text}.{left_out}"


def stages(protocols: Protocols) -> str:
    seen = [protocol for protocol in protocols if protocol["move.control_messages"].mean is not None]
    if not seen:
        return "No host changed its cell."
    by_packets: dict[str, list[str]] = {}
    for protocol in seen:
        by_packets.setdefault(_packets(protocol), []).append(protocol.name)
    kinds = "; ".join(f"{packets} under {listing(names)}" for packets, names in by_packets.items())
    text = f"Packets per hand-off: {kinds}."
    behind = [protocol for protocol in seen if protocol["move.backlog"].mean]
    if not behind:
        return f"{text} No host entered a cell before its previous hand-off was complete."
    late = ", ".join(map(_backlog, _extremes(behind, lambda each: _mean(each, "move.backlog"))))
    shown = f" (lowest and highest mean of {len(behind)} protocols)" if len(behind) > MAX_SENTENCES else ""
    return f"{text} Earlier hand-offs of a host that are still in progress when it enters a cell{shown}: {late}."


def _packets(protocol: ProtocolSummary) -> str:
    means = {kind.label: _mean(protocol, f"move.{name}_messages") for name, kind in HANDOFF_PACKETS.items()}
    kinds = [f"{number(mean)} {plural(label, mean)}" for label, mean in means.items() if mean]
    return listing(kinds) or "none"


def _backlog(protocol: ProtocolSummary) -> str:
    peaks = protocol["move.backlog_peak"].run_means
    most = f" and at most {number(max(peaks))}" if peaks else ""
    return f"{number(_mean(protocol, 'move.backlog'))} on average{most} under {protocol.name}"


def disconnections(protocols: Protocols) -> str:
    """Return the counts. They also show whether the scenario stores or discards messages, which no table has."""
    seen = [protocol for protocol in protocols if protocol["disconnection.waiting"].count]
    if not seen:
        return ""
    dropped = {protocol.name: protocol.counts["dropped"] for protocol in seen}
    if counts := [f"{count:,} under {name}" for name, count in dropped.items() if count]:
        return f"Messages for disconnected hosts were discarded: {listing(counts)}."
    waiting = {protocol.name: _mean(protocol, "disconnection.waiting") for protocol in seen}
    if means := [f"{number(mean)} under {name}" for name, mean in waiting.items() if mean]:
        return f"Nothing was discarded. Messages waiting for a host on its return, on average: {listing(means)}."
    return "Nothing was discarded, and no message waited for a host that returned."


def storage(protocols: Protocols) -> str:
    def peak(protocol: ProtocolSummary) -> float:
        return max(protocol["station.copies_peak"].run_means, default=_mean(protocol, "station.copies_peak"))

    def sentence(protocol: ProtocolSummary) -> str:
        left, most = _mean(protocol, "station.copies_end"), number(peak(protocol))
        end = f"{number(left)} were left" if left else "none was left"
        return f"Under {protocol.name}, a station stored up to {most} copies at a time; {end} at the end."

    seen = [protocol for protocol in protocols if protocol["station.copies_peak"].mean]
    return _sentences(sentence, seen, peak, "Lowest and highest maximum")


def clocks(protocols: Protocols) -> list[str]:
    seen = [(protocol.name, results) for protocol in protocols if (results := clock_results(protocol))]
    sizes = [(name, _stamp_sizes(results)) for name, results in seen]
    alike = len({text for _, text in sizes}) == 1
    stated = [text for _, text in sizes[:1]] if alike else [f"Under {name}: {text}" for name, text in sizes]
    return [*stated, *(_answers(*each) for each in seen)]


def _stamp_sizes(results: Sequence[ClockResult]) -> str:
    """Return a sentence on the links, and on the first clock with the smallest stamps and exact answers if
    there are any. The same clock may have other stamps under another protocol: without FIFO order, messages need
    sequence numbers.
    """
    links, processes = results[0].maximum("links"), results[0].maximum("processes")
    where = f"With {counted(links, 'link')} between {counted(processes, 'process')}"
    if links >= processes * (processes - 1):
        where = f"With links between all {processes:,} processes"
    exact = [each for each in results if each.claims_exact]
    some = "" if len(exact) in {0, len(results)} else " of the clocks with exact answers"
    best = min(exact or results, key=lambda each: 0 if each.share_of_vector is None else each.share_of_vector)
    if best.share_of_vector is None:
        return f"{where}, no message was sent."
    if best.share_of_vector >= 1:
        return f"{where}, no clock{some} has smaller stamps than a vector clock."
    carried, vector = (best[key].mean or 0 for key in ("integers", "integers_of_vectors"))
    size = f"{number(carried)} {plural('integer', carried)}"
    return f"{where}, {best.name} has the smallest stamps{some}: {size}; a vector clock has {number(vector)}."


def _answers(name: str, results: Sequence[ClockResult]) -> str:
    compared = results[0].compared
    if not compared:
        return f"Under {name}, the clocks had no messages to compare."
    wrong = [
        f"{each.mistakes:,} of {each.name} ({share(each.mistakes / compared)})" for each in results if each.mistakes
    ]
    if not wrong:
        return f"Under {name}, all {compared:,} answers of each clock were right."
    return f"Under {name}, each clock gave {compared:,} answers; wrong ones: {listing(wrong)}."


def traffic(protocols: Protocols) -> str:
    seen = [protocol for protocol in protocols if protocol["wired.total"].mean is not None]
    return _sentences(_traffic, seen, _bytes) or "Nothing was delivered."


def _traffic(protocol: ProtocolSummary) -> str:
    factor = protocol["bytes_per_payload_byte"].mean
    overhead = "" if factor is None else f" (overhead factor {number(factor)})"
    shares = _largest(_by_purpose(protocol), _bytes(protocol))
    return f"Under {protocol.name}, links carry {size(_bytes(protocol))} per delivery{overhead}: {shares}."


def _by_purpose(protocol: ProtocolSummary) -> dict[str, float]:
    return {purpose: sum(_mean(protocol, f"{medium}.{purpose}") for medium in MEDIA) for purpose in BYTE_PURPOSES}


def _bytes(protocol: ProtocolSummary) -> float:
    return sum(_by_purpose(protocol).values())


def energy(protocols: Protocols) -> str:
    def sentence(protocol: ProtocolSummary) -> str:
        by_use = {use: _mean(protocol, f"energy.{use}") for use in ENERGY_USES}
        shares = _largest(by_use, _mean(protocol, "host.energy"))
        return f"Under {protocol.name}, hosts consume {show_energy(protocol['host.energy'])} per delivery: {shares}."

    seen = [protocol for protocol in protocols if protocol["host.energy"].mean]
    return _sentences(sentence, seen, lambda each: _mean(each, "host.energy"))


def batteries(protocols: Protocols) -> list[str]:
    return [_lifetime(protocol) for protocol in protocols if protocol["host.life"].mean is not None]


def _lifetime(protocol: ProtocolSummary) -> str:
    """Return a sentence on the batteries. Its counts are sums over the complete runs."""
    died, first, life = (protocol[f"host.{metric}"] for metric in ("died", "first_death", "life"))
    runs = len(died.run_means)
    where = f" in {runs} runs" if runs > 1 else ""
    if not first.run_means:
        return f"Under {protocol.name}, none of {died.count:,} batteries{where} was empty before the end."
    empty = f"Under {protocol.name}, {first.count:,} of {counted(died.count, 'host')}{where} ran out of energy"
    text = f"{empty}, the first after {duration(min(first.run_means))}; the mean battery lifetime is {show_time(life)}"
    alive = died.count - first.count
    return f"{text}, with {counted(alive, 'lifetime')} censored at the end." if alive else f"{text}."


def _sentences(sentence: Sentence, seen: Protocols, value: Value, extremes: str = "Lowest and highest mean") -> str:
    """Return a sentence for each protocol; if they are too many, only for those with the lowest and highest value."""
    many = f"{extremes} of {len(seen)} protocols: " if len(seen) > MAX_SENTENCES else ""
    return many + " ".join(map(sentence, _extremes(seen, value)))


def _extremes(seen: Protocols, value: Value) -> Protocols:
    return seen if len(seen) <= MAX_SENTENCES else (min(seen, key=value), max(seen, key=value))


def _mean(protocol: ProtocolSummary, metric: str) -> float:
    return protocol[metric].mean or 0.0


def _by_mean(protocols: Protocols, metric: str) -> list[ProtocolSummary]:
    known = [protocol for protocol in protocols if protocol[metric].mean is not None]
    return sorted(known, key=lambda protocol: _mean(protocol, metric))


def _largest(amounts: dict[str, float], total: float) -> str:
    """Return the three largest amounts as shares of the total."""
    largest = sorted((name for name in amounts if amounts[name]), key=lambda name: -amounts[name])[:3]
    return listing([f"{share(amounts[name] / total)} {ENERGY_USES[name].label}" for name in largest])
