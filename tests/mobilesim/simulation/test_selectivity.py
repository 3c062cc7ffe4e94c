"""More selective destinations do not always make the barriers of PRS smaller (`docs/errata-orderings.md`)."""

from pathlib import Path
from statistics import mean
from typing import Any, Final

import pytest

from mobilesim.scenario.model import Scenario
from tests.support.simulations import simulate

NETWORK: Final[dict[str, Any]] = {
    "network": "static",
    "hosts": 20,
    "protocols": [{"placement": "resident", "ordering": "prs"}],
    "links": {"delay": "exponential 1 s", "service": "fifo"},
    "warm_up": {"deliveries": 5000},
    "deliveries": 10000,
}


def share(tmp_path: Path, selectivity: str) -> float:
    """Return the mean number of tuples in a barrier as a share of N², in the network of figure 5."""
    workload = {"kind": "multicast", "destinations": "1..9", "selectivity": selectivity, "interval": "exponential 10 s"}
    run = simulate(Scenario.model_validate({**NETWORK, "workload": workload}), tmp_path / selectivity.replace(" %", ""))
    return float(mean(row["header_units"] for row in run.rows("deliveries")) / 400)


@pytest.mark.full
def test_barriers_grow_with_the_selectivity_until_it_is_nearly_full(tmp_path: Path) -> None:
    uniform, half, most, full = (share(tmp_path, f"{selectivity} %") for selectivity in (0, 50, 80, 100))
    assert full < uniform < 0.97 * half < half < most
