"""The keys of sweep files, with their checks."""

from typing import Annotated, Any, Final

from pydantic import BeforeValidator, PlainValidator

from mobilesim.errors import shown
from mobilesim.results.sweeps.design_record import GRID
from mobilesim.scenario.model import Name, Scenario
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sweeps.design import DesignOrKind
from mobilesim.scenario.sweeps.refine import Refine
from mobilesim.scenario.sweeps.replications import NumberOrRule
from mobilesim.scenario.sweeps.variants import Variants
from mobilesim.scenario.values.fields import Flag, optional, setting
from mobilesim.scenario.values.validation_error import refuse

TOGETHER: Final = "together"
OF_SWEEPS: Final = ("name", "protocols", "replications")
ALWAYS_ON: Final = ("trace", "oracle")


def _scenario(raw: object) -> object:
    if isinstance(raw, dict) or (isinstance(raw, str) and raw and "\0" not in raw):
        return raw
    reason = "'scenario' is missing" if raw is None else f"{shown(raw)} is not a scenario"
    raise refuse(f"{reason}; write the name of a bundled scenario or of a file, or the keys of a scenario")


def _mapping(example: str) -> PlainValidator:
    def check(raw: object) -> object:
        if isinstance(raw, dict):
            return raw
        raise refuse(f"{shown(raw)} is not a mapping; write keys below it, like {example}")

    return PlainValidator(check)


def _quick(raw: object) -> object:
    if isinstance(raw, str):
        raise refuse(f"{shown(raw)} is not true or false; write 'quick_duration' below 'set'")
    return raw


class SweepFile(Section):
    name: Name = setting("sweep", "The name in reports; by default, the file's name.")
    scenario: Annotated[str | dict[str, Any], PlainValidator(_scenario)] = optional(
        "The scenario of all points: the name of a bundled scenario, a file relative to this file, or the keys of a "
        "scenario.",
        "quickstart",
    )
    set: Annotated[dict[str, Any], _mapping("messages: 2000")] | None = optional(
        "Overrides of the scenario at all points, by key path.", {"messages": 2000}
    )
    vary: Annotated[dict[str, Any], _mapping("hosts: [10, 20]")] = setting(
        {},
        "The axes: keys of the scenario by their paths, each with a list of values or a range. By default, all "
        "combinations are points.",
        {"hosts": {"from": 10, "to": 40, "step": 10}},
    )
    design: DesignOrKind = setting(
        GRID,
        "Which combinations of the values are points. In a design with a number of points, ranges need no 'step' and "
        "no 'steps'.",
        {"kind": "sobol", "points": 64},
    )
    refine: Refine | None = optional(
        "Adds points along the only axis of a grid where two protocols cross.",
        {"axis": "hosts", "protocols": ["av1", "av2"], "until": 1},
    )
    variants: Variants | None = optional(
        "The changes of each variant by its name; variants are compared with the unchanged scenario.",
        {"slow": {"wireless.bandwidth": "256 kbit/s"}},
    )
    protocols: Any = optional("The protocols to compare at every point, instead of the scenario's.")
    replications: NumberOrRule | None = optional(
        "The number of replications of every point and protocol, instead of the scenario's; or the precision of "
        "means at which no more replications are added.",
        5,
        {"at_least": 4, "at_most": 30, "until": {"delay": "5 %"}},
    )
    quick: Annotated[Flag, BeforeValidator(_quick)] = setting(
        False, "Whether to run only the first and the last value of every axis, with the short runs of `--quick`."
    )

    @classmethod
    def misplaced(cls, key: str) -> str:
        return "; it is a key of scenarios: write it below 'set'" if key in Scenario.model_fields else ""
