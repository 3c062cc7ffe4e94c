"""Notes about valid settings that are probably unintended."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from mobilesim.scenario.values.units import BANDWIDTH, NUMBER

_BYTE_RATE: Final = re.compile(rf"\s*{NUMBER}\s*[kMG]?B/s\s*")


def byte_rate_notes(data: object, path: str = "") -> Iterator[str]:
    """Yield a note for each bandwidth that is written in bytes per second; `data` is a scenario as written."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from byte_rate_notes(value, f"{path}.{key}".removeprefix("."))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from byte_rate_notes(value, f"{path}[{index}]")
    elif isinstance(data, str) and _BYTE_RATE.fullmatch(data):
        yield f"{path}: B is bytes: {data} is {BANDWIDTH.write(BANDWIDTH.read(data))}"
