"""Orderings whose processes pass on messages: their placements, and the records of their runs."""

from pathlib import Path

import pytest

from mobilesim.protocols.catalogue import pair
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from tests.support.radio_ledgers import assert_verified, busy_scenario
from tests.support.simulations import simulate


@pytest.mark.parametrize("placement", ("station", "logical", "flood"))
def test_only_processes_of_hosts_pass_on_messages_of_others(placement: str) -> None:
    with pytest.raises(ValueError, match=r"central (pass on messages of others|send control messages)"):
        pair(placement, "central")


@pytest.mark.full
@pytest.mark.parametrize("location", ("free", "lazy"))
@pytest.mark.parametrize("ordering", ("central", "hierarchy"))
@pytest.mark.parametrize("placement", ("proxy", "resident"))
def test_the_wait_for_representatives_is_inhibition_and_all_parts_of_the_delay_add_up(
    placement: str, ordering: str, location: str, tmp_path: Path
) -> None:
    scenario = busy_scenario("av1", 5).model_dump(mode="json")
    scenario["protocols"] = ({"placement": placement, "ordering": ordering, "location": location},)
    scenario["workload"] |= {"kind": "multicast", "destinations": 2}
    done = simulate(Scenario.model_validate(scenario), tmp_path)
    (run,) = done.rows("runs")
    assert (run["verdict"], run["causal_violations"]) == ("ok", 0)
    waits = [row["inhibition"] for row in done.deliveries if row["source"] != 0]
    assert sum(wait > 0 for wait in waits) > len(waits) / 2
    assert_verified(done)


@pytest.mark.full
@pytest.mark.parametrize("service", ("fifo", "independent"))
@pytest.mark.parametrize("ordering", ("central", "hierarchy"))
def test_in_a_static_network_the_last_copy_has_the_delay_of_the_message(
    ordering: str, service: str, tmp_path: Path
) -> None:
    """The delays of messages are the same for all orderings. The way to the representatives is inhibition."""
    text = (
        "network: static\nhosts: 6\nmessages: 300\nworkload: {kind: multicast, destinations: 3, interval: 5 s}\n"
        f"links: {{delay: exponential 1 s, service: {service}}}\nprotocols: [resident+unordered, resident+{ordering}]\n"
    )
    scenario = loads(text)
    plain, relayed = (simulate(scenario, tmp_path / str(index), index) for index in (0, 1))
    assert relayed.rows("runs")[0]["verdict"] == "ok"
    delays = [
        {(row["message"], row["destination"]): row["wired"] for row in run.deliveries} for run in (plain, relayed)
    ]
    assert delays[0] == delays[1]
    assert sum(row["inhibition"] > 0 for row in relayed.deliveries) > len(relayed.deliveries) / 2
    assert_verified(relayed)
