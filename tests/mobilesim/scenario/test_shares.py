"""Every number from 0 to 1 in a scenario may be written in percent."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from pydantic import BaseModel

from mobilesim.errors import UserError
from mobilesim.scenario.json_schema import schema
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.values.fields import Share

PERCENTAGES: Final = (
    ("wireless.loss", "wireless: {loss: SHARE}", "10 %", 0.1),
    ("wireless.bit_error_rate", "wireless: {bit_error_rate: SHARE}", "0.01%", 0.0001),
    ("mobility.disconnect.probability", "mobility: {disconnect: {probability: SHARE}}", "20 %", 0.2),
    ("mobility.gauss_markov.memory", "mobility: {model: gauss-markov, gauss_markov: {memory: SHARE}}", "90 %", 0.9),
    ("mobility.manhattan.turn", "mobility: {model: manhattan, manhattan: {turn: SHARE}}", "7.5 %", 0.075),
    ("mobility.stampede.share", "mobility: {model: stampede, stampede: {share: SHARE}}", "0 %", 0.0),
    ("backbone.alpha", "backbone: {topology: waxman, alpha: SHARE}", "40 %", 0.4),
    ("workload.replies.probability", "workload: {replies: {probability: SHARE}}", "50 %", 0.5),
    ("workload.selectivity", "workload: {selectivity: SHARE}", "100 %", 1.0),
)


@pytest.mark.parametrize(("key", "text", "percent", "value"), PERCENTAGES)
def test_a_share_in_percent_equals_the_number(key: str, text: str, percent: str, value: float) -> None:
    output, counted = (loads(text.replace("SHARE", str(one)), "x.yaml") for one in (percent, value))
    assert output == counted
    assert output.hash == counted.hash
    found: Any = output
    for part in key.split("."):
        found = getattr(found, part)
    assert found == value


@pytest.mark.parametrize(
    ("text", "fault"),
    (
        ("wireless: {loss: 99.5 %}", "wireless.loss: 0.995 is too much; write 0.99 or less"),
        ("wireless: {loss: -1 %}", "wireless.loss: '-1 %' is not a number from 0 to 1; write one like 0.95, or '95 %'"),
        ("backbone: {topology: waxman, beta: 0 %}", "backbone.beta: 0.0 is too little; write more than 0"),
        ("mobility: {disconnect: {probability: 101 %}}", "mobility.disconnect.probability: 1.01 is too much; "),
        ("wireless: {bit_error_rate: true}", "wireless.bit_error_rate: true is not a number"),
    ),
)
def test_an_invalid_share_is_refused(text: str, fault: str) -> None:
    with pytest.raises(UserError) as refused:
        loads(text, "x.yaml")
    assert str(refused.value).startswith(f"x.yaml:1: {fault}")


def _numbers(section: type[BaseModel], at: str = "") -> Iterator[tuple[str, bool]]:
    """Yield each key of a number from 0 to 1, and whether this number may be written in percent."""
    for name, field in section.model_fields.items():
        bounds = {
            bound: value
            for each in field.metadata
            for bound in ("ge", "gt", "le")
            if (value := getattr(each, bound, None)) is not None
        }
        if field.annotation is float and bounds.get("le", 2) <= 1:
            yield f"{at}{name}", any(isinstance(each, Share) for each in field.metadata)
        for part in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from _numbers(part, f"{at}{name}.")


def test_every_share_may_be_written_in_percent() -> None:
    found = dict(_numbers(Scenario))
    assert {key for key, *_ in PERCENTAGES} <= set(found)
    assert [key for key, written in found.items() if not written] == []


def test_the_schema_accepts_percent() -> None:
    loss = schema()["$defs"]["Wireless"]["properties"]["loss"]
    number, text = loss["anyOf"]
    assert (number["minimum"], number["maximum"], text["examples"]) == (0, 0.99, ["95 %"])
