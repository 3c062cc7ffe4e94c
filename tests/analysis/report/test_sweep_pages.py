"""The text and the pages of sweeps with different axes, from synthetic summaries."""

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from mobilesim.analysis.report.page_template import MAX_FIGURES
from mobilesim.analysis.report.resources import GLOSSARY
from mobilesim.analysis.report.run_page import page as run_page
from mobilesim.analysis.report.sweep_page import page
from mobilesim.analysis.summary.model import Correctness, DelayCheck, Summary
from mobilesim.analysis.sweeps.axes import Settings
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.analysis.sweeps.reader import Failure
from mobilesim.analysis.sweeps.tables import tables
from mobilesim.api.text_tables import indented
from mobilesim.results.statuses import RunStatus, RunVerdict
from tests.support import summaries
from tests.support.report_pages import plots
from tests.support.summaries import MS, estimate, protocol

pytestmark = pytest.mark.full


def sweep_of(keys: tuple[str, ...], points: Iterable[tuple[Settings, Summary]], *failures: Failure) -> SweepSummary:
    return SweepSummary(Path("results/here"), keys, tuple(points), failures)


def hosts(*names: str, at: tuple[str, ...] = ("5", "10", "20")) -> SweepSummary:
    points = {
        (value,): summaries.summary(*(protocol(name, scale=place + 1) for name in names))
        for place, value in enumerate(at)
    }
    return sweep_of(("hosts",), points.items())


def lines(summary: SweepSummary) -> list[str]:
    return list(summary.lines(indented))


def test_a_single_protocol_has_the_parts_of_its_delay_and_no_differences() -> None:
    summary = hosts("av1")
    drawn = plots(page(summary))
    assert [trace["name"] for trace in drawn["delay"]["data"]] == ["av1"]
    assert "causal wait" in {trace["name"] for trace in drawn["delay-beside"]["data"]}
    assert not [line for line in lines(summary) if "difference from" in line]


def test_differences_are_those_from_the_first_protocol() -> None:
    points = {("5",): summaries.summary(protocol("av1"), protocol("av2", scale=2.0), protocol("rst", scale=0.5))}
    shown = lines(sweep_of(("hosts",), points.items()))
    at = shown.index("mean delay (ms): paired difference from av1")
    assert [line.split() for line in shown[at + 1 : at + 3]] == [
        ["hosts", "av2", "rst"],
        ["5", "+55.0", "±", "12.7", "-27.5", "±", "6.4"],
    ]


def test_a_sweep_of_one_point_has_a_table_and_no_curves() -> None:
    summary = sweep_of((), [((), summaries.summary(protocol("av3 k=1"), protocol("av3 k=2", scale=2.0)))])
    text = page(summary)
    assert plots(text) == {}
    assert '<th scope="row">av3 k=2</th>' in text
    shown = lines(summary)
    at = shown.index("mean delay (ms)")
    assert [line.split() for line in shown[at + 1 : at + 3]] == [
        ["av3", "k=1", "av3", "k=2"],
        ["55.0", "±", "1.0", "110.0", "±", "1.0"],
    ]


def in_window(summary: Summary, *span: int) -> Summary:
    return replace(summary, experiment=replace(summary.experiment, windows=((span[0] * MS, span[1] * MS),)))


@pytest.mark.parametrize(
    ("second", "text"), (((30_000, 50_000), "30 s to 50 s"), ((0, 50_000), "different at each point"))
)
def test_a_sweep_names_its_measurement_window(second: tuple[int, int], text: str) -> None:
    one = summaries.summary(protocol("av1"))
    points = {("5",): in_window(one, 30_000, 50_000), ("10",): in_window(one, *second)}
    summary = sweep_of(("hosts",), points.items())
    assert f"window: {text}; all numbers but verdicts, batteries and clocks are of this time" in lines(summary)
    assert text in page(summary)
    assert not [line for line in lines(hosts("av1")) if line.startswith("window: ")]


def test_categories_are_in_order_on_the_x_axis() -> None:
    summary = hosts("av1", "av2", at=("grid", "hexagons", "line"))
    drawn = plots(page(summary))["delay"]
    assert drawn["data"][0]["x"] == ["grid", "hexagons", "line"]
    assert (drawn["layout"]["xaxis"]["type"], drawn["layout"]["xaxis"]["categoryarray"]) == (
        "category",
        ["grid", "hexagons", "line"],
    )
    assert not drawn["layout"]["xaxis"].get("autorangeoptions"), "numeric bounds would hide a category axis"


