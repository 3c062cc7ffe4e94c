"""The page of a reproduced figure has all panels, needs no network, and escapes names."""

import re
from html.parser import HTMLParser
from itertools import pairwise
from math import isnan
from typing import Any

import pytest

from mobilesim.analysis.figures.curves import curves_figure, panel_figures
from mobilesim.analysis.report.figure_page import page, values_table
from tests.support.report_pages import plots

INCOMPLETE = "This figure is incomplete."


def estimate(mean: float, half: float | None) -> dict[str, float | None]:
    return {"mean": mean, "low": None if half is None else mean - half, "high": None if half is None else mean + half}


def series(label: str, means: dict[int, float], half: float | None = 0.5) -> dict[str, Any]:
    parts = {"processing": estimate(0.25, half), "inhibition": estimate(0.75, half)}
    points = [
        {"x": x, **estimate(mean, half), "replications": 3, "utilisation": 0.1, "parts": parts}
        for x, mean in means.items()
    ]
    return {"label": label, "points": points}


def panel(
    label: str,
    *several: dict[str, Any],
    holds: bool | None = True,
    gaps: dict[int, float] | None = None,
    numbers: dict[str, float | None] | None = None,
) -> dict[str, Any]:
    points = [{"x": x, **estimate(gap, 0.2)} for x, gap in (gaps or {}).items()]
    return {
        "label": label,
        "settings": {},
        "series": list(several),
        "difference": {"left": "one", "right": "other", "points": points} if gaps else None,
        "statements": [
            {
                "source": "N 1",
                "paper": "they cross at 30 & stay",
                "holds": holds,
                "verdict": {True: "confirms", False: "contradicts", None: "inconclusive"}[holds],
                "text": f"{label} crosses <late>",
                "numbers": numbers or {},
            }
        ],
    }


def document(*panels: dict[str, Any], **more: object) -> dict[str, Any]:
    return {
        "figure": "tiny",
        "paper": "Nobody 1900, figure 0",
        "title": "A </script> title",
        "version": "0.1.0",
        "replications": 3,
        "x": {"key": "hosts", "symbol": "n_h", "label": "hosts n_h"},
        "metric": {"name": "delay", "label": "mean delay", "unit": "ms"},
        "parts": ["processing", "inhibition"],
        "symbols": {"t_s": "time between <messages>"},
        "conclusion": "",
        "incomplete": "" if more.get("conclusion") else INCOMPLETE,
        "common_environment": True,
        "crossings": True,
        "runs": 6,
        "messages": 600,
        "panels": list(panels),
        **more,
    }


TWO = panel("first", series("one", {5: 12, 50: 20}), series("other", {5: 13, 50: 13}), gaps={5: -1, 50: 7})
ALONE = panel("second", series("one", {1: 12, 2: 11}), holds=False)


class Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data: str) -> None:
        self.words += data


def test_every_panel_has_an_element_and_a_plot() -> None:
    text = page(document(TWO, ALONE))
    places = [attributes["id"] for tag, attributes in Reader(text).tags if attributes.get("class") == "plot"]
    keys = ["panel0", "panel0-beside", "panel1", "panel1-beside"]
    assert places == [f"plot-{key}" for key in keys]
    assert list(plots(text)) == keys


def test_titles_of_y_axes_are_above_the_plots() -> None:
    """On a narrow page, text beside a plot would be cut off or overlap the next plot."""
    text = page(document(TWO, ALONE))
    assert [plot for plot in plots(text).values() if plot["layout"]["yaxis"]["title"].get("text")] == []
    titles = re.findall(r"<figcaption><span>([^<]*)</span>", text)
    assert titles == ["Mean delay (ms)", "One - other (ms)", "Mean delay (ms)", "Parts (ms)"]


def test_the_page_needs_no_network() -> None:
    reader = Reader(page(document(TWO, ALONE)))
    links = [attributes[name] for _, attributes in reader.tags for name in ("src", "href") if name in attributes]
    assert [link for link in links if not (link or "").startswith("#")] == []


def test_statements_of_the_paper_are_escaped_and_have_their_results() -> None:
    reader = Reader(page(document(TWO, ALONE)))
    assert reader.words.count("they cross at 30 & stay") == 4  # once in the contents
    assert "contradicts: N 1: they cross" in " ".join(reader.words.split())
    assert "first crosses <late>" in reader.words
    kinds = [attributes.get("class") for tag, attributes in reader.tags if tag == "li" and "class" in attributes]
    assert kinds == ["sound", "broken"]
    assert "late" not in {tag for tag, _ in reader.tags}


def test_a_title_cannot_end_a_script() -> None:
    text = page(document(TWO, title="</script><script>alert(1)", x={"symbol": "x", "label": "</script>"}))
    assert plots(text)["panel0"]["layout"]["xaxis"]["title"]["text"] == "</script>"
    assert "</script><script>alert(1)" not in text


def test_a_missing_value_is_a_dash_in_the_table() -> None:
    gap = panel("first", series("one", {5: 12}), series("other", {5: 13, 50: 13}, half=None))
    text = page(document(gap))
    rows = re.findall(r'<tr><th scope="row">(\d+)</th>(.*?)</tr>', text)
    assert [row[0] for row in rows] == ["5", "50"]
    assert re.findall(r"<td>(.*?)</td>", rows[0][1])[0] == "12.00&nbsp;± 0.50"
    assert re.findall(r"<td>(.*?)</td>", rows[1][1]) == ["-", "-", "-", "13", "0.25", "0.75"]


def test_symbols_are_defined_on_the_page() -> None:
    assert "t_s: time between <messages>." in Reader(page(document(TWO))).words


