"""From a name in a scenario or on the command line to the declared class or function of another package.

A name is a path `package.module:Name`, or the name of an entry point of an installed package.
"""

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from functools import cache
from importlib import import_module
from importlib.metadata import Distribution, EntryPoint, distribution, distributions, packages_distributions
from itertools import chain
from pathlib import Path
from typing import Any, Final

from mobilesim.errors import UserError, suggestion
from mobilesim.extensions.declarations import ATTRIBUTE, CONTRACT_VERSION, Declaration
from mobilesim.extensions.exception_text import described, note_author
from mobilesim.protocols.frozen_value import value

_PATH: Final = re.compile(r"(?P<module>[A-Za-z_]\w*(\.[A-Za-z_]\w*)*):(?P<symbol>[A-Za-z_]\w*)")


class Kind(StrEnum):
    """What a package may declare. The entry points of a kind are in the group `mobilesim.KINDs`."""

    ORDERING = "ordering"
    PLACEMENT = "placement"
    MOBILITY = "mobility"
    WORKLOAD = "workload"

    @property
    def group(self) -> str:
        return "mobilesim.mobility" if self is Kind.MOBILITY else f"mobilesim.{self}s"

    @property
    def noun(self) -> str:
        return {"mobility": "mobility model", "ordering": "ordering"}.get(self, str(self))

    @property
    def row(self) -> str:
        """The name of the class of its rows. These classes are in packages of higher layers."""
        return f"{self.capitalize()}Row"

    @property
    def article(self) -> str:
        return "an" if self is Kind.ORDERING else "a"


@value
class Extension:
    """A declared class or function. `name`: as the user writes it. `origin`: the distribution with its version or, if
    there is none, the file with its digest.
    """

    name: str
    module: str
    symbol: str
    row: Any
    origin: str

    @property
    def text(self) -> str:
        return f"{self.name} ({self.origin})"

    def load(self) -> Any:  # noqa: ANN401 - a class or a function of another package
        return getattr(import_module(self.module), self.symbol)

    @contextmanager
    def errors_in_one_line(self) -> Iterator[None]:
        """Replace an exception of the package by a UserError."""
        try:
            yield
        except UserError:
            raise
        except Exception as error:
            raise UserError(f"{self.name}: {described(error)}") from error

    def iterate(self, *arguments: object) -> Iterator[Any]:
        """Yield what the function yields for these arguments."""
        with self.errors_in_one_line():
            yield from self.load()(*arguments)


def is_path(name: str) -> bool:
    """Return whether a name is written as a path to a class or function. Only such names contain a colon."""
    return ":" in name


@cache
def find(kind: Kind, name: str) -> Extension | None:
    """Return the extension of this name; None if the name is no path, and no entry point either."""
    if is_path(name):
        path = _PATH.fullmatch(name)
        if path is None:
            raise UserError(f"{name}: write the path of {kind.article} {kind.noun} as package.module:Name")
        if path["module"] == "__main__":
            raise UserError(f"{name}: worker processes have another main program; define it in a module of its own")
        return _extension(kind, name, path["module"], path["symbol"])
    entries = {entry.value: (entry, origin) for entry, origin in _entry_points(kind) if entry.name == name}
    if len(entries) > 1:
        raise UserError(f"{name}: several packages declare this {kind.noun}; write one of {', '.join(sorted(entries))}")
    for written, (entry, origin) in entries.items():
        if _PATH.fullmatch(written) is None:
            raise UserError(f"{name}: {origin}: its entry point is {written!r}; expected package.module:Name")
        return _extension(kind, name, entry.module, entry.attr, origin)
    return None


def installed(kind: Kind) -> Mapping[str, str]:
    """Return the names that installed packages declare, each with the name and version of its package. No package is
    imported.
    """
    found: dict[str, set[str]] = {}
    for entry, origin in _entry_points(kind):
        found.setdefault(entry.name, set()).add(origin)
    return {name: ", ".join(sorted(origins)) for name, origins in sorted(found.items())}


def unreadable() -> tuple[str, ...]:
    """Return one line for each installed package with unreadable entry points."""
    return _all_entry_points()[1]


def kind_of(name: str) -> Kind | None:
    """Return what a name stands for, None if the name is no path, and no entry point either."""
    if (path := _PATH.fullmatch(name)) is not None:
        declared = getattr(_target(name, path["module"], path["symbol"]), ATTRIBUTE, None)
        row = type(declared.row).__name__ if isinstance(declared, Declaration) else ""
        return next((kind for kind in Kind if kind.row == row), Kind.ORDERING)
    return next((kind for kind in Kind if name in installed(kind)), None)


