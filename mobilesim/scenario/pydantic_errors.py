"""Messages for Pydantic's validation errors."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from mobilesim.errors import did_you_mean, shown
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.validation_error import FAULTS, Fault, refusal

_Model = TypeVar("_Model", bound=Section)


def faults_of(error: ValidationError, root: type[Section], data: object) -> Iterator[Fault]:
    """Yield all faults with their key paths. `root`: the model. `data`: the validated data."""
    for details in error.errors(include_url=False):
        yield from _faults(details, root, data)


def nested(model: type[_Model], raw: object, context: object = None) -> _Model:
    """Validate a part of the data in a validator of the whole. Hints for unknown keys then name keys of the part."""
    try:
        return model.model_validate(raw, context=context)
    except ValidationError as error:
        raise refusal(*faults_of(error, model, raw)) from None


def _faults(details: ErrorDetails, root: type[Section], data: object) -> Iterator[Fault]:
    at = tuple(part for part in details["loc"] if part != "[key]")
    match details["type"]:
        case kind if kind == FAULTS:
            yield from (fault.under(*at) for fault in details["ctx"]["faults"])
        case "extra_forbidden":
            yield Fault(_unknown_key(root, at, data), at)
        case "missing" if isinstance(at[-1], str):
            yield Fault(f"'{at[-1]}' is missing", at[:-1])
        case "missing" | "too_long":
            yield Fault("write two numbers, like [0, 1]", at[:-1] if details["type"] == "missing" else at)
        case kind:
            yield Fault(_sentence(kind, details), at)


def _sentence(kind: str, details: ErrorDetails) -> str:
    subject = shown(details["input"])
    if kind in _WANTED:
        wanted, empty = _WANTED[kind], details["input"] is None
        return f"it is empty; write {wanted}" if empty else f"{subject} is not {wanted}{_unquote(details)}"
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        return f"{subject} is {words.format(_number(details['ctx'][key]))}"
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", details["ctx"]["expected"])
        return f"{subject} is not one of {', '.join(choices)}{did_you_mean(details['input'], choices)}"
    if kind == "value_error":
        return str(details["ctx"]["error"])
    return f"{subject} is invalid: {details['msg'][:1].lower()}{details['msg'][1:]}"


def _unquote(details: ErrorDetails) -> str:
    text = details["input"]
    quoted = isinstance(text, str) and re.fullmatch(r"[0-9.]+|true|false", text)
    return f"; write {text} without quotes" if quoted and not details["type"].startswith("string") else ""


def _number(bound: Any) -> str:  # noqa: ANN401 - any bound of a constraint
    return str(bound) if isinstance(bound, int) else f"{bound:.15g}"


_WANTED: Final[Mapping[str, str]] = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "a text (a text that looks like another value needs quotes)",
    "string_unicode": "a readable text",
    "string_too_short": "a text of at least one character",
    "string_too_long": "a text of at most 100 characters",
    "tuple_type": "a list",
    "dict_type": "a mapping",
}

_BOUNDS: Final[Mapping[str, tuple[str, str]]] = {
    "greater_than": ("gt", "too little; write more than {}"),
    "greater_than_equal": ("ge", "too little; write {} or more"),
    "less_than": ("lt", "too much; write less than {}"),
    "less_than_equal": ("le", "too much; write {} or less"),
}

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
"""Terms of other tools, each with the key of the same meaning, which `did_you_mean` would not find."""


def _unknown_key(root: type[Section], at: tuple[str | int, ...], data: object) -> str:
    """Return a message for an unknown key. The message proposes the most similar key, possibly in another section."""
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
    others = (path for path in _paths(root) if path != above + key)
    paths = [path for path in others if path.startswith(above) and path.endswith(f".{key}")]
    model = str(data.get("model")).replace("-", "_") if isinstance(data, Mapping) else ""
    return min(paths, key=lambda path: (f".{model}." not in path, path.count(".")), default=None)


def _paths(section: type[Section], above: str = "") -> Iterator[str]:
    for key, field in section.model_fields.items():
        yield above + key
        if get_origin(field.annotation) is not tuple:  # keys in the elements of a list have no path
            for inner in _sections(field.annotation):
                yield from _paths(inner, f"{above}{key}.")


def _sections(annotation: Any) -> Iterator[type[Section]]:  # noqa: ANN401 - any annotation of a field
    for part in (annotation, *get_args(annotation)):
        if isinstance(part, type) and issubclass(part, Section):
            yield part
