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
from mobilesim.analysis.figures.style import BESIDE_PARTS
from mobilesim.analysis.report.run_page import page
from mobilesim.analysis.statistics.percentiles import TAIL
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
            f"{tag} {name}={value}"
            for name, value in attrs
            if name in {"src", "href", "srcset", "data", "poster"} and not (value or "").startswith("#")
        ]

    @classmethod
    def of(cls, text: str) -> "Loads":
        loads = cls()
        loads.feed(text)
        return loads


def row(text: str, heading: str) -> list[str]:
    """Return the cells of the row with this heading."""
    found = re.search(f'<th scope="row">{re.escape(heading)}(?:<br>.*?)?</th>(.*?)</tr>', text)
    assert found is not None, heading
    return re.findall("<td>(.*?)</td>", found[1])


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
    assert list(drawn) == [
        *("breakdown", "distribution", "tail", "handoffs", "stages"),
        *("wired", "wireless", "energy", "frames", "inhibition"),
    ]
    assert all(f'id="plot-{key}"' in text and drawn[key]["data"] for key in drawn)


def test_all_parts_are_drawn_in_order_and_defined(text: str) -> None:
    assert bars(plots(text)["breakdown"]) == [part.label for part in DELAY_PARTS.values()]
    assert all(part.definition in text for part in DELAY_PARTS.values())
    assert tuple(ENERGY_USES) == (*BYTE_PURPOSES, "beacon", "idle", "doze", "switch", "compute")


def test_energy_is_drawn_in_total_and_for_sending_and_receiving(text: str) -> None:
    frames = [purpose.label for purpose in BYTE_PURPOSES.values()]
    assert bars(plots(text)["energy"]) == [*frames, "idle listening"]
    assert bars(plots(text)["frames"]) == frames
    assert "Energy per delivery (mJ)" in text
    assert "Energy for sending and receiving, per delivery (mJ)" in text
    assert '<th scope="row">hand-offs (mJ)</th><td>1<br><small>1.2 %</small></td>' in text


def test_a_page_without_energy_mentions_energy_only_in_its_glossary() -> None:
    plain = page(summary(protocol())).partition("<summary>Glossary</summary>")[0]
    assert not [word for word in ("energy", "joule", "radios", "batter") if word in plain]


def test_battery_lifetimes_have_a_section_if_hosts_have_batteries(text: str) -> None:
    assert "Battery lifetime" not in text
    ended = page(summary(powered("av1", died=11), powered("rst", died=0)))
    assert "Battery lifetime" in ended
    assert row(ended, "hosts out of energy") == ["11", "0"]
    assert row(ended, "first after") == ["60&nbsp;s", "-"]
    assert row(ended, "battery lifetime") == ["80&nbsp;s", "80&nbsp;s"]


def test_markup_in_names_is_escaped() -> None:
    hostile = "</script><img src=x>"
    text = page(summary(protocol(hostile), scenario=hostile))
    assert Loads.of(text).found == []
    assert "<img" not in text.replace("&lt;img", "").split("<script>")[0]


def test_the_page_has_the_experiment_and_the_command_to_reproduce_it(text: str) -> None:
    beginning, _, end = text.partition("Reproduce this run</h2>")
    assert "50 hosts, 9 stations, 60 s of simulated time, 2 replications" in beginning
    for expected in ("<dt>seed</dt><dd>7</dd>", "cafe", "0.1.0", "3.11.7", "mobilesim run scenario.yaml --out again"):
        assert expected in end
        assert expected not in beginning


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
    assert row(text, "request: packets, bytes") == ["1, 36&nbsp;B", "1, 36&nbsp;B"]
    assert row(text, "notification: packets, bytes") == ["-", "9, 4&nbsp;KiB"]
    assert row(text, "all: packets, bytes") == ["2, 300&nbsp;B", "2, 300&nbsp;B"]


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
    assert '<th scope="col">av1<br><small>1 of 3 failed, 1 of 3 interrupted</small></th>' in text


def test_disconnections_have_a_table_if_hosts_disconnect(text: str) -> None:
    assert "Disconnections</h2>" not in text
    stored = page(summary(off("av1"), off("ab", waiting=3.0)))
    assert row(stored, "disconnections") == ["20", "20"]
    assert row(stored, "time disconnected") == ["1.50&nbsp;± 0.10&nbsp;s"] * 2
    assert row(stored, "messages waiting on return") == ["2.50", "3"]
    assert row(stored, "time until they are delivered") == ["40&nbsp;ms"] * 2
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
    assert row(text, "discarded in total") == ["1,230", "40"]


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


def test_a_table_has_its_header_once_and_a_column_for_each_protocol() -> None:
    names = [f"resident+some-ordering-{number}" for number in range(10)]
    for seen in (names, names[:2]):
        text = page(summary(*(behind(name) for name in seen)))
        tables = [found for found in re.findall(r"<table>.*?</table>", text) if "<thead>" in found]
        assert len(tables) > 6
        assert [re.findall(r'<th scope="col">(resident.*?)</th>', found) for found in tables] == [seen] * len(tables)


