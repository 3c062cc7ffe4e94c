"""What a report says of runs in which something had too much to do."""

from pathlib import Path

import pytest

from analysis.summary.assemble import assemble
from analysis.summary.results_reader import read_results
from analysis.summary.verdict_text import verdict
from mobilesim.scenario.model import Scenario
from tests.support.simulations import simulate

SLOW = {"uplink": "300 bit/s", "downlink": "10 Mbit/s"}


def said(directory: Path, air: object, replications: int = 1) -> str:
    scenario = Scenario.model_validate(
        {
            "hosts": 4,
            "protocols": "fifo",
            "duration": "30 s",
            "replications": replications,
            "mobility": {"model": "static"},
            "wireless": air,
        }
    )
    for replication in range(replications):
        simulate(scenario, directory, replication=replication)
    found = read_results(directory)
    (protocol,) = assemble(found, {}).protocols
    return verdict(protocol)


@pytest.mark.parametrize(("replications", "told"), ((1, " Overload: "), (2, " Overload in 2 of its 2 runs: ")))
def test_a_report_says_at_its_verdict_what_had_too_much_to_do(tmp_path: Path, replications: int, told: str) -> None:
    text = said(tmp_path, SLOW, replications)
    assert f"{told}the up-link of host " in text
    assert text.endswith("delays grow with the duration; send less, or give more wireless.bandwidth.")


def test_a_report_of_runs_without_any_says_nothing_of_it(tmp_path: Path) -> None:
    assert "verload" not in said(tmp_path, {})
