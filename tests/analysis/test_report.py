"""The report: one file, no network, sentences that follow the data."""

import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from analysis import schemas
from analysis.figures.style import PARTS as PART_COLOURS
from analysis.figures.style import PURPOSES as PURPOSE_COLOURS
from analysis.figures.style import STAGES
from analysis.model import Check, Experiment, Finding, Protocol, Summary
from analysis.observe import JUDGED
from analysis.pool import Estimate
from analysis.report import definitions, words
from analysis.report.page import page
from analysis.report.verdicts import verdict
from mobilesim.tables import PARTS, PURPOSES

MS = 1_000_000


def estimate(mean: float, half: float | None = None, runs: tuple[float, ...] = (), **more: Any) -> Estimate:  # noqa: ANN401
    low, high = (None, None) if half is None else (mean - half, mean + half)
    return Estimate("", 100, mean, low, high, replications=tuple(range(len(runs))), run_means=runs, **more)


def protocol(name: str = "av1", finding: Finding = Finding.SOUND, scale: float = 1.0, **facts: Any) -> Protocol:  # noqa: ANN401
    parts = {part: estimate(scale * MS * place) for place, part in enumerate(PARTS)}
    delays = tuple(int(scale * MS * percent) for percent in range(1, 102))
    runs = (scale * 54 * MS, scale * 56 * MS)
    about = {
        JUDGED: Estimate(JUDGED, 100),
        "delay": estimate(scale * 55 * MS, MS, runs, percentiles=delays),
        "move.time": estimate(30 * MS, MS, percentiles=delays),
        "move.finished": estimate(1.0),
        "move.control_messages": estimate(2.0),
        "move.control_bytes": estimate(300.0),
        **{f"move.{stage}": estimate(6 * MS) for stage in STAGES},
        "move.begin_messages": estimate(1.0),
        "move.begin_bytes": estimate(36.0),
        "move.state_messages": estimate(1.0),
        "move.state_bytes": estimate(264.0),
        "move.notify_messages": estimate(0.0),
        "move.backlog": estimate(0.0),
        "inhibited": estimate(0.25),
        "header_bytes": estimate(400.0),
    }
    traffic = {f"{medium}.{purpose}": estimate(50.0) for medium in ("wired", "wireless") for purpose in PURPOSES}
    totals = {f"{medium}.total": estimate(250.0) for medium in ("wired", "wireless")}
    counts = {
        "messages": 50,
        "lost": 0,
        "dropped": 0,
        "duplicates": 0,
        "causal_violations": 0,
        "fifo_violations": 0,
        "interrupted": 0,
        "failed": 0,
    }
    estimates: Mapping[str, Estimate] = parts | about | traffic | totals
    fixed: dict[str, Any] = {
        "placement": "proxy",
        "ordering": "rst",
        "options": "{}",
        "claims_causal": finding in {Finding.SOUND, Finding.BROKEN},
        "verdicts": ("ok",),
        "runs": 2,
        "estimates": estimates,
    }
    return Protocol(name=name, finding=finding, **(fixed | counts | facts))


def summary(*protocols: Protocol, scenario: str = "quickstart") -> Summary:
    experiment = Experiment(scenario, "cafe", (7,), 50, 9, 2, 60_000 * MS, "0.1.0", "3.11.7", 3.2)
    return Summary(Path("results/here"), experiment, protocols, Check(200, 0, None))


