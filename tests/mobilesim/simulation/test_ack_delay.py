"""A process that delays its control messages sends fewer of them, and causes no fault."""

from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.scenario.model import Scenario
from tests.support.simulations import simulate

GROUPS: Final = {"hosts": 8, "seed": 3, "messages": 300, "groups": {"rule": "ring", "size": 3}}
MESH: Final = {"network": "static", "links": {"delay": "exponential 1 s"}, "workload": {"interval": "exponential 2 s"}}
CELLS: Final = {
    "cells": 4,
    "backbone": {"jitter": "exponential 40 ms"},
    "mobility": {"dwell": "exponential 400 ms", "disconnect": {"probability": 0.1, "duration": "exponential 300 ms"}},
    "workload": {"interval": "exponential 100 ms"},
}


def packets(tmp_path: Path, placement: str, delay: int, **world: Any) -> int:  # noqa: ANN401 - parts of a scenario
    """Return the number of packets on all links in a run without faults."""
    protocol = {"placement": placement, "ordering": "mr", "resynch_delay": delay}
    run = simulate(Scenario.model_validate({**GROUPS, **world, "protocols": [protocol]}), tmp_path / str(delay))
    assert run.outcome.verdict == "ok"
    assert len(run.deliveries) == 2 * run.simulation.sent
    return sum(row["packets"] for row in run.rows("links"))


@pytest.mark.full
@pytest.mark.parametrize(
    ("placement", "world", "delays"),
    (
        ("resident", MESH, (0, 1000, 10000)),
        ("resident", CELLS, (0, 100, 1000)),
        ("proxy", CELLS, (0, 100, 1000)),
        ("proxy", {**CELLS, "processing": {"model": "measured"}}, (0, 100)),
    ),
    ids=("mesh", "resident", "proxy", "measured"),
)
def test_a_resynch_delay_saves_control_messages(
    placement: str, world: dict[str, Any], delays: tuple[int, ...], tmp_path: Path
) -> None:
    sent = [packets(tmp_path, placement, wait, **world) for wait in delays]
    assert sent == sorted(sent, reverse=True)
    assert sent[-1] < 0.95 * sent[0]
