"""The modules that are compiled. This list is the only one."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

COMPILED: Final = (
    "mobilesim/protocols/*.py",
    "mobilesim/protocols/handoff/*.py",
    "mobilesim/protocols/orderings/*.py",
    "mobilesim/protocols/orderings/*/*.py",
    "mobilesim/protocols/placements/*.py",
    "mobilesim/explorer/exhaustive_search.py",
    "mobilesim/explorer/exploration.py",
    "mobilesim/explorer/machine_driver.py",
    "mobilesim/explorer/state_encoding.py",
    "mobilesim/explorer/state_store.py",
    "mobilesim/explorer/step_cache.py",
    "mobilesim/explorer/untimed_world.py",
    "mobilesim/oracle/*.py",
    "mobilesim/recording/*.py",
    "mobilesim/results/row_writer.py",
    "mobilesim/tape/packet_kinds.py",
    "mobilesim/tape/tape_builder.py",
    "mobilesim/simulation/*.py",
    "mobilesim/simulation/links/*.py",
    "mobilesim/world/random_streams.py",
    "mobilesim/world/traffic/*.py",
)
"""Patterns of paths below the project's root, written as they are imported: `mobilesim/protocols` is a link."""

INTERPRETED: Final = {
    "*/__init__.py": "contains a docstring only",
    "mobilesim/protocols/catalogue.py": "runs once per run",
    "mobilesim/protocols/catalogue_rows.py": "runs once per run",
    "mobilesim/protocols/frozen_value.py": "makes dataclasses of interpreted classes",
    "mobilesim/protocols/state.py": "is a thin layer over pickle and marshal, and their hooks are interpreted classes",
    "mobilesim/oracle/fault_attribution.py": "runs once after a failure",
    "mobilesim/simulation/counters.py": "runs once per run",
    "mobilesim/simulation/final_tables.py": "runs once per run",
    "mobilesim/simulation/overload.py": "runs once per run",
    "mobilesim/simulation/simpy_environment.py": "is derived from SimPy's interpreted classes",
}
"""Exceptions to the patterns, each with its reason."""

NATIVE: Final = {
    "mobilesim/explorer/state_store.py": "native/state_store.py",
    "mobilesim/results/row_writer.py": "native/row_writer.py",
}
"""Modules with another source in the compiled core, and the path of this source below the folder of this file."""


def compiled_modules(root: Path) -> list[str]:
    """Return the paths of the compiled modules below the project's root, sorted."""
    return sorted({path for pattern in COMPILED for path in _matching(root, pattern) if not _is_interpreted(path)})


def module_name(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _matching(root: Path, pattern: str) -> Iterator[str]:
    return (path.relative_to(root).as_posix() for path in root.glob(pattern))


def _is_interpreted(path: str) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in INTERPRETED)