class Loads(HTMLParser):
    """Everything in a page that makes a browser fetch something."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.found += [
            f"{tag} {name}={value}" for name, value in attrs if name in {"src", "href", "srcset", "data", "poster"}
        ]

    @classmethod
    def of(cls, text: str) -> "Loads":
        loads = cls()
        loads.feed(text)
        return loads


@pytest.fixture(scope="module")
def text() -> str:
    return page(summary(protocol(), protocol("unordered", Finding.CONTROL, 0.5, causal_violations=9)))


def test_the_page_fetches_nothing_and_forbids_to(text: str) -> None:
    loads = Loads.of(text)
    assert loads.found == []
    assert not {"link", "img", "iframe", "object", "base"} & set(loads.tags)
    style, _, _ = text.partition("<script")
    assert not [word for word in ("@import", "url(") if word in style]
    assert "default-src 'none'" in text


def test_a_page_that_did_fetch_would_be_caught() -> None:
    assert Loads.of('<script src="https://example.org/x.js"></script>').found == ["script src=https://example.org/x.js"]


def test_plotly_is_in_it_once(text: str) -> None:
    assert len(re.findall(r"\* plotly\.js v", text)) == 1


def test_every_figure_has_its_place_and_its_data(text: str) -> None:
    found = re.search(r'<script type="application/json" id="plots">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    plots = json.loads(found[1])
    assert list(plots) == ["breakdown", "distribution", "handoffs", "stages", "traffic", "inhibition"]
    assert list(definitions.FIGURES) == list(plots)
    assert all(f'id="plot-{key}"' in text and plots[key]["data"] for key in plots)


def test_all_parts_are_drawn_in_order_and_defined(text: str) -> None:
    found = re.search(r'id="plots">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    bars = [trace["name"] for trace in json.loads(found[1])["breakdown"]["data"] if trace["type"] == "bar"]
    assert bars == [part.replace("_", " ") for part in PARTS]
    assert tuple(definitions.PARTS) == tuple(PART_COLOURS) == PARTS
    assert tuple(PURPOSE_COLOURS) == PURPOSES


def test_names_cannot_smuggle_markup_into_the_page() -> None:
    hostile = "</script><img src=x>"
    text = page(summary(protocol(hostile), scenario=hostile))
    assert Loads.of(text).found == []
    assert "<img" not in text.replace("&lt;img", "").split("<script>")[0]


def test_the_page_tells_what_was_run_and_how_to_get_it_again(text: str) -> None:
    for told in ("quickstart", "<dt>hosts</dt><dd>50</dd>", "<dt>seed</dt><dd>7</dd>", "cafe", "0.1.0", "3.11.7"):
        assert told in text
    assert "mobilesim run scenario.yaml --out again" in text


def lightness(colour: str) -> float:
    """How light a colour looks, from 0 to 100, whatever kind of colour vision looks at it."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance: float = sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return 116 * float(luminance ** (1 / 3)) - 16


def test_neighbouring_parts_differ_in_lightness() -> None:
    levels = [lightness(PART_COLOURS[part]) for part in PARTS]
    assert all(abs(left - right) > 12 for left, right in pairwise(levels))


KEPT = "It claims causal order and kept it in all 100 deliveries; "
CONTROL = "It does not claim causal order: it is a control, which must fail, "

VERDICTS: dict[str, tuple[Protocol, str]] = {
    "sound": (protocol(), f"{KEPT}nothing was lost or delivered twice."),
    "control": (
        protocol(finding=Finding.CONTROL, causal_violations=9, fifo_violations=4),
        (
            f"{CONTROL}and it does: 9 deliveries before a message that had to come first (9.0 %), "
            "4 of them of the same sender."
        ),
    ),
    "mild": (
        protocol(finding=Finding.MILD),
        f"{CONTROL}but here nothing came out of order. This scenario is too mild to tell protocols apart.",
    ),
    "broken": (
        protocol(finding=Finding.BROKEN, causal_violations=1, lost=2, duplicates=1),
        (
            "It breaks what it claims: 1 delivery before a message that had to come first (1.0 %); "
            "2 lost; 1 delivered twice."
        ),
    ),
    "stopped": (
        protocol(finding=Finding.BROKEN),
        "It breaks what it claims: it met a state that it holds impossible, and stopped.",
    ),
    "dropped": (
        protocol(dropped=12),
        f"{KEPT}nothing was lost or delivered twice, and 12 were dropped, as asked, for hosts that had switched off.",
    ),
    "unjudged": (
        protocol(finding=Finding.UNJUDGED),
        "The oracle was switched off, so nothing is known of its order.",
    ),
    "interrupted": (
        protocol(interrupted=1),
        (
            f"{KEPT}nothing was delivered twice. Interrupted: 1 of its 2 runs. "
            "Its means and percentiles are of the complete ones alone."
        ),
    ),
    "interrupted alone": (
        protocol(interrupted=1, runs=1),
        f"{KEPT}nothing was delivered twice. Interrupted: 1 of its one run. What stands here is of the time before.",
    ),
    "failed": (
        protocol(finding=Finding.BROKEN, failed=1, interrupted=2, runs=4),
        (
            "It breaks what it claims: it met a state that it holds impossible, and stopped. Failed: 1 of its 4 runs. "
            "Interrupted: 2 of its 4 runs. Its means and percentiles are of the complete ones alone."
        ),
    ),
}


