"""The bundled scenarios. They are beside the packages in a checkout, and inside this package in an installed wheel."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError, did_you_mean, suggestion

SCENARIOS: Final = Path(__file__).parents[1] / "scenarios"
_SUFFIX: Final = ".yaml"
_SWEEPS: Final = "sweeps/"
_STUDIES: Final = "what-if/"
SWEEPS: Final = SCENARIOS / _SWEEPS
STUDIES: Final = SCENARIOS / _STUDIES


def names() -> tuple[str, ...]:
    """Return the sorted names of scenarios, like `quickstart`, without sweeps and studies."""
    return tuple(name for name in _shipped() if not name.startswith((_SWEEPS, _STUDIES)))


def sweeps() -> tuple[str, ...]:
    """Return the sorted names of sweeps, like `sweeps/mobility`."""
    return tuple(name for name in _shipped() if name.startswith(_SWEEPS))


def studies() -> tuple[str, ...]:
    """Return the sorted names of studies, like `what-if/slow-air`."""
    return tuple(name for name in _shipped() if name.startswith(_STUDIES))


def find(name: str | Path) -> Path:
    """Return the file with this name or, without such a file, the bundled scenario with this name or path."""
    return _file(name) or shipped(name)


def shipped(name: str | Path) -> Path:
    """Return the bundled scenario with this name, even if the working directory has a file with this name."""
    return _bundled(name, [_key(name)], _shipped(), "scenario")


def find_sweep(name: str | Path) -> Path:
    """Return the file of a sweep, like `find`. A bundled sweep has names like `sweeps/mobility` and `mobility`.

    A bundled file of another kind is found too; its loader names the command that runs it.
    """
    keys = [_key(name), f"{_SWEEPS}{_key(name).removeprefix(_SWEEPS)}"]
    return _file(name) or _bundled(name, keys, sweeps(), "sweep")


def find_study(name: str | Path) -> Path:
    """Return the file of a study or scenario, like `find_sweep`. A bundled study may be named without `what-if/`."""
    keys = [f"{_STUDIES}{_key(name)}", _key(name)]
    return _file(name) or _bundled(name, keys, (*studies(), *names()), "study or scenario")


def is_scenario_directory(name: str | Path) -> bool:
    """Return whether `name` is a directory but not the name of a bundled scenario."""
    return Path(name).is_dir() and _key(name) not in _shipped()


def _file(name: str | Path) -> Path | None:
    """Return the file with this name, or None. A directory does not count: results often have a scenario's name."""
    given = Path(name)
    return given if given.exists() and not given.is_dir() else None


def _bundled(name: str | Path, keys: Sequence[str], known: Sequence[str], kind: str) -> Path:
    shipped_names = _shipped()
    for key in keys:
        if key in shipped_names:
            return SCENARIOS / f"{key}{_SUFFIX}"
    raise UserError(_missing(name, keys[-1], known, kind))


def _key(name: str | Path) -> str:
    return Path(name).as_posix().removeprefix("./").removeprefix("scenarios/").removesuffix(_SUFFIX)


def _shipped() -> tuple[str, ...]:
    root = SCENARIOS
    return tuple(sorted(path.relative_to(root).with_suffix("").as_posix() for path in root.rglob(f"*{_SUFFIX}")))


def _missing(name: str | Path, key: str, known: Sequence[str], kind: str) -> str:
    path = Path(name)
    if path.is_dir():
        return f"{name}: a directory, and no bundled {kind} has that name; name a file"
    own = path.with_name(f"{path.name}{_SUFFIX}") if path.name else path
    if own.is_file():
        hint = f"; did you mean '{own}'?"
    elif len(known) > 8:
        hint = did_you_mean(key, known) or "; `mobilesim run` lists all names"
    else:
        hint = suggestion(key, known)
    return f"{name}: no such file, and no bundled {kind} has that name{hint}"
