"""The files that a scenario names, and the record of a scenario with copies of these files."""

from collections.abc import Iterator, Mapping
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic import BaseModel

from mobilesim.scenario.yaml_document import as_text, dump

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

ReferencedFile = tuple[tuple[str, ...], Path]
"""The keys that lead to a file, and the file."""

_FILE_KEYS: Final = (
    ("cells", "file"),
    ("backbone", "file"),
    ("groups", "graph"),
    ("mobility", "track", "file"),
    ("workload", "replay"),
)


def referenced_files(part: object, keys: tuple[str, ...] = ()) -> Iterator[ReferencedFile]:
    """Yield all files that a scenario names. `part`: the scenario, or the value at the key path `keys`."""
    if isinstance(part, Path):
        yield keys, part
    elif isinstance(part, BaseModel):
        for name in type(part).model_fields:
            yield from referenced_files(getattr(part, name), (*keys, name))


def as_setting(key: str, value: object, folder: Path) -> str:
    """Return the text of an override of `key`. The names of files, relative to `folder`, become absolute."""
    return as_text(with_absolute_files(value, tuple(key.split(".")), folder))


def with_absolute_files(value: Any, at: tuple[str, ...], folder: Path) -> Any:  # noqa: ANN401 - any YAML data
    """Return the value at the key path `at`, in which the names of existing files are absolute."""
    if isinstance(value, dict):
        return {key: with_absolute_files(inner, (*at, key), folder) for key, inner in value.items()}
    if at in _FILE_KEYS and isinstance(value, str) and "\0" not in value and (folder / value).is_file():
        return str((folder / value).resolve())
    return value


_HEAD: Final = """\
# The scenario as it was run: all settings, including those of the command line. To repeat the runs:
#   mobilesim run scenario.yaml --out again
"""


class Record(NamedTuple):
    """The text of a scenario with all overrides and defaults, and the contents of its files, by new name."""

    text: str
    files: Mapping[str, bytes]


def record(scenario: "Scenario") -> Record:
    settings: dict[str, Any] = scenario.model_dump(mode="json", exclude_none=True)
    contents: dict[str, bytes] = {}
    for (*above, key), file in referenced_files(scenario):
        suffixes = (suffix for suffix in file.suffixes if suffix[1:].replace("_", "").isalnum())
        name = f"{above[0]}{''.join(suffixes).lower()}"
        contents[name] = file.read_bytes()
        reduce(getitem, above, settings)[key] = name
    return Record(_HEAD + dump(settings), contents)