def test_categories_are_not_joined_by_lines() -> None:
    def modes(summary: SweepSummary) -> set[str]:
        figures = plots(page(summary))
        assert {"delay", "delay-beside"} <= figures.keys()
        return {trace["mode"] for name, each in figures.items() if name != "distribution" for trace in each["data"]}

    assert modes(hosts("av1", "av2", at=("grid", "hexagons", "line"))) == {"markers"}
    assert modes(hosts("av1", "av2")) == {"lines+markers"}


def test_a_long_name_of_a_variant_is_broken_into_lines() -> None:
    long = "wireless.bandwidth=256 kbit/s, backbone.topology=ring, mobility.dwell=exponential 1 s"
    axis = plots(page(hosts("av1", at=("base", long))))["delay"]["layout"]["xaxis"]
    assert axis["tickvals"] == axis["categoryarray"] == ["base", long]
    assert axis["ticktext"][0] == "base"
    lines = axis["ticktext"][1].split("<br>")
    assert len(lines) == 3
    assert max(map(len, lines)) <= 18
    assert lines[2].endswith("…")


@pytest.mark.parametrize(("most", "kind"), (("1000", "log"), ("40", None)))
def test_a_wide_axis_is_logarithmic(most: str, kind: str | None) -> None:
    drawn = plots(page(hosts("av1", "av2", at=("10", most))))["delay"]
    assert drawn["layout"]["xaxis"].get("type") == kind


def test_keys_that_change_together_are_one_axis() -> None:
    points = {(cells, n): summaries.summary(protocol()) for cells, n in (("4", "10"), ("9", "40"))}
    drawn = plots(page(sweep_of(("cells", "hosts"), points.items())))
    assert drawn["delay"]["data"][0]["x"] == [4.0, 9.0]
    assert drawn["delay"]["layout"]["xaxis"]["title"]["text"] == "cells, hosts"


def test_a_protocol_that_is_missing_at_a_point_has_a_dash() -> None:
    points = {
        ("5",): summaries.summary(protocol("av1"), protocol("av2")),
        ("10",): summaries.summary(protocol("av1")),
    }
    summary = sweep_of(("hosts",), points.items())
    shown = lines(summary)
    at = shown.index("mean delay (ms)")
    assert shown[at + 3].split() == ["10", "55.0", "±", "1.0", "-"]
    assert [len(trace["x"]) for trace in plots(page(summary))["delay"]["data"]] == [2, 1]
    assert "verdict: av2: correct at 1 of 1 point" in shown


def test_faults_and_failures_are_reported_by_point_run_and_seed() -> None:
    broken = protocol("av2", Correctness.INCORRECT, lost=2)
    points = {("5",): summaries.summary(protocol("av2")), ("10",): summaries.summary(broken)}
    failures = (
        Failure(RunStatus.FAILED, "cafe", ("5",), "av1", 1, 7, "MemoryError: <none left>"),
        Failure(RunVerdict.FAULT, "beef", ("10",), "av2", 3, 7, "KeyError: 5"),
    )
    summary = sweep_of(("hosts",), points.items(), *failures)
    shown = lines(summary)
    assert not summary.sound
    assert "verdict: av2: correct at 1 of 2 points; incorrect at 1 of 2 points" in shown
    fault = "It violated its claims: 2 lost. replication 3, run 'beef', seed 7: KeyError: 5"
    assert f"FAULT: av2 at hosts 10: {fault}" in shown
    assert "failed: av1 at hosts 5: replication 1, run 'cafe', seed 7: MemoryError: <none left>" in shown
    assert "claims broken: exactly once by av2 (2 lost)" in shown
    text = page(summary)
    assert "Claims broken: exactly once by av2 (2 lost)." in text
    assert "MemoryError: &lt;none left&gt;" in text
    assert 'class="broken"><strong>av2</strong>' in text
    rows = tables(summary)["failures"].to_pylist()
    assert [(row["kind"], row["point"], row["vary.hosts"], row["run"]) for row in rows] == [
        ("failed", 0, "5", "cafe"),
        ("fault", 1, "10", "beef"),
    ]


def test_a_delay_that_does_not_add_up_is_reported() -> None:
    bad = summaries.summary(protocol())
    bad = Summary(bad.directory, bad.experiment, bad.protocols, DelayCheck(100, 3, "run 'x', message 0"))
    summary = sweep_of(("hosts",), [(("5",), summaries.summary(protocol())), (("10",), bad)])
    assert not summary.sound
    wanted = "in 3 of 300 deliveries the parts do not add up; first: run 'x', message 0"
    assert f"check: {wanted}" in lines(summary)
    assert "In 3 of 300 deliveries" in page(summary)


