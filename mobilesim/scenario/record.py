"""A scenario as a file that says everything: what was overridden, every default, and the graphs it needs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from mobilesim.scenario.document import resolvers
from mobilesim.scenario.groups import Links
from mobilesim.scenario.model import Scenario

FILE: Final = "scenario.yaml"
GRAPHS: Final = {"cells": "cells.graphml", "backbone": "backbone.graphml"}
GROUPS: Final = "groups.graphml"

_HEAD: Final = """\
# This scenario as it was run: every setting, with what the command line overrode. To have the same runs again:
#   mobilesim run scenario.yaml --out again
"""


class Record(NamedTuple):
    """`graphs`: the files that the text names, to lie beside it."""

    text: str
    graphs: Mapping[str, bytes]


class _Dumper(yaml.SafeDumper):
    """Quotes what the loader would not read as a text."""

    yaml_implicit_resolvers = resolvers()


def record(scenario: Scenario) -> Record:
    settings: dict[str, Any] = scenario.model_dump(mode="json", exclude_none=True)
    graphs: dict[str, bytes] = {}
    for section, name in GRAPHS.items():
        file: Path | None = getattr(scenario, section).file
        if file is not None:
            graphs[name] = file.read_bytes()
            settings[section]["file"] = name
    if isinstance(scenario.groups, Links) and isinstance(scenario.groups.graph, Path):
        graphs[GROUPS] = scenario.groups.graph.read_bytes()
        settings["groups"]["graph"] = GROUPS
    if scenario.cells.shape == "graph":
        for key in ("rows", "columns"):
            del settings["cells"][key]
    return Record(_HEAD + yaml.dump(settings, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120), graphs)
