"""Files that a scenario names, by names that are the same wherever it is read."""

from pathlib import Path
from typing import Any, Final

_FILES: Final = (
    ("cells", "file"),
    ("backbone", "file"),
    ("groups", "graph"),
    ("mobility", "file"),
    ("workload", "replay"),
)


def homed(value: Any, at: tuple[str, ...], folder: Path) -> Any:  # noqa: ANN401 (whatever a scenario may hold)
    """With files that are there by their whole names."""
    if isinstance(value, dict):
        return {key: homed(inner, (*at, key), folder) for key, inner in value.items()}
    if at in _FILES and isinstance(value, str) and "\0" not in value and (folder / value).is_file():
        return str((folder / value).resolve())
    return value