def test_reports_of_runs_and_of_sweeps_have_the_whole_glossary() -> None:
    for text in (page(summary := hosts("av1")), run_page(summary.points[0][1])):
        folded = text.partition("<summary>Glossary</summary>")[2].partition("</details>")[0]
        assert [
            term for terms in GLOSSARY.values() for term in terms if f'<th scope="row">{term}</th>' not in folded
        ] == []


def test_one_replication_gives_no_intervals() -> None:
    alone = protocol(estimates={**protocol().estimates, "delay": estimate(55 * MS)})
    one = summaries.summary(alone)
    single = replace(one, experiment=replace(one.experiment, replications=1))
    assert lines(sweep_of(("hosts",), [(("5",), single)]))[1] == "one replication: means have no interval"


def test_markup_in_names_of_keys_values_and_protocols_is_escaped() -> None:
    text = page(sweep_of(("</script>",), [(("<b>",), summaries.summary(protocol("</script><i>")))]))
    assert "</script><i>" not in text
    assert "<b>" not in text.split("<body>")[1].split("<script")[0]
    assert plots(text)["delay"]["data"][0]["name"] == "</script><i>"


def grid() -> SweepSummary:
    """Return a sweep of two axes, in which av2 is slower than av1 by more with more hosts."""
    points = {
        (dwell, n): summaries.summary(protocol("av1"), protocol("av2", scale=1 + place))
        for place, n in enumerate(("10", "20", "40"))
        for dwell in ("exponential 1 s", "exponential 4 s")
    }
    return sweep_of(("mobility.dwell", "hosts"), points.items())


def test_two_axes_have_heat_maps_of_the_differences() -> None:
    drawn = plots(page(grid()))["difference-1"]
    assert [trace["name"] for trace in drawn["data"]] == ["10", "20", "40"]
    assert [trace["x"] for trace in drawn["data"]] == [["1 s", "4 s"]] * 3
    assert [trace["text"] for trace in drawn["data"]] == [["≈", "≈"], ["+55", "+55"], ["+110", "+110"]]
    assert drawn["layout"]["xaxis"]["title"]["text"] == "mobility dwell (s, exponential)"
    assert drawn["layout"]["yaxis"]["title"]["text"] == "hosts"
    pale, strong = (drawn["data"][row]["marker"]["color"][0] for row in (1, 2))
    assert pale != strong
    assert "difference-1" not in plots(page(hosts("av1", "av2")))


def test_the_panels_of_a_metric_have_the_same_range_and_one_legend() -> None:
    text = page(grid())
    drawn = plots(text)
    ranges = [drawn[f"delay-{number}"]["layout"]["yaxis"]["range"] for number in (1, 2, 3)]
    assert ranges[0] == ranges[1] == ranges[2]
    metrics = text.partition("Metrics</h2>")[2].partition("<h2")[0]
    assert metrics.count('<ul class="legend">') == 1
    assert "<span>hosts 20</span>" in metrics


def cube() -> SweepSummary:
    """Return a sweep of three axes, without the point with most hosts and the highest loss."""
    points = {
        (dwell, n, loss): summaries.summary(protocol("av1"), protocol("av2", scale=1 + place))
        for place, n in enumerate(("10", "20"))
        for dwell in ("exponential 1 s", "exponential 4 s")
        for loss in ("0.0", "0.1", "0.2")
        if (n, loss) != ("20", "0.2")
    }
    return sweep_of(("mobility.dwell", "hosts", "wireless.loss"), points.items())


def test_a_page_shows_one_setting_of_a_third_axis_at_a_time() -> None:
    text = page(cube())
    drawn = plots(text)
    metrics = text.partition("Metrics</h2>")[2].partition("<h2")[0]
    slices = metrics.split("<div data-slice=")[1:]
    assert [each.partition(">")[0] for each in slices] == ['"0"', '"1" hidden', '"2" hidden']
    assert [len(re.findall(r'id="plot-delay-\d', each)) for each in slices] == [2, 2, 1]
    assert "<span>hosts 20</span>" in slices[1]
    assert 'aria-label="hosts 20, wireless.loss 0.1: mean delay (ms)' in slices[1]
    assert metrics.count('<ul class="legend">') == 1
    box = '<label>wireless loss <select data-axis="0"><option value="0" selected>0.0</option><option value="1">0.1<'
    assert text.count(box) == 3
    assert len([name for name in drawn if re.fullmatch(r"delay-\d", name)]) == 5
    assert "<select" not in page(grid())


def test_settings_without_figures_say_so() -> None:
    differences = page(cube()).partition("Differences between protocols</h2>")[2].partition("<details>")[0]
    assert [("There is nothing to show" in each) for each in differences.split("<div data-slice=")[1:]] == [
        *(False, False),
        True,
    ]


