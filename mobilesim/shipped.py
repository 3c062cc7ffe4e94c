"""The scenarios that come with mobilesim: beside the packages in a checkout, inside this one in an installed wheel."""

import difflib
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError

_HERE: Final = Path(__file__).resolve().parent
_SUFFIX: Final = ".yaml"


def names() -> tuple[str, ...]:
    """`quickstart`, `papers/…` and so on, sorted."""
    return tuple(sorted(_shipped()))


def find(name: str | Path) -> Path:
    """The file of that name, else the shipped scenario: `scenarios/quickstart.yaml`, `quickstart.yaml`, `quickstart`.

    A directory never hides a shipped scenario: results are often named after theirs.
    """
    given = Path(name)
    if given.exists() and not given.is_dir():
        return given
    shipped = _shipped()
    key = given.as_posix().removeprefix("./").removeprefix("scenarios/").removesuffix(_SUFFIX)
    if key not in shipped:
        raise UserError(_missing(str(name), key, tuple(sorted(shipped))))
    return shipped[key]


def _shipped() -> dict[str, Path]:
    root = next((place for place in (_HERE / "scenarios", _HERE.parent / "scenarios") if place.is_dir()), None)
    if root is None:
        return {}
    return {path.relative_to(root).with_suffix("").as_posix(): path for path in root.rglob(f"*{_SUFFIX}")}


def _missing(name: str, key: str, shipped: tuple[str, ...]) -> str:
    nearest = difflib.get_close_matches(key, shipped, n=1)
    hint = f"did you mean '{nearest[0]}'?" if nearest else f"shipped are: {', '.join(shipped) or 'none'}"
    return f"{name}: no such file, and no shipped scenario has that name; {hint}"
