"""A resolved scenario: its file with all overrides and defaults, and copies of the files it refers to."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from mobilesim.scenario.model import Scenario
from mobilesim.scenario.referenced_files import recorded_name, referenced_files
from mobilesim.scenario.yaml_document import dump

_HEAD: Final = """\
# This scenario as it was run: every setting, with what the command line overrode. To have the same runs again:
#   mobilesim run scenario.yaml --out again
"""


class Record(NamedTuple):
    """`files`: the files that the text refers to, by their names beside it."""

    text: str
    files: Mapping[str, bytes]


def record(scenario: Scenario) -> Record:
    settings: dict[str, Any] = scenario.model_dump(mode="json", exclude_none=True)
    contents: dict[str, bytes] = {}
    for (*above, key), file in referenced_files(scenario):
        name = recorded_name((*above, key), file)
        contents[name] = file.read_bytes()
        _below(settings, above)[key] = name
    return Record(_HEAD + dump(settings), contents)


def _below(settings: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    for key in keys:
        settings = settings[key]
    return settings
