"""The report on a run is one file that needs no network. Its figures, tables and sentences follow from the data."""

import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from math import isnan
from typing import Any

import pytest
from plotly.offline import get_plotlyjs_version

from mobilesim.analysis.figures.run_figures import breakdown, distribution, inhibition
from mobilesim.analysis.report.run_page import page
from mobilesim.analysis.summary.model import Correctness
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, ENERGY_USES, HANDOFF_STAGES
from tests.support.report_pages import bars, plots
from tests.support.summaries import MS, behind, estimate, off, powered, protocol, summary

pytestmark = pytest.mark.full


class Loads(HTMLParser):
    """A parser that finds the elements of a page for which a browser fetches a file."""

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
    return page(summary(powered(), protocol("unordered", Correctness.NOT_CAUSAL, 0.5, causal_violations=9)))


def test_the_page_fetches_nothing_and_its_policy_forbids_fetches(text: str) -> None:
    loads = Loads.of(text)
    assert loads.found == []
    assert not {"link", "img", "iframe", "object", "base"} & set(loads.tags)
    style, _, _ = text.partition("<script")
    assert not [word for word in ("@import", "url(") if word in style]
    assert "default-src 'none'" in text


def test_the_parser_of_this_test_finds_an_element_that_fetches_a_file() -> None:
    assert Loads.of('<script src="https://example.org/x.js"></script>').found == ["script src=https://example.org/x.js"]


def test_plotly_is_in_the_page_once_in_the_version_that_the_figures_are_written_for(text: str) -> None:
    assert re.findall(r"\* plotly\.js \(basic - minified\) v(\S+)", text) == [get_plotlyjs_version()]


def test_a_page_is_smaller_than_one_and_a_half_megabytes(text: str) -> None:
    assert len(text.encode()) < 1_500_000


def test_every_figure_has_an_element_and_data(text: str) -> None:
    drawn = plots(text)
    assert list(drawn) == ["breakdown", "distribution", "handoffs", "stages", "traffic", "energy", "inhibition"]
    assert all(f'id="plot-{key}"' in text and drawn[key]["data"] for key in drawn)


def test_all_parts_are_drawn_in_order_and_defined(text: str) -> None:
    assert bars(plots(text)["breakdown"]) == [part.label for part in DELAY_PARTS.values()]
    assert all(part.definition in text for part in DELAY_PARTS.values())
    assert tuple(ENERGY_USES) == (*BYTE_PURPOSES, "idle", "doze", "switch")


def test_energy_is_drawn_in_total_and_for_sending_and_receiving(text: str) -> None:
    frames = [purpose.label for purpose in BYTE_PURPOSES.values()]
    assert bars(plots(text)["energy"]) == [*frames, "idle listening", *frames]
    assert "total (mJ per delivery)" in text
    assert "sending and receiving (mJ per delivery)" in text
    assert "<td>hand-offs</td><td>1 mJ<br><small>1.2 %</small></td>" in text


def test_a_page_without_energy_mentions_energy_only_in_its_glossary() -> None:
    plain = page(summary(protocol())).partition("<summary>Glossary</summary>")[0]
    assert not [word for word in ("energy", "joule", "radios", "batter") if word in plain]


def test_battery_lifetimes_have_a_section_if_hosts_have_batteries(text: str) -> None:
    assert "Battery lifetime" not in text
    ended = page(summary(powered("av1", died=11), powered("rst", died=0)))
    assert "Battery lifetime" in ended
    assert "<td>av1</td><td>11</td><td>60 s</td><td>80 s</td>" in ended
    assert "<td>rst</td><td>0</td><td>-</td><td>80 s</td>" in ended


def test_markup_in_names_is_escaped() -> None:
    hostile = "</script><img src=x>"
    text = page(summary(protocol(hostile), scenario=hostile))
    assert Loads.of(text).found == []
    assert "<img" not in text.replace("&lt;img", "").split("<script>")[0]


def test_the_page_has_the_experiment_and_the_command_to_reproduce_it(text: str) -> None:
    for expected in ("quickstart", "<dt>hosts</dt><dd>50</dd>", "<dt>seed</dt><dd>7</dd>", "cafe", "0.1.0", "3.11.7"):
        assert expected in text
    assert "mobilesim run scenario.yaml --out again" in text


