"""The input of the project's rules: all text files, and Python files with their syntax trees."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
ROOMS: Final = ("protocols", "mobilesim", "analysis")
FOLDERS: Final = (*ROOMS, "compiled_core", "scenarios", "tests", "benchmarks", "docs", "examples", "viewer", ".ci")


@dataclass(frozen=True)
class Source:
    """A file with its path below the project root."""

    path: PurePosixPath
    text: str

    @property
    def room(self) -> str:
        return self.path.parts[0]

    @property
    def is_python(self) -> bool:
        return self.path.suffix == ".py"

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, filename=str(self.path))

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree; every rule reads them."""
        return tuple(ast.walk(self.tree))

    def is_below(self, *folders: str) -> bool:
        return any(self.path.is_relative_to(folder) for folder in folders)


def planted(path: str, text: str) -> Source:
    return Source(PurePosixPath(path), text)


@cache
def sources() -> tuple[Source, ...]:
    """Return every text file of the project, including files that are not yet under version control."""
    return tuple(
        Source(PurePosixPath(path.relative_to(ROOT).as_posix()), path.read_text(encoding="utf-8")) for path in _files()
    )


@cache
def python() -> tuple[Source, ...]:
    return tuple(source for source in sources() if source.is_python)


def _files() -> Iterator[Path]:
    yield from (path for path in sorted(ROOT.iterdir()) if path.is_file() and path.suffix != ".log")
    for folder in FOLDERS:
        yield from (path for path in sorted((ROOT / folder).rglob("*")) if _is_text(path))


def _is_text(path: Path) -> bool:
    below = path.relative_to(ROOT).parts[1:]
    hidden = any(part.startswith(".") or part in {"__pycache__", "node_modules"} for part in below)
    return path.is_file() and not hidden and path.suffix not in {".gz", ".parquet", ".png"}
