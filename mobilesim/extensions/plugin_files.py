"""Plug-in files: single Python files whose classes are named like those of an installed package."""

import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path
from traceback import walk_tb
from typing import Final

from mobilesim.errors import UserError
from mobilesim.extensions.exception_text import note_author
from mobilesim.extensions.resolution import clear_cache

LOADED: Final[dict[str, Path]] = {}
"""The plug-in files of this process, by the names of their modules."""


def load_plugins(files: Iterable[Path]) -> None:
    """Load each file as a module with the file's name, so that `NAME:Class` is the path of a class in it."""
    for file in files:
        _load(file)


def _load(file: Path) -> None:
    name = file.stem
    if file.suffix != ".py" or not name.isidentifier():
        raise UserError(f"--plugin {file}: expected a Python file with the name of a module, like sparse.py")
    if not file.is_file():
        raise UserError(f"--plugin {file}: there is no such file")
    if name in LOADED and LOADED[name] == file.resolve():
        return
    known = sys.modules[name].__spec__ if name in sys.modules else importlib.util.find_spec(name)
    # Python may find the same file by its name: in the current folder, or as a copy that Spark made for its workers.
    if known is not None and (known.origin is None or not _is_same(Path(known.origin), file)):
        place = known.origin or ", ".join(known.submodule_search_locations or ())
        raise UserError(f"--plugin {file}: there is a module '{name}' already ({place}); rename the file")
    spec = importlib.util.spec_from_file_location(name, file.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    note_author(name)
    try:
        spec.loader.exec_module(module)
    except UserError:
        del sys.modules[name]
        raise
    except Exception as error:  # noqa: BLE001 - any mistake in the file is reported as one line
        del sys.modules[name]
        line, fault = _fault(error, str(file.resolve()))
        raise UserError(f"--plugin {file}:{line}: it cannot be loaded: {type(error).__name__}: {fault}") from None
    LOADED[name] = file.resolve()
    clear_cache()


def _is_same(one: Path, other: Path) -> bool:
    return one.is_file() and one.read_bytes() == other.read_bytes()


def _fault(error: Exception, path: str) -> tuple[int | None, object]:
    """Return the last line of the file that was reached, or that has a wrong syntax, and the message."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno, error.msg
    return [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == path][-1], error
