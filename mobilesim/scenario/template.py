"""The scenarios that `mobilesim init` writes: keys with their defaults and their descriptions in the model.

The short scenario has the usual keys. The full scenario has all keys.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Final, Literal, get_args, get_origin

import yaml
from pydantic.fields import FieldInfo

from mobilesim.scenario.model import DURATION, Scenario
from mobilesim.scenario.sections.base_section import Section

# The default name is the name of the file.
_DERIVED: Final = frozenset({"name"})

_SECTIONS: Final = ("cells", "backbone", "wireless", "mobility", "workload")
_USUAL: Final[Mapping[str, Sequence[str]]] = {
    "": ("seed", "replications", "protocols", "duration", "hosts", *_SECTIONS),
    "cells": ("shape", "rows", "columns"),
    "backbone": ("topology", "latency", "bandwidth", "jitter"),
    "wireless": ("bandwidth", "latency", "loss"),
    "mobility": ("model", "dwell", "next", "gap", "disconnect"),
    "mobility.disconnect": ("probability", "duration"),
    "workload": ("interval", "kind", "destinations", "payload"),
}

_HEAD: Final = """\
# A scenario for mobilesim. All keys are optional; the values below are the defaults.
# Quantities have units: '500 us', '1.5 s', '2 min' · '64 kbit/s', '1 Mbit/s' · '100 B', '1 KiB' · '830 mW' ·
# '500 m', '1.5 km' · '1.4 m/s', '50 km/h'.
# A time may be a distribution: 'constant 7 ms', 'exponential 0.1 s', 'uniform 1 s 3 s', 'pareto 1.5 1 s'
# (shape, minimum).
# To check this file: `mobilesim validate FILE`; for checks in an editor: `mobilesim schema`.
"""

_SHORT_HEAD: Final = """\
# A scenario for mobilesim, with the usual keys and their defaults. All keys are optional.
# A time may be a distribution: 'constant 7 ms', 'exponential 0.1 s', 'uniform 1 s 3 s', 'pareto 1.5 1 s'.
# `mobilesim init --full` writes all keys with explanations, and `mobilesim validate FILE` checks a file.
"""
_CLAUSE: Final = re.compile(r"[A-Z].*?(?=[.:;] | \(|\.$)")
_LONGEST_COMMENT: Final = 110
_QUOTED: Final = re.compile(r"'([\w-]+)'")


def template() -> str:
    return "\n".join([_HEAD, *_lines(Scenario, "")])


def short_template() -> str:
    return "\n".join([_SHORT_HEAD, *_usual_lines(Scenario, "", "")]) + "\n"


def _usual_lines(section: type[Section], path: str, indent: str) -> Iterator[str]:
    for key in _USUAL[path]:
        field = section.model_fields[key]
        if inner := _section(field):
            yield f"{indent}{key}:" if indent else f"\n{key}:"
            yield from _usual_lines(inner, f"{path}.{key}".removeprefix("."), f"{indent}  ")
        else:
            entry = f"{indent}{key}: {DURATION if field.default is None else _yaml(field.default)}"
            yield f"{entry:<29} # {_short_comment(field)}"


def _short_comment(field: FieldInfo) -> str:
    """Return the first clause of the description and the values of a choice."""
    text = field.description or ""
    if text.startswith("'"):  # the description is a list of the values
        return ", ".join(_QUOTED.findall(text))
    found = _CLAUSE.match(text)
    clause = found[0] if found else text
    choices = _choices(field.annotation)
    values = f": {', '.join(choices)}" if len(choices) > 1 else ""
    if len(clause + values) > _LONGEST_COMMENT:
        clause = clause.partition(",")[0]
    return clause + values


def _choices(annotation: object) -> list[str]:
    if get_origin(annotation) is Literal:
        return [str(each) for each in get_args(annotation)]
    return [choice for part in get_args(annotation) for choice in _choices(part)]


def _comment(text: str, indent: str) -> Iterator[str]:
    yield from (f"{indent}# {line}" for line in wrap(text, 100 - len(indent)))


def _lines(section: type[Section], indent: str) -> Iterator[str]:
    for key, field in section.model_fields.items():
        yield from _comment(field.description or "", indent)
        yield from _entry(key, field, indent)
        if not indent:
            yield ""


def _entry(key: str, field: FieldInfo, indent: str) -> Iterator[str]:
    section = _section(field)
    if section is not None and field.default is None:
        yield f"{indent}# {key}:"
        yield from (f"{indent}# {line}" for line in _lines(section, "  "))
    elif section is not None:
        yield f"{indent}{key}:"
        yield from _lines(section, f"{indent}  ")
    elif field.is_required() and field.examples:
        yield f"{indent}{key}: {_yaml(field.examples[0])}"
    elif field.default is None or key in _DERIVED:
        yield f"{indent}# {key}: {_yaml((field.examples or ['...'])[0])}"
    else:
        yield f"{indent}{key}: {_yaml(field.default)}"


def _section(field: FieldInfo) -> type[Section] | None:
    kinds = [kind for kind in get_args(field.annotation) or (field.annotation,) if kind is not type(None)]
    only = kinds[0] if len(kinds) == 1 else None
    return only if isinstance(only, type) and issubclass(only, Section) else None


def _yaml(value: object) -> str:
    return yaml.safe_dump([value], default_flow_style=True, sort_keys=False, width=1000)[1:-2]
