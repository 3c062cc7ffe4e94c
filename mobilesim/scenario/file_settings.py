"""The files that a scenario names, wherever in it."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

from pydantic import BaseModel

Named = tuple[tuple[str, ...], Path]
"""The keys that lead to a file, and the file."""


def files(part: object, keys: tuple[str, ...] = ()) -> Iterator[Named]:
    if isinstance(part, Path):
        yield keys, part
    elif isinstance(part, BaseModel):
        for name in type(part).model_fields:
            yield from files(getattr(part, name), (*keys, name))
    elif is_dataclass(part):
        for field in fields(part):
            yield from files(getattr(part, field.name), (*keys, field.name))


def beside(keys: tuple[str, ...], path: Path) -> str:
    """What it is called where it lies beside a record of its scenario."""
    return keys[0] + "".join(suffix for suffix in path.suffixes if suffix[1:].replace("_", "").isalnum()).lower()
