"""The constraints file and the requirements that it pins."""

import re
from typing import Any, Final

PIN: Final = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[A-Za-z0-9.!+]+)")


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements(project: dict[str, Any]) -> set[str]:
    texts = [*project["dependencies"], *(text for extra in project["optional-dependencies"].values() for text in extra)]
    return {canonical(re.split(r"[\s<>=!~\[;]", text)[0]) for text in texts}


def faults(constraints: str, expected: set[str]) -> list[str]:
    """Return lines that are not plain pins, and required packages that are not pinned."""
    pins = {line: PIN.fullmatch(line) for line in constraints.splitlines()}
    pinned = {canonical(match["name"]) for match in pins.values() if match}
    odd = [f"not a pin: {line}" for line, match in pins.items() if not match]
    return odd + [f"not pinned: {name}" for name in sorted(expected - pinned)]