@pytest.mark.parametrize("case", VERDICTS)
def test_a_verdict_is_told_in_plain_words(case: str) -> None:
    judged, told = VERDICTS[case]
    assert verdict(judged) == told


def test_the_delays_are_compared_by_pairs_of_runs() -> None:
    told = words.breakdown([protocol("slow", scale=2.0), protocol("quick")])
    assert told.startswith("quick delivers quickest, in 55 ± 1 ms on average. slow takes 55 ms longer ")
    assert "(95 % interval 42.3 ms to 67.7 ms, 2 pairs of runs)" in told
    assert "The largest parts of quick's delay are downlink air (18 %) and downlink queue (16 %)." in told


def test_a_difference_that_may_be_chance_is_called_so() -> None:
    near = estimate(56 * MS, MS, (57.0 * MS, 55.0 * MS))
    other = protocol("near")
    other = protocol("near", estimates={**other.estimates, "delay": near})
    assert "near takes 1 ms longer, which may be chance" in words.breakdown([other, protocol("quick")])


def test_pairs_that_contradict_the_means_are_told_the_right_way_round() -> None:
    """The slow one by its mean was the quicker one wherever both have a run."""
    quick, slow = protocol("quick"), protocol("slow")
    often = Estimate("", 100, 50.0 * MS, replications=(0, 1, 2), run_means=(70.0 * MS, 72.0 * MS, 8.0 * MS))
    seldom = Estimate("", 100, 60.0 * MS, replications=(0, 1), run_means=(59.0 * MS, 60.8 * MS))
    quick = protocol("quick", estimates={**quick.estimates, "delay": often})
    slow = protocol("slow", estimates={**slow.estimates, "delay": seldom})
    told = words.breakdown([quick, slow])
    assert told.startswith("quick has the least mean delay, 50 ms. ")
    assert (
        "Where both have a complete run, slow takes 11.1 ms less (95 % interval 9.83 ms to 12.4 ms, 2 pairs of runs)."
        in told
    )
    assert "-" not in told


def test_one_pair_of_runs_is_said_to_tell_nothing_of_chance() -> None:
    one = protocol("slow")
    one = protocol("slow", estimates={**one.estimates, "delay": estimate(70 * MS, runs=(70.0 * MS,))})
    warning = "One run cannot tell which of these differences are chance."
    assert warning in words.breakdown([one, protocol("quick")])
    assert warning not in words.breakdown([protocol("slow", scale=2.0), protocol("quick")])


def test_who_has_no_complete_run_is_not_compared() -> None:
    told = words.breakdown([protocol("cut", scale=0.5, interrupted=2), protocol("quick"), protocol("slow", scale=2.0)])
    assert told.startswith("quick delivers quickest, in 55 ± 1 ms on average. slow takes 55 ms longer ")
    assert "cut has no complete run to compare." in told
    assert "cut takes" not in told


