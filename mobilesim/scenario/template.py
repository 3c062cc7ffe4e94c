"""The scenario that `mobilesim init` writes: every key with its default, explained by the model's own descriptions."""

import json
from collections.abc import Iterator
from textwrap import wrap
from typing import Any, Final, get_args

from pydantic.fields import FieldInfo

from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.base_section import Section

_WIDTH: Final = 100

# Written out, this default would outlive the file's renaming.
_DERIVED: Final = frozenset({"name"})

_HEAD: Final = """\
# A scenario for mobilesim. Every key may be left out: what stands here are the defaults.
# Numbers have units: '500 us', '1.5 s', '2 min' · '64 kbit/s', '1 Mbit/s' · '100 B', '1 KiB' · '830 mW' ·
# '500 m', '1.5 km' · '1.4 m/s', '50 km/h'.
# A time may be drawn: 'constant 7 ms', 'exponential 0.1 s', 'uniform 1 s 3 s', 'pareto 1.5 1 s' (shape, minimum).
# To check this file: `mobilesim validate FILE`; to have an editor check it while you type: `mobilesim schema`.
"""


def template() -> str:
    return "\n".join([_HEAD, *_lines(Scenario, "")])


def _lines(section: type[Section], indent: str) -> Iterator[str]:
    for key, field in section.model_fields.items():
        for line in wrap(field.description or "", _WIDTH - len(indent)):
            yield f"{indent}# {line}"
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
    """A section that is always there, or one that may be left out."""
    kinds = [kind for kind in get_args(field.annotation) or (field.annotation,) if kind is not type(None)]
    only = kinds[0] if len(kinds) == 1 else None
    return only if isinstance(only, type) and issubclass(only, Section) else None


def _yaml(value: Any) -> str:  # noqa: ANN401 (whatever a default is)
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return f"[{', '.join(map(_yaml, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_yaml(part)}' for key, part in value.items())}}}"
    return json.dumps(value)
