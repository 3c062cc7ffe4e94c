"""The sentences of the report follow from the data."""

import pytest

from mobilesim.analysis.report import narrative
from mobilesim.analysis.report.run_page import page
from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.model import Correctness, ProtocolSummary
from mobilesim.analysis.summary.verdict_text import claim_lines, claim_rows, verdict
from tests.support.summaries import MS, behind, estimate, off, powered, protocol, summary

KEPT = "It claims causal order, and all 100 deliveries were in causal order. "
ONCE = "It claims exactly-once delivery, but no causal order. No message was lost or delivered twice."

VERDICTS: dict[str, tuple[ProtocolSummary, str]] = {
    "correct": (protocol(), f"{KEPT}No message was lost or delivered twice."),
    "not causal": (
        protocol(correctness=Correctness.NOT_CAUSAL, causal_violations=9, fifo_violations=4),
        (
            f"{ONCE} 9 deliveries (9.0 %) came before a causally preceding message, "
            "4 of them before a message of the same sender."
        ),
    ),
    "not causal, but FIFO": (
        protocol(correctness=Correctness.NOT_CAUSAL, claims_fifo=True, causal_violations=9),
        (
            "It claims exactly-once delivery and FIFO order, but no causal order. No message was lost or delivered "
            "twice. All 100 deliveries were in FIFO order. 9 deliveries (9.0 %) came before a causally preceding "
            "message."
        ),
    ),
    "not FIFO as claimed": (
        protocol(
            correctness=Correctness.INCORRECT,
            claims_causal=False,
            claims_fifo=True,
            causal_violations=9,
            fifo_violations=4,
        ),
        "It violated its claims: 4 deliveries (4.0 %) before an earlier message of the same sender.",
    ),
    "lost, without a claim of order": (
        protocol(
            correctness=Correctness.INCORRECT, claims_causal=False, claims_fifo=False, causal_violations=9, lost=1
        ),
        "It violated its claims: 1 lost.",
    ),
    "not reordered": (
        protocol(correctness=Correctness.NOT_REORDERED),
        (f"{ONCE} There was no causal violation: this scenario does not test whether a protocol keeps causal order."),
    ),
    "incorrect": (
        protocol(correctness=Correctness.INCORRECT, causal_violations=1, lost=2, duplicates=1),
        ("It violated its claims: 1 delivery (1.0 %) before a causally preceding message; 2 lost; 1 delivered twice."),
    ),
    "stopped": (
        protocol(correctness=Correctness.INCORRECT),
        "It violated its claims: it reached an impossible state, and stopped.",
    ),
    "dropped": (
        protocol(dropped=12),
        f"{KEPT}No message was lost or delivered twice. Discarded for disconnected hosts: 12.",
    ),
    "unjudged": (
        protocol(correctness=Correctness.NOT_CHECKED),
        "The oracle was switched off, so no delivery was checked.",
    ),
    "interrupted": (
        protocol(interrupted=1),
        (
            f"{KEPT}No message was delivered twice. Interrupted: 1 of 2 runs. "
            "Means and percentiles are of the complete runs."
        ),
    ),
    "interrupted alone": (
        protocol(interrupted=1, runs=1),
        (
            f"{KEPT}No message was delivered twice. "
            "Interrupted: 1 of 1 run. No run is complete: all results are of incomplete runs."
        ),
    ),
    "failed": (
        protocol(correctness=Correctness.INCORRECT, failed=1, interrupted=2, runs=4),
        (
            "It violated its claims: it reached an impossible state, and stopped. Failed: 1 of 4 runs. "
            "Interrupted: 2 of 4 runs. Means and percentiles are of the complete runs."
        ),
    ),
}


@pytest.mark.parametrize("case", VERDICTS)
def test_a_verdict_is_a_sentence_with_its_counts(case: str) -> None:
    judged, text = VERDICTS[case]
    assert verdict(judged) == text


def test_the_delays_are_compared_by_pairs_of_runs() -> None:
    text = narrative.breakdown([protocol("slow", scale=2.0), protocol("quick")])
    assert text.startswith("quick has the lowest mean delay, 55.0 ± 1.0 ms. The mean delay of slow is 55 ms higher ")
    assert "(95 % interval 42.3 ms to 67.7 ms, 2 pairs of runs)" in text
    assert "The largest parts of quick's delay are receiver processing (25 %) and downlink transmission (24 %)." in text


def test_equal_delays_are_reported_as_equal() -> None:
    assert "twin has the same mean delay." in narrative.breakdown([protocol("quick"), protocol("twin")])


def test_a_difference_that_is_not_significant_is_reported_as_not_significant() -> None:
    near = estimate(56 * MS, MS, (57.0 * MS, 55.0 * MS))
    other = protocol("near")
    other = protocol("near", estimates={**other.estimates, "delay": near})
    text = narrative.breakdown([other, protocol("quick")])
    assert "The mean delay of near is 1 ms higher, which is not significant (" in text


