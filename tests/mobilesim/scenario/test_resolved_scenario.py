"""The scenario stored beside its results is sufficient to reproduce them."""

from pathlib import Path

import networkx as nx
import pytest

from mobilesim.experiments.run import runs
from mobilesim.results.layout import SCENARIO
from mobilesim.scenario import bundled
from mobilesim.scenario.loader import load, loads
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.referenced_files import record


def read_back(scenario: Scenario, directory: Path) -> Scenario:
    text, graphs = record(scenario)
    for name, content in {**graphs, SCENARIO: text.encode()}.items():
        (directory / name).write_bytes(content)
    return load(directory / SCENARIO)


@pytest.mark.parametrize("name", bundled.names())
def test_a_written_shipped_scenario_is_read_back(name: str, tmp_path: Path) -> None:
    """The input files are then read from their copies beside the stored scenario."""
    scenario = load(bundled.find(name))
    again = read_back(scenario, tmp_path)
    assert (again.model_dump(mode="json"), again.hash) == (scenario.model_dump(mode="json"), scenario.hash)
    assert [run.id for run in runs(again)] == [run.id for run in runs(scenario)]


@pytest.mark.parametrize(
    "text",
    (
        "messages: 5\ntrace: no\noracle: off",
        "cells: {shape: graph, edges: [[0, 1], [1, 2]]}",
        "protocols: [{name: av1, location: lazy}, {placement: resident, ordering: fifo}]",
        "mobility: {dwell: pareto 1.5 1 s, disconnect: {probability: 0.00001}}",
        "energy: {idle: 0.1 mW}\nwireless: {bandwidth: 1500 bit/s, latency: 1 ns, uplink: 3 kB/s}",
        "backbone: {links: [{between: [0, 2], jitter: uniform 1 us 1.5 ms}]}",
        "workload: {kind: multicast, destinations: all, senders: 0, payload: 1 KiB}\nseed: 9223372036854775807",
        "protocols: ab\nworkload: {stations: {interval: 2 s, destinations: all}}",
        "mobility: {disconnect: {probability: 1, policy: drop}}",
    ),
)
def test_every_setting_of_a_scenario_is_written_and_read_back(text: str, tmp_path: Path) -> None:
    scenario = loads(text)
    again = read_back(scenario, tmp_path)
    assert (again, again.hash) == (scenario, scenario.hash)


@pytest.mark.parametrize(
    "name", ("123", "1e5", "yes", "~", "12:30", "2001-01-01", "a: b", "# x", "- y", "Größe", "'", '"\\')
)
def test_every_name_is_written_and_read_back(name: str, tmp_path: Path) -> None:
    assert read_back(Scenario(name=name), tmp_path).name == name


def test_graph_files_are_copied_with_the_scenario(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    nx.write_graphml(nx.path_graph(4), there / "town.graphml")
    nx.write_graphml(nx.star_graph(3), there / "wires.graphml")
    (there / "own.yaml").write_text(
        "cells: {shape: graph, file: town.graphml}\nbackbone: {topology: graphml, file: wires.graphml}",
        encoding="utf-8",
    )
    scenario = load(there / "own.yaml")
    before = scenario.hash
    again = read_back(scenario, here)
    for name in ("town.graphml", "wires.graphml"):
        (there / name).unlink()
    assert again.cells.file == here / "cells.graphml"
    assert again.backbone.file == here / "backbone.graphml"
    assert again.hash == before
