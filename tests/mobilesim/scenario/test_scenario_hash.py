"""Hashes of scenarios, and thus ids of runs, do not change when keys are added."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sections.mobility_models import ON_PLANE

PINNED: Final = Path(__file__).with_name("defaults.json")
CELLS: Final = "hosts: 50\ncells: 16\nmobility: {model: waypoint, waypoint: {max_speed: 5 m/s}}\nwireless: {loss: 1 %}"
STATIC: Final = "network: static\nhosts: 12\nmessages: 500\ngroups: {rule: ring, size: 3}\nprotocols: resident+isis"


@pytest.mark.parametrize(
    ("text", "identity"), (("seed: 1", "ef1424cb5c9d0ebc"), (CELLS, "370c02227ba64325"), (STATIC, "bcf4e61fd8e4165e"))
)
def test_a_hash_is_the_same_in_every_version(text: str, identity: str) -> None:
    assert loads(text).hash == identity


def test_no_default_has_changed() -> None:
    """Add the default of a new key to the file. A changed default also requires a new `_VERSION` of the hash, because
    hashes omit defaults.
    """
    assert defaults() == json.loads(PINNED.read_text(encoding="utf-8"))


def defaults() -> dict[str, Any]:
    """Return the default scenarios of both networks, and the settings of every mobility model."""
    models = ("trips", *(model for model in ON_PLANE if model != "track"))
    found = {"cells": Scenario(), "static": loads("network: static")}
    moving = {model: loads(f"mobility: {{model: {model}}}").model_dump(mode="json")["mobility"] for model in models}
    return {**{name: scenario.model_dump(mode="json") for name, scenario in found.items()}, **moving}


def test_a_new_key_with_its_default_changes_no_hash() -> None:
    class Wireless(Section):
        loss: float = 0.0
        added: int = 5

    assert Wireless(loss=0.5).is_default("added")
    assert not Wireless(added=6).is_default("added")


def test_the_normal_form_has_only_settings_that_differ_from_the_defaults() -> None:
    assert loads("hosts: 20\nseed: 7\nwireless: {loss: 0.0, latency: 1 ms}").normal_form() == {
        "seed": 7,
        "wireless": {"latency": "1 ms"},
    }
