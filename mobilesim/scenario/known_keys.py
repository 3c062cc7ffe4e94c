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


def keys_at(root: type[Section], at: At) -> list[str]:
    section = root
    for key in at:
        if isinstance(key, str):
            section = next(_sections(section.model_fields[key].annotation))
    return list(section.model_fields)


def unknown_key(root: type[Section], at: At, data: object) -> str:
    """Return the message about the key at `at`, with the nearest known one, which may be in another section."""
    *above, key = at
    keys = keys_at(root, tuple(above))
    return (
        f"unknown key{_hint(root, tuple(above), str(key), data) or did_you_mean(key, keys)} (known: {', '.join(keys)})"
    )


def _hint(root: type[Section], above: At, key: str, data: object) -> str:
    key = _SYNONYMS.get(key, key)
    if key in keys_at(root, above):
        return f"; did you mean '{key}'?"
    section = "".join(f"{part}." for part in above if isinstance(part, str))
    paths = [path for path in _paths(root) if path.startswith(section) and path.endswith(f".{key}")]
    for part in above:
        data = data[part] if isinstance(data, Mapping) and part in data else None
    model = str(data.get("model")).replace("-", "_") if isinstance(data, Mapping) else ""
    paths.sort(key=lambda path: (f".{model}." not in path, path.count(".")))
    return f"; did you mean '{paths[0]}'?" if paths else ""


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
