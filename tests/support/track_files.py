"""What readers make of files of movement."""

from pathlib import Path
from typing import Final

from mobilesim.tracks import Position, read

DATA: Final = Path(__file__).parent / "tracks"
SECOND: Final = 10**9

Seen = tuple[float, float, float, bool]


def seen(path: Path | str, format: str | None = None) -> dict[str, list[Seen]]:  # noqa: A002 - as the reader calls it
    """By node; times in seconds."""
    return by_node(list(read(path, format)))


def by_node(positions: list[Position]) -> dict[str, list[Seen]]:
    found: dict[str, list[Seen]] = {}
    for position in positions:
        found.setdefault(position.node, []).append((position.time / SECOND, position.x, position.y, position.here))
    return found


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
