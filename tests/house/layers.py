"""The layers of the product's rooms (packages). Tests check this list, and docs/architecture.md shows it as a diagram.
A room may import itself and rooms of lower layers. This also applies to lazy imports and imports for type checkers.
Rooms of one layer do not import each other. A room includes its sub-packages. Two files belong to no room:
`mobilesim/__init__.py` re-exports the names for users, and `mobilesim/__main__.py` starts the command line.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from tests.house.imports import imports
from tests.house.tree import ROOMS as PACKAGES
from tests.house.tree import ROOT, Source

LAYERS: Final[tuple[tuple[str, ...], ...]] = (
    ("protocols", "mobilesim.errors"),
    ("protocols.clocks", "protocols.handoff", "mobilesim.extensions", "mobilesim.files", "mobilesim.statistics"),
    ("protocols.orderings", "mobilesim.clocks", "mobilesim.results", "analysis.statistics"),
    (
        "protocols.placements",
        "mobilesim.oracle",
        "mobilesim.geometry",
        "mobilesim.tape",
        "mobilesim.causes",
        "analysis.spark",
    ),
    ("mobilesim.explorer", "mobilesim.scenario", "mobilesim.tracks", "mobilesim.viewing", "analysis.summary"),
    ("mobilesim.world", "mobilesim.recording", "analysis.figures", "analysis.sweeps"),
    ("mobilesim.contract", "mobilesim.simulation", "mobilesim.drawing", "analysis.report", "analysis.verify"),
    ("mobilesim.experiments", "analysis.pipeline"),
    ("mobilesim.conformance", "analysis.decisions"),
    ("mobilesim.api",),
    ("mobilesim.cli",),
)
"""The layers, the lowest first."""

LEVEL: Final = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
MOST_FILES: Final = 14


def room_of(module: str) -> str | None:
    """Return the listed room of a module, or None."""
    parts = module.split(".")
    names = (".".join(parts[:length]) for length in (2, 1))
    return next((name for name in names if name in LEVEL), None)


def module_of(source: Source) -> str:
    parts = source.path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def files_without_room(sources: Iterable[Source]) -> list[str]:
    """Return the files of the product that belong to no room."""
    roots = {"mobilesim", "mobilesim.__main__", "analysis", "protocols"}
    return [
        f"{source.path}: belongs to no room of tests/house/layers.py"
        for source in sources
        if source.room in PACKAGES and module_of(source) not in roots and room_of(module_of(source)) is None
    ]


def upward(source: Source) -> list[str]:
    """Return the imports of a file from other rooms of its own layer or of a higher layer."""
    room = room_of(module_of(source))
    if room is None:
        return []
    return [
        f"{source.path}:{found.line}: {room} (layer {LEVEL[room]}) imports {found.module} (layer {LEVEL[other]})"
        for found in imports(source)
        if (other := room_of(found.module)) not in {None, room} and LEVEL[other] >= LEVEL[room]
    ]


def crowded(sources: Iterable[Source]) -> Iterator[str]:
    """Yield the packages with too many files; `__init__.py` is not counted."""
    files = Counter(
        ".".join(source.path.parts[:-1])
        for source in sources
        if source.room in PACKAGES and source.path.name != "__init__.py"
    )
    for package, count in sorted(files.items()):
        if count > MOST_FILES:
            yield f"{package}: {count} files, at most {MOST_FILES}"


def picture() -> str:
    """Return the layers as a Mermaid diagram, the highest layer on top, as in docs/architecture.md."""
    lines = ["```mermaid", "flowchart TB"]
    for level in reversed(range(len(LAYERS))):
        rooms = "; ".join(f'{room.replace(".", "_")}["{room}"]' for room in LAYERS[level])
        lines.append(f'    subgraph L{level}["layer {level}"]\n        direction LR\n        {rooms}\n    end')
    lines += [f"    L{level} --> L{level - 1}" for level in reversed(range(1, len(LAYERS)))]
    return "\n".join([*lines, "```"])


def with_picture(page: str) -> str:
    """Return the page with a new diagram of LAYERS between the comments BEGIN and END."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{picture()}\n\n{END}{after}"


PAGE: Final = ROOT / "docs" / "architecture.md"
BEGIN: Final = "<!-- layers: `python -m tests.house.layers` writes this diagram -->"
END: Final = "<!-- end of layers -->"

if __name__ == "__main__":
    PAGE.write_text(with_picture(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
