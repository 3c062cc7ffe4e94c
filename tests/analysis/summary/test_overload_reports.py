"""The verdict reports overloaded links and stations."""

from pathlib import Path

import pytest

from mobilesim.analysis.summary.model import assemble
from mobilesim.analysis.summary.results_reader import read_results
from mobilesim.analysis.summary.verdict_text import verdict
from mobilesim.scenario.model import Scenario
from tests.support.simulations import simulate

SLOW = {"uplink": "300 bit/s", "downlink": "10 Mbit/s"}


def verdict_of(directory: Path, air: object, replications: int = 1) -> str:
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


@pytest.mark.parametrize(("replications", "start"), ((1, " Overload: "), (2, " Overload in 2 of 2 runs: ")))
def test_a_verdict_has_the_first_overload(tmp_path: Path, replications: int, start: str) -> None:
    text = verdict_of(tmp_path, SLOW, replications)
    assert f"{start}the uplink of host " in text
    assert text.endswith("delays grow with the duration; send less, or increase wireless.bandwidth.")


def test_a_verdict_without_overload_does_not_mention_overload(tmp_path: Path) -> None:
    assert "verload" not in verdict_of(tmp_path, {})
