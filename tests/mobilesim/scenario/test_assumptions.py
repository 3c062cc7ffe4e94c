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
    no_time = "stations process packets in no time (processing: 0 s)"
    located = "stations know the cell of every host (location: free)"
    assert [free(scenario, choice) for choice in scenario.protocols] == [no_time, no_time, f"{located}; {no_time}"]
    assert free(loads("protocols: av1"), loads("protocols: av1").protocols[0]) == ""


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
