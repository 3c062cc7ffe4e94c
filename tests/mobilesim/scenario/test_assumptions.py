"""Assumptions that decide comparisons: what is free in a run, and the same scenario under other assumptions."""

from typing import Final

import pytest

from mobilesim.scenario.assumptions import ASSUMPTIONS, free, variants
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario

MIXED: Final = "protocols: [av1, av2, {name: rst, location: free}]\n"


def settings(scenario: Scenario) -> dict[str, dict[str, str]]:
    return {name: {key: change.setting for key, change in each.items()} for name, each in variants(scenario).items()}


def test_a_run_with_free_locations_or_free_processing_says_so() -> None:
    scenario = loads(f"{MIXED}processing: {{per_integer: 0 s}}\n")
    hosts = "hosts process frames in no time (processing.hosts: 0 s)"
    no_time = f"stations process packets in no time (processing: 0 s); {hosts}"
    located = "stations know the cell of every host (location: free)"
    assert [free(scenario, choice) for choice in scenario.protocols] == [no_time, no_time, f"{located}; {no_time}"]
    assert free(loads("protocols: av1"), loads("protocols: av1").protocols[0]) == ""


def test_a_run_whose_hosts_work_in_no_time_says_so() -> None:
    for model in ("fixed", "measured"):
        scenario = loads(f"protocols: av1\nprocessing: {{model: {model}, hosts: {{per_integer: 0 s}}}}\n")
        assert free(scenario, scenario.protocols[0]) == "hosts process frames in no time (processing.hosts: 0 s)"
    scenario = loads("protocols: av1\nprocessing: {per_integer: 0 s, hosts: {fixed: 1 us}}\n")
    assert free(scenario, scenario.protocols[0]) == "stations process packets in no time (processing: 0 s)"


def test_a_location_service_varies_for_the_protocols_that_have_one() -> None:
    found = settings(loads(MIXED))
    assert found["location lazy"] == {
        "protocols": '[{"name": "av1", "location": "lazy"}, {"name": "rst", "location": "lazy"}]'
    }
    assert found["location home"] == {"protocols": '[{"name": "rst", "location": "home"}]'}
    assert found["location free"] == {"protocols": '[{"name": "av1", "location": "free"}]'}


def test_prices_and_bandwidths_vary_around_those_of_the_scenario() -> None:
    found = settings(loads("processing: {per_integer: 1 us}\nwireless: {uplink: 1 Mbit/s, downlink: 3 Mbit/s}\n"))
    assert found["processing / 10"] == {"processing.per_integer": "100 ns"}
    assert found["processing x 10"] == {"processing.per_integer": "10 us"}
    assert found["bandwidth / 2"] == {"wireless.uplink": "500 kbit/s", "wireless.downlink": "1.5 Mbit/s"}
    assert found["shared medium"] == {"wireless.medium": "shared"}


def test_the_price_of_hosts_varies_with_that_of_stations() -> None:
    found = settings(loads("processing: {per_integer: 1 us, hosts: {per_integer: 3 us}}\n"))
    assert found["processing / 10"] == {
        "processing.per_integer": "100 ns",
        "processing.hosts.per_integer": "300 ns",
    }


@pytest.mark.parametrize("name", ("shared medium", "processing x 10"))
def test_a_scenario_that_makes_another_assumption_has_no_such_variant(name: str) -> None:
    other = loads("wireless: {medium: shared}\nprocessing: {model: measured}\n")
    assert name in settings(loads("hosts: 4"))
    assert name not in settings(other)


def test_a_static_network_has_no_variants() -> None:
    assert settings(loads("network: static\nprotocols: rst\nlinks: {delay: 1 ms}\n")) == {}


def test_every_assumption_states_its_default_its_price_and_its_range() -> None:
    for assumption in ASSUMPTIONS:
        assert all((assumption.default, assumption.why, assumption.price, assumption.stated))
    assert len({assumption.name for assumption in ASSUMPTIONS}) == len(ASSUMPTIONS)
