"""Stamps of `mr` without sequence numbers: one integer for each group, and refused where channels are not FIFO."""

from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.api.exploring import explore
from mobilesim.errors import UserError
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from tests.support.simulations import simulate

GROUPS: Final = {"hosts": 8, "seed": 3, "messages": 300, "groups": {"rule": "ring", "size": 3}}
MESH: Final = {"network": "static", "links": {"delay": "exponential 1 s"}, "workload": {"interval": "exponential 2 s"}}
CELLS: Final = {
    "cells": 4,
    "backbone": {"fifo": True, "jitter": "exponential 40 ms"},
    "mobility": {"model": "static"},
    "wireless": {"loss": 0.1},
    "workload": {"interval": "exponential 100 ms"},
}


def headers(tmp_path: Path, placement: str, world: dict[str, Any], **options: bool) -> set[int]:
    """Return the numbers of integers in the headers of delivered messages, in a run without faults."""
    protocol = {"placement": placement, "ordering": "mr", **options}
    run = simulate(Scenario.model_validate({**GROUPS, **world, "protocols": [protocol]}), tmp_path / str(options))
    assert run.outcome.verdict == "ok"
    assert len(run.deliveries) == 2 * run.simulation.sent
    return {row["header_integers"] for row in run.rows("deliveries")}


@pytest.mark.parametrize(("placement", "world"), (("resident", MESH), ("resident", CELLS), ("proxy", CELLS)))
def test_without_numbers_a_stamp_has_one_integer_less(placement: str, world: dict[str, Any], tmp_path: Path) -> None:
    assert headers(tmp_path, placement, world) == {9}
    assert headers(tmp_path, placement, world, numbered=False) == {8}


@pytest.mark.parametrize(
    ("world", "remedy"),
    (
        ("network: static\nlinks: {service: independent}", "'links: {service: fifo}'"),
        ("mobility: {model: static}", "'mobility: {model: static}' and 'backbone: {fifo: true}'"),
        ("backbone: {fifo: true}", "'mobility: {model: static}' and 'backbone: {fifo: true}'"),
    ),
)
def test_without_numbers_a_scenario_whose_channels_are_not_fifo_is_refused(world: str, remedy: str) -> None:
    text = f"protocols: {{placement: resident, ordering: mr, numbered: false}}\ngroups: [[0, 1, 2]]\n{world}\n"
    reason = "with 'numbered: false', mr needs FIFO channels between hosts"
    with pytest.raises(UserError) as refusal:
        loads(text, "x.yaml")
    assert str(refusal.value) == f"x.yaml:1: protocols[0]: {reason}; write {remedy}, or leave this option out"
    assert loads(text.replace("false", "true", 1), "x.yaml").hosts == 20


def test_without_numbers_the_explorer_requires_fifo_channels() -> None:
    options = {"numbered": False}
    reason = r"^resident\+mr: with 'numbered: false', mr needs FIFO channels between hosts; write `fifo` and moves=0"
    for fifo, moves in ((False, 0), (True, 1)):
        with pytest.raises(UserError, match=reason):
            explore("resident+mr", options=options, fifo=fifo, moves=moves)
    assert explore("resident+mr", options=options, fifo=True, moves=0)
