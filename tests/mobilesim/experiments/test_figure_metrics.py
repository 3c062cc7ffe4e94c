"""The additional means in a figure besides its main metric, and the link cost per delivery."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mobilesim.cli.main import main
from mobilesim.experiments.paper_figures.figure import FIGURES, Series, Statement
from mobilesim.experiments.paper_figures.figure_runs import LINK_METRICS, measure
from mobilesim.experiments.paper_figures.statements import InRange
from mobilesim.experiments.run import Run
from mobilesim.scenario.loader import loads
from tests.support.simulations import simulate

MESH = (
    "network: static\nhosts: 6\nprotocols: [resident+mr, resident+isis]\nmessages: 60\ngroups: {rule: ring, size: 3}\n"
    "workload: {interval: exponential 1 s}\n"
)
CELLS = "hosts: 4\ncells: 4\nmessages: 40\nprotocols: [av1, fifo]\n"


@pytest.mark.parametrize("text", (MESH, CELLS), ids=("mesh", "cells"))
def test_the_link_cost_of_a_delivery_agrees_with_the_links_table(text: str, tmp_path: Path) -> None:
    scenario = loads(text)
    found = measure(Run(scenario, scenario.protocols[0], 0))
    simulation = simulate(scenario, tmp_path / "r")
    assert found is not None
    for name in LINK_METRICS:
        total = sum(row[name] for row in simulation.rows("links"))
        assert found.means[f"link_{name}"] == pytest.approx(total / len(simulation.deliveries))


CROWDED = (
    "network: static\nhosts: 6\nprotocols: [resident+prs]\nlinks: {delay: exponential 9 s, service: fifo}\n"
    "warm_up: {deliveries: 20}\ndeliveries: 60\nworkload: {kind: multicast, destinations: 1..all, interval: 1 s}\n"
)


def test_the_header_of_a_message_is_a_mean_over_messages_that_were_sent(tmp_path: Path) -> None:
    """On overloaded links, the messages of a window are not those that it delivers: their barriers are larger."""
    scenario = loads(CROWDED)
    found = measure(Run(scenario, scenario.protocols[0], 0))
    simulation = simulate(scenario, tmp_path / "r")
    assert found is not None
    for name in ("header_units", "header_integers"):
        sent = [row[name] for row in simulation.rows("messages")]
        assert found.means[f"message_{name}"] == pytest.approx(sum(sent) / len(sent))
    assert found.means["message_header_units"] > found.means["header_units"]


def test_without_control_messages_a_static_network_carries_one_packet_for_each_delivery() -> None:
    scenario = loads(MESH)
    packets = []
    for choice in scenario.protocols:
        found = measure(Run(scenario, choice, 0))
        assert found is not None
        packets.append(found.means["link_packets"])
    assert packets[0] > packets[1] == 1


def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, scale: float) -> Any:  # noqa: ANN401 - a JSON document
    """Return the document of a small figure with a statement about each of its means.

    `scale` is the number of nanoseconds in the unit of the metric.
    """
    figure = FIGURES["mr-resynchronisation"]
    statements = tuple(
        Statement(name, "MR 5", InRange("mr", 0, 1e12), name) for name in ("delay", "inhibition", "link_packets")
    )
    series = (Series("mr", figure.series[0].settings), figure.series[1])
    small = replace(
        figure, name="small", series=series, metric=replace(figure.metric, scale=scale), statements=statements
    )
    monkeypatch.setitem(FIGURES, "small", small)
    arguments = ["reproduce-figure", "small", "--quick", "--workers", "1", "--json", "--out", str(tmp_path)]
    assert main(arguments) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.full
def test_the_unit_of_the_metric_applies_to_times_and_not_to_counts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    first = shown(monkeypatch, capsys, tmp_path, 1e9)
    second = shown(monkeypatch, capsys, tmp_path, 1e6)
    assert first["parts"] == ["inhibition", "header_integers", "link_packets"]
    for one, other in zip(points(first), points(second), strict=True):
        assert other["mean"] == pytest.approx(1000 * one["mean"])
        assert other["parts"]["inhibition"]["mean"] == pytest.approx(1000 * one["parts"]["inhibition"]["mean"])
        for name in ("header_integers", "link_packets"):
            assert other["parts"][name] == one["parts"][name]


def points(document: Any) -> list[Any]:  # noqa: ANN401 - a JSON document
    return [point for series in document["panels"][0]["series"] for point in series["points"]]


@pytest.mark.full
def test_a_statement_may_be_about_a_mean_besides_the_main_metric(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    panel = shown(monkeypatch, capsys, tmp_path, 1e9)["panels"][0]
    delay, inhibition, packets = (statement["numbers"] for statement in panel["statements"])
    here = panel["series"][0]["points"]
    assert delay == ends([point["mean"] for point in here])
    assert inhibition == ends([point["parts"]["inhibition"]["mean"] for point in here])
    assert packets == ends([point["parts"]["link_packets"]["mean"] for point in here])


def ends(means: list[float]) -> dict[str, float]:
    return {"low": min(means), "high": max(means)}