def test_the_page_begins_with_the_results_and_ends_with_their_reproduction(text: str) -> None:
    places = [text.index(part) for part in ('<ul class="findings">', "<nav", "Correctness</h2>", "Key figures</h2>")]
    places += [text.index(part) for part in ("Where the time goes</h2>", "Definitions</h2>", "Reproduce this run</h2>")]
    assert places == sorted(places)


def test_the_contents_link_to_every_section(text: str) -> None:
    links = re.findall(r'<a href="#([^"]*)">', text)
    assert links == re.findall(r'<h2 id="([^"]*)">', text)
    assert len(set(links)) == len(links) > 8


def test_every_protocol_is_described_with_its_paper() -> None:
    text = page(summary(protocol("av1"), protocol("fifo", paper="")))
    about = "Matrix of sends; a process per host, at its station; its state migrates."
    assert f"<dt>av1</dt><dd>{about} Raynal, Schiper &amp; Toueg 1991.</dd>" in text
    assert f"<dt>fifo</dt><dd>{about} For comparison.</dd>" in text


def test_key_figures_have_percentiles_and_mark_what_is_the_same_in_every_run() -> None:
    same = {**protocol().estimates, "header_bytes": estimate(10_000.0, 0.0)}
    text = page(summary(protocol(estimates=same), protocol("rst", estimates=same, scale=2.0)))
    assert row(text, "p50 delay, the median (ms)") == ["51", "51"]
    assert row(text, "p99 delay (ms)") == ["100", "100"]
    assert row(text, "maximum delay (ms)") == ["101", "101"]
    assert row(text, "control information (B)") == ["10,000", "10,000"]
    assert "control information (B)<br><small>the same in every run</small>" in text
    assert "± 0<" not in text


def test_every_figure_can_be_saved_and_has_a_text_alternative(text: str) -> None:
    for key in plots(text):
        assert all(f'data-save="{kind}" data-figure="{key}"' in text for kind in ("svg", "csv"))
        assert re.search(f'id="plot-{key}" role="img" aria-label="[^"]+"', text)


def test_the_csv_file_of_a_figure_has_its_values_and_intervals() -> None:
    head, *rows = breakdown([protocol(), protocol("rst", scale=2.0)]).csv().splitlines()
    name = "mean delay of a delivery (ms)"
    assert head == f'series,{name},protocol,"{name}, low end of the interval","{name}, high end of the interval"'
    assert rows[6:8] == ["uplink transmission,2.0,av1,,", "uplink transmission,4.0,rst,,"]
    assert rows[-2:] == ["total,55.0,av1,54.0,56.0", "total,110.0,rst,109.0,111.0"]


def test_no_hue_has_two_meanings_on_a_page() -> None:
    kinds = (DELAY_PARTS, ENERGY_USES, HANDOFF_STAGES)
    hues: dict[str, set[str]] = {}
    for label, colour in ((each.label, each.colour) for kind in kinds for each in kind.values()):
        hues.setdefault(colour, set()).add(label)
    themes = {frozenset(each) for each in hues.values() if len(each) > 1}
    assert themes == {
        frozenset({"causal wait", "ordering headers"}),
        frozenset({"receiver unreachable", "hand-offs"}),
    }
    assert not set(BESIDE_PARTS) & hues.keys()


def test_the_axis_of_delays_begins_at_the_first_percentile() -> None:
    quick = protocol()
    delay = quick.estimates["delay"]
    early = replace(delay, percentiles=(5_000, *delay.percentiles[1:]))
    plot = distribution([protocol(estimates={**quick.estimates, "delay": early}), protocol("fifo")])[0].plot
    low, high = (10**end for end in plot.layout.xaxis.range)
    assert MS < low < 2 * MS
    assert 101 * MS < high < 200 * MS
    rst, fifo = (trace.line for trace in plot.data)
    assert rst.width == fifo.width < 2
    assert (rst.dash, fifo.dash) == ("solid", "dash")


def test_the_distribution_reaches_the_maximum_through_the_tail() -> None:
    plain = protocol().estimates["delay"]
    tail = tuple(int(MS * (100 + place / len(TAIL))) for place in range(len(TAIL)))
    long = protocol(estimates={**protocol().estimates, "delay": replace(plain, tail=tail)})
    below, above = (figure.plot.data[0] for figure in distribution([long]))
    assert list(below.x) == list(above.x) == sorted(below.x)
    assert (below.x[-1], below.y[-1]) == (101 * MS, 100)
    assert len(below.x) == 101 + len(TAIL)
    assert list(above.y) == pytest.approx([max(100 - share, 1) for share in below.y])