def lightness(colour: str) -> float:
    """Return the perceived lightness of a colour, from 0 to 100."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance: float = sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return 116 * float(luminance ** (1 / 3)) - 16


def test_neighbouring_parts_differ_in_lightness() -> None:
    assert apart([part.colour for part in DELAY_PARTS.values()])
    assert apart([use.colour for use in ENERGY_USES.values()])
    still = [use.colour for name, use in ENERGY_USES.items() if name not in {"handoff", "doze", "switch"}]
    assert apart(still)


def apart(colours: Sequence[str]) -> bool:
    levels = list(map(lightness, colours))
    return all(abs(left - right) > 12 for left, right in pairwise(levels))


def test_the_stages_are_drawn_in_order_and_distinguishable(text: str) -> None:
    assert bars(plots(text)["stages"]) == [stage.label for stage in HANDOFF_STAGES.values()]
    assert apart([stage.colour for stage in HANDOFF_STAGES.values()])


def test_a_table_has_the_packets_of_a_hand_off_by_kind() -> None:
    text = page(summary(protocol(), behind("av2")))
    assert "<td>request: packets, bytes</td><td>1, 36 B</td><td>1, 36 B</td>" in text
    assert "<td>notification: packets, bytes</td><td>-</td><td>9, 4 KiB</td>" in text
    assert "<td>all: packets, bytes</td><td>2, 300 B</td><td>2, 300 B</td>" in text


def test_storage_at_stations_has_a_section_if_a_protocol_has_copies(text: str) -> None:
    assert "Storage at stations" not in text
    flood = page(summary(protocol(), behind("ab")))
    assert "Under ab, a station stored up to 12 copies at a time; none was left at the end." in flood
    assert "Storage at stations" in flood


def test_the_page_reports_that_start_and_end_are_part_of_the_means(text: str) -> None:
    assert "the start, when the network is still empty, and the end" in " ".join(text.split())
    assert "without a warm-up" in text


def test_the_key_table_marks_protocols_with_incomplete_runs() -> None:
    text = page(summary(protocol(failed=1, interrupted=1, runs=3)))
    assert "<small>1 of 3 failed, 1 of 3 interrupted</small>" in text


def test_disconnections_have_a_table_if_hosts_disconnect(text: str) -> None:
    assert "<h2>Disconnections" not in text
    stored = page(summary(off("av1"), off("ab", waiting=3.0)))
    assert (
        "<td>av1</td><td>20</td><td>19</td><td>1.50 ± 0.10 s</td><td>2.50</td><td>40 ms</td><td>0</td><td>0</td>"
        in (stored)
    )
    assert (
        "Nothing was discarded. Messages waiting for a host on its return, on average: 2.50 under av1 and 3 under ab."
        in stored
    )


def test_undeliverable_messages_are_part_of_the_verdict() -> None:
    text = page(summary(protocol("av1", stranded=1_230), protocol("ab", stranded=1), protocol("rst")))
    assert "Not delivered because of an empty battery: 1,230." in text
    assert text.count("Not delivered because of an empty battery: ") == 2


def test_messages_of_hosts_that_stay_away_are_part_of_the_verdict() -> None:
    text = page(summary(protocol("av1", away_at_end=7), protocol("rst")))
    assert text.count("Not delivered because a host stayed away at the end: 7.") == 1
    assert "empty battery" not in text.partition("Key figures")[0]


def test_messages_discarded_for_disconnected_hosts_are_counted() -> None:
    text = page(summary(off("av1", dropped=1_230), off("ab", dropped=40)))
    assert "Messages for disconnected hosts were discarded: 1,230 under av1 and 40 under ab." in text
    assert "<td>61.5</td><td>1,230</td>" in text


def whisker_lengths(plot: Any, axis: str) -> list[float]:  # noqa: ANN401 - Plotly has no types
    (bars,) = (trace[axis] for trace in plot.data if trace[axis].array is not None)
    return list(bars.array)


def test_missing_intervals_and_intervals_of_zero_width_have_no_whisker() -> None:
    """Plotly draws a whisker of zero length for null, and no whisker for NaN."""
    wide, alone, exact = protocol("wide"), protocol("alone"), protocol("exact")
    held = {"inhibition": estimate(3.0 * MS, MS), "delay": wide.estimates["delay"]}
    single = {"inhibition": estimate(3.0 * MS), "delay": estimate(55.0 * MS)}
    none = {"inhibition": estimate(0.0, 0.0), "delay": estimate(55.0 * MS, 0.0)}
    several = [
        protocol(each.name, estimates={**each.estimates, **own})
        for each, own in ((wide, held), (alone, single), (exact, none))
    ]
    for figure in (inhibition(several), breakdown(several)):
        first, *others = whisker_lengths(figure.plot, "error_x")
        assert first == pytest.approx(1)
        assert [isnan(length) for length in others] == [True, True]


def test_with_many_protocols_tables_have_a_row_for_each_and_fit_the_page() -> None:
    names = [f"resident+some-ordering-{number}" for number in range(10)]
    text = page(summary(*(behind(name) for name in names)))
    tables = [found for found in re.findall(r"<table>.*?</table>", text) if "<thead>" in found]
    assert len(tables) > 6
    for found in tables:
        assert not [name for name in names if f"<th>{name}</th>" in found]
        assert [name for name in names if f"<td>{name}" in found] == names
        assert found.partition("</thead>")[0].count("<th>") <= 9
    assert sum(found.count("<th>causal wait</th>") for found in tables) == 1
    few = page(summary(*(behind(name) for name in names[:3])))
    assert f"<th>mean per delivery</th><th>{names[0]}</th>" in few


def test_the_axis_of_delays_begins_at_the_first_percentile() -> None:
    quick = protocol()
    delay = quick.estimates["delay"]
    early = replace(delay, percentiles=(5_000, *delay.percentiles[1:]))
    plot = distribution([protocol(estimates={**quick.estimates, "delay": early}), protocol("fifo")]).plot
    low, high = (10**end for end in plot.layout.xaxis.range)
    assert MS < low < 2 * MS
    assert 101 * MS < high < 200 * MS
    rst, fifo = (trace.line for trace in plot.data)
    assert rst.width > fifo.width
    assert (rst.dash, fifo.dash) == ("solid", "dash")
