"""Under the proxy placement no message is inhibited with respect to the events of stations.
A station updates a host's state when it transmits a message m to the host. If the host sends n before it receives m,
the station stamps n after m, so n falsely depends on m. A wait of n for m is inhibition with respect to the sends and
deliveries of hosts, but necessary with respect to the stamps and transmissions of stations.
"""

from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.experiments.claims import claim_run
from mobilesim.protocols.catalogue import ROWS
from mobilesim.scenario.model import Scenario
from tests.support.simulations import MS, simulate

HIGH_MOBILITY: Final[dict[str, Any]] = {
    "hosts": 15,
    "cells": 6,
    "duration": "6 s",
    "backbone": {"jitter": "exponential 40 ms"},
    "wireless": {"latency": "5 ms"},
    "mobility": {"dwell": "exponential 400 ms", "disconnect": {"probability": 0.1, "duration": "exponential 300 ms"}},
    "workload": {"kind": "multicast", "destinations": 3, "interval": "exponential 100 ms"},
}


@pytest.mark.full
@pytest.mark.parametrize("location", ("free", "lazy"))
def test_av1_inhibits_no_message_that_its_stations_could_release(location: str, tmp_path: Path) -> None:
    """An observer of the stations counts the same deliveries and the same inhibited messages as the tables."""
    protocol = {"name": "av1", "location": location}
    scenario = Scenario.model_validate({**HIGH_MOBILITY, "protocols": (protocol,)})
    counts = claim_run.simulate(ROWS["av1"], {"location": location}, scenario)
    waits = [row["inhibition"] for row in simulate(scenario, tmp_path).deliveries]
    assert (counts.causal_violations, counts.duplicates, counts.avoidable) == (0, 0, 0)
    assert counts.deliveries == len(waits) > 1000
    assert counts.inhibited == sum(wait > 0 for wait in waits) > 50
    assert counts.inhibition_ms == pytest.approx(sum(waits) / MS)


def test_inhibition_under_av1_is_rare_and_ends_with_a_release(tmp_path: Path) -> None:
    run = simulate(Scenario.model_validate({**HIGH_MOBILITY, "protocols": ("av1",)}), tmp_path)
    inhibited = [row for row in run.deliveries if row["inhibition"]]
    assert 0 < len(inhibited) < sum(row["causal_wait"] > 0 for row in run.deliveries)
    released = Counter((row["destination"], row["released"]) for row in run.deliveries)
    assert all(released[row["destination"], row["released"]] > 1 for row in inhibited)


@pytest.mark.full
@pytest.mark.parametrize("protocol", ("rst", "fifo", "unordered"))
def test_rst_fifo_and_unordered_inhibit_no_message(protocol: str, tmp_path: Path) -> None:
    run = simulate(Scenario.model_validate({**HIGH_MOBILITY, "protocols": (protocol,)}), tmp_path)
    waits = {row["inhibition"] for row in run.deliveries}
    if protocol == "fifo":
        assert any(row["causal_wait"] for row in run.deliveries)
    assert waits == {0}


def test_without_ordering_no_message_waits_for_causes(tmp_path: Path) -> None:
    run = simulate(Scenario.model_validate({**HIGH_MOBILITY, "protocols": ("unordered",)}), tmp_path)
    assert {row["causal_wait"] for row in run.deliveries} == {0}
    assert any(row["overtaken"] >= 0 for row in run.deliveries)
