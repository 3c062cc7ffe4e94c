"""Passive clocks in small runs like those of section 5 of Meldal, Sankar and Vera, and the means of these runs."""

from functools import cache
from pathlib import Path
from typing import Final

import pytest

from mobilesim.experiments.paper_figures.figure import FIGURES
from mobilesim.experiments.paper_figures.figure_runs import measure
from mobilesim.experiments.run import Run
from mobilesim.protocols.clocks.catalogue import CLOCKS
from mobilesim.results.sweeps.manifest import RunRecord
from mobilesim.scenario.bundled import find
from mobilesim.scenario.loader import load
from tests.support.simulations import simulate

FIGURE: Final = FIGURES["msv-topologies"]
N: Final = 13
CAUSAL, ANY = (panel.label for panel in FIGURE.panels)
STAR, TRIANGLE, RING = (series.label for series in FIGURE.series)


@cache
def measured(panel: str, series: str, clocks: str = "[FM, allocation 5]") -> RunRecord:
    (point,) = (each for each in FIGURE.points() if (each.panel, each.series, each.x) == (panel, series, N))
    scenario = load(find(FIGURE.scenario), {**point.settings, "messages": "500", "clocks": clocks})
    found = measure(Run(scenario, scenario.protocols[0], 0))
    assert found is not None
    return found


@pytest.mark.full
@pytest.mark.parametrize(
    ("series", "carried", "kept"), ((STAR, 1, 1), (TRIANGLE, 4, (9 * 4 + 3 * 7 + 4) / N), (RING, N, N))
)
@pytest.mark.parametrize("panel", (CAUSAL, ANY))
def test_the_savings_per_message_and_process_are_measured(panel: str, series: str, carried: float, kept: float) -> None:
    means = measured(panel, series).means
    if (panel, series) == (ANY, STAR):
        # A message of a process around the centre has the clock of the centre, and its own sequence number.
        assert means["allocation_5_factor"] == pytest.approx(N / (2 - 1 / N), rel=0.03)
    else:
        assert means["allocation_5_factor"] == pytest.approx(N / carried)
    assert means["allocation_5_space_factor"] == pytest.approx(N / kept)
    assert means["FM_factor"] == means["FM_space_factor"] == 1


@pytest.mark.parametrize("series", (STAR, TRIANGLE, RING))
def test_allocation_5_is_wrong_only_on_graphs_with_gateways_and_without_causal_order(series: str) -> None:
    wrong = {panel: measured(panel, series).means["allocation_5_wrong_percent"] for panel in (CAUSAL, ANY)}
    assert wrong[CAUSAL] == 0
    assert (wrong[ANY] > 0) == (series != RING)
    assert measured(ANY, series).means["FM_wrong_percent"] == 0


def test_every_passive_clock_has_its_means() -> None:
    means = measured(CAUSAL, STAR, "all").means
    for name in CLOCKS:
        for what in ("factor", "space_factor", "wrong_percent"):
            assert f"{name.replace(' ', '_')}_{what}" in means


def test_the_means_of_clocks_agree_with_the_table_of_clocks(tmp_path: Path) -> None:
    settings = {"messages": "200", "protocols": "resident+unordered", "clocks": "allocation 4"}
    scenario = load(find(FIGURE.scenario), settings)
    found = measure(Run(scenario, scenario.protocols[0], 0))
    (row,) = simulate(scenario, tmp_path).rows("clocks")
    assert found is not None
    assert found.means["allocation_4_factor"] == row["integers_of_vectors"] / row["integers"]
    assert found.means["allocation_4_wrong_percent"] == pytest.approx(100 * row["wrong"] / row["compared"])


def test_without_passive_clocks_there_are_no_means_of_clocks() -> None:
    scenario = load(find(FIGURE.scenario), {"messages": "50", "protocols": "rst", "clocks": "null"})
    found = measure(Run(scenario, scenario.protocols[0], 0))
    assert found is not None
    assert not [name for name in found.means if "factor" in name]
