"""Options of a named row of a catalogue: how scenarios write them, and their JSON Schemas."""

from collections.abc import Iterable, Mapping

from mobilesim.errors import did_you_mean, shown
from mobilesim.protocols.catalogue_rows import Option, option_without_effect, yaml_text
from mobilesim.scenario.values.validation_error import refuse

Setting = str | int | bool
Settings = tuple[tuple[str, Setting], ...]


def complete_settings(
    name: str, options: Mapping[str, Option], given: Mapping[str, object], *below: str | int
) -> Settings:
    """Return all options with their given or default values, sorted; raise an error for a wrong option or value.

    `below`: the key path to the options.
    """
    checked = {key: _checked(name, options, value, *below, key) for key, value in given.items()}
    if (idle := option_without_effect(options, checked)) is not None:
        key, needed = idle
        raise refuse(f"this option has an effect with '{needed}' only; write that too, or leave it out", *below, key)
    return tuple(sorted((key, checked.get(key, option.default)) for key, option in options.items()))


def changed_settings(options: Mapping[str, Option], settings: Settings) -> dict[str, Setting]:
    """Return the settings that do not have their default values."""
    return {key: value for key, value in settings if value != options[key].default}


def label(name: str, options: Mapping[str, Option], settings: Settings) -> str:
    """Return the name, with the options that do not have their default values."""
    changed = changed_settings(options, settings)
    return " ".join([name, *(f"{key}={yaml_text(value)}" for key, value in changed.items())])


def labelled(text: str, names: Iterable[str], key: str) -> str | None:
    """Return what to write instead of a label with options, like `av3 k=3`; None for other texts."""
    for name in names:
        words = text.removeprefix(f"{name} ").split()
        if text.startswith(f"{name} ") and words and all("=" in word for word in words):
            return f"{{{key}: {', '.join([name, *(word.replace('=', ': ', 1) for word in words)])}}}"
    return None


def _checked(name: str, options: Mapping[str, Option], value: object, *path: str | int) -> Setting:
    key = str(path[-1])
    if key not in options:
        hint, known = did_you_mean(key, sorted(options)), ", ".join(sorted(options)) or "none"
        raise refuse(f"{name} has no such option{hint} (known: {known})", *path)
    option = options[key]
    if isinstance(option.values, range):
        if type(value) is int and value in option.values:
            return value
        raise refuse(f"{shown(value)} is not a whole number in {option.choices}", *path)
    for allowed in option.values:
        if type(allowed) is type(value) and allowed == value:
            return allowed
    choices = [yaml_text(allowed) for allowed in option.values]
    raise refuse(f"{shown(value)} is not one of {', '.join(choices)}{did_you_mean(value, choices)}", *path)


def options_schema(fixed: dict[str, object], options: Mapping[str, Option]) -> dict[str, object]:
    """Return the schema of a mapping with fixed keys, which are required, and with options."""
    free = {
        key: {"description": option.help, "default": option.default, **_allowed(option)}
        for key, option in options.items()
    }
    return {"type": "object", "properties": {**fixed, **free}, "required": list(fixed), "additionalProperties": False}


def _allowed(option: Option) -> dict[str, object]:
    if isinstance(option.values, range):
        return {"type": "integer", "minimum": option.values[0], "maximum": option.values[-1]}
    return {"enum": list(option.values)}