@pytest.mark.parametrize("conclusion", ("", "All is well."))
def test_a_figure_that_is_incomplete_shows_no_conclusion(conclusion: str) -> None:
    shown = Reader(page(document(TWO, conclusion=conclusion))).words
    assert (INCOMPLETE in shown) == (not conclusion)
    assert conclusion in shown


def test_a_single_replication_has_no_whisker() -> None:
    mixed = panel("first", series("one", {5: 12}, half=None))
    mixed["series"][0]["points"] += series("one", {6: 12})["points"]
    bars = curves_figure(document(mixed), mixed, "key").plot.data[0].error_y
    for lengths in (bars.array, bars.arrayminus):
        assert isnan(lengths[0])
        assert lengths[1] == pytest.approx(0.5)


def test_whiskers_are_as_long_as_the_intervals() -> None:
    curve = curves_figure(document(TWO), TWO, "key").plot.data[0]
    assert list(curve.x) == [5, 50]
    assert list(curve.error_y.array) == pytest.approx([0.5, 0.5])
    assert list(curve.error_y.arrayminus) == pytest.approx([0.5, 0.5])


def test_two_curves_have_a_difference_and_a_single_curve_has_parts() -> None:
    assert [trace.name for trace in curves_figure(document(TWO), TWO, "key").plot.data] == ["one", "other"]
    assert [trace.name for trace in panel_figures(document(TWO), TWO, 0)[1].plot.data] == ["one - other"]
    parts = panel_figures(document(ALONE), ALONE, 0)[1]
    assert (
        [trace.name for trace in parts.plot.data]
        == [entry.name for entry in parts.legend]
        == ["station processing", "inhibition"]
    )


@pytest.mark.parametrize("gaps", ({5: -1, 30: 2, 50: 900}, {5: 1, 50: 9}, {5: -9, 50: -1}, {20: 0}))
def test_the_axis_of_a_difference_contains_zero_and_all_whiskers(gaps: dict[int, float]) -> None:
    steep = panel("steep", series("one", {5: 1}), series("other", {5: 1}), gaps=gaps)
    low, high = panel_figures(document(steep), steep, 0)[1].plot.layout.yaxis.range
    assert low < min(0, min(gaps.values()) - 0.2)
    assert high > max(0, max(gaps.values()) + 0.2)
    assert high - low < 1.2 * (max(0, *gaps.values(), -1) - min(0, *gaps.values(), 1)) + 1


def test_the_axis_of_a_tiny_difference_has_a_minimum_range() -> None:
    tiny = panel("tiny", series("one", {5: 100}), series("other", {5: 100}), gaps={5: 0.001})
    tiny["difference"]["points"][0] |= {"low": 0.0005, "high": 0.0015}
    low, high = panel_figures(document(tiny), tiny, 0)[1].plot.layout.yaxis.range
    assert high - low >= 1
    assert panel_figures(document(tiny), tiny, 0)[1].plot.layout.yaxis.exponentformat == "none"


def test_the_axis_of_curves_begins_at_zero_and_contains_all_whiskers() -> None:
    wide = panel("wide", series("one", {5: 2, 9: 3}, half=4), series("other", {5: 1}, half=None))
    low, high = curves_figure(document(wide), wide, "key").plot.layout.yaxis.range
    assert low == 0
    assert 7 < high < 8


def test_the_axis_of_curves_of_zeros_begins_at_zero() -> None:
    zeros = panel("zeros", series("one", {5: 0, 9: 0}, half=0))
    assert curves_figure(document(zeros), zeros, "key").plot.layout.yaxis.range == (0, 1)


def test_overlapping_curves_are_all_visible() -> None:
    same = panel("same", *(series(name, {5: 2, 9: 3}) for name in "abcdef"))
    lines = [trace.line for trace in curves_figure(document(same), same, "key").plot.data]
    assert all(below.width > above.width for below, above in pairwise(lines))
    assert [line.dash for line in lines].count("solid") == 1
    assert lines[0].dash == "solid"


def test_two_curves_are_columns_of_the_table_and_four_are_rows() -> None:
    means = {5: 12.0, 50: 13.0}
    for count, rows in ((2, 2), (4, 8)):
        several = panel("several", *(series(f"curve {number}", means) for number in range(count)))
        assert values_table(document(several), several).count("<tr>") == 1 + rows


def test_common_hosts_and_crossings_are_explained_only_if_a_figure_has_them() -> None:
    shown = Reader(page(document(TWO))).words
    less = Reader(page(document(TWO, common_environment=False, crossings=False))).words
    for part in ("all protocols have the same hosts", "The interval of a crossing"):
        assert part in shown
        assert part not in less


@pytest.mark.parametrize(
    ("low", "high", "band"), ((25.0, 31.0, (25.0, 31.0)), (None, 31.0, (28.0, 31.0)), (25.0, None, (25.0, 28.0)))
)
def test_the_interval_of_a_crossing_is_drawn_as_a_band(
    low: float | None, high: float | None, band: tuple[float, float]
) -> None:
    crossed = panel("one", series("one", {5: 1}), gaps={5: -1, 50: 2}, numbers={"at": 28.0, "low": low, "high": high})
    shapes = panel_figures(document(crossed), crossed, 0)[1].plot.layout.shapes
    assert [(shape.x0, shape.x1) for shape in shapes if shape.type == "rect"] == [band]
    nowhere = panel("one", series("one", {5: 1}), gaps={5: -1, 50: 2}, numbers={"at": None, "low": low, "high": high})
    assert not [
        each for each in panel_figures(document(nowhere), nowhere, 0)[1].plot.layout.shapes if each.type == "rect"
    ]


def test_a_panel_without_points_is_left_out() -> None:
    assert set(plots(page(document(panel("none", series("one", {})), TWO)))) == {"panel0", "panel0-beside"}
