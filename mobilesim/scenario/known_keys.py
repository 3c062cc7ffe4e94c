"""The keys of a tree of sections, and suggestions for unknown keys."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

from mobilesim.errors import did_you_mean
from mobilesim.scenario.sections.base_section import Section

At = tuple[str | int, ...]

_SYNONYMS: Final[Mapping[str, str]] = {
    "stations": "cells",
    "nodes": "hosts",
    "users": "hosts",
    "runs": "replications",
    "repetitions": "replications",
    "algorithms": "protocols",
    "time": "duration",
    "slowest": "min_speed",
    "fastest": "max_speed",
}
"""Synonyms from other tools that do not resemble the keys."""


def unknown_key(root: type[Section], at: At, data: object) -> str:
    """Return the message about the key at `at`, with the nearest known one, which may be in another section."""
    *above, key = at
    section, prefix = root, ""
    for part in above:
        data = data[part] if isinstance(data, Mapping) and part in data else None
        if isinstance(part, str):
            section, prefix = next(_sections(section.model_fields[part].annotation)), f"{prefix}{part}."
    keys = [field.alias or name for name, field in section.model_fields.items()]
    meant = _SYNONYMS.get(str(key), str(key))
    path = meant if meant in keys else _path(root, prefix, meant, data)
    hint = f"; did you mean '{path}'?" if path else section.misplaced(str(key)) or did_you_mean(key, keys)
    return f"unknown key{hint} (known: {', '.join(keys)})"


def _path(root: type[Section], above: str, key: str, data: object) -> str | None:
    paths = [
        path for path in _paths(root) if path.startswith(above) and path.endswith(f".{key}") and path != above + key
    ]
    model = str(data.get("model")).replace("-", "_") if isinstance(data, Mapping) else ""
    return min(paths, key=lambda path: (f".{model}." not in path, path.count(".")), default=None)


def _paths(section: type[Section], above: str = "") -> Iterator[str]:
    for key, field in section.model_fields.items():
        yield above + key
        for inner in _sections(field.annotation):
            yield from _paths(inner, f"{above}{key}.")


def _sections(annotation: Any) -> Iterator[type[Section]]:  # noqa: ANN401 - as pydantic has annotations
    """Yield the section classes of a field, also of optional fields and lists."""
    for part in (annotation, *get_args(annotation)):
        if isinstance(part, type) and issubclass(part, Section):
            yield part
