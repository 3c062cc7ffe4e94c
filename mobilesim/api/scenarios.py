"""Scenarios from names, files, mappings and typed sections, with changes given as Python values."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel

from mobilesim.api.sections import Mobility, MobilityModel
from mobilesim.errors import UserError, python_call, shown
from mobilesim.scenario.bundled import find
from mobilesim.scenario.loader import Change, load, loads
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.mobility_models import whole_section
from mobilesim.scenario.values.fields import setting
from mobilesim.scenario.yaml_document import as_text

Source = str | Path | Mapping[str, object] | Scenario
"""A bundled scenario's name, a file, the keys of a scenario with values as in YAML, or a typed scenario."""


if TYPE_CHECKING:

    class TypedScenario(Scenario):
        """A scenario that has a section `mobility`, or a mobility model in its place."""

        mobility: Mobility | MobilityModel = setting({}, "")  # type: ignore[assignment]

else:
    TypedScenario = Scenario


@python_call()
def load_scenario(source: Source, changes: Mapping[str, object] | None = None, /, **settings: object) -> TypedScenario:
    """Return a scenario. Values are as in YAML; those of `changes` have dotted keys such as `mobility.dwell`.

    >>> import mobilesim as ms
    >>> ms.load_scenario("quickstart", {"mobility.dwell": "exponential 5 s"}, hosts=20).hosts
    20
    >>> ms.load_scenario("quickstart", hosts=0)
    Traceback (most recent call last):
    mobilesim.errors.UserError: hosts: 0 is too little; write 1 or more
    """
    overrides = changes_of({**(changes or {}), **settings})
    if isinstance(source, str | Path):
        found = load(find(source), overrides)
    else:
        found = loads(yaml_text(source), "<scenario>", overrides)
    return cast("TypedScenario", found)


def changes_of(settings: Mapping[str, object]) -> dict[str, Change]:
    return {key: Change(yaml_text(_whole(key, value)), key) for key, value in settings.items()}


def yaml_text(value: object) -> str:
    """Return a Python value as YAML text. Typed sections may be anywhere in the value."""
    return as_text(_plain(value))


def _whole(key: str, value: object) -> object:
    return whole_section(value) if key == "mobility" else value


def _plain(value: object) -> Any:  # noqa: ANN401 - any YAML value
    match value:
        case BaseModel():
            return value.model_dump(mode="json", exclude_unset=True)
        case Path():
            return str(value)
        case Mapping():
            return {str(key): _plain(_whole(str(key), inner)) for key, inner in value.items()}
        case list() | tuple() | set() | frozenset() | range():
            return [_plain(inner) for inner in value]
        case str() | int() | float() | None:
            return value
    remedy = "write texts, numbers, lists and mappings"
    raise UserError(f"{shown(value)}: not a value that YAML can have; {remedy}")