def _entry_points(kind: Kind) -> tuple[tuple[EntryPoint, str], ...]:
    """Return the entry points of a kind, each with the name and version of its package."""
    return tuple((entry, origin) for entry, origin in _all_entry_points()[0] if entry.group == kind.group)


@cache
def _all_entry_points() -> tuple[tuple[tuple[EntryPoint, str], ...], tuple[str, ...]]:
    """Return the entry points of all kinds, and the faults of packages. Unlike `importlib.metadata.entry_points`, a
    package with a fault does not hide the others.
    """
    groups = {kind.group for kind in Kind}
    found: dict[str, list[tuple[EntryPoint, str]]] = {}
    faults = []
    for package in distributions():
        try:
            text = package.read_text("entry_points.txt")
            if text is None or "[mobilesim." not in text:
                continue  # reading the metadata of every package would take longer
            origin = _release(package)
            declared = [(entry, origin) for entry in package.entry_points if entry.group in groups]
        except Exception as error:  # noqa: BLE001 - any mistake of a package is one line
            faults.append(f"{_release(package)}: its entry points cannot be read: {type(error).__name__}: {error}")
        else:  # the first package of a name on the path is the one that is imported
            found.setdefault(origin.partition(" ")[0], declared)
    return tuple(chain.from_iterable(found.values())), tuple(" ".join(fault.split()) for fault in faults)


def _release(package: Distribution) -> str:
    """Return name and version, or the folder of a package without metadata."""
    try:
        return f"{package.metadata['Name']} {package.metadata['Version']}"
    except Exception:  # noqa: BLE001 - any fault of the metadata
        return f"a package in {package.locate_file('')}"


def _extension(kind: Kind, name: str, module: str, symbol: str, release: str = "") -> Extension:
    declared = getattr(_target(name, module, symbol), ATTRIBUTE, None)
    if not isinstance(declared, Declaration):
        raise UserError(f"{name}: it declares no {kind.noun}; decorate it with `mobilesim.contract.orderings.declares`")
    if declared.contract != CONTRACT_VERSION:
        versions = f"version {declared.contract} of mobilesim.contract, and this is version {CONTRACT_VERSION}"
        raise UserError(f"{name}: it was written for {versions}; install releases of both that match")
    if type(declared.row).__name__ != kind.row:
        raise UserError(
            f"{name}: it is declared with {type(declared.row).__name__}, and is not {kind.article} {kind.noun}"
        )
    return Extension(name, module, symbol, declared.row, release or _origin(module))


def _target(name: str, module: str, symbol: str) -> object:
    note_author(module)
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise _failed_import(name, error) from None
        remedy = "install the package that has it, or name its file with --plugin"
        raise UserError(f"{name}: there is no module '{error.name}'; {remedy}") from None
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - any mistake of the package is reported as one line
        raise _failed_import(name, error) from None
    if not hasattr(found, symbol):
        parts = declared_in(found)
        hint = suggestion(symbol, parts) if parts else ""
        raise UserError(f"{name}: the module has no '{symbol}'{hint}")
    return getattr(found, symbol)


def declared_in(module: object) -> dict[str, str]:
    """Return the names of the declared classes and functions of a module, each with the name of its row's class."""
    found = {symbol: getattr(part, ATTRIBUTE, None) for symbol, part in vars(module).items()}
    return {symbol: type(each.row).__name__ for symbol, each in found.items() if isinstance(each, Declaration)}


def _failed_import(name: str, error: Exception) -> UserError:
    return UserError(f"{name}: it cannot be imported: {described(error)}")


def _origin(module: str) -> str:
    package = module.partition(".")[0]
    for name in packages_distributions().get(package, ()):
        return f"{name} {distribution(name).version}"
    file = Path(getattr(sys.modules[module], "__file__", None) or module)
    try:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    except OSError:
        return file.name
    return f"{file.name}, sha256 {digest}"


def clear_cache() -> None:
    """Forget what was found. A plug-in file may define what was missing before."""
    find.cache_clear()
    _all_entry_points.cache_clear()


def texts(extensions: Iterable[Extension]) -> str:
    """Return the extensions as one text: each with its origin, without repetitions."""
    return "; ".join(dict.fromkeys(each.text for each in extensions))
