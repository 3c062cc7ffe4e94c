"""Read the axes of a sweep file: the keys that vary, each with its values."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic_core import PydanticCustomError

from mobilesim.errors import shown
from mobilesim.results.layout import VARIANT
from mobilesim.scenario.loader import VARIANTS, VARY
from mobilesim.scenario.referenced_files import as_setting
from mobilesim.scenario.sweeps.axes import Continuum, Factor, Levels, Range, Span, Value, texts
from mobilesim.scenario.sweeps.sweep_keys import ALWAYS_ON, OF_SWEEPS, TOGETHER
from mobilesim.scenario.sweeps.variants import Changes
from mobilesim.scenario.values.validation_error import Fault
from mobilesim.scenario.yaml_document import Document, Place


class AxisReader:
    """`faults`: the list to which faults of the axes are added."""

    def __init__(self, document: Document, folder: Path, faults: list[Fault]) -> None:
        self._document = document
        self._folder = folder
        self._faults = faults

    def factors(
        self, vary: dict[str, Any], variants: Mapping[str, Changes], ranges: type[Range] = Range
    ) -> Iterator[Factor]:
        """Yield the factors, without the one of variants. `ranges`: the kind of ranges."""
        seen: dict[str, Place] = {VARIANT: (VARIANTS,)} if variants else {}
        for keys, above in _steps(vary):
            if not isinstance(keys, dict) or not keys:
                advice = "write keys that vary together, like {cells: [4, 9], hosts: [10, 40]}"
                self._faults.append(Fault(f"{shown(keys)} is not a mapping; {advice}", (VARY, TOGETHER)))
                continue
            before = len(self._faults)
            columns = {key: self._column(key, raw, (*above, key), seen, ranges) for key, raw in keys.items()}
            numbers = {key: len(column.values) for key, column in columns.items() if isinstance(column, Levels)}
            counts = ", ".join(f"{key} has {number}" for key, number in numbers.items())
            if len(set(numbers.values())) > 1:
                self._faults.append(Fault(f"keys that vary together need equally many values; {counts}", above))
            known = [column for column in columns.values() if column is not None]
            yield Factor(tuple(columns), tuple(known) if len(self._faults) == before else ())

    def _column(
        self, key: str, raw: object, at: Place, seen: dict[str, Place], ranges: type[Range]
    ) -> Levels | Continuum | None:
        """Return the values of a key; None if the values have faults."""
        if reason := self._invariable(key, seen):
            self._faults.append(Fault(reason, at))
        seen[key] = at
        try:
            found = texts(raw, ranges)
        except PydanticCustomError as error:
            self._faults.extend(fault.under(*at) for fault in (error.context or {})["faults"])
            return None
        if isinstance(found, Span):
            return Continuum(found, raw if isinstance(raw, dict) else {}, at)
        if not isinstance(raw, list):
            return Levels(tuple(Value(each, each, at) for each in found))
        whole = (as_setting(key, each, self._folder) for each in raw)
        settings = enumerate(zip(found, whole, strict=True))
        return Levels(tuple(Value(*parts, (*at, place)) for place, parts in settings))

    def _invariable(self, key: str, seen: Mapping[str, Place]) -> str | None:
        """Return the reason why a key cannot vary, or cannot vary beside earlier keys (`seen`); None if it can."""
        if key in OF_SWEEPS:
            return f"write '{key}' beside 'vary', not below it"
        if key == "seed":
            return "replications have different random numbers already; write 'replications: 5' instead"
        if key in ALWAYS_ON:
            return f"a summary needs the {key}; leave this key out"
        for other, at in seen.items():
            line = f"(line {self._document.line(at)})"
            if key == other:
                return f"this key varies already {line}"
            if key.startswith(f"{other}.") or other.startswith(f"{key}."):
                return f"'{other}' varies, and one of the two keys is a part of the other {line}"
        return None


def _steps(vary: dict[str, Any]) -> Iterator[tuple[Any, Place]]:
    for key, found in vary.items():
        if key != TOGETHER:
            yield {key: found}, (VARY,)
        elif isinstance(found, list):
            yield from ((part, (VARY, TOGETHER, number)) for number, part in enumerate(found))
        else:
            yield found, (VARY, TOGETHER)