def test_a_paired_difference_that_contradicts_the_means_keeps_its_sign() -> None:
    """The protocol with the higher mean was faster in all replications that both completed."""
    quick, slow = protocol("quick"), protocol("slow")
    often = Estimate("", 100, 50.0 * MS, replications=(0, 1, 2), run_means=(70.0 * MS, 72.0 * MS, 8.0 * MS))
    seldom = Estimate("", 100, 60.0 * MS, replications=(0, 1), run_means=(59.0 * MS, 60.8 * MS))
    quick = protocol("quick", estimates={**quick.estimates, "delay": often})
    slow = protocol("slow", estimates={**slow.estimates, "delay": seldom})
    text = narrative.breakdown([quick, slow])
    assert text.startswith("quick has the lowest mean delay, 50 ms. ")
    assert (
        "In the replications that both completed, the mean delay of slow is 11.1 ms lower "
        "(95 % interval 9.83 ms to 12.4 ms, 2 pairs of runs)." in text
    )
    assert "-" not in text


def test_differences_of_one_pair_of_runs_have_unknown_significance() -> None:
    one = protocol("slow")
    one = protocol("slow", estimates={**one.estimates, "delay": estimate(70 * MS, runs=(70.0 * MS,))})
    warning = "With one run, the significance of these differences is unknown."
    assert warning in narrative.breakdown([one, protocol("quick")])
    assert warning not in narrative.breakdown([protocol("slow", scale=2.0), protocol("quick")])


def test_a_protocol_without_a_complete_run_is_not_compared() -> None:
    text = narrative.breakdown(
        [protocol("cut", scale=0.5, interrupted=2), protocol("quick"), protocol("slow", scale=2.0)]
    )
    assert text.startswith("quick has the lowest mean delay, 55.0 ± 1.0 ms. The mean delay of slow is 55 ms higher ")
    assert "cut has no complete run to compare." in text
    assert "mean delay of cut" not in text


def test_incomplete_hand_offs_are_counted_separately() -> None:
    seen = protocol("hasty")
    seen = protocol("hasty", estimates={**seen.estimates, "move.finished": Estimate("", 103, 0.97)})
    text = "Under hasty, a hand-off takes 30.0 ± 1.0 ms (mean of 100 hand-offs), with 2 packets and 300 B. "
    cut = protocol("hasty", interrupted=2, estimates=seen.estimates)
    for each in (cut, seen):
        assert narrative.handoffs([each]).startswith(f"{text}The mean does not include 3 incomplete hand-offs. ")


def test_a_hand_off_is_described_by_its_packets_and_the_backlog_of_hosts() -> None:
    assert narrative.stages([protocol(), behind("av2"), protocol("rst")]) == (
        "Packets per hand-off: 1 request and 1 state transfer under av1 and rst; "
        "1 request, 9 notifications and 1 state transfer under av2. "
        "Earlier hand-offs of a host that are still in progress when it enters a cell: "
        "0.25 on average and at most 3 under av2."
    )
    assert narrative.stages([protocol()]).endswith("No host entered a cell before its previous hand-off was complete.")
    assert narrative.stages([protocol("still", estimates={})]) == "No host changed its cell."


def test_traffic_is_described_by_its_largest_purposes_and_the_overhead_factor() -> None:
    plain = protocol("av3")
    more = {"bytes_per_payload_byte": estimate(12.5), "wired.control": estimate(550.0), "wired.ack": estimate(0.0)}
    text = narrative.traffic([protocol("av3", estimates={**plain.estimates, **more})])
    assert text == (
        "Under av3, links carry 1.12 KiB per delivery (overhead factor 12.5): "
        "52 % control, 8.7 % payload and 8.7 % ordering headers."
    )
    assert "overhead factor" not in narrative.traffic([plain])


def test_energy_is_described_by_its_largest_uses() -> None:
    assert narrative.energy([powered("av1")]) == (
        "Under av1, hosts consume 80.0 ± 2.0 mJ per delivery: "
        "92 % idle listening, 1.2 % payload and 1.2 % ordering headers."
    )
    assert narrative.energy([protocol()]) == ""


def test_sentences_on_batteries_have_counts_and_the_time_of_the_first_empty_one() -> None:
    assert narrative.batteries([powered("av1", died=11), powered("rst", died=0), powered("ab")]) == [
        (
            "Under av1, 11 of 50 hosts ran out of energy, the first after 60 s; the mean battery lifetime is 80 s, "
            "with 39 lifetimes censored at the end."
        ),
        "Under rst, none of 50 batteries was empty before the end.",
    ]
    several = powered("av1", died=11)
    runs = {"host.died": estimate(11.0, 1.0, (10.0, 12.0)), "host.first_death": estimate(60e9, None, (59e9, 61e9))}
    assert narrative.batteries([powered(estimates={**several.estimates, **runs})])[0].startswith(
        "Under av1, 100 of 100 hosts in 2 runs ran out of energy, the first after 59 s;"
    )


