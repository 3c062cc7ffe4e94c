"""The files that a scenario refers to: their paths, and their names beside a recorded scenario."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

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
    """Yield all files that a scenario, or a part of it below `keys`, names."""
    if isinstance(part, Path):
        yield keys, part
    elif isinstance(part, BaseModel):
        for name in type(part).model_fields:
            yield from referenced_files(getattr(part, name), (*keys, name))


def recorded_name(keys: tuple[str, ...], path: Path) -> str:
    """Return the name of the copy beside a recorded scenario."""
    return keys[0] + "".join(suffix for suffix in path.suffixes if suffix[1:].replace("_", "").isalnum()).lower()


def with_absolute_files(value: Any, at: tuple[str, ...], folder: Path) -> Any:  # noqa: ANN401 - any YAML data
    """Return `value`, which is at the key path `at`, with the names of existing files made absolute."""
    if isinstance(value, dict):
        return {key: with_absolute_files(inner, (*at, key), folder) for key, inner in value.items()}
    if at in _FILE_KEYS and isinstance(value, str) and "\0" not in value and (folder / value).is_file():
        return str((folder / value).resolve())
    return value
