"""The results at the beginning of a report are true for what was measured."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from mobilesim.analysis.report.answer import answer
from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.metrics import DELIVERIES
from mobilesim.analysis.summary.model import Correctness, ProtocolSummary
from mobilesim.statistics.intervals import interval
from tests.support.summaries import MS, protocol, summary


def runs(*values: float) -> Estimate:
    found = interval(values)
    return Estimate("", 100, found.mean, found.low, found.high, found.method, tuple(range(len(values))), values)


def measured(
    name: str, metrics: Mapping[str, Estimate], correctness: Correctness = Correctness.CORRECT, **facts: int
) -> ProtocolSummary:
    """Return a protocol with the given metrics; its other delay parts are zero."""
    plain = {**protocol().estimates, "inhibition": runs(0.0, 0.0, 0.0), "inhibited": runs(0.0, 0.0, 0.0)}
    return protocol(name, correctness, estimates={**plain, **metrics}, **facts)


def header(name: str, *, on_the_air: bool) -> ProtocolSummary:
    """Return a protocol whose header of 2 KiB is on the wireless channel, or is not."""
    more = 40 * MS if on_the_air else 0
    return measured(
        name,
        {
            "delay": runs(*(each + 2 * more for each in (50.0 * MS, 51 * MS, 52 * MS))),
            "uplink_air": runs(*[1.0 * MS + more] * 3),
            "downlink_air": runs(*(each + more for each in (1.0 * MS, 1.1 * MS, 1.2 * MS))),
            "header_bytes": runs(2048.0, 2048.0, 2048.0),
            "wireless.ordering": runs(*[3000.0 if on_the_air else 0.0] * 3),
        },
    )


def test_a_slower_protocol_is_explained_by_the_parts_and_by_its_header_on_the_air() -> None:
    sentences = answer(summary(header("av1", on_the_air=False), header("rst", on_the_air=True)))
    assert sentences[0] == (
        "rst takes 80 ms longer than av1 (95 % interval 80 to 80 ms): 40 ms more uplink transmission and "
        "40 ms more downlink transmission, because its header of 2 KiB crosses the wireless channel twice, up and down."
    )


def test_a_header_is_no_reason_if_both_protocols_send_it_on_the_wireless_channel() -> None:
    fast = header("fast", on_the_air=False)
    also = {**fast.estimates, "wireless.ordering": runs(2900.0, 2900.0, 2900.0)}
    sentences = answer(summary(protocol("fast", estimates=also), header("slow", on_the_air=True)))
    assert sentences[0].startswith("slow takes 80 ms longer than fast")
    assert "header" not in sentences[0]


@pytest.mark.parametrize("gap", (0.0, 0.4 * MS))
def test_a_difference_is_stated_only_if_its_interval_excludes_zero(gap: float) -> None:
    one = measured("one", {"delay": runs(50.0 * MS, 51.0 * MS, 52.0 * MS)})
    other = measured("other", {"delay": runs(50.0 * MS + gap, 52.0 * MS + gap, 51.0 * MS + gap)})
    (sentence,) = answer(summary(one, other))
    assert sentence == "one is not significantly faster than other."


def test_nothing_is_said_to_explain_a_difference_that_no_part_explains() -> None:
    one = measured("one", {"delay": runs(50.0 * MS, 51.0 * MS, 52.0 * MS)})
    other = measured("other", {"delay": runs(60.0 * MS, 61.0 * MS, 62.1 * MS)})
    assert answer(summary(one, other))[0].endswith(": no part of the delay explains most of it.")


def test_one_run_of_each_protocol_gives_means_and_no_difference() -> None:
    one, other = (measured(name, {"delay": runs(at * MS)}) for name, at in (("one", 50.0), ("other", 90.0)))
    assert answer(summary(other, one))[0] == (
        "Mean delays: one 50 ms and other 90 ms. There is one run of each, so that differences may be due to chance."
    )


def test_the_price_of_causal_order_is_against_the_fastest_protocol_without_it() -> None:
    delays = {"fifo": 50.0, "unordered": 49.0}
    causal = measured(
        "av1", {"delay": runs(54.0 * MS, 55.0 * MS, 56.2 * MS), "causal_wait": runs(5.0 * MS, 5.0 * MS, 5.1 * MS)}
    )
    others = [
        measured(
            name,
            {"delay": runs(*(delays[name] * MS + each * MS for each in (0, 1, 2))), "causal_wait": runs(0.0, 0.0, 0.0)},
            Correctness.NOT_CAUSAL,
            causal_violations=3 + index,
        )
        for index, name in enumerate(("fifo", "unordered"))
    ]
    sentences = answer(summary(causal, *others))
    assert sentences[0] == (
        "Causal order costs 5.07 ms (10 %), with av1 instead of unordered: 5.03 ms more causal wait."
    )
    assert sentences[1] == (
        "Without causal order, some of 100 deliveries came before a causally preceding message: "
        "3 under fifo and 4 under unordered."
    )


def test_a_fault_comes_first() -> None:
    broken = measured("broken", {"delay": runs(1.0 * MS, 1.0 * MS, 1.1 * MS)}, Correctness.INCORRECT, lost=3)
    assert answer(summary(header("av1", on_the_air=False), broken))[0] == (
        "broken violated its claims: see Correctness. Its other figures are of a faulty protocol."
    )


def test_bytes_are_compared_with_the_purpose_that_makes_the_difference() -> None:
    lean, fat = (
        measured(
            name,
            {
                "delay": runs(50.0 * MS, 51.0 * MS, 52.0 * MS),
                "wired.total": runs(*(each + more for each in (500.0, 510.0, 520.0))),
                "wireless.total": runs(100.0, 100.0, 100.0),
                **{f"{medium}.ordering": runs(*[more / 2] * 3) for medium in ("wired", "wireless")},
            },
        )
        for name, more in (("lean", 0.0), ("fat", 1000.0))
    )
    assert answer(summary(lean, fat))[1] == (
        "fat has 2.64 times as many bytes per delivery as lean (1.57 KiB against 610 B): 1,000 B more ordering headers."
    )


def test_inhibition_is_a_result_only_if_it_is_significantly_above_zero() -> None:
    def held(*values: float, knock_on: float = 0.0) -> list[str]:
        metrics = {
            "delay": runs(50.0 * MS, 51.0 * MS, 52.0 * MS),
            "inhibition": runs(*values),
            "inhibited": runs(0.1, 0.1),
            "knock_on": runs(knock_on, knock_on),
        }
        return [each for each in answer(summary(measured("av2", metrics))) if "unnecessarily" in each]

    assert held(5.0 * MS, 5.1 * MS, 5.2 * MS) == [
        "av2 holds 10 % of deliveries unnecessarily, which adds 5.10 ± 0.25 ms to the mean delay."
    ]
    (later,) = held(5.0 * MS, 5.1 * MS, 5.2 * MS, knock_on=2.0 * MS)
    assert "which adds 5.10 ± 0.25 ms, and 2 ms by knock-on, to the mean delay." in later
    assert held(0.1 * MS, 5.0 * MS, 20.0 * MS) == []


def test_overload_and_deliveries_after_the_end_are_results() -> None:
    delay = runs(50.0 * MS, 51.0 * MS, 52.0 * MS)
    metrics = {"delay": delay, "late": runs(0.4, 0.4, 0.4), DELIVERIES: Estimate(DELIVERIES, 1000)}
    late = measured("av2", metrics)
    crowded = replace(late, overloads=("the link from station 1 to 0 had 146.8 s of work in 120.0 s",))
    assert answer(summary(crowded))[-2:] == [
        "A link or a station was overloaded under av2: the means depend on the run length.",
        (
            "Deliveries after the end of sending account for a part of the total delay: 40 % under av2; this part "
            "depends on the run length: use a longer run or a measurement window."
        ),
    ]
    assert not [each for each in answer(summary(header("av1", on_the_air=False))) if "overloaded" in each]


def test_without_a_complete_run_nothing_is_compared() -> None:
    assert answer(summary(protocol(interrupted=2), protocol("b", interrupted=2, estimates={}))) == [
        "No run is complete, so that no protocols are compared."
    ]


def test_parts_beyond_the_difference_are_said_to_be_offset() -> None:
    fast = measured("fast", {"delay": runs(50.0 * MS, 51.0 * MS, 52.0 * MS), "uplink_air": runs(*[1.0 * MS] * 3)})
    slow = measured("slow", {"delay": runs(60.0 * MS, 61.0 * MS, 62.0 * MS), "uplink_air": runs(*[16.0 * MS] * 3)})
    sentence = answer(summary(fast, slow))[0]
    assert sentence.endswith(": 15 ms more uplink transmission, partly offset by other parts.")


def test_protocols_without_deliveries_are_reported_with_the_reason() -> None:
    unmeasured, unsent = protocol("a", estimates={}), protocol("b", estimates={}, judged=0, messages=0)
    undelivered = protocol("c", estimates={}, judged=0, messages=1)
    window = "no delivery was in the measurement window, so nothing was measured"
    sent = "no message was sent, so nothing was checked"
    assert answer(summary(unmeasured, unsent, undelivered)) == [
        f"No deliveries under a: {window}; lengthen the run or the window.",
        f"No deliveries under b: {sent}; lengthen `duration`, or shorten `workload.interval`.",
        "No deliveries under c: none of the messages was delivered, so nothing was checked.",
    ]