def test_disconnections_without_waiting_messages_are_reported() -> None:
    assert narrative.disconnections([off("av1", waiting=0.0)]) == (
        "Nothing was discarded, and no message waited for a host that returned."
    )


def test_a_report_without_deliveries_and_hand_offs_says_so() -> None:
    silent = protocol("silent", estimates={})
    assert narrative.breakdown([silent]) == narrative.traffic([silent]) == "Nothing was delivered."
    assert narrative.handoffs([silent]) == "No hand-off was completed. No host changed its cell."
    assert "Nothing was delivered." in page(summary(silent))


def test_zero_inhibition_is_reported_by_protocol() -> None:
    free = protocol("free")
    free = protocol("free", estimates={**free.estimates, "inhibition": estimate(0.0)})
    text = narrative.inhibition([free, protocol("held")])
    assert text.startswith(
        "Under free, no delivery was held longer than causal order requires. Under held, 25 % of deliveries were held "
    )


def test_of_many_protocols_only_the_extremes_have_sentences() -> None:
    many = [protocol(name, scale=scale) for name, scale in (("b", 2), ("a", 1), ("d", 9), ("c", 3))]
    assert narrative.breakdown(many[:3]).count(" higher (") == 2
    assert narrative.breakdown(many).count(" higher (") == 1
    for narrate in (narrative.distribution, narrative.inhibition):
        text, fewer = narrate(many), narrate(many[1:])
        assert " of 4 protocols: " in text
        assert [name for name in "abcd" if f" {name} has" in text or f"Under {name}, " in text] == ["a", "d"]
        assert "protocols: " not in fewer


def test_every_checked_claim_has_a_row_in_the_part_on_correctness() -> None:
    fifo = protocol("fifo", Correctness.NOT_CAUSAL, claims_fifo=True, causal_violations=9)
    none = protocol("unordered", Correctness.NOT_CAUSAL, causal_violations=9, fifo_violations=4)
    broken = protocol("av1", Correctness.INCORRECT, causal_violations=5, fifo_violations=2, lost=1, duplicates=3)
    off = protocol("rst", Correctness.NOT_CHECKED)
    rate = protocol("rare", Correctness.WITHIN_RATE, causal_violations=1, claims_violation_rate=0.1)
    alone = protocol("alone", interrupted=1)
    rows = claim_rows([[each] for each in (fifo, none, broken, off, rate, alone)])
    not_claimed = "not claimed"
    assert rows == [
        ("exactly once", "kept", "kept", "violated: 1 lost, 3 delivered twice", "not checked", "kept", "kept so far"),
        (
            "FIFO order",
            "kept",
            f"{not_claimed}: violated by 4 deliveries",
            "violated by 2 deliveries",
            "not checked",
            not_claimed,
            "kept",
        ),
        (
            "causal order",
            f"{not_claimed}: violated by 9 deliveries",
            f"{not_claimed}: violated by 9 deliveries",
            "violated by 5 deliveries",
            "not checked",
            "kept: 1.000% of deliveries, at most 10.000% promised",
            "kept",
        ),
    ]
    text = page(summary(fifo, none))
    assert '<th scope="row">FIFO order</th><td>kept</td><td>not claimed: violated by 4 deliveries</td>' in text


def test_the_claims_of_several_points_have_one_row() -> None:
    first, second = (protocol(fifo_violations=count, causal_violations=count) for count in (0, 3))
    assert claim_rows([[first, second]])[1] == ("FIFO order", "violated by 3 deliveries")


def test_lines_of_text_have_the_claims_that_were_kept_and_those_that_were_broken() -> None:
    fifo = protocol("fifo", Correctness.NOT_CAUSAL, claims_fifo=True, causal_violations=9)
    none = protocol("unordered", Correctness.NOT_CAUSAL, causal_violations=9, fifo_violations=4)
    lossy = protocol("ab", Correctness.INCORRECT, lost=1)
    early = protocol("av1", Correctness.INCORRECT, causal_violations=5, fifo_violations=1, duplicates=1)
    assert [*claim_lines([[fifo], [none], [lossy], [early]])] == [
        "claims kept: exactly once by fifo and unordered; FIFO order by fifo and ab; causal order by ab",
        (
            "claims broken: exactly once by ab (1 lost) and av1 (1 delivered twice); FIFO order by av1 (1 delivery); "
            "causal order by av1 (5 deliveries)"
        ),
    ]
    assert [*claim_lines([[protocol("av1", Correctness.NOT_CHECKED)]])] == []
