"""The report on a static network has hosts and links, and no sections on stations."""

from dataclasses import replace

import pytest

from mobilesim.analysis.report.run_page import page
from mobilesim.analysis.summary.model import Correctness
from mobilesim.analysis.summary.verdict_text import verdict
from tests.support.report_pages import bars, plots
from tests.support.summaries import MS, estimate, linked, mesh, protocol, summary

# Texts of a report on cells that must not be in a report on a static network.
OF_CELLS = (
    "Hand-offs</h2>",
    "Mean time from leaving a cell",
    "while they move between cells",
    "50 hosts, 9 stations",
    '<th scope="row">hand-off (ms)</th>',
    '<th scope="row">packets per hand-off</th>',
    '<th scope="row">uplink transmission (ms)</th>',
    '<th scope="row">downlink queue (ms)</th>',
    "is transmitted from the sender",
    "a flood copies it",
)


@pytest.fixture(scope="module")
def static() -> str:
    return page(mesh(linked("rst"), linked("unordered", correctness=Correctness.NOT_CAUSAL, causal_violations=3)))


@pytest.fixture(scope="module")
def moving() -> str:
    return page(summary(protocol()))


def test_a_report_without_stations_has_no_texts_on_cells(static: str, moving: str) -> None:
    assert [text for text in OF_CELLS if text in static] == []
    assert [text for text in OF_CELLS if text not in moving] == []
    assert "Hosts that do not move" in static


def test_delays_of_a_static_network_have_only_its_parts(static: str) -> None:
    assert bars(plots(static)["breakdown"]) == [
        "uplink queue",
        "wired network",
        "causal wait",
        "inhibition",
        "knock-on of inhibition",
    ]
    assert "The packet is on its link." in static
    assert "The packet waits at its sender until the link is free." in static


def test_the_send_queue_of_an_ordering_is_defined_as_inhibition() -> None:
    held = {**linked().estimates, "inhibition": estimate(4.0 * MS)}
    text = page(mesh(linked(estimates=held)))
    assert "or the message waits in a send queue at its source" in text
    assert "Sender in hand-off" not in text
    assert '<th scope="row">sender in hand-off (ms)</th>' not in text


def test_traffic_of_a_static_network_has_one_chart(static: str, moving: str) -> None:
    assert bars(plots(static)["wired"]) == ["payload", "ordering headers", "framing"]
    assert "wireless" not in plots(static)
    assert {"wired", "wireless"} <= plots(moving).keys()
    assert "Bytes per delivery (B)" in static
    assert "Wireless bytes per delivery (B)" in moving


def test_a_report_without_movement_has_no_charts_of_hand_offs() -> None:
    text = page(summary(linked()))
    assert "Hand-offs</h2>" not in text
    assert '<th scope="row">hand-off (ms)</th>' not in text
    assert "50 hosts, 9 stations" in text


def test_the_verdict_has_the_numbers_of_checked_and_of_measured_deliveries() -> None:
    text = verdict(linked(judged=150))
    assert text.startswith(
        "It claims causal order, and all 150 deliveries (100 of them measured) were in causal order. "
    )
    assert verdict(linked()).startswith("It claims causal order, and all 100 deliveries were in causal order. ")


def test_the_page_reports_whether_means_are_of_whole_runs(static: str) -> None:
    whole, part = (
        "Means and percentiles cover the whole run",
        "Means and percentiles cover the measurement window, 30 s to 110 s: the deliveries,",
    )
    assert whole in static
    assert part not in static
    found = mesh(linked("rst", judged=150), linked("other"))
    windowed = page(replace(found, experiment=replace(found.experiment, windows=((30_000 * MS, 110_000 * MS),))))
    assert whole not in windowed
    assert part in windowed


def test_causal_violations_are_a_share_of_the_checked_deliveries() -> None:
    assert "3 deliveries (1.5 %) came before a causally preceding message" in verdict(
        linked(correctness=Correctness.NOT_CAUSAL, causal_violations=3, judged=200)
    )
