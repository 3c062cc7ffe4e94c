"""The bundled scenarios: beside the packages in a checkout, inside this package in an installed wheel."""

from pathlib import Path
from typing import Final

from mobilesim.errors import UserError, did_you_mean

_HERE: Final = Path(__file__).resolve().parents[1]
_SUFFIX: Final = ".yaml"
_SWEEPS: Final = "sweeps/"
_STUDIES: Final = "what-if/"
_SHORT_LIST: Final = 8


def names() -> tuple[str, ...]:
    """The sorted names of scenarios, like `quickstart`, without sweeps and studies."""
    return tuple(sorted(name for name in _shipped() if not name.startswith((_SWEEPS, _STUDIES))))


def sweeps() -> tuple[str, ...]:
    """The sorted names of sweeps, like `sweeps/mobility`."""
    return tuple(sorted(name for name in _shipped() if name.startswith(_SWEEPS)))


def studies() -> tuple[str, ...]:
    """The sorted names of studies, like `what-if/slow-air`."""
    return tuple(sorted(name for name in _shipped() if name.startswith(_STUDIES)))


def find(name: str | Path) -> Path:
    """The file of that name, else the shipped scenario: `scenarios/quickstart.yaml`, `quickstart.yaml`, `quickstart`.

    A directory never hides a shipped scenario: results are often named after theirs.
    """
    given = Path(name)
    if given.exists() and not given.is_dir():
        return given
    return shipped(name)


def shipped(name: str | Path) -> Path:
    """The bundled scenario of that name, even if the working directory has such a file."""
    found, key = _shipped(), _key(name)
    if key not in found:
        raise UserError(_missing(str(name), key, names(), "scenario"))
    return found[key]


def is_scenario_directory(name: str | Path) -> bool:
    """Whether `name` is a directory and not also the name of a bundled scenario."""
    return Path(name).is_dir() and _key(name) not in _shipped()


def find_sweep(name: str | Path) -> Path:
    """The file of a sweep, like `find`; a bundled one is named `sweeps/mobility` or `mobility`."""
    given = Path(name)
    if given.exists() and not given.is_dir():
        return given
    found, key = _shipped(), _key(name)
    named = f"{_SWEEPS}{key.removeprefix(_SWEEPS)}"
    if named not in found:
        raise UserError(_missing(str(name), named, sweeps(), "sweep"))
    return found[named]


def find_study(name: str | Path) -> Path:
    """The file of a study or scenario, like `find`; a bundled study is named `what-if/slow-air` or `slow-air`."""
    given = Path(name)
    if given.exists() and not given.is_dir():
        return given
    found, key = _shipped(), _key(name)
    known = (*studies(), *names())
    for named in (f"{_STUDIES}{key}", key):
        if named in known:
            return found[named]
    raise UserError(_missing(str(name), key, known, "study or scenario"))


def _key(name: str | Path) -> str:
    return Path(name).as_posix().removeprefix("./").removeprefix("scenarios/").removesuffix(_SUFFIX)


def scenario_directory() -> Path:
    """The directory of the bundled scenarios."""
    own, beside = _HERE / "scenarios", _HERE.parent / "scenarios"
    return own if own.is_dir() else beside


def _shipped() -> dict[str, Path]:
    root = scenario_directory()
    return {path.relative_to(root).with_suffix("").as_posix(): path for path in root.rglob(f"*{_SUFFIX}")}


def _listed(known: tuple[str, ...]) -> str:
    if len(known) > _SHORT_LIST:
        return "; `mobilesim run` lists what there is"
    return f"; there are {', '.join(known) or 'none'}"


def _missing(name: str, key: str, known: tuple[str, ...], kind: str) -> str:
    own = Path(name).with_name(f"{Path(name).name}{_SUFFIX}") if Path(name).name else None
    if Path(name).is_dir():
        return f"{name}: a directory, and no shipped {kind} has that name; name a file"
    if own is not None and own.is_file():
        hint = f"; did you mean '{own}'?"
    else:
        hint = did_you_mean(key, known) or _listed(known)
    return f"{name}: no such file, and no shipped {kind} has that name{hint}"
