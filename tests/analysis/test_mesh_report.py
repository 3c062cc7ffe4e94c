"""The report on a static network: it speaks of hosts and links, and of nothing that needs a station."""

from dataclasses import replace

from analysis.report.page import page
from tests.analysis.summaries import protocol, summary

HANDOFFS = ("How long a hand-off takes", "What a hand-off is made of", "while they move between cells")


def test_a_network_without_stations_has_no_sections_on_hand_offs() -> None:
    moving = summary(protocol())
    static = page(replace(moving, experiment=replace(moving.experiment, stations=0)))
    assert [text for text in HANDOFFS if text in static] == []
    assert [text for text in HANDOFFS if text in page(moving)] == list(HANDOFFS)
    assert "Hosts that stay where they are" in static
    assert "<code>warm_up</code>" in static