def test_handoffs_that_only_passed_through_are_told_apart() -> None:
    seen = protocol("hasty")
    seen = protocol("hasty", estimates={**seen.estimates, "move.finished": Estimate("", 103, 0.97)})
    told = "hasty: 30 ± 1 ms on average over 100 hand-offs, at 2 messages and 300 B each, "
    cut = protocol("hasty", interrupted=2, estimates=seen.estimates)
    assert words.handoffs([cut]) == f"{told}with 3 more that were not over."
    assert words.handoffs([seen]) == f"{told}with 3 more whose host had moved on before its state came."


def behind(name: str) -> Protocol:
    plain = protocol(name)
    more = {
        "move.notify_messages": estimate(9.0),
        "move.notify_bytes": estimate(4096.0),
        "move.backlog": estimate(0.25, runs=(0.2, 0.3)),
        "move.backlog_peak": estimate(2.5, runs=(2.0, 3.0)),
        "station.copies_peak": estimate(12.0),
        "station.copies_end": estimate(0.0),
    }
    return protocol(name, estimates={**plain.estimates, **more})


def test_a_hand_off_is_told_by_its_packets_and_by_how_far_hosts_are_behind() -> None:
    assert words.stages([protocol(), behind("av2"), protocol("rst")]) == (
        "A hand-off takes 1 begin and 1 state under av1 and rst; 1 begin, 9 notify and 1 state under av2. "
        "When a host enters a cell, earlier hand-offs of its own may still be under way: "
        "0.25 on average and at most 3 under av2."
    )
    assert words.stages([protocol()]).endswith("No host entered a cell before its last hand-off was over.")
    assert words.stages([protocol("still", estimates={})]) == "No host changed its cell."


def test_the_stages_are_drawn_in_order_and_told_apart(text: str) -> None:
    found = re.search(r'id="plots">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    bars = [trace["name"] for trace in json.loads(found[1])["stages"]["data"] if trace["type"] == "bar"]
    assert bars == [name for name, _ in STAGES.values()]
    assert tuple(STAGES) == tuple(schemas.STAGES)
    levels = [lightness(colour) for _, colour in STAGES.values()]
    assert all(abs(left - right) > 12 for left, right in pairwise(levels))


def test_a_table_has_the_packets_of_a_hand_off_by_kind() -> None:
    text = page(summary(protocol(), behind("av2")))
    assert "<td>begin: messages, bytes</td><td>1, 36 B</td><td>1, 36 B</td>" in text
    assert "<td>notify: messages, bytes</td><td>-</td><td>9, 4 KiB</td>" in text
    assert "<td>all: messages, bytes</td><td>2, 300 B</td><td>2, 300 B</td>" in text


def test_what_stations_keep_is_told_where_they_keep_anything(text: str) -> None:
    assert "What stations keep" not in text
    flood = page(summary(protocol(), behind("ab")))
    assert "A station of ab had up to 12 copies at once; none was left in the end." in flood
    assert "What stations keep" in flood


def test_the_page_says_that_start_and_drain_are_part_of_the_means(text: str) -> None:
    assert "the start, when the network is still empty, and the end" in " ".join(text.split())
    assert "No warm-up is left out." in text


def test_the_key_table_marks_who_has_runs_that_are_not_complete() -> None:
    text = page(summary(protocol(failed=1, interrupted=1, runs=3)))
    assert "<small>1 of 3 failed, 1 of 3 interrupted</small>" in text


def test_what_never_happened_is_said() -> None:
    silent = protocol("silent", estimates={})
    assert words.breakdown([silent]) == words.traffic([silent]) == "Nothing was delivered."
    assert words.handoffs([silent]) == "No hand-off was finished."
    assert "Nothing was delivered." in page(summary(silent))


def test_zero_inhibition_is_said_of_those_who_have_it() -> None:
    free = protocol("free")
    free = protocol("free", estimates={**free.estimates, "inhibition": estimate(0.0)})
    told = words.inhibition([free, protocol("held")])
    assert told.startswith(
        "No delivery of free was held longer than causality demands. held held 25 % of its deliveries"
    )