def test_many_different_panels_are_counted() -> None:
    """Not described one by one."""
    points = {
        (dwell, str(n)): summaries.summary(
            protocol("av1"), protocol("av2", scale=2.0 if n >> place & 1 else 0.5 if n == 7 - (1 << place) else 1.0)
        )
        for n in range(8)
        for place, dwell in enumerate(("1 s", "2 s", "4 s"))
    }
    results = page(sweep_of(("mobility.dwell", "hosts"), points.items())).partition('class="findings"><li>')[2]
    assert results.startswith(
        "av2 is slower than av1 at 12 of 24 points, by 55&nbsp;ms and is faster than av1 at 3 of 24 points, by "
        "27.5&nbsp;ms; the difference is not significant at 9.</li>"
    )


def test_many_settings_of_several_axes_are_not_named() -> None:
    points = {
        (dwell, n, loss): summaries.summary(
            *(protocol(name, scale=1.0 if (n, dwell) == ("4", "1 s") else scale) for name, scale in names.items())
        )
        for n in ("4", "8")
        for loss in ("0.0", "0.1", "0.2", "0.3")
        for dwell in ("1 s", "2 s")
        if (names := {"av1": 1.0, "av2": 3.0})
    }
    results = page(sweep_of(("mobility.dwell", "hosts", "wireless.loss"), points.items()))
    assert (
        'class="findings"><li>av2 is slower than av1 at 12 of 16 points, by 110&nbsp;ms; the difference is' in results
    )


def test_many_changes_of_a_single_protocol_are_counted() -> None:
    points = {
        (dwell, str(n)): summaries.summary(protocol("av1", scale=3.0 if (dwell == "2 s") == (n < 7) else 1.0))
        for n in range(9)
        for dwell in ("1 s", "2 s")
    }
    results = page(sweep_of(("mobility.dwell", "hosts"), points.items())).partition('class="findings"><li>')[2]
    assert results.startswith("The mean delay of av1 rises at 7 and falls at 2 of 9 settings of the other axes.</li>")


def test_a_sweep_begins_with_where_protocols_cross() -> None:
    results = page(grid()).partition('<ul class="findings">')[2].partition("</ul>")[0]
    assert results.startswith("<li>With hosts 10, the mean delay of av2 and of av1 is not significantly different")


def test_a_single_point_begins_with_the_results_of_its_run() -> None:
    text = page(sweep_of((), [((), summaries.summary(protocol("one"), protocol("other", scale=2.0)))]))
    assert '<ul class="findings"><li>other takes 55&nbsp;ms longer than one' in text


def large(*counts: int) -> SweepSummary:
    """Return a grid with these numbers of values of its axes."""
    at = [
        summaries.summary(protocol("av1"), protocol("av2", scale=1.5)),
        summaries.summary(protocol("av1"), protocol("av2", scale=2)),
    ]
    values = [[str(10 + value) for value in range(count)] for count in counts]
    points = {point: at[place % 2] for place, point in enumerate(product(*values))}
    return sweep_of(tuple(f"key{place}" for place in range(len(counts))), points.items())


@pytest.mark.parametrize(
    ("counts", "text"),
    (
        (
            (6, 10, 10),
            "The figures show 5 of 10 values of key1 and 5 of 10 values of key2; the tables",
        ),
        ((4, 150), "The figures show 19 of 150 values of key1; the tables have all points."),
    ),
)
def test_the_page_of_a_grid_of_600_points_has_a_limited_number_of_figures(counts: tuple[int, ...], text: str) -> None:
    whole = page(large(*counts))
    assert 60 < len(plots(whole)) <= MAX_FIGURES
    assert text in whole
    assert whole.count('<th scope="row">key0 10, key1 11') >= counts[-1] if len(counts) == 3 else True


def test_list_boxes_offer_the_settings_that_have_figures() -> None:
    whole = page(large(6, 10, 10))
    box = whole.partition("<label>key2 <select")[2].partition("</select>")[0]
    assert re.findall(r">(\d+)</option>", box) == ["10", "12", "14", "17", "19"]
    assert "There is nothing to show" not in whole
    drawn = plots(whole)
    assert {name for name in drawn if re.fullmatch(r"delay-\d+", name)} == {
        f"delay-{number}" for number in range(1, 26)
    }
    small = page(large(3, 3, 3))
    assert "The figures show" not in small
    assert len(re.findall(r'data-slice="\d"', small.partition("Metrics</h2>")[2].partition("<h2")[0])) == 3
