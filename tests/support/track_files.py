"""Track files for tests, and the positions in them by node."""

from pathlib import Path
from typing import Final

from mobilesim.tracks import Position, Reading

DATA: Final = Path(__file__).parent / "tracks"
SECOND: Final = 10**9

Row = tuple[float, float, float, bool]


def read_by_node(path: Path | str, format: str | None = None) -> dict[str, list[Row]]:  # noqa: A002 - as the reader calls it
    """Return the positions of each node, with times in seconds."""
    return by_node(list(Reading(path, format)))


def by_node(positions: list[Position]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for position in positions:
        found.setdefault(position.node, []).append((position.time / SECOND, position.x, position.y, position.here))
    return found


def write_file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
